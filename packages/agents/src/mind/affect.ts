/**
 * @file Mood and emotions in numbers: OCC emotions that fade with a half-life, and a PAD mood that emotions change and that returns to its
 * default.
 *
 * After FAtiMA (emotions from 0 to 10 over thresholds, exponential decay, half-lives of 15 and 60) and ALMA (the position of each emotion
 * in pleasure, arousal, and dominance). Unlike both, time is counted in turns, and a state is updated only when something happens.
 */

import type { Persona } from '../personas/index.ts';

/** The 22 emotions of Ortony, Clore, and Collins, at their positions in ALMA. */
const places = {
  joy: [0.4, 0.2, 0.1],
  distress: [-0.4, -0.2, -0.5],
  happy_for: [0.4, 0.2, 0.2],
  pity: [-0.4, -0.2, -0.5],
  gloating: [0.3, -0.3, -0.1],
  resentment: [-0.2, -0.3, -0.2],
  hope: [0.2, 0.2, -0.1],
  fear: [-0.64, 0.6, -0.43],
  satisfaction: [0.3, -0.2, 0.4],
  fears_confirmed: [-0.5, -0.3, -0.7],
  relief: [0.2, -0.3, 0.4],
  disappointment: [-0.3, 0.1, -0.4],
  pride: [0.4, 0.3, 0.3],
  shame: [-0.3, 0.1, -0.6],
  admiration: [0.5, 0.3, -0.2],
  reproach: [-0.3, -0.1, 0.4],
  gratification: [0.6, 0.5, 0.4],
  remorse: [-0.3, 0.1, -0.6],
  gratitude: [0.4, 0.2, -0.3],
  anger: [-0.51, 0.59, 0.25],
  love: [0.3, 0.1, 0.2],
  hate: [-0.6, 0.6, 0.3],
} as const satisfies Readonly<Record<string, readonly [number, number, number]>>;

export type Emotion = keyof typeof places;
export const emotionPlaces: Readonly<Record<Emotion, readonly number[]>> = places;

/** An emotion with its intensity when raised, and the turn. */
export type Felt = { readonly emotion: Emotion; readonly intensity: number; readonly at: number; readonly cause: string };

/** The mood at turn `at`, and the emotions; read them through `moodAt` and `intensityAt`. */
export type AffectState = { readonly mood: readonly number[]; readonly at: number; readonly felt: readonly Felt[] };

type Temper = Persona['affect'];

/** The share of an emotion that affects the mood at full strength and reactivity. */
const intoMood = 0.3;
/** Emotions below this are forgotten. */
const faint = 0.5;
const mostFelt = 6;

export function calm(temper: Temper, at = 0): AffectState {
  return { mood: [...temper.baseline], at, felt: [] };
}

/** The remaining intensity of an emotion: half after each half-life. */
export function intensityAt(felt: Felt, turn: number, { halfLifeTurns }: Temper): number {
  return felt.intensity * 2 ** (-(turn - felt.at) / halfLifeTurns.emotion);
}

/** The mood as it returns to the baseline: half the distance in each half-life. */
export function moodAt(state: AffectState, turn: number, { baseline, halfLifeTurns }: Temper): readonly number[] {
  const left = 2 ** (-(turn - state.at) / halfLifeTurns.mood);
  return state.mood.map((value, i) => (baseline[i] ?? 0) + (value - (baseline[i] ?? 0)) * left);
}

/** The mood at the start of the next conversation, one half-life after the last turn: half of it. Emotions have ended. */
export function moodAfterPause(state: AffectState, turn: number, temper: Temper): AffectState {
  return { mood: moodAt(state, turn + temper.halfLifeTurns.mood, temper), at: 0, felt: [] };
}

export interface Stirring {
  readonly emotion: Emotion;
  readonly intensity: number;
  readonly cause: string;
}

/**
 * The state after emotions are raised at a turn. An emotion below its threshold is ignored; an emotion already felt is refreshed, not
 * added.
 */
export function stir(state: AffectState, stirrings: readonly Stirring[], turn: number, temper: Temper): AffectState {
  const over = stirrings
    .map((stirring) => ({ ...stirring, intensity: Math.min(10, stirring.intensity - (temper.thresholds?.[stirring.emotion] ?? 0)) }))
    .filter((item) => item.intensity > 0);
  if (over.length === 0) return state;
  const mood = [...moodAt(state, turn, temper)];
  let felt = state.felt.filter((felt) => intensityAt(felt, turn, temper) >= faint);
  for (const { emotion, intensity, cause } of over) {
    const push = (intoMood * temper.reactivity * intensity) / 10;
    for (let i = 0; i < 3; i++) mood[i] = Math.max(-1, Math.min(1, mood[i]! + push * places[emotion][i]!));
    const before = felt.find((felt) => felt.emotion === emotion);
    const strongest = Math.max(intensity, before === undefined ? 0 : intensityAt(before, turn, temper));
    felt = [...felt.filter((felt) => felt !== before), { emotion, intensity: strongest, at: turn, cause }];
  }
  const byStrength = [...felt].sort((a, b) => intensityAt(b, turn, temper) - intensityAt(a, turn, temper));
  return { mood, at: turn, felt: byStrength.slice(0, mostFelt) };
}

/** The eight mood octants of PAD space, by the signs of pleasure, arousal and dominance. */
const octants: Readonly<Record<string, string>> = {
  '+++': 'exuberant',
  '++-': 'dependent',
  '+-+': 'relaxed',
  '+--': 'docile',
  '---': 'bored',
  '--+': 'disdainful',
  '-+-': 'anxious',
  '-++': 'hostile',
};

/** A mood and the strongest emotions in a few words for a prompt; empty if there are none. */
export function affectWords(state: AffectState, turn: number, temper: Temper): string {
  const mood = moodAt(state, turn, temper);
  const size = Math.hypot(...mood);
  const how = size > 0.9 ? 'very ' : size > 0.45 ? '' : 'slightly ';
  const phrases = size < 0.12 ? [] : [how + octants[mood.map((value) => (value >= 0 ? '+' : '-')).join('')]];
  for (const felt of state.felt.slice(0, 2)) {
    const strength = intensityAt(felt, turn, temper);
    if (strength >= 1)
      phrases.push(`${strength >= 6 ? 'strong ' : strength < 3 ? 'some ' : ''}${felt.emotion.replace('_', ' ')} (${felt.cause})`);
  }
  return phrases.join('; ');
}

const eight: readonly (readonly Emotion[])[] = [
  ['joy', 'happy_for', 'satisfaction', 'gratification', 'pride', 'gloating'],
  ['gratitude', 'love', 'admiration', 'relief'],
  ['fear', 'fears_confirmed'],
  ['disappointment'],
  ['distress', 'pity', 'shame', 'remorse'],
  ['reproach'],
  ['anger', 'hate', 'resentment'],
  ['hope'],
];

/** The current emotions as the eight values of Emotional RAG, 1 to 10 each. */
export function moodVector(state: AffectState, turn: number, temper: Temper): readonly number[] {
  return eight.map((kinds) => {
    let most = 0;
    for (const felt of state.felt) if (kinds.includes(felt.emotion)) most = Math.max(most, intensityAt(felt, turn, temper));
    return Math.min(10, 1 + 0.9 * most);
  });
}
