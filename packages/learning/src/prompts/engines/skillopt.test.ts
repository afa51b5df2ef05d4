import { describe, expect, it } from 'vitest';
import type { RejectedEdit } from '../archive.ts';
import { editsBetween } from '../edits.ts';
import type { Proposer } from '../engine.ts';
import { toyGround, toySpec } from '../toy.cases.ts';
import { trialled } from './engines.cases.ts';
import { editBudget, rankEdits, skillopt } from './skillopt.ts';

/** Every "good" line is worth .1, every "bad" line costs .1, whichever task. */
const lines = toyGround((spec) => {
  const all = (spec.texts?.['instruction'] ?? '').split('\n');
  return 0.3 + 0.1 * all.filter((line) => line.startsWith('good')).length - 0.1 * all.filter((line) => line.startsWith('bad')).length;
});

/** Appends lines, and keeps what it was shown. */
function appending(make: (n: number) => readonly string[]): Proposer & { readonly shown: (readonly RejectedEdit[])[] } {
  const visible: (readonly RejectedEdit[])[] = [];
  let n = 0;
  return {
    name: 'appending',
    shown: visible,
    improver: ({ tried }) => ({
      name: 'appending',
      improve: async (spec) => {
        visible.push(tried);
        return [toySpec([spec.texts?.['instruction'] ?? '', ...make(n++)].join('\n'))];
      },
    }),
  };
}

const tasks = { propose: 4, select: 6, report: 1 };
const locked = '<!-- locked -->\nnever lie\n<!-- /locked -->';

describe('skillopt', () => {
  it('reduces the number of edits on a cosine schedule', () => {
    const settings = { edits: 4, last: 2, steps: 5 };
    expect([0, 1, 2, 3, 4, 9].map((step) => editBudget(step, settings))).toEqual([4, 4, 3, 2, 2, 2]);
  });

  it('ranks edits by the number of patches that share them', () => {
    const [x, y] = [
      { component: 't', at: 0, put: 'x' },
      { component: 't', at: 0, put: 'y' },
    ];
    expect(rankEdits([[x], [y], [y]])).toEqual([y, x]);
    expect(rankEdits([[x], [y]])).toEqual([x, y]);
  });

  it('never exceeds the edits allowed per step', async () => {
    const proposer = appending((n) => Array.from({ length: 9 }, (_, i) => `good ${n}.${i}`));
    const { archive } = await trialled({ engine: skillopt, ground: lines, tasks, seed: 1, start: toySpec('start'), proposer, calls: 60 });
    expect(archive.tried.length).toBeGreaterThan(1);
    for (const { before, change } of archive.tried)
      expect(editsBetween(before, { ...before, ...change.set }).length).toBeLessThanOrEqual(4);
  });

  it('rejects ties and shows them to later proposals', async () => {
    const proposer = appending((n) => [`idle ${n}`]);
    const { archive, best } = await trialled({
      engine: skillopt,
      ground: lines,
      tasks,
      seed: 1,
      start: toySpec('start'),
      proposer,
      calls: 60,
    });
    expect(archive.tried.every(({ verdict }) => !verdict.accept)).toBe(true);
    expect(best.parents).toEqual([]);
    expect(proposer.shown[0]).toEqual([]);
    const last = proposer.shown.at(-1) as readonly RejectedEdit[];
    expect(last.map(({ change }) => change.set['instruction'])).toContain('start\nidle 0');
    expect(last[0]?.verdict.words).toContain('rejected');
  });

  it('accepts helpful edits, rejects harmful ones, and keeps locked sections', async () => {
    const proposer = appending((n) => [n % 2 === 0 ? `good ${n}` : `bad ${n}`]);
    const start = toySpec(`start\n${locked}`);
    const settings = { batch: 4, mini: 4 };
    const { best, archive } = await trialled({ engine: skillopt, ground: lines, tasks, seed: 1, start, proposer, calls: 200, settings });
    const text = best.components['instruction']!;
    expect(text).toContain('good 0');
    expect(text).not.toContain('bad');
    for (const { components } of archive.candidates) expect(components['instruction']).toContain(locked);
    const vandal: Proposer = {
      name: 'vandal',
      improver: () => ({ name: 'vandal', improve: async () => [toySpec('good\ngood\ngood')] }),
    };
    const trialling = await trialled({ engine: skillopt, ground: lines, tasks, seed: 1, start, proposer: vandal, calls: 60 });
    expect(trialling.archive.candidates).toHaveLength(1);
  });
});
