/** @file The removal ratio and the tools in context are read from the minds in a log; other agents have neither. */

import { type EpisodeEvent, type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import { scoreMeansIn } from '../../measures.ts';
import type { StoredRun } from '../../stored-run.ts';
import { ruleScorer } from '../scorer.ts';
import { toolContext } from './outcome.ts';

const score = async (minds: readonly Json[]) => {
  const events: EpisodeEvent[] = [
    { kind: 'start', environment: 'talk@1', task: {}, seed: 0, seats: ['a'], cast: { a: 'x' } },
    ...minds.map((mind): EpisodeEvent => ({ kind: 'action', seat: 'a', action: { text: 'x' }, mind })),
    { kind: 'end', reason: 'over', returns: {}, penalties: {}, turns: minds.length },
  ];
  const [result] = await ruleScorer(toolContext).score(
    { episodes: [{ id: 'e', events }], seat: 'a', rng: rng(1) },
    new AbortController().signal,
  );
  return result;
};
const mind = (active: readonly string[], added: number, removed: number): Json => ({
  kind: 'mind/1',
  toolState: { active, used: [], added, removed, results: { mail: { ok: 2, failed: 1 } } },
});

it('tool-context is the share of added tools that were removed, with the tools in context', async () => {
  expect(await score([mind(['mail', 'maps'], 2, 0), mind(['maps'], 4, 3)])).toMatchObject({
    value: 0.75,
    parts: { added: 4, removed: 3, toolsInContext: 1.5, most: 2, calls: 3, failed: 1 },
  });
});

it('tool-context does not apply if all tools are always shown', async () => {
  expect((await score([{ kind: 'mind/1' }, {}]))?.value ?? null).toBeNull();
});

it('is averaged with its parts for each agent, without missing values', () => {
  const record = (agent: string) => ({ cast: { a: agent, user: 'ann' } });
  const scored = (name: string, value: number | null, parts = {}) => ({ name, value, status: 'ok', seat: 'a', evidence: [], parts });
  const run = {
    records: new Map([
      ['e1', record('x')],
      ['e2', record('x')],
      ['e3', record('y')],
    ]),
    scores: new Map([
      ['e1', [scored('tool-context', 0.5, { added: 2 }), scored('return', 9)]],
      ['e2', [scored('tool-context', 1, { added: 4 })]],
      ['e3', [scored('tool-context', null)]],
    ]),
  } as unknown as StoredRun;
  expect(scoreMeansIn(run, ['tool-context'])).toEqual([{ name: 'tool-context', agent: 'x', episodes: 2, mean: 0.75, parts: { added: 3 } }]);
});
