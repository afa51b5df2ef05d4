/** @file The intended sound of an utterance: a style and an emotion in the data of an action, for programs that speak. */

import type { Ask } from './environment.ts';
import { isObject, type Json } from './json.ts';

const styles = ['neutral', 'whispering', 'shouting', 'hesitant', 'formal', 'playful'] as const;
const emotions = ['neutral', 'joy', 'sadness', 'anger', 'fear', 'surprise', 'disgust'] as const;

export interface VoiceTag {
  readonly style: (typeof styles)[number];
  readonly emotion: (typeof emotions)[number];
}

const schema: Json = {
  type: 'object',
  properties: { style: { enum: [...styles] }, emotion: { enum: [...emotions] } },
  required: ['style', 'emotion'],
};

/** An ask that also requests the tag, in addition to its other data. */
export function askingVoice(ask: Ask): Ask {
  const before = isObject(ask.fields) ? ask.fields : {};
  const properties = isObject(before['properties']) ? before['properties'] : {};
  const required = Array.isArray(before['required']) ? (before['required'] as readonly Json[]) : [];
  return { ...ask, fields: { type: 'object', ...before, properties: { ...properties, voice: schema }, required: [...required, 'voice'] } };
}

/** The tag in the data of an action; null if there is none, or if its words are unknown. */
export function voiceIn(data: Json | undefined): VoiceTag | null {
  const voice = isObject(data) ? data['voice'] : undefined;
  if (!isObject(voice)) return null;
  const style = styles.find((style) => style === voice['style']);
  const emotion = emotions.find((emotion) => emotion === voice['emotion']);
  return style === undefined || emotion === undefined ? null : { style, emotion };
}

/** The data with a valid tag or without one; undefined if nothing is left. */
export function withKnownVoice(data: Json | undefined): Json | undefined {
  if (!isObject(data) || !Object.hasOwn(data, 'voice') || voiceIn(data) !== null) return data;
  const { voice: _, ...rest } = data;
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Rate and pitch around 1, volume up to 1, as in browsers. */
export interface Prosody {
  readonly rate: number;
  readonly pitch: number;
  readonly volume: number;
}

const byStyle: Readonly<Record<VoiceTag['style'], Prosody>> = {
  neutral: { rate: 1, pitch: 1, volume: 0.8 },
  whispering: { rate: 0.9, pitch: 0.9, volume: 0.35 },
  shouting: { rate: 1.1, pitch: 1.15, volume: 1 },
  hesitant: { rate: 0.8, pitch: 1, volume: 0.7 },
  formal: { rate: 0.95, pitch: 0.95, volume: 0.8 },
  playful: { rate: 1.1, pitch: 1.2, volume: 0.8 },
};

const byEmotion: Readonly<Record<VoiceTag['emotion'], Pick<Prosody, 'rate' | 'pitch'>>> = {
  neutral: { rate: 1, pitch: 1 },
  joy: { rate: 1.1, pitch: 1.2 },
  sadness: { rate: 0.8, pitch: 0.85 },
  anger: { rate: 1.15, pitch: 0.9 },
  fear: { rate: 1.2, pitch: 1.25 },
  surprise: { rate: 1.1, pitch: 1.3 },
  disgust: { rate: 0.9, pitch: 0.85 },
};

/** The browser speech settings for a tag. */
export function prosodyOf(tag: VoiceTag | null): Prosody {
  const { style, emotion } = tag ?? { style: 'neutral', emotion: 'neutral' };
  const [a, b] = [byStyle[style], byEmotion[emotion]];
  return { rate: a.rate * b.rate, pitch: a.pitch * b.pitch, volume: a.volume };
}
