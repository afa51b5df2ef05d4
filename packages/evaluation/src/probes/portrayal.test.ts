/** @file Topic dialogues: a speaker who shows its pole is found, one who shows nothing is at chance, one who recites its card is flagged. */

import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { gallery, type Persona } from '@ludus-agents/agents/internal/personas/index';
import { describe, expect, it } from 'vitest';
import { never } from '../scoring/logs.cases.ts';
import { readTraitCues } from '../scoring/rules/trait-cues.ts';
import { dialogueControl } from './dialogue-controls.ts';
import { modelTraitReader } from './model-reader.ts';
import { measurePortrayal, type PortrayalOptions, withPole } from './portrayal.ts';

const villain = gallery['villain'] as Persona;

const measured = (name: string, more: Partial<PortrayalOptions> = {}) =>
  measurePortrayal(villain, { agent: (persona, dialogue) => dialogueControl(name, persona, dialogue), topics: 4, ...more });

describe('portrayal', () => {
  it('detects the played pole of every trait', async () => {
    const report = await measured('plays');
    expect(report.rows).toHaveLength(10);
    for (const { trait, pole, success, n } of report.rows) expect([trait, pole, success, n]).toEqual([trait, pole, 1, 4]);
    expect(report.pairRate).toBe(1);
    expect(report.recites).toBe(false);
    expect(report.interval![0]).toBeGreaterThan(0.9);
  });

  it('puts a speaker that shows nothing at chance', async () => {
    const report = await measured('ignores');
    expect(report).toMatchObject({ success: 0, pairRate: 0.5, recites: false, broken: 0 });
    expect(report.pairInterval![1]).toBeLessThan((await measured('plays')).pairInterval![0]);
  });

  it('flags a recited card, whatever the reader says', async () => {
    const easy = { name: 'easy', read: () => ({ O: 1, C: 1, E: 1, A: 1, N: 1 }) };
    const report = await measured('recites', { reader: easy });
    expect(report.recites).toBe(true);
    expect(report.copied).toBeGreaterThan(0.8);
    expect(report.success).toBe(0.5);
    expect(report.pairRate).toBe(0.5);
  });

  it('hides the name and text of the card from the reader', async () => {
    const observations: string[] = [];
    const reader = {
      name: 'spy',
      read: (asked: readonly string[], statements: readonly string[]) => {
        observations.push(...asked, ...statements);
        return null;
      },
    };
    const report = await measured('recites', { reader, traits: ['A'] });
    expect(report.broken).toBe(8);
    expect(report.success).toBeNull();
    expect(observations.join(' ')).not.toMatch(/Vole|Cassian|disagreeable|extremely/i);
  });

  it('is read by a model in one reply, and an invalid reply counts as broken', async () => {
    const lines = ['So it is.'];
    const answer = '{"O":"high","C":"low","E":"unclear","A":"low","N":"high"}';
    const reader = modelTraitReader(fakeModel({ answers: [answer, 'I think he is nice.', '{"O":"high"}'] }), never);
    expect(await reader.read(['How?'], lines)).toEqual({ O: 1, C: -1, E: 0, A: -1, N: 1 });
    expect(await reader.read(['How?'], lines)).toBeNull();
    expect(await reader.read(['How?'], lines)).toBeNull();
  });

  it('changes one trait of the card and nothing else', () => {
    const high = withPole(villain, 'E', 'high');
    expect(high.identity.personal.bigFive).toEqual({ ...villain.identity.personal.bigFive, E: { score: 92 } });
    expect(high.statements).toEqual(villain.statements);
    expect(readTraitCues(['The weather is fair.'])).toEqual({ O: 0, C: 0, E: 0, A: 0, N: 0 });
  });
});
