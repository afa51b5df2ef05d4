import type { EndEvent, EpisodeEvent, JsonObject, Script } from '@ludus-agents/kernel/internal/core/index';
import { rng, scriptedPolicy, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { chooseExplained, expectedShare, onlineValue, rankings, type TutorItem } from './budget.ts';
import { isReady, teachStudent, treeQuestions } from './socratic.ts';
import { tutor } from './tutor.ts';

const scripts = tutor.scripts as Readonly<Record<string, Script>>;

async function plays(name: string, n: number, task: JsonObject = {}): Promise<readonly (readonly EpisodeEvent[])[]> {
  const policies = { tutor: scriptedPolicy(name, scripts[name]!), student: scriptedPolicy('student', scripts['student']!) };
  return rollout(tutor, policies, { seeds: Array.from({ length: n }, (_, i) => i), task });
}

const returns = (logs: readonly (readonly EpisodeEvent[])[]) => logs.map((log) => (log.at(-1) as EndEvent).returns['tutor']!);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const sd = (values: readonly number[]) => Math.sqrt(mean(values.map((x) => (x - mean(values)) ** 2)));

describe('tutor questions', () => {
  it('resolve a chain of three concepts in six questions, two each', async () => {
    const [log] = await plays('tree', 1, { concepts: 3, wrong: 1 });
    expect(log!.filter((event) => event.kind === 'action' && event.seat === 'tutor')).toHaveLength(6);
    expect((log!.at(-1) as EndEvent).returns['tutor']).toBeCloseTo(1 - 6 * 0.02, 12);
    expect(treeQuestions([2, 2, 2])).toBe(6);
  });

  it('help only if all prerequisites are understood', () => {
    const by = { shape: 'chain', works: true } as const;
    expect(teachStudent([2, 2], { kind: 'ask', concept: 1 }, by)).toEqual([2, 2]);
    expect(teachStudent([0, 2], { kind: 'ask', concept: 1 }, by)).toEqual([0, 1]);
    expect(teachStudent([2, 0], { kind: 'tell', concept: 0 }, by)).toEqual([0, 0]);
    expect(teachStudent([2, 0], { kind: 'hint', concept: 0 }, { ...by, works: false })).toEqual([2, 0]);
    // On a tree the third rests on the first, not on the second.
    expect([isReady([0, 2, 0], 2, 'tree'), isReady([0, 2, 0], 2, 'chain')]).toEqual([true, false]);
  });

  it('from the tree script earn the exact expected value, and more than other scripts', async () => {
    const [concepts, wrong] = [4, 0.5];
    let [exact, weight] = [0, 0];
    for (let mask = 1; mask < 2 ** concepts; mask++) {
      const student = Array.from({ length: concepts }, (_, i) => ((mask >> i) & 1 ? 2 : 0));
      const p = wrong ** concepts;
      weight += p;
      exact += p * (1 - 0.02 * treeQuestions(student));
    }
    const tree = returns(await plays('tree', 300, { wrong }));
    expect(Math.abs(mean(tree) - exact / weight)).toBeLessThan((4.9 * sd(tree)) / Math.sqrt(300));
    const [hints, rambles, tells] = [await plays('hinter', 100), await plays('rambler', 100), await plays('teller', 100)].map((logs) =>
      mean(returns(logs)),
    );
    expect(mean(tree)).toBeGreaterThan(hints!);
    expect(mean(tree)).toBeGreaterThan(rambles! + 0.1);
    expect(tells!).toBeLessThan(0);
  });

  it("hide the student's misconceptions from the tutor", () => {
    const task = tutor.task({ concepts: 3 });
    const { state } = tutor.start(task, rng(1));
    const visible = [
      [2, 2, 0],
      [2, 0, 2],
    ].map((student) => {
      const requestedStep = tutor.step({ ...state, student }, { tutor: { text: 'So? [ask counting]' } }, rng(2));
      const answered = tutor.step(requestedStep.state, { student: { text: '[wrong]' } }, rng(3));
      const view = viewOf(
        answered.messages.map((message) => ({ kind: 'message' as const, ...message })),
        'tutor',
      );
      return JSON.stringify([view, answered.asks, tutor.knows?.(answered.state, 'tutor')]);
    });
    expect(visible[0]).toBe(visible[1]);
  });

  it('are answered by an audited student', async () => {
    const policies = {
      tutor: scriptedPolicy('tree', scripts['tree']!),
      student: scriptedPolicy('liar', () => ({ text: 'Sure! [right]' })),
    };
    const [log] = await rollout(tutor, policies, { seeds: [1], task: { wrong: 1, concepts: 2, turns: 3 } });
    const notes = log!.flatMap((event) => (event.kind === 'message' && event.to.length === 0 ? [event.data as JsonObject] : []));
    expect(notes).toContainEqual({ audit: { seat: 'student', holds: false } });
  });
});

describe('tutor budget', () => {
  const items: readonly TutorItem[] = [
    [0.9, 0.95],
    [0.2, 0.3],
    [0.6, 0.95],
    [0.4, 0.9],
  ];

  it('matches the reference values of each ranking rule', () => {
    const share = (rule: keyof typeof rankings) => expectedShare(items, chooseExplained(rankings[rule], items, 2));
    expect([...chooseExplained(rankings.utility, items, 2)]).toEqual([3, 2]);
    expect(share('utility')).toBeCloseTo(0.7375, 12);
    expect(share('weakest')).toBeCloseTo(0.675, 12);
    expect(share('surest')).toBeCloseTo(0.625, 12);
    expect(expectedShare(items, new Set())).toBeCloseTo(0.525, 12);
    expect(expectedShare(items, new Set([0, 1, 2, 3]))).toBeCloseTo(0.775, 12);
    const pairs = [0, 1, 2, 3].flatMap((i) => [0, 1, 2, 3].filter((j) => j > i).map((j) => expectedShare(items, new Set([i, j]))));
    expect(mean(pairs)).toBeCloseTo(0.65, 12);
  });

  it.each([
    ['utility', 2, 0.7375],
    ['weakest', 2, 0.675],
    ['surest', 2, 0.625],
    ['any', 2, 0.65],
    ['never', 2, 0.525],
    ['always', 4, 0.775],
  ] as const)('is used by %s with the exact expected return', async (name, budget, exact) => {
    const earned = returns(await plays(name, 250, { mode: 'budget', items: items as never, budget }));
    expect(Math.abs(mean(earned) - exact)).toBeLessThan((4.9 * sd(earned)) / Math.sqrt(250));
  });

  it('has an exact value for items that arrive one by one', async () => {
    // By hand: one item, no budget: the mean of the chances alone; with one: the mean with help.
    expect(onlineValue(1, 0)).toBeCloseTo(0.5, 12);
    const earned = returns(await plays('online', 300, { mode: 'budget', ahead: false, count: 4 }));
    expect(Math.abs(mean(earned) - onlineValue(4, 2) / 4)).toBeLessThan((4.9 * sd(earned)) / Math.sqrt(300));
    expect(onlineValue(4, 2)).toBeGreaterThan(onlineValue(4, 1));
  });

  it('rejects invalid items', () => {
    for (const items of [[[1]], 'x', [[0.2, 2]], [{}]])
      expect(() => tutor.task({ mode: 'budget', items: items as never })).toThrow(/"items" must be a list of pairs of probabilities/);
  });
});
