/**
 * @file Tests environments that tasks are written for: they follow the contract, report what is solvable, and draft tasks that they can
 * parse.
 */

import { type AnyEnvironment, rng, type TaskDraft } from '@ludus-agents/kernel/internal/core/index';
import { check } from '@ludus-agents/kernel/internal/engine/check';
import { describe, expect, it } from 'vitest';
import { exam } from './exam.ts';
import { forge } from './forge.ts';
import { trail } from './trail/trail.ts';

const grounds: Readonly<Record<string, AnyEnvironment>> = { forge, trail, exam };

describe.each(Object.entries(grounds))('%s', (_, environment) => {
  it('passes the environment checks', async () => {
    expect(await check(environment, { episodes: 20, steps: 100 })).toEqual([]);
  });
});

describe('task drafts', () => {
  /** The task that comes of choices by chance. */
  const drafted = (environment: AnyEnvironment, base: object, seed: number) => {
    const dice = rng(seed);
    const moves: string[] = [];
    let draft: TaskDraft = environment.draft!(base as never, moves);
    while ('choices' in draft) {
      moves.push(dice.pick(draft.choices));
      draft = environment.draft!(base as never, moves);
    }
    return environment.task(draft.task) as { readonly answer: string; readonly evidence: readonly string[]; readonly start: string };
  };

  it('of page questions lead to the page with the answer by links from the start page', () => {
    const pages = trail.documents!(trail.task({})) as Readonly<Record<string, string>>;
    for (let seed = 0; seed < 20; seed++) {
      const { answer, evidence, start } = drafted(trail, {}, seed);
      expect(evidence[0]).toBe(start);
      expect(pages[evidence.at(-1)!]).toContain(answer);
      for (const [i, path] of evidence.slice(1).entries()) expect(pages[evidence[i]!]).toContain(`](${path})`);
    }
  });

  it('of sums may state a wrong answer', () => {
    const claims = Array.from({ length: 40 }, (_, seed) => drafted(exam, {}, seed) as unknown as { answer: string; program: string });
    const right = claims.filter(({ answer, program }) => String(Function(`return ${program}`)()) === answer).length;
    expect(right).toBeGreaterThan(0);
    expect(right).toBeLessThan(40);
  });
});

it('winnable depends on the site and ore in forge, and on the path length in trail', () => {
  const share = (goal: number) =>
    Array.from({ length: 96 }, (_, i) => forge.winnable!(forge.task({ goal, site: 1 + (i % 12), ore: 1 + Math.floor(i / 12) }))).filter(
      Boolean,
    ).length;
  expect([share(1), share(4), share(16)]).toEqual([96, 2, 2]);
  const documents = { 'a.md': '# A\n[b](b.md)', 'b.md': '# B\n[c](c.md)', 'c.md': '# C\nKept by Mira Lund.' };
  const task = (start: string, turns: number) => trail.task({ documents, question: 'Who keeps C?', answer: 'Mira Lund', start, turns });
  expect([trail.winnable!(task('a.md', 3)), trail.winnable!(task('a.md', 2)), trail.winnable!(task('c.md', 1))]).toEqual([
    true,
    false,
    true,
  ]);
});

it('made notes are drawn by seed with facts two or three links away, unlike uniform pages', () => {
  const notes = { made: 'notes', turns: 4 } as const;
  const task = trail.task(notes);
  const pages = Object.keys(trail.documents!(task) as object);
  const first = trail.draft!(notes, []) as { readonly choices: readonly string[] };
  expect([pages.length, first.choices.length]).toEqual([300, 7]);
  const near = first.choices.map((fact) => {
    const { choices } = trail.draft!(notes, [fact]) as { readonly choices: readonly string[] };
    const lengths = choices.map((start) => (trail.draft!(notes, [fact, start]) as { task: { evidence: string[] } }).task.evidence.length);
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    return lengths.filter((length) => length <= 4).length / choices.length;
  });
  expect(near.reduce((sum, share) => sum + share, 0) / near.length).toBeLessThan(0.25);
  for (let seed = 0; seed < 20; seed++) {
    const { state } = trail.start(task, rng(seed));
    expect(trail.winnable!({ ...state.task, turns: 4 })).toBe(true);
    expect(trail.winnable!({ ...state.task, turns: 2 })).toBe(false);
  }
});
