/** @file `judge`: measures judges, builds rubrics and reward models, and collects human labels. */

import { faultPrefix } from '@ludus-agents/desk/internal/faults/detector';
import type { FeedbackEntry, InduceReport } from '@ludus-agents/evaluation/internal/induce';
import { induceRubric, readerModel, readFeedback, reasonsOf, remarksOf } from '@ludus-agents/evaluation/internal/induce';
import { judgeModel, loadJudge } from '@ludus-agents/evaluation/internal/judges';
import { loadRubric } from '@ludus-agents/evaluation/internal/loaders';
import { type PeopleAgreement, peopleAgreement } from '@ludus-agents/evaluation/internal/people-agreement';
import { rewardModelFrom } from '@ludus-agents/evaluation/internal/reward-model';
import { usualScorers } from '@ludus-agents/evaluation/internal/scoring/index';
import { createJudge, type Rubric } from '@ludus-agents/evaluation/internal/scoring/judges/index';
import type { RewardModelFile } from '@ludus-agents/evaluation/internal/scoring/reward-model/reward-model';
import { examine, type TrustCard } from '@ludus-agents/evaluation/internal/scoring/trust/index';
import { recordsOf } from '@ludus-agents/evaluation/internal/stored-run';
import { type Budget, type EpisodeEvent, equal, Fault, type Model, type Score, type Seat } from '@ludus-agents/kernel/internal/core/index';
import type { JudgeLabels, TuneReport } from '@ludus-agents/learning/internal/judge-labels';
import { judgeAgreement, labelledEpisodes, tuneRubric } from '@ludus-agents/learning/internal/judge-labels';
import { type Bound, readBound } from '@ludus-agents/store/internal/exports/bounds';
import { addReview, blindPairs, readReviews, withoutLabel } from '@ludus-agents/store/internal/reviews';
import { findEpisode, loadRun } from '@ludus-agents/store/internal/stores';
import { type CallPlace, changeStore, placeOf, type Ref, readStore, type StoreCallOptions } from './refs.ts';

/** The options of `judge.trust`. */
export interface JudgeTrustRequest extends StoreCallOptions {
  readonly rubric: Ref<Rubric>;
  readonly judge: Ref<Model>;
  /** A second judge, for the agreement of both. */
  readonly second?: Ref<Model> | undefined;
  /** Planted pairs of each kind. */
  readonly twins?: number | undefined;
  readonly seed?: number | undefined;
  /** A run with human labels, to compare the judge with. */
  readonly labels?: string | undefined;
  /** A model that rewrites the questions of the rubric, so the judge agrees with people. */
  readonly tune?: string | undefined;
  readonly rounds?: number | undefined;
}

/** A trust card; with human labels, also the judge's agreement with them and the tuned rubric. */
export interface JudgeTrust {
  readonly card: TrustCard;
  readonly labels?: JudgeLabels;
  readonly tuned?: TuneReport;
}

/** Measures the reliability of a judge under a rubric, on planted cases and on human labels. */
export async function trust(request: JudgeTrustRequest, place: CallPlace = placeOf(request)): Promise<JudgeTrust> {
  const { second, twins, seed, signal } = request;
  const rubric = typeof request.rubric === 'string' ? await loadRubric(request.rubric, place.cwd, place.trust) : request.rubric;
  const find = async (model: Ref<Model>) => (typeof model === 'string' ? judgeModel(model, rubric, place) : model);
  const model = await find(request.judge);
  const labels = request.labels === undefined ? {} : await labelWork({ ...request, labels: request.labels }, { rubric, model }, place);
  const card = await examine({
    rubric,
    judge: { model },
    ...(signal !== undefined && { signal }),
    ...(second !== undefined && { second: await find(second) }),
    ...(twins !== undefined && { twins }),
    ...(seed !== undefined && { seed }),
  });
  return { card, ...labels };
}

/** The judge compared with human labels, and its questions tuned to them. */
async function labelWork(
  { labels: name, tune, rounds = 3, seed = 1, ...call }: JudgeTrustRequest & { readonly labels: string },
  { rubric, model }: { readonly rubric: Rubric; readonly model: Model },
  place: CallPlace,
): Promise<Omit<JudgeTrust, 'card'>> {
  if (rubric.form === 'pairwise')
    throw new Fault('input', `The rubric "${rubric.name}" compares two episodes, but --labels needs a rubric that scores single episodes.`);
  return readStore(call, place, async (store) => {
    const run = await loadRun(store, name);
    const labelled = await labelledEpisodes(store, run.id);
    if (labelled.length === 0)
      throw new Fault(
        'input',
        `No episode of ${run.id} is labeled good or bad. Label some with "ludus judge review EPISODE --label good".`,
        { code: 'E_NOT_FOUND' },
      );
    const labels = await judgeAgreement(createJudge(rubric, { model }), labelled);
    if (tune === undefined) return { labels };
    const clear = labelled.filter(({ good }) => good !== null).length;
    if (clear < 12)
      throw new Fault(
        'input',
        `Tuning splits the labeled episodes into three parts and needs at least 12 that people agree about, but there are ${clear}.`,
      );
    const writer = await loadJudge(tune, place.cwd, place.trust);
    return { labels, tuned: await tuneRubric({ rubric, model, writer, labelled, rounds, seed }) };
  });
}

/** The options of `judge.induce`. */
export interface JudgeInduceRequest extends StoreCallOptions {
  readonly run: string;
  /** The model that reads the feedback. */
  readonly judge: string;
  /** A file of remarks; the reasons of reviews by default. */
  readonly feedback?: string | undefined;
  /** The name of the rubric. */
  readonly name?: string | undefined;
  /** Numbers of metrics to try. */
  readonly sizes?: readonly number[] | undefined;
  readonly budget?: Budget | undefined;
}

/** A rubric made from feedback, and the judge that read it. */
export interface JudgeInduced extends InduceReport {
  readonly run: string;
  readonly judge: string;
}

/** Turns human feedback on episodes into a rubric, and measures its coverage of the feedback. */
export async function induce(request: JudgeInduceRequest, place: CallPlace = placeOf(request)): Promise<JudgeInduced> {
  const { feedback, name = 'induced', sizes = [2, 4, 8], budget, signal } = request;
  const written: readonly FeedbackEntry[] | null = feedback === undefined ? null : readFeedback(feedback, place.cwd);
  return readStore(request, place, async (store) => {
    const run = await loadRun(store, request.run);
    const remarks = await remarksOf(store, run, written ?? (await reasonsOf(store, run)));
    const model = await readerModel(request.judge, remarks, place.cwd, place.trust);
    const report = await induceRubric({
      remarks,
      model,
      name,
      sizes,
      ...(budget && { budget }),
      signal: signal ?? new AbortController().signal,
    });
    return { run: run.id, judge: model.id, ...report };
  });
}

/** The options of `judge.reward`. */
export interface JudgeRewardRequest extends StoreCallOptions {
  readonly run: string;
  /** The definition of good, such as "return>=1". */
  readonly where: Bound | string;
  readonly seat?: Seat | undefined;
  /** The name of the reward model. */
  readonly name?: string | undefined;
  readonly seed?: number | undefined;
}

/** Trains a reward model on the episodes of a run, with a trust card. The model is a scorer document. */
export async function reward(request: JudgeRewardRequest, place: CallPlace = placeOf(request)): Promise<RewardModelFile> {
  const { where, seat, name = 'reward', seed = 1 } = request;
  const bound = typeof where === 'string' ? readBound(where, 'where') : where;
  return readStore(request, place, async (store) =>
    rewardModelFrom(store, { run: (await loadRun(store, request.run)).id, name, seat, bound, seed, heldOut: 1 / 3 }),
  );
}

/** The options of `judge.review`: a run to browse, or an episode to label. */
export interface JudgeReviewRequest extends StoreCallOptions {
  /** A run, or with `label` an episode. */
  readonly of: string;
  /** The label of the episode; of a pair "episode", "against" or "tie". */
  readonly label?: string | undefined;
  /** The other episode of a pair. */
  readonly against?: string | undefined;
  readonly reason?: string | undefined;
  /** The name of the reviewer. */
  readonly by: string;
  /** Returns pairs, or the agreement of people, instead of the next episodes. */
  readonly what?: 'queue' | 'pairs' | 'agreement' | undefined;
  readonly limit?: number | undefined;
}

/** One of: the stored label, the next episodes, pairs to compare, the agreement of people. */
export interface JudgeReview {
  readonly stored?: {
    readonly episode: string;
    readonly label: string;
    readonly by: string;
    readonly against?: string;
    readonly reason?: string;
  };
  readonly queue?: readonly { readonly episode: string; readonly disagreement: number; readonly failed: string | null }[];
  readonly pairs?: readonly {
    readonly episode: string;
    readonly against: string;
    readonly words: { readonly episode: readonly string[]; readonly against: readonly string[] };
  }[];
  readonly agreement?: readonly PeopleAgreement[];
}

/** Stores a person's label of an episode, or returns the episodes, pairs, or agreement of a run. */
export async function review(request: JudgeReviewRequest, place: CallPlace = placeOf(request)): Promise<JudgeReview> {
  const { of, label, against, reason, by, what = 'queue', limit = 10 } = request;
  if (label !== undefined)
    return changeStore(request, place, async (store) => {
      const stored = {
        episode: (await findEpisode(store, of)).id,
        label,
        by,
        ...(against !== undefined && { against: (await findEpisode(store, against)).id }),
        ...(reason !== undefined && { reason }),
      };
      await addReview(store, { ...stored, at: Date.now() });
      return { stored };
    });
  return readStore(request, place, async (store): Promise<JudgeReview> => {
    const run = await loadRun(store, of);
    const records = await Array.fromAsync(recordsOf(store, { run: run.id }));
    const reviews = await readReviews(store);
    const scores = new Map<string, readonly Score[]>();
    for (const { id } of records) scores.set(id, await store.scores(id));
    if (what === 'agreement') {
      const labels = reviews.filter(({ episode, against }) => against === undefined && scores.has(episode));
      return { agreement: peopleAgreement(labels, scores) };
    }
    if (what === 'pairs') {
      const pairs: NonNullable<JudgeReview['pairs']>[number][] = [];
      for (const { episode, against } of blindPairs(records, reviews, by)) {
        if (pairs.length === limit) break;
        const spokenTexts = { episode: wordsOf(await store.events(episode.id)), against: wordsOf(await store.events(against.id)) };
        // Two identical episodes cannot be compared.
        if (!equal(spokenTexts.episode, spokenTexts.against)) pairs.push({ episode: episode.id, against: against.id, words: spokenTexts });
      }
      return { pairs };
    }
    const queue = withoutLabel(records, reviews, by)
      .map(({ id }) => ({ episode: id, ...urgency(scores.get(id) ?? []) }))
      .sort((a, b) => b.disagreement - a.disagreement || Number(b.failed !== null) - Number(a.failed !== null));
    return { queue: queue.slice(0, limit) };
  });
}

/** The disagreement of the verdicts on an episode, each scaled to 0–1, and a rule's objection. All faults together count as one verdict. */
function urgency(scores: readonly Score[]): { readonly disagreement: number; readonly failed: string | null } {
  const newest = [...new Map(scores.map((score) => [`${score.name} ${score.seat ?? ''}`, score])).values()];
  const inputs = newest.flatMap((score) => {
    const { name, value, scale } = score;
    const [family = ''] = name.split('/', 1);
    if (value === null || (name !== 'return' && usualScorers.includes(family))) return [];
    const [low, high] = scale ?? [0, 1];
    const share = Math.min(1, Math.max(0, (value - low) / (high - low || 1)));
    return [{ score, share: name.startsWith(faultPrefix) ? 1 - share : share }];
  });
  const faults = inputs.filter(({ score }) => score.name.startsWith(faultPrefix));
  const others = inputs.filter(({ score }) => !score.name.startsWith(faultPrefix));
  const shares = [...others.map(({ share }) => share), ...(faults.length === 0 ? [] : [Math.min(...faults.map(({ share }) => share))])];
  const worst = [...faults, ...others].find(({ share }) => share === 0)?.score;
  return {
    disagreement: shares.length < 2 ? 0 : Math.max(...shares) - Math.min(...shares),
    failed: worst === undefined ? null : `${worst.name}${worst.reason === undefined ? '' : `, ${worst.reason}`}`,
  };
}

/** The messages of an episode by seat, without the agents' names. */
function wordsOf(events: readonly EpisodeEvent[]): readonly string[] {
  return events.flatMap((event) => (event.kind === 'action' ? [`${event.seat}: ${event.action.text}`] : []));
}
