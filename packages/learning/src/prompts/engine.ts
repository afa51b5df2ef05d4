/**
 * @file The interface of an engine: a strategy around proposers, which are improvers, behind one evaluator and one gate.
 *
 * An engine is an async generator of what happens. It may loop for ever: the evaluator throws when the budget is spent, and the run loop
 * takes the last `best` event as the engine's answer. All its dice are rolled by path and it keeps nothing between runs, so repeating it
 * over the same ledger takes the same decisions: that is how runs are resumed.
 */

import {
  Fault,
  type Improver,
  type Json,
  type JsonObject,
  type Model,
  type ModelCall,
  type Rng,
  readTask,
  type TaskOf,
  type TaskParameters,
} from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import type { Archive, RejectedEdit } from './archive.ts';
import type { Candidate } from './candidate.ts';
import type { Choices } from './choices.ts';
import { isProse } from './components.ts';
import type { TrialRunner } from './evaluator.ts';
import { type GateRule, type GateVerdict, judgePairs } from './gate.ts';
import type { TrialKey, TrialRecord } from './trial-ledger.ts';
import { type DiceOf, pairTrials, placesOf, scoreOf } from './trial-scores.ts';

/** What a proposer gets besides the spec and its lessons. */
export interface ProposerInput {
  readonly rng: Rng;
  /** Components that it may change; names of choices too, where it chooses. */
  readonly components: readonly string[];
  /** Values of the components that are chosen instead of written, those that would change something. */
  readonly choices?: Choices;
  /** How many children are wanted, and how many edits each may have. */
  readonly many: number;
  readonly edits: number;
  /** What was tried before and what came of it: rejected edits are not to be proposed again. */
  readonly tried: readonly RejectedEdit[];
  /** Why the last proposals for this parent were refused before any gate saw them. */
  readonly refused?: readonly string[];
  /** Records a model call in the ledger. */
  readonly paid: (call: ModelCall) => void;
  /** Notes why an answer cannot be used: the next proposal is shown it. */
  readonly refuse?: (why: string) => void;
}

/** Makes improvers, one for each round. */
export interface Proposer {
  readonly name: string;
  /** It picks among choices itself; for others dice do, where nothing else is to be changed. */
  readonly chooses?: boolean;
  /** The model that writes, where one does: engines that ask in their own words ask it. */
  readonly model?: Model;
  /** Who writes rules of the environment in its place, where it has someone; without, they are found word for word. */
  readonly rules?: Proposer;
  improver(round: ProposerInput): Improver;
}

/** What an engine asks of a proposer. Only `step` makes two questions about the same parent differ in their dice. */
export interface ProposalRequest {
  readonly parent: Candidate;
  readonly step: number;
  /** Plays whose lessons are shown. */
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
  /** The engine's answer as of now, and its score on the select tasks. */
  | { readonly kind: 'best'; readonly candidate: Candidate; readonly score: number }
  | { readonly kind: 'note'; readonly words: string };

/** Everything that an engine gets. */
export interface Parts {
  readonly start: Candidate;
  readonly archive: Archive;
  readonly bench: TrialRunner;
  readonly proposer: Proposer;
  readonly gate: GateRule;
  /** How often each select task is played by both sides at the gate. */
  readonly repeats: number;
  readonly dice: DiceOf;
  readonly locked: readonly string[];
  /** Values of the components that are chosen instead of written. */
  readonly choices?: Choices;
  readonly signal: AbortSignal;
}

/** What an engine that changes one thing at a time takes in turn: prose that is written, and choices. */
export function changeable({ components }: Candidate, choices: Choices = {}): readonly string[] {
  const selectedKeys = Object.keys(choices);
  return [...Object.keys(components).filter((name) => isProse(name) && !selectedKeys.includes(name)), ...selectedKeys];
}

export type Happenings = AsyncGenerator<Happening, void, undefined>;

/** A strategy of text improvement: which parent, which lessons, which comparison. */
export interface Engine {
  readonly name: string;
  /** What it is called where it was published, and where that was. */
  readonly method: string;
  readonly source: string;
  readonly differs: string;
  readonly parameters: TaskParameters;
  /** It changes weights too, so the report shows by four cells which change earned what. */
  readonly trains?: boolean;
  /** It designs workflows: an agent that is not a pipeline starts as a pipeline of one step. */
  readonly designs?: boolean;
  run(parts: Parts, settings?: Json): Happenings;
}

/** An engine whose settings are read by its parameters: unknown and wrong ones are refused in a sentence before anything is spent. */
export function defineEngine<const K extends TaskParameters>(
  definition: Omit<Engine, 'run' | 'parameters'> & { readonly parameters: K; run(parts: Parts, settings: TaskOf<K>): Happenings },
): Engine {
  return { ...definition, run: (parts, settings = {}) => definition.run(parts, settingsOf(definition, settings)) };
}

/** Settings of an engine with their defaults filled in; what it does not have is refused in a sentence. */
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

/** Where the gate of a run compares: all select tasks, as often as it repeats them. */
export function gatePlaces({ bench, repeats }: Pick<Parts, 'bench' | 'repeats'>): readonly TrialKey[] {
  return placesOf('select', bench.tasks.select, repeats);
}

/** Compares a child with its parent at the gate, notes the verdict in the archive and returns it. */
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
