/** @file Characters taught: lessons from a document with wordings held out; a table learns what it is taught and nothing else. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gallery, type Persona } from '@ludus-agents/agents/internal/personas/index';
import { builtInScorer } from '@ludus-agents/evaluation/internal/scoring/index';
import type { Score, Scorer } from '@ludus-agents/kernel/internal/core/index';
import { teachCharacter } from '@ludus-agents/learning/internal/teach-character';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../terminal.cases.ts';

const here = folder();
const villain = gallery['villain'] as Persona;

describe('lessons', () => {
  it('hold out wordings of taught facts, prefer the best line, and never reveal a secret in it', async () => {
    const { train, heldOut, pairs, imitation } = await teachCharacter(villain);
    const taught = new Set(train.map(({ ask }) => ask));
    for (const { ask } of heldOut) expect(taught.has(ask)).toBe(false);
    expect(imitation.length).toBe(train.length);
    for (const { chosen, rejected } of pairs) {
      expect(chosen[0]?.content).not.toBe(rejected[0]?.content);
      for (const { text } of villain.secrets) expect(chosen[0]?.content).not.toBe(text);
    }
    for (const { answers } of [...train, ...heldOut]) expect(answers.filter(({ worth }) => worth === 1)).toHaveLength(1);
  });

  it('need a line that leads by half a statement, in a document of any length', async () => {
    const statements = (number: number) => Array.from({ length: number }, (_, i) => ({ ...villain.statements[0]!, id: `s${i + 1}` }));
    // Gives the first line so many statements more than the second, and the others none: a mean over statements, as APC's is.
    const ahead = (lead: number, length: number): Scorer => ({
      name: 'apc',
      tier: 'small',
      identity: 'lead',
      score: async ({ episodes }) => {
        const spokenText = (episodes[0]!.events[2] as { action: { text: string } }).action.text;
        const worth = spokenText === 'Of that I know nothing.' ? 1 + lead : 1;
        return [{ name: 'apc', value: worth / length, status: 'ok', evidence: [] } as unknown as Score];
      },
    });
    const lessonsOf = async (lead: number, length: number) => {
      const persona = { ...villain, statements: statements(length) };
      const { train, heldOut, asked } = await teachCharacter(persona, { items: 6, scorer: ahead(lead, length) });
      return [train.length + heldOut.length, asked];
    };
    for (const length of [4, 400]) {
      expect((await lessonsOf(0.4, length))[0]).toBe(0);
      const [made, asked] = await lessonsOf(0.6, length);
      expect(made).toBeGreaterThan(0);
      // The dilemmas have no line that says so.
      expect(made).toBeLessThan(asked!);
    }
  });

  it('can be ranked by APC, and equal lines make no lesson', async () => {
    const { train } = await teachCharacter(villain, { items: 6, scorer: await builtInScorer('apc') });
    for (const { answers } of train) {
      const worths = answers.map(({ worth }) => worth);
      // The suite passes who says the best line, whatever mark it got.
      expect([Math.min(...worths), Math.max(...worths)]).toEqual([0, 1]);
    }
  });

  it('are rated by content: APC picks the right line for claims and secrets', async () => {
    const best = ({ answers }: (typeof gold)[number]) => answers.toSorted((a, b) => b.worth - a.worth)[0]!.text;
    const both = async (scorer?: Scorer) => {
      const { train, heldOut } = await teachCharacter(villain, { items: 24, scorer });
      return [...train, ...heldOut];
    };
    const gold = await both();
    const right = new Map(gold.map((question) => [question.ask, best(question)]));
    const rated = await both(await builtInScorer('apc'));
    for (const question of rated) expect(best(question)).toBe(right.get(question.ask));
    expect(new Set(rated.map(best))).toEqual(new Set(['So it is.', 'No, that is not so.', 'Of that I know nothing.']));
  });

  it('train a learner on the command line, with results on held-out wordings before and after', async () => {
    const outcome = await ludus(here, ['persona', 'teach', 'villain', '--items', '12', '-o', 'vole', '--json']);
    expect([outcome.code, outcome.err]).toEqual([0, '']);
    expect(JSON.parse(outcome.out)).toMatchObject({ by: 'probes', folder: 'vole' });
    const [pair] = readFileSync(join(here, 'vole', 'pairs.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(pair!)).toMatchObject({
      prompt: [{ role: 'system' }, { role: 'user' }],
      chosen: [{ role: 'assistant' }],
      rejected: [{ role: 'assistant' }],
    });
    // What a large model is trained by is in the recipe, and in no recipe of a table.
    const settingsIn = (file: string) => (JSON.parse(readFileSync(join(here, 'vole', file), 'utf8')) as { onServer?: object }).onServer;
    expect([settingsIn('dpo.json'), settingsIn('table.json')]).toEqual([
      expect.objectContaining({ 'training.warmUp.steps': 60 }),
      undefined,
    ]);
    const trained = await ludus(here, ['train', './vole/table.json', '--name', 'tab', '--seed', '1', '--games', '2000', '--json']);
    expect(trained.code).toBe(0);
    const currentOutcome = await ludus(here, [
      'eval',
      './vole/held-out.json',
      '--agents',
      'local/tab@best,scripted',
      '--seeds',
      '20',
      '--json',
    ]);
    expect(currentOutcome.code).toBe(0);
    const { agents } = JSON.parse(currentOutcome.out) as {
      agents: readonly { agent: string; value: number; lift: { interval: readonly [number, number] } | null }[];
    };
    const of = (name: string) => agents.find(({ agent }) => agent === name)!;
    expect(of('scripted').value).toBe(1);
    // The control: a table shares no wording with the lessons, so it is no better than the baselines.
    expect(of('local/tab@best').lift!.interval[0]).toBeLessThanOrEqual(0);
  });

  it('report how many questions APC answers, and how often as the document does', async () => {
    const outcome = await ludus(here, ['persona', 'teach', 'innkeeper', '--by', 'apc', '--items', '40', '-o', 'marta']);
    expect(outcome.out).toMatch(/apc found the best line for 2\d of \d+ questions, and agrees with the persona on \d+\./);
    const { asked, asDocument, questions, heldOut } = JSON.parse(
      (await ludus(here, ['persona', 'teach', 'innkeeper', '--by', 'apc', '--items', '40', '-o', 'marta', '--json'])).out,
    ) as Record<string, number>;
    expect(asked).toBeGreaterThan(questions! + heldOut!);
    expect(asDocument).toBeLessThanOrEqual(questions! + heldOut!);
  });

  it('reject an unknown measure with an explanation', async () => {
    expect((await ludus(here, ['persona', 'teach', 'villain', '--by', 'beauty'])).err).toMatch(
      /--by: expected "probes", "apc", or "apc=MODEL", got "/,
    );
  });
});
