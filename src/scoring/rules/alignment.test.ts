import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { alignmentOf, type PersonaTraits, selectionOf } from './alignment.ts';

const vectors = JSON.parse(readFileSync(new URL('../test-vectors.json', import.meta.url), 'utf8'));

describe('alignment of a reading with its labels', () => {
  const { input, expected } = vectors.beyond_dialogue;
  const reading = (from: 'label' | 'pred'): PersonaTraits => ({
    traits: input[`char_${from}`],
    manner: input[`style_${from}`],
    feelings: input[`emotion_${from}`],
    closeness: input[`rel_${from}`],
    type: input[`mbti_${from}`],
  });
  const truth = reading('label');

  it('has the values of the vector', () => {
    const found = alignmentOf(truth, reading('pred'));
    expect(found.feelings).toBeCloseTo(expected.emotion_nmape, 6);
    expect(found.closeness).toBeCloseTo(expected.relationship_nmape, 9);
    expect(found.traits.recall).toBe(expected.character_recall);
    expect(found.manner.recall).toBe(expected.style_recall);
    expect(found.type).toBe(expected.personality_acc);
    expect(found.mean).toBeCloseTo(expected.avg, 6);
  });

  it('finds out whoever selects everything, once there is something wrong to select', () => {
    const all = selectionOf(truth.traits, truth.traits);
    expect(all.recall).toBe(expected.degenerate_judge_selects_all.character_recall);
    expect(selectionOf(truth.manner, truth.manner).recall).toBe(expected.degenerate_judge_selects_all.style_recall);
    const distracted = selectionOf(truth.traits, [...truth.traits, 'e', 'f', 'g', 'h']);
    expect(distracted).toEqual({ recall: 1, precision: 0.5, f1: 2 / 3 });
  });

  it('takes nothing for granted: what was not read is off, what cannot be asked is missing', () => {
    expect(alignmentOf(truth, { ...truth, feelings: {} }).feelings).toBe(1);
    expect(alignmentOf({ ...truth, type: '' }, truth)).toMatchObject({ type: null, mean: null });
    expect(selectionOf(truth.traits, [])).toEqual({ recall: 0, precision: null, f1: 0 });
    expect(alignmentOf(truth, truth).mean).toBe(1);
  });
});

/** Every vector is used: its name stands in some test. */
it('no vector is left unused', () => {
  const room = new URL('../', import.meta.url);
  const tests = readdirSync(room, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(test|cases)\.ts$/.test(file));
  const text = tests.map((file) => readFileSync(new URL(file, room), 'utf8')).join('\n');
  for (const name of Object.keys(vectors)) expect(text, name).toMatch(new RegExp(`[.'"]${name}\\b`));
});
