/** @file A judge is a model under a rubric: a Scorer that quotes, counts what it spends, and has a hash that changes with anything it depends on. */

import type { EpisodeEvent, Model, Sampling, Score, ScoreInput, Scorer, ScoreStatus, Seat } from '@ludus-agents/kernel/internal/core/index';
import { hash } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { type JudgeBudget, type JudgeCache, JudgeClient, noCost, type Tally } from './ask.ts';
import { checklist } from './checklist.ts';
import { judgePair, pairwiseChat } from './pairwise.ts';
import { penalty } from './penalty.ts';
import { judgePointwise, type PointwiseForm, pointwiseChat } from './pointwise.ts';
import { type Stage, stageOf } from './prompt.ts';
import { type PointwiseRubric, type Rubric, rangeOf, rubricHash, titleOf } from './rubric.ts';
import { linesOf } from './scene.ts';
import { pairwiseReply } from './schema.ts';

export interface JudgeOptions {
  readonly model: Model;
  readonly cache?: JudgeCache;
  readonly retries?: number;
  readonly sampling?: Sampling;
  readonly budget?: JudgeBudget;
  readonly repeat?: number;
  /** Axes in one call: for a penalty list 1 by default, for a checklist all. */
  readonly batch?: number;
  /** The rubric's axes, and their questions, from the last to the first: a judgement should not depend on their order. */
  readonly reversed?: boolean;
  /** Names to hide besides those the log itself gives away. */
  readonly hide?: readonly string[];
  /** Episodes with more text than this, in characters, are not sent. */
  readonly longest?: number;
  /** The reason why it is unknown whether the model is still the same. */
  readonly unpinned?: string | undefined;
}

/** A scorer that asks a model by a rubric. */
export interface Judge extends Scorer {
  readonly rubric: Rubric;
  readonly model: string;
  /** Equal hashes: same rubric, same model, same sampling, same prompt to the letter. */
  readonly hash: string;
  /** The reason why it is unknown whether its model is still the same; omitted if it is known. */
  readonly unpinned?: string | undefined;
  readonly tally: Tally;
}

/** Version of the code that reads replies and does the arithmetic; what a judge is shown is in its hash anyway. */
const code = 'judges@2';

/** A judge: a scorer that asks a model by a rubric. */
export function createJudge(rubric: Rubric, options: JudgeOptions): Judge {
  const desk = new JudgeClient(options);
  const used = options.reversed === true ? reverseRubric(rubric) : rubric;
  const name = `judge/${rubric.name}`;
  // A judge must not see its own name; but one that is a plain word ("fake") would hide that word everywhere.
  const hidden = [options.model.id, ...(options.hide ?? [])].filter((word) => !/^\p{Ll}+$/u.test(word));
  const mark = judgeHash(rubric, options);
  const scale = rubric.form === 'penalty' && rubric.arithmetic.clamp === undefined ? {} : { scale: rangeOf(rubric) };
  const provenance = { code, rubric: titleOf(rubric), rubricHash: rubricHash(rubric), judge: options.model.id, judgeHash: mark };
  return {
    name,
    tier: 'judge',
    rubric,
    model: options.model.id,
    hash: mark,
    unpinned: options.unpinned,
    get tally() {
      return desk.tally;
    },
    async score(input, signal) {
      const scores = seatsFor(rubric, input).map(async (seat): Promise<Score> => {
        const of = seat === undefined ? {} : { seat };
        const persona = input.persona ?? (seat === undefined ? undefined : input.personas?.[seat]);
        const judgeInput = { ...input, ...of, ...(persona === undefined ? {} : { persona }) };
        const unfit = misfit(rubric, judgeInput);
        const stage = unfit === null ? stageOf(judgeInput, hidden) : null;
        const [status, problem] = unfit ?? tooLittleOrMuch(stage as Stage, options) ?? [];
        if (status !== undefined || stage === null)
          return {
            name,
            value: null,
            status: status as ScoreStatus,
            reason: problem as string,
            ...of,
            evidence: [],
            cost: noCost,
            provenance: { ...provenance, problem: problem as string },
          };
        const { problem: wrong, ...score } = await judgeByForm(testedRubric(used, judgeInput), { desk, stage, options }, signal);
        const scoreProvenance = { ...provenance, input: inputHash(stage), ...(wrong === undefined ? {} : { problem: wrong }) };
        return { name, ...of, ...scale, ...score, ...(wrong === undefined ? {} : { reason: wrong }), provenance: scoreProvenance };
      });
      return (await Promise.all(scores)).flatMap((score) => [score, ...separateScores(rubric, score)]);
    },
  };
}

/** The axes of a rubric that no mean should mix, each as a score, and the verdict over those that name it; none where they were not judged. */
function separateScores(rubric: Rubric, score: Score): readonly Score[] {
  const { parts, status } = score;
  if (rubric.form !== 'checklist' || rubric.verdict === undefined || status !== 'ok' || parts === undefined) return [];
  const { verdict, axes } = rubric;
  const plain = { ...score, evidence: [], cost: noCost };
  const { floor: _, parts: __, ...bare } = plain;
  const below = axes.filter(({ id, scale: [, best] }) => verdict.axes.includes(id) && typeof parts[id] === 'number' && parts[id] < best);
  return [
    ...axes.flatMap(({ id, scale }): readonly Score[] => {
      const value = parts[id];
      return typeof value === 'number' ? [{ ...bare, name: `${score.name}/${id}`, value, scale }] : [];
    }),
    { ...bare, name: `${score.name}/${verdict.name}`, value: below.length > 0 ? 1 : 0, scale: [0, 1], lowerIsBetter: true },
  ];
}

/** The seat that was named; else, where personas are needed and several are given, every seat that has one; else the episode as a whole. */
function seatsFor(rubric: Rubric, { seat, persona, personas }: ScoreInput): readonly (Seat | undefined)[] {
  if (seat === undefined && persona === undefined && personas !== undefined && rubric.needs?.includes('persona'))
    return Object.keys(personas);
  return [seat];
}

/** A pairwise rubric with the one axis that the task of the episodes puts to the test, where it names one; else the judge chooses. */
function testedRubric(rubric: Rubric, { episodes }: ScoreInput): Rubric {
  const [start] = episodes[0].events;
  const task = start?.kind === 'start' ? start.task : null;
  if (rubric.form !== 'pairwise' || !isObject(task)) return rubric;
  const axes = rubric.axes.filter(({ id }) => id === task['axis']);
  return axes.length === 0 ? rubric : { ...rubric, axes };
}

type Misfit = readonly [ScoreStatus, string];

function misfit(rubric: Rubric, input: ScoreInput): Misfit | null {
  const wanted = rubric.form === 'pairwise' ? 2 : 1;
  if (input.episodes.length !== wanted)
    return ['not-applicable', `${rubric.name} needs ${wanted === 1 ? 'one episode' : 'two episodes'}, but got ${input.episodes.length}`];
  for (const need of rubric.needs ?? []) if (input[need] === undefined) return ['not-applicable', `${rubric.name} needs a ${need}`];
  return null;
}

function tooLittleOrMuch(stage: Stage, { longest = 120_000 }: JudgeOptions): Misfit | null {
  if (stage.scenes.some(({ lines }) => lines.length === 0)) return ['not-applicable', 'there is nothing to quote'];
  const size = stage.scenes.reduce((sum, { lines }) => sum + lines.reduce((total, { shown }) => total + shown.text.length, 0), 0);
  return size > longest ? ['over-budget', `the episode has ${size} characters, but a judge reads at most ${longest}`] : null;
}

function inputHash({ scenes, seat, persona, reference }: Stage): string {
  return hash({ lines: scenes.map(linesOf), seat: seat ?? null, persona, reference: reference ?? null });
}

interface Bench {
  readonly desk: JudgeClient;
  readonly stage: Stage;
  readonly options: JudgeOptions;
}

function judgeByForm(rubric: Rubric, bench: Bench, signal: AbortSignal) {
  if (rubric.form === 'pairwise') return judgePair({ rubric, ...bench }, signal);
  return judgePointwise(pointwiseRequest(rubric, bench), signal);
}

function pointwiseRequest(rubric: PointwiseRubric, { desk, stage, options }: Bench) {
  const form = (rubric.form === 'penalty' ? penalty : checklist) as PointwiseForm<PointwiseRubric>;
  return { form, rubric, batch: options.batch ?? (rubric.form === 'penalty' ? 1 : rubric.axes.length), desk, stage };
}

function reverseRubric(rubric: Rubric): Rubric {
  if (rubric.form !== 'checklist') return { ...rubric, axes: rubric.axes.toReversed() } as Rubric;
  return { ...rubric, axes: rubric.axes.toReversed().map((axis) => ({ ...axis, questions: axis.questions.toReversed() })) };
}

/** A tiny episode that is rendered for every hash: a change in how anything is shown or asked changes the hash. */
const probe: readonly EpisodeEvent[] = [
  { kind: 'start', environment: 'probe@1', task: {}, seed: 0, seats: ['ann', 'bob'], cast: { ann: 'One-1', bob: 'two' } },
  { kind: 'message', to: ['ann'], text: 'A <b>question</b>\nfor One-1.' },
  { kind: 'action', seat: 'ann', action: { text: 'An answer [INST] of some words.' } },
  { kind: 'end', reason: 'over', returns: {}, penalties: {}, turns: 1 },
];

function judgeHash(rubric: Rubric, options: JudgeOptions): string {
  const { model, sampling = null, retries = 2, batch = null } = options;
  const episode = { id: 'probe', events: probe };
  const persona = { name: 'Ann', statements: ['Ann answers.'], secrets: ['Ann hides.'] };
  const stage = stageOf({ episodes: rubric.form === 'pairwise' ? [episode, episode] : [episode], seat: 'ann', persona, reference: {} });
  const bench = { desk: new JudgeClient(options), stage, options };
  const identity = {
    code,
    model: model.id,
    ...(model.version === undefined ? {} : { version: model.version }),
    sampling,
    retries,
    batch,
    rubric: rubricHash(rubric),
  };
  if (rubric.form === 'pairwise') {
    const form = pairwiseReply(rubric.axes.map(({ id }) => id));
    return hash({ ...identity, chat: pairwiseChat(rubric, stage), form });
  }
  const request = pointwiseRequest(rubric, bench);
  const form = request.form.reply(rubric, rubric.axes);
  return hash({ ...identity, chat: pointwiseChat(request, rubric.axes), form });
}
