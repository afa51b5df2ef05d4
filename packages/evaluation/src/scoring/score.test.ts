import type { Episode, Score, Scorer } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { describe, expect, it } from 'vitest';
import { failuresIn, failureText } from './failures.ts';
import { builtInScorer, scorerNames, usualScorers } from './index.ts';
import { episode, fixedScorer, inputOf, tell } from './logs.cases.ts';
import { keyOf, type ScoreOptions, scoreEpisodes } from './score.ts';
import { ruleScorer } from './scorer.ts';

const two = episode({ seats: ['a', 'b'], returns: { a: 1, b: 0 } });

async function all(episodes: readonly Episode[], options: ScoreOptions): Promise<readonly (readonly Score[])[]> {
  const subjects = episodes.map((otherEpisode) => ({ episode: otherEpisode }));
  return (await Array.fromAsync(scoreEpisodes(subjects, options))).map(({ scores }) => scores);
}

/** A scorer that writes down when it was asked, and for whom. */
function noted(scorer: Scorer, asked: string[]): Scorer {
  return {
    ...scorer,
    score(input, signal) {
      asked.push(input.seat === undefined ? scorer.name : `${scorer.name} for ${input.seat}`);
      return scorer.score(input, signal);
    },
  };
}

describe('the order of scoring', () => {
  it('runs rules, then small models, then judges, for any order of the list', async () => {
    const asked: string[] = [];
    const scorers = (['judge', 'rule', 'small'] as const).map((tier) => noted(fixedScorer(tier, tier, [{}]), asked));
    await all([two], { scorers });
    expect(asked).toEqual(['rule', 'small', 'judge']);
  });

  it('calls a settling scorer only for undecided seats', async () => {
    const asked: string[] = [];
    const rule = fixedScorer('leak', 'rule', [{ seat: 'a' }, { seat: 'b', value: null, status: 'undecided' }]);
    const settler = (tier: 'small' | 'judge', settles: string) =>
      noted(fixedScorer(`${tier} of ${settles}`, tier, [{}], { settles }), asked);
    await all([two], { scorers: [settler('judge', 'other'), rule, settler('small', 'leak')] });
    expect(asked).toEqual(['small of leak for b']);
  });

  it('does not call a settling scorer for decided seats', async () => {
    const asked: string[] = [];
    await all([two], {
      scorers: [fixedScorer('leak', 'rule', [{}]), noted(fixedScorer('judge', 'judge', [{}], { settles: 'leak' }), asked)],
    });
    expect(asked).toEqual([]);
  });
});

describe('quotes of a custom scorer', () => {
  const spoken = episode({ seats: ['a'], events: [tell('a', 'Good evening to you.')] });
  const quoting = (quote: string, event = 1) =>
    fixedScorer('polite', 'rule', [{ seat: 'a', evidence: [{ episode: spoken.id, event, quote, supports: true }] }]);

  it('are accepted if the event contains them', async () => {
    const scorers = [quoting('Good evening')];
    expect((await all([spoken], { scorers }))[0]).toMatchObject([{ value: 1, status: 'ok', evidence: [{ quote: 'Good evening' }] }]);
  });

  it.each([
    ['thank you so much', 1],
    ['Good evening', 0],
    ['Good evening', 99],
  ])('make the score an error otherwise: %j in event %i', async (quote, event) => {
    const [scores] = await all([spoken], { scorers: [quoting(quote, event)] });
    expect(scores).toMatchObject([{ name: 'polite', seat: 'a', value: null, status: 'error', evidence: [] }]);
    expect(scores?.[0]?.reason).toContain(`"${quote}", which is not in event ${event}`);
  });
});

describe('scoring many episodes', () => {
  const many = Array.from({ length: 30 }, (_, i) => episode({ id: `e${i}`, seats: ['a'], returns: { a: i } }));

  it('keeps the order of the episodes and the limit at any concurrency', async () => {
    let [now, most] = [0, 0];
    const slow: Scorer = {
      name: 'slow',
      tier: 'small',
      async score({ episodes }) {
        most = Math.max(most, ++now);
        for (let i = episodes[0]!.id.length * 3; i > 0; i--) await new Promise((resolve) => setImmediate(resolve));
        now--;
        return [];
      },
    };
    const rule = await builtInScorer('return');
    for (const concurrency of [1, 3, 100]) {
      [now, most] = [0, 0];
      const scores = await all(many, { scorers: [slow, rule], concurrency });
      expect(scores.map((score) => score[0]?.value)).toEqual(many.map((_, i) => i));
      expect(most).toBe(Math.min(concurrency, many.length));
    }
  });

  it('writes to the store, and records the error of a scorer that throws', async () => {
    const store = memoryStore();
    const broken: Scorer = { name: 'broken', tier: 'rule', score: () => Promise.reject(new Error('no')) };
    for (const { id, events } of many.slice(0, 2)) await store.append(id, 0, events);
    await all(many.slice(0, 2), { scorers: [broken, await builtInScorer('return')], store });
    const retainedScores = await store.scores('e1');
    expect(retainedScores.map(({ name, status, value }) => [name, status, value])).toEqual([
      ['broken', 'error', null],
      ['return', 'ok', 1],
    ]);
  });

  it('stops calling paid scorers when the budget is spent, and says so', async () => {
    const scores = await all(many, { scorers: [fixedScorer('judge', 'judge', [{}])], budget: { calls: 5 }, concurrency: 1 });
    const statuses = scores.map(([score]) => [score?.status, score?.value]);
    expect(statuses.slice(0, 5)).toEqual(Array(5).fill(['ok', 1]));
    expect(statuses.slice(5)).toEqual(Array(25).fill(['over-budget', null]));
  });

  it('caches judge scores until an input changes, but caches no failures', async () => {
    const retained = new Map<string, readonly Score[]>();
    const cache = {
      get: async (key: string) => retained.get(key),
      set: async (key: string, scores: readonly Score[]) => void retained.set(key, scores),
    };
    const asked: string[] = [];
    const judge = (identity: string, score: Partial<Score> = {}) => noted(fixedScorer('judge', 'judge', [score], { identity }), asked);
    for (const identity of ['one', 'one', 'two']) await all([two], { scorers: [judge(identity)], cache });
    expect(asked.length).toBe(2);
    for (let i = 0; i < 2; i++) await all([two], { scorers: [judge('three', { value: null, status: 'judge-failed' })], cache });
    expect(asked.length).toBe(4);
    const unnamed = noted(fixedScorer('judge', 'judge', [{}]), asked);
    for (let i = 0; i < 2; i++) await all([two], { scorers: [unnamed], cache });
    expect(asked.length).toBe(6);
  });

  it('has a different cache key for every difference in the input', () => {
    const judge = fixedScorer('judge', 'judge', [], { identity: 'x' });
    const inputs = [
      inputOf(two),
      inputOf(two, { seat: 'a' }),
      inputOf(two, { persona: { name: 'A' } }),
      inputOf(two, { reference: 1 }),
      inputOf(many[1]!),
    ];
    expect(new Set(inputs.map((input) => keyOf(judge, input))).size).toBe(inputs.length);
    expect(keyOf(judge, inputOf({ ...two, id: 'same log, other name' }))).toBe(keyOf(judge, inputOf(two)));
  });

  it('stops when canceled', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(all(many, { scorers: [await builtInScorer('return')], signal })).rejects.toThrow('enough');
  });
});

describe('a scorer that throws', () => {
  const reasons = (scores: readonly Score[]) => scores.map(({ seat, value, status, reason }) => [seat, value, status, reason]);

  it('fails only on the seat it threw for, with its own message', async () => {
    const find = ({ seat }: { readonly seat: string }) => {
      if (seat === 'b') throw new Error('b has no hand');
      return { value: 1 };
    };
    const rule = ruleScorer({ name: 'x', version: 1, unit: 'seat', find });
    const [scores = []] = await all([two], { scorers: [rule] });
    expect(reasons(scores)).toEqual([
      ['a', 1, 'ok', undefined],
      ['b', null, 'error', 'b has no hand'],
    ]);
    const scorer: Scorer = {
      name: 'own',
      tier: 'small',
      score: async ({ seat }) =>
        [seat ?? 'a', ...(seat === undefined ? ['b'] : [])].map((item) => ({
          ...scores[0]!,
          name: 'own',
          seat: item,
          value: find({ seat: item }).value,
        })),
    };
    const [inputScores = []] = await all([two], { scorers: [scorer] });
    expect(reasons(inputScores)).toEqual(reasons(scores));
    expect(failuresIn([...scores, ...inputScores]).map(failureText)).toEqual([
      'x failed once: b has no hand.',
      'own failed once: b has no hand.',
    ]);
  });
});

describe('the library of rules', () => {
  it('opens every name and rejects an unknown one with an explanation', async () => {
    for (const name of scorerNames()) expect((await builtInScorer(name)).name).toBe(name);
    expect(usualScorers.filter((name) => !scorerNames().includes(name))).toEqual([]);
    await expect(builtInScorer('charm')).rejects.toThrow(/Unknown scorer "charm". Available: return, /);
  });

  it('has a different provenance for other settings and versions', async () => {
    const hashes = await Promise.all(
      [1, 2].flatMap((version) =>
        [0.5, 0.6].map(async (threshold) => {
          const scorer = ruleScorer({ name: 'x', version, unit: 'episode', settings: { threshold }, find: () => ({ value: 1 }) });
          return (await scorer.score(inputOf(two), new AbortController().signal))[0]?.provenance?.['hash'];
        }),
      ),
    );
    expect(new Set(hashes).size).toBe(4);
  });

  it('turns an invalid finding into a failed score with a reason', async () => {
    const refused = async (finding: Parameters<typeof ruleScorer>[0]['find']) => {
      const scorer = ruleScorer({ name: 'x', version: 1, unit: 'episode', find: finding });
      const scores = await scorer.score(inputOf(two), new AbortController().signal);
      expect(scores).toMatchObject([{ value: null, status: 'error', reason: expect.stringMatching(/^The rule "x" /) }]);
    };
    await refused(() => ({ value: 1, evidence: [{ episode: 'e1', event: 0, quote: 'never said', supports: true }] }));
    await refused(() => ({ value: null }));
    await refused(() => ({ value: 0, status: 'error' }));
    await refused(() => ({ value: Number.NaN }));
  });
});
