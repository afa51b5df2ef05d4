/** @file Tags of utterances: asked next to other data, read strictly, and spoken differently. */

import { expect, it } from 'vitest';
import { askingVoice, prosodyOf, voiceIn, withKnownVoice } from './voice.ts';

it('a voice tag is requested along with other data, read strictly, and spoken (sad ones slower)', () => {
  const bet = { type: 'object', properties: { confidence: { type: 'number' } }, required: ['confidence'] };
  const { fields } = askingVoice({ seat: 'a', fields: bet });
  expect(fields).toMatchObject({ properties: { confidence: { type: 'number' }, voice: {} }, required: ['confidence', 'voice'] });
  const sad = { style: 'whispering', emotion: 'sadness' };
  expect(voiceIn({ confidence: 1, voice: sad })).toEqual(sad);
  for (const data of [undefined, null, 'sad', {}, { voice: 'sad' }, { voice: { ...sad, emotion: '__proto__' } }])
    expect(voiceIn(data)).toBeNull();
  expect(withKnownVoice({ voice: { style: 'loud' } })).toBeUndefined();
  expect(withKnownVoice({ confidence: 1, voice: 3 })).toEqual({ confidence: 1 });
  expect(withKnownVoice({ voice: sad })).toEqual({ voice: sad });
  expect(prosodyOf(voiceIn({ voice: sad })).rate).toBeLessThan(prosodyOf(null).rate);
  expect(prosodyOf(null)).toEqual({ rate: 1, pitch: 1, volume: 0.8 });
});
