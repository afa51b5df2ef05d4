/**
 * @file Counters of a recipe's mechanism: how often each of its slots took effect. A method whose branches, hints or tools never came into
 * play is the same as its control, and the run must report that.
 */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { redTeams } from '../adversaries/scripted.ts';
import { hintCounts } from './advice-game.ts';
import { skillCounts } from './chain-game.ts';
import type { Recipe } from './recipe.ts';
import { channelsOf } from './recipe-support.ts';
import { levelOf } from './roles/level-roles.ts';
import type { PlayedEpisode } from './rollouts.ts';
import type { EpisodeSample, TurnAdvantage } from './samples.ts';
import { toolUses } from './tool-rewards.ts';

/** How often something happened, by name, over a whole run. */
export type Counts = Readonly<Record<string, number>>;

/** The maximum count of distinct texts, which keeps checkpoints small. */
const mostTexts = 2000;

export class ActCounter {
  #counts: Record<string, number> = {};
  /** The texts behind each count of distinct texts. */
  #texts: Record<string, Set<string>> = {};

  add(name: string, count: number): void {
    if (count !== 0) this.#counts[name] = (this.#counts[name] ?? 0) + count;
  }

  /** Keeps the largest count of a name, for states rather than events. */
  reach(name: string, count: number): void {
    this.#counts[name] = Math.max(this.#counts[name] ?? 0, count);
  }

  /** Counts distinct texts. */
  distinct(name: string, texts: readonly string[]): void {
    const distinctTexts = this.#texts[name] ?? new Set<string>();
    this.#texts[name] = distinctTexts;
    for (const text of texts) if (distinctTexts.size < mostTexts) distinctTexts.add(text);
    this.reach(name, distinctTexts.size);
  }

  get counts(): Counts {
    return { ...this.#counts };
  }

  write(): JsonObject {
    const texts = Object.fromEntries(Object.entries(this.#texts).map(([name, set]) => [name, [...set]]));
    return { ...this.#counts, ...(Object.keys(texts).length > 0 && { texts }) };
  }

  read({ texts = {}, ...counts }: JsonObject): void {
    this.#counts = counts as Record<string, number>;
    this.#texts = Object.fromEntries(Object.entries(texts as Record<string, string[]>).map(([name, list]) => [name, new Set(list)]));
  }
}

/** The figure in which each kind of guide reports its effect. */
const guideCounters: Readonly<Record<NonNullable<Recipe['guidance']>['kind'], string>> = {
  ...{ hint: 'helped', plan: 'helped', answer: 'helped', recall: 'helped', action: 'asked', correct: 'corrected', refine: 'refined' },
  ...{ experience: 'predicted', rationale: 'rationales', feedback: 'kept', shun: 'wrong', instruct: 'instructions' },
  revise: 'revised',
};

/** The counters that a recipe declares by its slots: the events that distinguish it from plain reinforcement learning. */
export function countersOf(recipe: Recipe): readonly string[] {
  const { rollout, curriculum, replay, loss, importance, baseline, guidance, assignment, view, training, phases, roles } = recipe;
  const steps = (loss.epochs ?? 1) * (loss.minibatches ?? 1);
  const isStale = Number(training.ahead ?? 0) > 0;
  const prefers = ['preference', 'desirability'].includes(loss.kind) || assignment.kind === 'win-rate';
  const byPrompt = baseline.kind === 'group' && baseline.key.includes('prompt');
  const compares = prefers || (byPrompt && loss.kind !== 'imitation');
  const overBatch = !compares && baseline.kind === 'group' && loss.kind !== 'imitation';
  const byTasks = ['learnable', 'replayed-levels', 'teacher'].includes(curriculum.kind);
  const sources = Object.keys(channelsOf(recipe)).filter((name) => name !== 'environment' && name !== 'penalty');
  const isJudged = (assignment.kind === 'checklist' || assignment.kind === 'human-gain') && assignment.by !== undefined;
  const tools = view !== undefined && 'tools' in view && (view.tools ?? []).length > 0;
  return [
    ...(compares ? ['groups that differ'] : []),
    ...(overBatch || baseline.kind === 'utterances' ? ['turns that taught'] : []),
    ...(loss.kind === 'mirror' ? ['mirror steps'] : []),
    ...(loss.kind === 'mirror' && (training.average ?? 0) > 0 ? ['policies averaged'] : []),
    ...(rollout.kind === 'branch' ? ['branches'] : []),
    ...(rollout.kind === 'branch' && rollout.probe === true ? ['fresh starts'] : []),
    ...(rollout.kind === 'adaptive' ? ['attempts saved'] : []),
    ...(rollout.kind === 'resample' || curriculum.kind === 'mixed' || curriculum.kind === 'spread' ? ['episodes left out'] : []),
    ...(curriculum.kind === 'horizon' ? ['episodes cut'] : []),
    ...(curriculum.kind === 'unsolved' ? ['tasks pruned'] : []),
    ...(curriculum.kind === 'first-pass' ? ['tasks left out'] : []),
    ...(byTasks ? ['tasks met again'] : []),
    ...(replay.kind === 'none' ? [] : ['rows recalled']),
    ...(loss.clip !== undefined && (steps > 1 || isStale) ? ['updates that clipped'] : []),
    ...(loss.band === undefined ? [] : ['updates outside the band']),
    ...(loss.imitation === undefined && loss.kind !== 'imitation' ? [] : ['rows imitated']),
    ...(importance === null && !isStale ? [] : ['stale tokens']),
    ...(baseline.kind === 'value' || baseline.kind === 'running' ? ['past returns used'] : []),
    ...(baseline.kind === 'bought' ? ['central critics used', 'returns compared'] : []),
    ...(baseline.kind === 'group' && baseline.plus !== undefined ? ['states met again'] : []),
    ...(baseline.kind === 'group' && baseline.entropy !== undefined ? ['tokens by certainty'] : []),
    ...(guidance === undefined ? [] : [guideCounters[guidance.kind]]),
    ...(recipe.rewardModel === undefined ? [] : ['trusted']),
    ...(recipe.rewardModel?.steps === undefined ? [] : ['steps paid']),
    ...sources.map((name) => `scored by ${name}`),
    ...(isJudged ? ['scored by judge'] : []),
    ...(tools ? ['tool calls'] : []),
    ...(view?.kind === 'summary' ? ['summaries'] : []),
    ...(view?.kind === 'memo' ? ['memos'] : []),
    ...(view?.kind === 'episodes' ? ['earlier episodes read', ...(view.partial === false ? [] : ['partial updates'])] : []),
    ...(training.opponents === 'league' ? ['past selves met'] : []),
    ...(phases === undefined ? [] : ['stages ended']),
    ...(roles?.kind === 'levels' ? roles.levels.map(turnsOfLevel) : []),
    ...(recipe.rounds === undefined ? [] : ['successes']),
    ...(isChain(recipe) ? ['skills kept', 'skills reused'] : []),
    ...(isAdvice(recipe) ? ['hints given', 'hints followed'] : []),
    ...(attackerIn(recipe) === undefined ? [] : ['different attacks']),
    ...(view !== undefined && 'thoughts' in view && view.thoughts === true ? ['thoughts hidden'] : []),
  ];
}

/** Counts the events visible in the logs of an update: tool calls, memos and summaries. */
export function countPlay(recipe: Recipe, played: readonly PlayedEpisode[], acts: ActCounter): void {
  const { view, curriculum, roles } = recipe;
  if (roles?.kind === 'levels') countLevels(played, acts);
  const attacker = attackerIn(recipe);
  if (attacker !== undefined)
    acts.distinct(
      'different attacks',
      [...new Set(played.map(({ log }) => log))].flatMap((log) => textsOf(log, attacker)),
    );
  if (isAdvice(recipe))
    for (const { hints, followed } of [...new Set(played.map(({ log }) => log))].map(hintCounts)) {
      acts.add('hints given', hints);
      acts.add('hints followed', followed);
    }
  if (isChain(recipe))
    for (const { kept, reused } of [...new Set(played.map(({ log }) => log))].map(skillCounts)) {
      acts.add('skills kept', kept);
      acts.add('skills reused', reused);
    }
  if (curriculum.kind === 'horizon') acts.add('episodes cut', played.filter(({ sample }) => sample.truncated).length);
  if (view === undefined || !('tokens' in view)) return;
  const logs = new Set(played.map(({ log }) => log));
  const seats = new Set(played.map(({ sample }) => sample.seat));
  for (const log of logs)
    for (const event of log) {
      if (event.kind !== 'action' || !seats.has(event.seat)) continue;
      const calls = event.calls ?? [];
      acts.add('tool calls', toolUses(event).length);
      if (view.thoughts === true) acts.add('thoughts hidden', calls.filter(({ text }) => /\bthought:\s*\S/i.test(text)).length);
      if (view.kind !== 'window')
        acts.add(view.kind === 'memo' ? 'memos' : 'summaries', calls.filter(({ text }) => /\bmemo:/i.test(text)).length);
    }
}

function turnsOfLevel(level: string): string {
  return `turns of ${level}`;
}

/** Counts the learner's turns on each level of decisions. */
function countLevels(played: readonly PlayedEpisode[], acts: ActCounter): void {
  for (const { sample, log } of played)
    for (const event of log)
      for (const ask of event.kind === 'turn' ? event.asks : []) {
        const level = ask.seat === sample.seat ? levelOf(ask.data) : undefined;
        if (level !== undefined) acts.add(turnsOfLevel(level), 1);
      }
}

function isAdvice({ training }: Recipe): boolean {
  return training.environment.startsWith('advice:');
}

/** The attacking seat, if the learner plays it. */
function attackerIn({ training: { environment, seats = {} } }: Recipe): string | undefined {
  const attacker = redTeams[environment]?.attacker;
  return attacker !== undefined && seats[attacker] === 'learner' ? attacker : undefined;
}

function textsOf(log: PlayedEpisode['log'], seat: string): readonly string[] {
  return log.flatMap((event) => (event.kind === 'action' && event.seat === seat ? [event.action.text] : []));
}

function isChain({ training }: Recipe): boolean {
  return training.environment.startsWith('chain:');
}

/** Counts groups whose episodes have different advantages: a group of equals teaches nothing. */
export function countGroups(episodes: readonly EpisodeSample[], advantages: readonly ArrayLike<TurnAdvantage>[], acts: ActCounter): void {
  const worths = Map.groupBy(episodes.keys(), (i) => `${episodes[i].prompt}/${episodes[i].seat}`);
  const sumOf = (i: number) =>
    Array.from(advantages[i] ?? []).reduce<number>((sum, turn) => sum + (typeof turn === 'number' ? turn : (turn[0] ?? 0)), 0);
  acts.add('groups that differ', [...worths.values()].filter((members) => new Set(members.map(sumOf)).size > 1).length);
  // A turn that is worth what it is compared with teaches nothing.
  acts.add(
    'turns that taught',
    advantages.reduce((sum, turns) => sum + Array.from(turns).filter((turn) => turn !== 0).length, 0),
  );
}

/** Counters that many methods share. If a recipe has others, these do not show that its mechanism acted. */
const shared = ['groups that differ', 'turns that taught', 'returns compared', 'past returns used'];

/** Upper bounds: not reaching one does not mean that the mechanism was idle. */
const bounds = ['updates that clipped'];

/** The counters of a recipe after a run; empty for ways to play without counters, such as on a whole game tree. */
export type Mechanism = {
  readonly counts: Counts;
  /** Counters that the recipe declares and that remained 0. */
  readonly idle: readonly string[];
  /** Whether any event occurred that distinguishes the recipe from its control. */
  readonly acted: boolean;
};

export function mechanismOf(recipe: Recipe, counts: Counts): Mechanism {
  const declared = countersOf(recipe);
  const visible = declared.map((name) => [name, counts[name] ?? 0] as const);
  const due = visible.filter(([name]) => !bounds.includes(name));
  // Scores that are equal within every group do not affect training.
  const isAlike = due.some(([name, count]) => name === 'groups that differ' && count === 0);
  const specific = due.filter(([name]) => !shared.includes(name) && !(isAlike && name.startsWith('scored by ')));
  return {
    counts: Object.fromEntries(visible),
    idle: due.flatMap(([name, count]) => (count === 0 ? [name] : [])),
    acted: due.length === 0 || (specific.length > 0 ? specific : due).some(([, count]) => count > 0),
  };
}

/** The counters as a sentence: how often each event occurred, and which never did. */
export function mechanismText({ counts, idle, acted: hasActed }: Mechanism): string {
  const names = Object.entries(counts);
  if (names.length === 0) return 'The recipe declares no counters: every update is its mechanism.';
  const acted = names.filter(([, count]) => count > 0).map(([name, count]) => `${name} ${count}`);
  if (!hasActed)
    return `The mechanism never acted (${idle.join(', ')}: 0), so this run is the same as its control. Choose another environment or other settings.`;
  return `Mechanism: ${acted.join(', ')}.${idle.length === 0 ? '' : ` Never: ${idle.join(', ')}.`}`;
}

/** The mechanism of a training with a single counter, independent of the counters that its recipe declares. */
export function countedOnly(name: string, count: number): Mechanism {
  return { counts: { [name]: count }, idle: count === 0 ? [name] : [], acted: count > 0 };
}
