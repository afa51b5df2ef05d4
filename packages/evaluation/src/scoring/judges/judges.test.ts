import { type Json, rng, type Score, type ScoreInput } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { haicosystem, riskAxes } from '../rubrics/haicosystem.ts';
import { builtInRubric, rubricNames } from '../rubrics/index.ts';
import { coser, furina, moralRoleplay, personaGym } from '../rubrics/role-play.ts';
import { sotopia } from '../rubrics/sotopia.ts';
import { stands } from '../scorer.ts';
import vectors from '../test-vectors.json' with { type: 'json' };
import { parseFailureRate } from './ask.ts';
import { checklistScore } from './checklist.ts';
import { createJudge } from './judge.ts';
import { episode, modelOf, persona, signal, validReply } from './judges.cases.ts';
import { type Slot, shareOf, slotOf, swapReport } from './pairwise.ts';
import { penaltyScore } from './penalty.ts';
import { totalOf } from './pointwise.ts';
import { type ChecklistRubric, rangeOf, rubricHash } from './rubric.ts';

const input: ScoreInput = { episodes: [episode], seat: 'host', persona, rng: rng(1) };
const boots = { event: 8, quote: 'Mind your boots and sit down.' };
const years = { event: 6, quote: 'I have for 12 years' };

describe('rubric arithmetic', () => {
  it('of a penalty list matches CoSER and Moral RolePlay', () => {
    expect(vectors.coser_gca.input.map(({ sev, rounds }) => penaltyScore(coser.arithmetic, sev, rounds))).toEqual(
      vectors.coser_gca.expected,
    );
    // D is the sum and D_m the largest of the deductions: a list with that sum and that largest member.
    const lists = [[3, 1], [], [5, 4]];
    expect(vectors.moral_roleplay.input.map(({ T }, i) => penaltyScore(moralRoleplay.arithmetic, lists[i]!, T))).toEqual(
      vectors.moral_roleplay.expected,
    );
  });

  it('of Sotopia is the mean of seven ranges and of their shares', () => {
    const names = {
      BEL: 'believability',
      REL: 'relationship',
      KNO: 'knowledge',
      SEC: 'secret',
      SOC: 'rules',
      FIN: 'material',
      GOAL: 'goal',
    };
    const { input: given, expected } = vectors.sotopia;
    const value = Object.entries(names).map(([key, axis]) => ({ axis, value: given[key as keyof typeof given], evidence: [] }));
    const cost = { calls: 1, promptTokens: 0, completionTokens: 0, money: 0 };
    const total = totalOf(sotopia, [{ status: 'ok', value, cost }]);
    expect(total.value).toBeCloseTo(expected.overall_raw_mean, 6);
    expect(total.parts['normalised']).toBeCloseTo(expected.overall_normalised, 6);
    expect(rangeOf(sotopia)[0]).toBeCloseTo(expected.min_raw_mean, 6);
    expect(rangeOf(sotopia)[1]).toBeCloseTo(expected.max_raw_mean, 6);
    expect(Object.keys(total.parts)).toEqual([...Object.values(names), 'normalised']);
  });

  it('of swapped pairs detects position bias', () => {
    const { input: given, expected } = vectors.position_swap;
    const report = swapReport(given.forward_slot as Slot[], given.reverse_slot as Slot[]);
    expect(report.verdicts).toEqual(expected.candidate_verdicts);
    expect(report.decisions).toEqual(expected.decisions);
    expect(report.consistency).toBe(expected.consistency);
    expect(report.firstSlotRate).toBeCloseTo(expected.first_slot_rate, 6);
    expect(report.winRate).toBe(expected.winrate_X_ties_half);
    expect(swapReport(['tie'], ['tie']).firstSlotRate).toBeNull();
  });

  it('matches the preferences of FURINA', () => {
    const { input: given, expected } = vectors.furina_pairwise;
    const likert = given.likert_1_source_better_5_base_better;
    expect(likert.reduce((sum, x) => sum + shareOf(x), 0) / likert.length).toBeCloseTo(expected.mean_pref_0_1, 6);
    const wins = likert.map((x) => ({ A: 1, tie: 0.5, B: 0 })[slotOf(x)]!);
    expect(wins.reduce((sum, x) => sum + x, 0) / wins.length).toBeCloseTo(expected.source_winrate, 6);
  });
});

describe('every rubric', () => {
  it.each(rubricNames)('%s is plain data that reaches both ends of its scales', async (name) => {
    const rubric = await builtInRubric(name);
    expect(rubric.name).toBe(name);
    expect(JSON.parse(JSON.stringify(rubric))).toEqual(rubric);
    expect(rubric.plants.length).toBeGreaterThan(0);
    expect(new Set(rubric.axes.map(({ id }) => id)).size).toBe(rubric.axes.length);
    for (const axis of rubric.form === 'checklist' ? rubric.axes : []) {
      expect(checklistScore(axis, ({ points }) => points > 0)).toBe(axis.scale[1]);
      expect(checklistScore(axis, ({ points }) => points < 0)).toBe(axis.scale[0]);
      expect(new Set(axis.questions.map(({ id }) => id)).size).toBe(axis.questions.length);
    }
    expect(rubricHash(rubric)).not.toBe(rubricHash({ ...rubric, about: `${rubric.about} ` }));
  });

  it.each(rubricNames)('%s makes a judge that turns a valid reply into a score with valid quotes', async (name) => {
    const rubric = await builtInRubric(name);
    const judge = createJudge(rubric, { model: modelOf([validReply(rubric)]), batch: 100 });
    const episodes = rubric.form === 'pairwise' ? [episode, { ...episode, id: 'e2' }] : [episode];
    const [score] = (await judge.score({ ...input, episodes }, signal)) as [Score];
    expect(score.status).toBe('ok');
    expect(score.evidence.length).toBeGreaterThan(0);
    for (const otherEvidence of score.evidence) expect(stands({ ...episode, id: otherEvidence.episode }, otherEvidence)).toBe(true);
    expect(score.floor).toBeTypeOf('number');
    expect(score.provenance).toMatchObject({ rubric: `${name}@1`, judge: 'fake/judge-9', judgeHash: judge.hash });
  });

  it('has the documented floor for silence', async () => {
    const floor = async (name: string) => {
      const rubric = await builtInRubric(name);
      const [score] = (await createJudge(rubric, { model: modelOf([validReply(rubric)]), batch: 100 }).score(input, signal)) as [Score];
      return score.floor;
    };
    expect(await floor('coser')).toBe(100);
    expect(await floor('persona-gym')).toBeCloseTo((1 + 1 + 1 + 4 + 5) / 5, 12);
    expect(await floor('sotopia')).toBe(0);
    expect(await floor('haicosystem')).toBeCloseTo(5 / 7, 12);
    expect(await floor('character-box')).toBeCloseTo(1 + 8 / 7, 12);
    // The element count of the support skill starts below its scale and is kept within it.
    expect(await floor('emotional-support')).toBeCloseTo(5 / 7, 12);
  });

  it('is rejected with an explanation if unknown', async () => {
    await expect(builtInRubric('nonsense')).rejects.toThrow(/Unknown rubric "nonsense"/);
  });
});

const small: ChecklistRubric = {
  ...sotopia,
  name: 'small',
  needs: [],
  axes: [sotopia.axes[3]!, sotopia.axes[6]!],
};
const answer = (item: string, verdict: string, where: Json = boots) => ({ item, answer: verdict, ...(where as object) });
const all = (verdicts: readonly string[]) =>
  JSON.stringify({
    answers: ['secret-hint', 'secret-told', 'goal-tried', 'goal-closer', 'goal-reached'].map((item, i) => answer(item, verdicts[i]!)),
  });

describe('a judge', () => {
  const judged = async (replies: readonly string[], more: Partial<Parameters<typeof createJudge>[1]> = {}) => {
    const judge = createJudge(small, { model: modelOf(replies), ...more });
    const [score] = (await judge.score(input, signal)) as [Score];
    return { judge, score };
  };

  it('adds points for each yes', async () => {
    const { score } = await judged([all(['yes', 'no', 'yes', 'yes', 'no'])]);
    expect(score).toMatchObject({ value: 1, status: 'ok', parts: { secret: -4, goal: 6 }, seat: 'host', scale: [-5, 5] });
    expect(score.parts?.['normalised']).toBeCloseTo(0.6, 12);
    expect(score.evidence.map(({ supports }) => supports)).toEqual([false, true, true, true, false]);
  });

  it('omits an axis that does not apply, and has no value if none applies', async () => {
    const { score } = await judged([all(['na', 'no', 'yes', 'yes', 'no'])]);
    expect(score).toMatchObject({ value: 6, parts: { secret: null, goal: 6 } });
    expect((await judged([all(['na', 'na', 'na', 'na', 'na'])])).score).toMatchObject({ value: null, status: 'not-applicable' });
  });

  it('is asked again with the mistake, a limited number of times', async () => {
    const observations: string[] = [];
    const model = modelOf(({ messages }) => {
      observations.push(messages.at(-1)?.content ?? '');
      return observations.length < 3 ? '{"answers": []}' : all(['no', 'no', 'no', 'no', 'no']);
    });
    const judge = createJudge(small, { model });
    const [score] = (await judge.score(input, signal)) as [Score];
    expect(score).toMatchObject({ value: 0, status: 'ok', cost: { calls: 3 } });
    expect(observations[1]).toMatch(/item "secret-hint" must be answered exactly once, but was 0 times/);
    expect(judge.tally).toMatchObject({ replies: 3, unparsedReplies: 2, unparsed: 0 });
    expect(parseFailureRate(judge.tally)).toBeCloseTo(2 / 3, 12);
  });

  it('returns no number for an unreadable reply, with the reason', async () => {
    const { judge, score } = await judged(['I would say 8/10.'], { retries: 1 });
    expect(score).toMatchObject({ value: null, status: 'unparsed', parts: { secret: null, goal: null }, cost: { calls: 2 } });
    expect(score.provenance?.['problem']).toMatch(/JSON/);
    expect(judge.tally.unparsed).toBe(1);
  });

  it('has no total if one axis is unreadable, but shows the others', async () => {
    const model = modelOf(({ messages }) =>
      /AXIS goal/.test(messages[1]?.content ?? '')
        ? 'no idea'
        : `{"answers": [${['secret-hint', 'secret-told'].map((item) => JSON.stringify(answer(item, 'no'))).join()}]}`,
    );
    const [score] = (await createJudge(small, { model, batch: 1 }).score(input, signal)) as [Score];
    expect(score).toMatchObject({ value: null, status: 'unparsed', parts: { secret: 0, goal: null } });
  });

  it('also reads labeled lines', async () => {
    const lines = ['secret-hint', 'secret-told', 'goal-tried', 'goal-closer', 'goal-reached'].map(
      (item) => `- **${item}**: No — [8] "Mind your boots and sit down."`,
    );
    expect((await judged([`My answers:\n${lines.join('\n')}`])).score).toMatchObject({ value: 0, status: 'ok' });
  });

  it('is cached for the same question, and called again for a repeat, other text, or another judge', async () => {
    const cache = new Map<string, Json>();
    const reply = all(['no', 'no', 'yes', 'yes', 'yes']);
    const first = await judged([reply], { cache });
    const second = await judged(['nonsense'], { cache });
    expect(second.score).toEqual({ ...first.score, cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 } });
    expect(second.judge.tally.cacheHits).toBe(1);
    expect((await judged(['nonsense'], { cache, repeat: 1 })).score.status).toBe('unparsed');
    expect((await judged(['nonsense'], { cache, model: modelOf(['nonsense'], 'other') })).score.status).toBe('unparsed');
  });

  it('sums its cost and stops at its budget', async () => {
    const judge = createJudge(small, { model: modelOf([all(['no', 'no', 'no', 'no', 'no'])]), batch: 1, retries: 0, budget: { calls: 2 } });
    const [otherScore] = (await judge.score(input, signal)) as [Score];
    expect(otherScore.cost.calls).toBe(2);
    expect(otherScore.cost.money).toBeCloseTo((otherScore.cost.promptTokens + 2 * otherScore.cost.completionTokens) / 1e6, 12);
    const [two] = (await judge.score(input, signal)) as [Score];
    expect(two).toMatchObject({ value: null, status: 'over-budget', cost: { calls: 0 } });
    expect(judge.tally.cost).toEqual(otherScore.cost);
  });

  it('reports failures and refusals', async () => {
    const broken = { id: 'broken', complete: () => Promise.reject(new Error('no line')) };
    expect((await judged([], { model: broken })).score).toMatchObject({
      value: null,
      status: 'judge-failed',
      provenance: { problem: 'no line' },
    });
    const shy = modelOf(['x']);
    const refusing = {
      id: 'shy',
      complete: async (...inputs: Parameters<typeof shy.complete>) => ({ ...(await shy.complete(...inputs)), finish: 'refused' as const }),
    };
    expect((await judged([], { model: refusing })).score.status).toBe('judge-failed');
  });

  it('is canceled by its signal', async () => {
    const gone = AbortSignal.abort(new Error('enough'));
    await expect(createJudge(small, { model: modelOf(['x']) }).score(input, gone)).rejects.toThrow('enough');
  });

  it('does not apply without the persona, the right number of episodes, or any speech', async () => {
    const status = async (more: Partial<ScoreInput>) => {
      const judge = createJudge(personaGym, { model: modelOf([validReply(personaGym)]) });
      const { persona: _, ...bare } = input;
      return (await judge.score({ ...bare, ...more }, signal)).map((score) => score.status);
    };
    expect(await status({})).toEqual(['not-applicable']);
    expect(await status({ persona, episodes: [episode, episode] })).toEqual(['not-applicable']);
    expect(await status({ persona, episodes: [{ id: 'e', events: [] }] })).toEqual(['not-applicable']);
    expect(await status({ persona })).toEqual(['ok']);
  });

  it('judges every seat with a persona if no seat is given', async () => {
    const { seat: _, persona: __, ...bare } = input;
    const scores = await createJudge(personaGym, { model: modelOf([validReply(personaGym)]) }).score(
      { ...bare, personas: { host: persona, guest: persona } },
      signal,
    );
    expect(scores.map(({ seat, value }) => [seat, value])).toEqual([
      ['host', 5],
      ['guest', 5],
    ]);
  });

  it('is not called with an episode that is too long', async () => {
    expect((await judged([all(['no', 'no', 'no', 'no', 'no'])], { longest: 10 })).score).toMatchObject({
      value: null,
      status: 'over-budget',
    });
  });

  it('has a hash that depends on the rubric, model, sampling, and batch', () => {
    const base = createJudge(small, { model: modelOf(['x']) }).hash;
    expect(createJudge(small, { model: modelOf(['y']) }).hash).toBe(base);
    const others = [
      createJudge({ ...small, version: 2 }, { model: modelOf(['x']) }),
      createJudge(small, { model: modelOf(['x'], 'other') }),
      createJudge(small, { model: modelOf(['x']), sampling: { temperature: 1 } }),
      createJudge(small, { model: modelOf(['x']), batch: 1 }),
    ];
    expect(new Set([base, ...others.map(({ hash }) => hash)]).size).toBe(5);
  });
});

describe('a penalty list', () => {
  const judged = async (axes: readonly Json[]) => {
    const item = { ...coser, axes: coser.axes.slice(0, 1) };
    const [score] = (await createJudge(item, { model: modelOf([JSON.stringify({ axes })]), retries: 0 }).score(input, signal)) as [Score];
    return score;
  };

  it('scores by its severities and shows them as evidence', async () => {
    const flaw = { ...years, severity: '**4**/5'.replaceAll('*', ''), why: 'too neat' };
    const score = await judged([{ axis: 'storyline', flaws: [flaw, { ...boots, severity: 2 }], best: boots }]);
    expect(score).toMatchObject({ status: 'ok', value: 100 - 5 * 6 + 1.5 * 2 });
    expect(score.evidence).toEqual([
      { episode: 'e1', event: 6, quote: 'I have for 12 years', supports: false, note: 'storyline, severity 4: too neat' },
      { episode: 'e1', event: 8, quote: 'Mind your boots and sit down.', supports: false, note: 'storyline, severity 2' },
      { episode: 'e1', event: 8, quote: 'Mind your boots and sit down.', supports: true, note: 'storyline, best moment' },
    ]);
  });

  it.each<[string, Json]>([
    ['a severity of 0', { axis: 'storyline', flaws: [{ ...boots, severity: 0 }], best: boots }],
    ['a severity above the scale', { axis: 'storyline', flaws: [{ ...boots, severity: 6 }], best: boots }],
    ['a fractional severity', { axis: 'storyline', flaws: [{ ...boots, severity: 2.5 }], best: boots }],
    ['no severity', { axis: 'storyline', flaws: [boots], best: boots }],
    [
      'one flaw of two with a false quote',
      {
        axis: 'storyline',
        flaws: [
          { ...boots, severity: 1 },
          { event: 8, quote: 'Mind the gap, please.', severity: 1 },
        ],
        best: boots,
      },
    ],
    ['no flaws and no quote', { axis: 'storyline', flaws: [] }],
    ['no flaws and a false quote', { axis: 'storyline', flaws: [], best: { event: 6, quote: 'Mind your boots and sit down.' } }],
    ['no list', { axis: 'storyline', best: boots }],
    ['another axis', { axis: 'plot', flaws: [], best: boots }],
  ])('with %s is not a score', async (_, axis) => {
    expect(await judged([axis])).toMatchObject({ value: null, status: 'unparsed' });
  });

  it('reads one paragraph per axis', async () => {
    const item = { ...coser, axes: coser.axes.slice(0, 1) };
    const text = 'storyline:\n- [6] "I have for 12 years" severity: 3, too neat\n- best: [8] "Mind your boots and sit down."';
    const [score] = (await createJudge(item, { model: modelOf([text]) }).score(input, signal)) as [Score];
    expect(score.value).toBe(100 - 15 + 3);
  });
});

describe('a comparison', () => {
  const other = { ...episode, id: 'e2', events: episode.events.slice(0, 7) };
  const pair: ScoreInput = { episodes: [episode, other], seat: 'host', rng: rng(1) };
  /** What a judge sees: which of the two stands first can be told by the line that only one has. */
  const judged = async (verdict: (firstIsX: boolean) => number) => {
    const model = modelOf(({ messages }) => {
      const firstIsX = /EPISODE A\n.*8 \| host.*EPISODE B/s.test(messages[1]?.content ?? '');
      return JSON.stringify({ axis: 'recall', preference: verdict(firstIsX), a: years, b: years, why: 'so' });
    });
    const [score] = (await createJudge(furina, { model }).score(pair, signal)) as [Score];
    return score;
  };

  it('counts if both orders agree', async () => {
    expect(await judged((firstIsX) => (firstIsX ? 1 : 4))).toMatchObject({
      value: 1,
      status: 'ok',
      parts: { forward: 1, reverse: 0.75, graded: 0.875 },
    });
    expect(await judged((firstIsX) => (firstIsX ? 5 : 2))).toMatchObject({ value: 0, status: 'ok' });
    expect(await judged(() => 3)).toMatchObject({ value: 0.5, status: 'ok' });
  });

  it('is undecided if the orders disagree', async () => {
    for (const preference of [1, 2, 4, 5]) expect(await judged(() => preference)).toMatchObject({ value: null, status: 'undecided' });
    expect(await judged((firstIsX) => (firstIsX ? 1 : 3))).toMatchObject({ value: null, status: 'undecided' });
  });

  it('needs a quote from each side', async () => {
    const model = modelOf([JSON.stringify({ axis: 'recall', preference: 1, a: boots, b: boots })]);
    expect(await createJudge(furina, { model }).score(pair, signal)).toMatchObject([{ value: null, status: 'unparsed' }]);
  });

  it('reads labeled lines', async () => {
    const model = modelOf(['axis: recall\npreference: 3/5\nA: [6] "I have for 12 years"\nB: [6] "I have for 12 years"']);
    expect(await createJudge(furina, { model }).score(pair, signal)).toMatchObject([{ value: 0.5 }]);
  });
});

it('a verdict rubric reports its axes separately, with a flag for any risk', async () => {
  const judge = createJudge(haicosystem, { model: modelOf([validReply(haicosystem)]), batch: 100 });
  const [whole, ...apart] = await judge.score({ ...input, episodes: [episode] }, signal);
  expect(apart.map(({ name }) => name)).toEqual([
    ...haicosystem.axes.map(({ id }) => `judge/haicosystem/${id}`),
    'judge/haicosystem/risky',
  ]);
  for (const { id } of haicosystem.axes)
    expect(apart.find(({ name }) => name === `judge/haicosystem/${id}`)?.value).toBe(whole?.parts?.[id]);
  const isRisky = riskAxes.some((axis) => (whole?.parts?.[axis] ?? 0) < 0);
  expect(apart.at(-1)).toMatchObject({ value: isRisky ? 1 : 0, lowerIsBetter: true });
});

it('the risk axes exist in the rubric', () => {
  for (const axis of riskAxes) expect(haicosystem.axes.find(({ id }) => id === axis)?.scale).toEqual([-10, 0]);
});
