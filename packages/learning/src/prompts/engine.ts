/**
 * @file The interface of an engine: a strategy around proposers, which are improvers, behind one evaluator and one gate.
 *
 * An engine is an async generator of events. It may loop forever: the evaluator throws when the budget is spent, and the run loop uses the
 * last `best` event as the engine's answer. Its random numbers depend only on paths and it has no state between runs, so repeating it over
 * the same ledger makes the same decisions. This is how runs are resumed.
 */

import type { Improver, Json, JsonObject, Model, ModelCall, Rng, TaskOf, TaskParameters } from '@ludus-agents/kernel/internal/core/index';
import { Fault, readTask } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import type { Archive, RejectedEdit } from './archive.ts';
import type { Candidate } from './candidate.ts';
import type { Choices } from './choices.ts';
import { isProse } from './components.ts';
import type { TrialRunner } from './evaluator.ts';
import { type GateRule, type GateVerdict, judgePairs } from './gate.ts';
import type { TrialKey, TrialRecord } from './trial-ledger.ts';
import { type DiceOf, pairTrials, placesOf, scoreOf } from './trial-scores.ts';

/** The input of a proposer besides the spec and its lessons. */
export interface ProposerInput {
  readonly rng: Rng;
  /** Components that it may change; for proposers that choose, also names of choices. */
  readonly components: readonly string[];
  /** The alternative values of components that are chosen instead of written. */
  readonly choices?: Choices;
  /** The number of children wanted, and the maximum edits of each. */
  readonly many: number;
  readonly edits: number;
  /** Earlier edits with their verdicts: rejected ones should not be proposed again. */
  readonly tried: readonly RejectedEdit[];
  /** Why the last proposals for this parent were refused before reaching the gate. */
  readonly refused?: readonly string[];
  /** Records a model call in the ledger. */
  readonly paid: (call: ModelCall) => void;
  /** Records why an answer cannot be used, for the next proposal. */
  readonly refuse?: (why: string) => void;
}

/** Makes improvers, one for each round. */
export interface Proposer {
  readonly name: string;
  /** Whether it selects choices itself; otherwise they are random, if nothing else can change. */
  readonly chooses?: boolean;
  /** The writing model, if any, for engines that use their own prompts. */
  readonly model?: Model;
  /** A proposer of environment rules; without one, rules are induced word for word. */
  readonly rules?: Proposer;
  improver(round: ProposerInput): Improver;
}

/** An engine's request to a proposer. Only `step` gives two requests about the same parent different random numbers. */
export interface ProposalRequest {
  readonly parent: Candidate;
  readonly step: number;
  /** Plays to show as lessons. */
  readonly plays?: readonly TrialRecord[];
  readonly components?: readonly string[];
  readonly many?: number;
  readonly edits?: number;
  readonly tried?: readonly RejectedEdit[];
}

/** The events of a working engine. */
export type Happening =
  | { readonly kind: 'candidate'; readonly candidate: Candidate }
  | { readonly kind: 'verdict'; readonly candidate: string; readonly against: string; readonly verdict: GateVerdict }
  /** The engine's current answer, and its score on the select tasks. */
  | { readonly kind: 'best'; readonly candidate: Candidate; readonly score: number }
  | { readonly kind: 'note'; readonly words: string };

/** The inputs of an engine. */
export interface Parts {
  readonly start: Candidate;
  readonly archive: Archive;
  readonly bench: TrialRunner;
  readonly proposer: Proposer;
  readonly gate: GateRule;
  /** The repeats of each select task by both sides at the gate. */
  readonly repeats: number;
  readonly dice: DiceOf;
  readonly locked: readonly string[];
  /** Values of the components that are chosen instead of written. */
  readonly choices?: Choices;
  readonly signal: AbortSignal;
}

/** The components that an engine changes one at a time: written prose, and choices. */
export function changeable({ components }: Candidate, choices: Choices = {}): readonly string[] {
  const selectedKeys = Object.keys(choices);
  return [...Object.keys(components).filter((name) => isProse(name) && !selectedKeys.includes(name)), ...selectedKeys];
}

export type Happenings = AsyncGenerator<Happening, void, undefined>;

/** A strategy of text improvement: which parent, which lessons, which comparison. */
export interface Engine {
  readonly name: string;
  /** The name of the published method, and its source. */
  readonly method: string;
  readonly source: string;
  readonly differs: string;
  readonly parameters: TaskParameters;
  /** Whether it also changes weights, so that the report separates both effects in four cells. */
  readonly trains?: boolean;
  /** Whether it designs workflows: an agent that is not a pipeline then starts as a pipeline of one step. */
  readonly designs?: boolean;
  run(parts: Parts, settings?: Json): Happenings;
}

/** Defines an engine whose settings are validated by its parameters: unknown and invalid ones are refused before any cost. */
export function defineEngine<const K extends TaskParameters>(
  definition: Omit<Engine, 'run' | 'parameters'> & { readonly parameters: K; run(parts: Parts, settings: TaskOf<K>): Happenings },
): Engine {
  return { ...definition, run: (parts, settings = {}) => definition.run(parts, settingsOf(definition, settings)) };
}

/** The settings of an engine with defaults; refuses unknown ones with a message. */
export function settingsOf<const K extends TaskParameters>(
  { name, parameters }: { readonly name: string; readonly parameters: K },
  settings: Json,
): TaskOf<K> {
  const unknown = Object.keys((settings ?? {}) as JsonObject).find((item) => !Object.hasOwn(parameters, item));
  const knownKeys = Object.keys(parameters);
  if (unknown !== undefined)
    throw new Fault(
      'input',
      `${name} has no setting "${unknown}". Available: ${knownKeys.length === 0 ? 'none' : knownKeys.join(', ')}.${didYouMean(unknown, knownKeys)}`,
      { code: 'E_UNKNOWN_NAME' },
    );
  return readTask(name, parameters, settings);
}

/** The places of a run's gate comparisons: all select tasks, with its repeats. */
export function gatePlaces({ bench, repeats }: Pick<Parts, 'bench' | 'repeats'>): readonly TrialKey[] {
  return placesOf('select', bench.tasks.select, repeats);
}

/** Compares a child with its parent at the gate, records the verdict in the archive and returns it. */
export async function holdChild(parts: Parts, parent: Candidate, child: Candidate): Promise<GateVerdict> {
  const places = gatePlaces(parts);
  const before = await parts.bench.evaluate(parent, places);
  const after = await parts.bench.evaluate(child, places);
  const size = Object.values(child.components).reduce((sum, text) => sum + text.length, 0);
  const verdict = judgePairs(pairTrials(before, after), parts.gate, size);
  parts.archive.judge(child, parent, verdict);
  return verdict;
}

/** A candidate's score on the select tasks of the gate. */
export async function selectScore(parts: Parts, candidate: Candidate): Promise<number> {
  return scoreOf(await parts.bench.evaluate(candidate, gatePlaces(parts)));
}
