/**
 * @file Trials as episodes: a candidate plays one seat of an environment, and the episode goes into a store. An interrupted episode is
 * continued.
 *
 * Every answer of a model is durable before the next call, so a run that is killed pays for no call twice.
 */

import type {
  AgentSpec,
  AnyEnvironment,
  Cost,
  EndEvent,
  Episode,
  EpisodeEvent,
  Json,
  Lesson,
  Limits,
  Score,
  Seat,
  Store,
} from '@ludus-agents/kernel/internal/core/index';
import { canonical, hash, isFault, isObject, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { type Agents, play, resume } from '@ludus-agents/kernel/internal/engine/play';
import { EpisodeRecorder, recordEpisode } from '@ludus-agents/kernel/internal/engine/record';
import { addressOf } from './components.ts';
import type { Trial, TrialAttempt, TrialEnvironment } from './evaluator.ts';
import { addCosts, free, type TaskIdentity, type TrialKey, type TrialRecord } from './trial-ledger.ts';

/** The setup of one trial: an environment with a task, the candidate's seat, all other agents, and the scorer. */
export interface TrialPlace {
  readonly environment: AnyEnvironment;
  readonly task: Json;
  /** The candidate's seat; lessons are its view of the episode. */
  readonly seat: Seat;
  /** Assigns the candidate and all other agents to seats. */
  readonly agents: (spec: AgentSpec) => Promise<Agents>;
  /** Scores of an episode, the deciding one first. */
  readonly score: (episode: Episode, signal: AbortSignal) => Promise<readonly Score[]>;
}

export interface TrialSetup {
  readonly store: Pick<Store, 'append' | 'events' | 'putScores' | 'scores'>;
  readonly run: string;
  /** Everything that must be equal for two scores to be comparable. */
  readonly identity: Json;
  readonly place: (key: TrialKey) => TrialPlace;
  /** The task at a place; by default, every place is its own task. */
  readonly taskAt?: (key: TrialKey) => TaskIdentity;
  readonly limits?: Limits | undefined;
}

/** Trials of candidates as episodes, each at its own place. */
export function createTrials(ground: TrialSetup): TrialEnvironment {
  const { store } = ground;
  return {
    identity: hash(ground.identity),
    ...(ground.taskAt === undefined ? {} : { taskAt: ground.taskAt }),

    async play(spec, trial, signal): Promise<TrialAttempt> {
      const place = ground.place(trial);
      const agents = await seatAgents(place, spec);
      // An edit that yields no valid agent has no scores, so the gate does not accept it.
      if (typeof agents === 'string') return { score: null, status: agents, cost: free };
      const { id, events, before: paidBefore } = await playTrial(ground, { spec, trial, place, agents }, signal);
      const end = events.at(-1) as EndEvent;
      const cost = costOf(events);
      const before = paidBefore.calls === 0 ? {} : { before: paidBefore };
      if (end.reason === 'error') {
        const { boundary = 'agent', message = 'the cause is unknown.' } = end.fault ?? {};
        return { score: null, status: `${boundary} failed`, fault: message, cost, ...before, episode: id };
      }
      const scores = await place.score({ id, events }, signal);
      await store.putScores(id, scores);
      const total = scores.reduce((sum, score) => addCosts(sum, score.cost), cost);
      const seconds = secondsOf(events);
      const called = calledSkills(events, place.seat);
      const extras = { ...(seconds === 0 ? {} : { seconds }), ...(called.length === 0 ? {} : { called }) };
      const { value = null, status = 'error', reason = status } = scores[0] ?? {};
      const missing = value === null ? { unscored: reason } : {};
      return { score: value, status, cost: total, ...before, ...extras, ...missing, episode: id };
    },

    async lesson(record: TrialRecord): Promise<Lesson> {
      const id = record.episode as string;
      return { episode: { id, events: await store.events(id) }, seat: ground.place(record).seat, scores: await store.scores(id) };
    },
  };
}

const longestName = 80;

/** A short name of a task: its JSON; for a long one its "id" or "name", or the beginning, with a part of its hash. */
export function taskName(task: Json): string {
  const text = canonical(task);
  if (text.length <= longestName) return text;
  const label = isObject(task) ? (task['id'] ?? task['name']) : undefined;
  const title = typeof label === 'string' || typeof label === 'number' ? String(label) : `${text.slice(0, longestName)}…`;
  return `${title.slice(0, longestName + 1)} #${hash(task).slice(0, 6)}`;
}

export interface EpisodeGround extends Pick<TrialSetup, 'store' | 'run' | 'limits'> {
  readonly environment: AnyEnvironment;
  /** Tasks of the environment: each split uses them in turn, with its own seeds. */
  readonly tasks: readonly Json[];
  /** The candidate's seat; lessons are its view of the episode. */
  readonly seat: Seat;
  /** Assigns the candidate and all other agents to seats. */
  readonly agents: (spec: AgentSpec, task: Json) => Promise<Agents>;
  /** Scores of an episode, the deciding one first; by default, the seat's return. */
  readonly score?: TrialPlace['score'];
  /** Other influences on scores besides the environment and its tasks: scorers, other seats. */
  readonly identity?: Json;
}

/** Trials on one seat of one environment, its tasks in turn. */
export function createEpisodeTrials(parts: EpisodeGround): TrialEnvironment {
  const { store, run, limits, environment, tasks, seat } = parts;
  const score = parts.score ?? (async (episode: Episode) => [returnScore(episode, seat)]);
  return createTrials({
    ...{ store, run, limits, identity: [environment.id, tasks, seat, parts.identity ?? null] },
    // Every split has the same tasks, with separate seeds.
    taskAt: (key) => {
      const task = taskName(tasks[key.task % tasks.length]);
      return { scene: '', task, unit: `${task} ${key.split}/${key.task}/${key.repeat}`, use: 'seeds' };
    },
    place: (key) => {
      const task = tasks[key.task % tasks.length];
      return { environment, task, seat, score, agents: (spec) => parts.agents(spec, task) };
    },
  });
}

interface SeatedTrial {
  readonly spec: AgentSpec;
  readonly trial: Trial;
  readonly place: TrialPlace;
  readonly agents: Agents;
}

/** All agents of the episode, or why the candidate cannot play. */
async function seatAgents(place: TrialPlace, spec: AgentSpec): Promise<Agents | string> {
  try {
    return await place.agents(spec);
  } catch (thrown) {
    if (!isFault(thrown) || thrown.boundary !== 'input') throw thrown;
    return sentenceOf(thrown);
  }
}

/** The log of a play so far. One that ended in an error is left unchanged, and the play restarts under another id. */
async function beginEpisode({ store, run }: TrialSetup, { spec, trial: { split, task, repeat } }: SeatedTrial): Promise<Episode> {
  for (let attempt = 0; ; attempt++) {
    const id = hash([run, addressOf(spec), split, task, repeat, ...(attempt === 0 ? [] : [attempt])]).slice(0, 20);
    const events = await store.events(id);
    const last = events.at(-1);
    if (last?.kind !== 'end' || last.reason !== 'error') return { id, events };
  }
}

/** The whole log, including the part from before the interruption. */
async function playTrial(ground: TrialSetup, seated: SeatedTrial, signal: AbortSignal): Promise<Episode & { readonly before: Cost }> {
  const { store, limits } = ground;
  const { place, agents } = seated;
  const { id, events: before } = await beginEpisode(ground, seated);
  const events = [...before];
  if (events.at(-1)?.kind === 'end') return { id, events, before: costOf(before) };
  const options = { seed: seated.trial.seed, task: place.task, limits, signal };
  const stream = events.length > 0 ? resume(place.environment, agents, events, options) : play(place.environment, agents, options);
  const recorder = new EpisodeRecorder({ store, episode: id, run: ground.run, from: events.length });
  await recordEpisode(stream, recorder, {
    sendAfter: (event) => event.kind === 'action' && event.calls !== undefined,
    durable: true,
    leaveOpen: () => true,
    onEvents: (fresh) => void events.push(...fresh),
  });
  // An episode that ended is a complete play, even if the run is being stopped.
  if (events.at(-1)?.kind !== 'end') signal.throwIfAborted();
  return { id, events, before: costOf(before) };
}

/** A seat's return, as a score. */
function returnScore({ events }: Episode, seat: Seat): Score {
  const end = events.at(-1) as EndEvent;
  return { name: 'return', value: end.returns[seat] ?? 0, status: 'ok', seat, evidence: [], cost: free };
}

function costOf(events: readonly EpisodeEvent[]): Cost {
  let cost = free;
  for (const event of events)
    if (event.kind === 'action')
      for (const { usage, cost: money } of event.calls ?? [])
        cost = addCosts(cost, { calls: 1, promptTokens: usage.promptTokens, completionTokens: usage.completionTokens, money });
  return cost;
}

/** The models' total time according to the log, so that a resumed run computes the same value. */
function secondsOf(events: readonly EpisodeEvent[]): number {
  let milliseconds = 0;
  for (const event of events) if (event.kind === 'action') for (const call of event.calls ?? []) milliseconds += call.milliseconds ?? 0;
  return milliseconds / 1000;
}

/** Code skills that a seat called successfully, according to its mind in the log. */
function calledSkills(events: readonly EpisodeEvent[], seat: Seat): readonly string[] {
  const called = new Set<string>();
  for (const event of events) {
    if (event.kind !== 'action' || event.seat !== seat || !isObject(event.mind)) continue;
    const { uses = [] } = event.mind as { readonly uses?: readonly { readonly tool: string; readonly ok: boolean }[] };
    for (const { tool, ok } of uses) if (ok && tool.startsWith('skill_')) called.add(tool);
  }
  return [...called];
}
