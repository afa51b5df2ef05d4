/**
 * @file The environment of a task writer. A `proposer`, which may be any agent, writes a task for another environment: as JSON, optionally
 * after searching its documents, or move by move. The `arena` checks the task and lets the solver try it, and the writer is rewarded by the
 * result.
 *
 * The arena is an agent like any other (see `arena.ts`): its results are in the log, so an episode replays without playing the task again.
 */

import type { LibraryDocument } from '@ludus-agents/environments/internal/library/corpus';
import { searchDocuments } from '@ludus-agents/environments/internal/library/library';
import {
  type Action,
  type AnyEnvironment,
  type Ask,
  askAgain,
  type Environment,
  forfeitText,
  type Json,
  type JsonObject,
  nameOf,
  parameter,
  type Rng,
  readTask,
  retries,
  type Step,
  schemaOf,
  sentenceOf,
  type TaskOf,
} from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { classifyChoices, type PastMoves } from './choice-classes.ts';
import { type DraftForm, draftForm, sampleTasks } from './drafts.ts';
import { documentsOf } from './question.ts';
import type { Attempted, DifficultyReward } from './shapes.ts';
import { type PastTask, scriptedWriters } from './writers.ts';

const parameters = {
  history: parameter.json({ default: [], description: 'what came of earlier tasks, told to the writer' }),
  outcomes: parameter.json({ default: [], description: 'moves of earlier tasks and what came of them, for writers that choose' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

type State = {
  readonly outcomes: readonly PastMoves[];
  readonly moves: readonly string[];
  readonly proposed: Json;
  readonly looks: number;
  readonly last: string;
  readonly retries: number;
  readonly misses: number;
  readonly found: Attempted | null;
};

export interface ProposerEnvironmentOptions {
  readonly reward: DifficultyReward;
  /** The reward of a proposal without a valid task. */
  readonly invalid?: number;
  /** How tasks are written move by move, for learners; other writers answer with JSON. */
  readonly form?: DraftForm;
  /** Whether the writer is asked for moves of the form. */
  readonly steps?: boolean;
  /** The part that all tasks share; a writer may search its documents. */
  readonly base?: Json;
}

const seats = ['proposer', 'arena'] as const;
/** The maximum number of searches and opened documents before a proposal. */
const mostLooks = 8;
const sampled = 512;

/** The context of this environment's steps. */
interface Workshop extends Required<Omit<ProposerEnvironmentOptions, 'base'>> {
  readonly environment: AnyEnvironment;
  readonly base: JsonObject;
  readonly documents: readonly LibraryDocument[];
  /** Sample tasks for scripts. */
  readonly samples: () => readonly Json[];
}

/** An environment in which tasks of another one are written, checked, tried and rewarded. */
export function createProposerEnvironment(environment: AnyEnvironment, options: ProposerEnvironmentOptions): Environment<State, Task> {
  const { reward, invalid = 0, steps = false, base = {} } = options;
  const form: DraftForm = options.form ?? ((moves) => draftForm(environment, { task: base })(moves));
  const name = nameOf(environment);
  const documents = documentsOf(environment, base);
  let samples: readonly Json[] | undefined;
  const workshop: Workshop = {
    ...{ environment, reward, invalid, form, steps, base: base as JsonObject },
    documents,
    samples: () => (samples ??= sampleTasks(environment, form, sampled)),
  };
  return {
    id: `workshop-of-${name}@1`,
    about: {
      summary: `A writer proposes a task for ${name}, the arena checks it and lets a solver try it, and the writer is rewarded by how much there is to learn from it.`,
      tasks: [{}],
      turns: 11 * (mostLooks + 66),
    },
    parameters,
    task: (input) => readTask(`workshop-of-${name}`, parameters, input),
    seats: () => seats,
    start: (task) => {
      const outcomes = task.outcomes as unknown as readonly PastMoves[];
      const state: State = { outcomes, moves: [], proposed: null, looks: 0, last: '', retries: task.retries, misses: 0, found: null };
      if (steps) return writeOn(workshop, state);
      return { state, messages: [{ to: ['proposer'], text: briefing(workshop, task.history) }], asks: [askWhole(workshop)] };
    },
    step: (state, actions, dice) =>
      state.proposed === null ? proposal(workshop, state, actions['proposer'], dice) : outcome(workshop, state, actions['arena']),
    knows: ({ proposed, found, misses, moves, looks, last }, seat) =>
      seat === 'proposer' ? { found: found as unknown as Json, misses, moves, looks, last } : { proposed, misses },
    scripts: scriptedWriters(workshop.samples),
  };
}

function askWhole({ environment }: Workshop): Ask {
  return { seat: 'proposer', schema: schemaOf(environment.parameters) };
}

function askStep(choices: readonly string[]): Ask {
  return { seat: 'proposer', choices, window: 1 };
}

/** Returns the next choice of a task written move by move, or passes the finished task to the arena. */
function writeOn(workshop: Workshop, state: State): Step<State> {
  const draft = workshop.form(state.moves);
  if ('task' in draft) return submit(workshop, state, draft.task);
  const names = classifyChoices(draft.choices, state.moves, state.outcomes).map(([name]) => `[${name}]`);
  const text = `${draft.text} Choices, by what came of them: ${names.join(', ')}.`;
  return { state: { ...state, misses: 0, last: text }, messages: [{ to: ['proposer'], text }], asks: [askStep(names)] };
}

/** Passes a valid task to the arena, or returns an invalid one with the reason. */
function submit(workshop: Workshop, state: State, input: Json, reason?: string): Step<State> {
  const { environment, base, steps, invalid } = workshop;
  let task: Json;
  try {
    task = environment.task({ ...base, ...(input as JsonObject) }) as Json;
  } catch (thrown) {
    const problem = `${refusal} ${sentenceOf(thrown)}`;
    // Moves cannot be undone, so a refused task starts over.
    const again: State = { ...state, moves: [], last: problem };
    if (!steps) return askAgain(again, askWhole(workshop), problem, state.retries) ?? forfeitTurn(state, 'proposer', invalid);
    return state.misses < state.retries
      ? writeOn(workshop, { ...again, misses: state.misses + 1 })
      : forfeitTurn(state, 'proposer', invalid);
  }
  const data: JsonObject = { task, ...(reason !== undefined && { words: reason }), ...(state.moves.length > 0 && { moves: state.moves }) };
  return { state: { ...state, proposed: data, misses: 0 }, messages: [], asks: [{ seat: 'arena', data }] };
}

/** The start of every refusal, by which refusals are counted. */
export const refusal = 'That is not a task:';

function proposal(workshop: Workshop, state: State, action: Action, dice: Rng): Step<State> {
  const { steps, form, invalid } = workshop;
  if (steps) {
    const draft = form(state.moves);
    const choices = 'choices' in draft ? classifyChoices(draft.choices, state.moves, state.outcomes) : [];
    const names = choices.map(([name]) => `[${name}]`);
    const members = choices[names.indexOf(action.text.trim())]?.[1] ?? [];
    const move = members.length === 0 ? undefined : dice.pick(members);
    if (move !== undefined) return writeOn(workshop, { ...state, moves: [...state.moves, move] });
    if (!action.text.includes('{'))
      return (
        askAgain(
          state,
          askStep(names),
          `${refusal} ${JSON.stringify(action.text.slice(0, 60))} is not one of the listed moves.`,
          state.retries,
        ) ?? forfeitTurn(state, 'proposer', invalid)
      );
  }
  const look = lookAt(workshop, state, action);
  if (look !== null) return look;
  const read = proposalIn(action);
  if ('task' in read) return submit(workshop, state, read.task, read.words);
  const again: State = { ...state, last: read.problem };
  return askAgain(again, askWhole(workshop), `${refusal} ${read.problem}`, state.retries) ?? forfeitTurn(state, 'proposer', invalid);
}

/** A search or a document, if the writer requests one. */
function lookAt(workshop: Workshop, state: State, { text }: Action): Step<State> | null {
  const [, verb, rest] = linear(/\[(search|open) ([^\]\n]+)\]/i).exec(text) ?? [];
  const { documents } = workshop;
  if (verb === undefined || rest === undefined || documents.length === 0 || text.includes('{')) return null;
  const isOver = state.looks >= mostLooks;
  const result = isOver ? 'No search is left; write the task now.' : lookup(documents, verb.toLowerCase(), rest.trim());
  const next: State = { ...state, looks: state.looks + 1, last: result };
  if (state.looks >= 2 * mostLooks) return forfeitTurn(next, 'proposer', workshop.invalid);
  return { state: next, messages: [{ to: ['proposer'], text: result }], asks: [askWhole(workshop)] };
}

function lookup(documents: Workshop['documents'], verb: string, rest: string): string {
  if (verb === 'search')
    return (
      searchDocuments(documents, rest, 8)
        .map(({ id, title }) => `${id} ${title}`)
        .join('\n') || 'No document has these words.'
    );
  const document = documents.find(({ id }) => id === rest);
  return document === undefined ? `There is no document "${rest.slice(0, 60)}".` : `${document.id}\n${document.text}`;
}

function outcome({ reward, invalid }: Workshop, state: State, action: Action): Step<State> {
  const attempted = (action.data ?? null) as unknown as Attempted | null;
  if (typeof attempted !== 'object' || attempted === null || typeof attempted.rate !== 'number') {
    const ask: Ask = { seat: 'arena', data: state.proposed };
    return askAgain(state, ask, 'The arena answers with data that has a rate.', state.retries) ?? forfeitTurn(state, 'arena', 0);
  }
  const solved = `It was solved in ${Math.round(attempted.rate * attempted.attempts)} of ${attempted.attempts} attempts.`;
  const text = attempted.valid ? solved : (attempted.problem ?? 'It is not valid.');
  return {
    state: { ...state, found: attempted },
    messages: [{ to: ['proposer'], text, data: attempted as unknown as Json }],
    asks: [],
    rewards: { proposer: attempted.valid ? reward(attempted) : invalid, arena: 0 },
  };
}

function forfeitTurn(state: State, seat: (typeof seats)[number], reward: number): Step<State> {
  return { state, messages: [{ to: [seat], text: forfeitText(seat) }], asks: [], rewards: { proposer: reward, arena: 0 } };
}

/** The task in an answer: a JSON object, alone or as "task" next to its "words". */
function proposalIn({ text, data }: Action): { readonly task: JsonObject; readonly words?: string } | { readonly problem: string } {
  let value: Json;
  try {
    value = data ?? (JSON.parse(linear(/\{.*\}/s).exec(text)?.[0] ?? 'no JSON') as Json);
  } catch (thrown) {
    return { problem: `expected one JSON object, got ${JSON.stringify(text.slice(0, 80))} (${sentenceOf(thrown)})` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: 'expected one JSON object.' };
  const { words, task, ...rest } = value as JsonObject;
  const isWrapped = typeof task === 'object' && task !== null && !Array.isArray(task) && Object.keys(rest).length === 0;
  return {
    task: isWrapped ? (task as JsonObject) : { ...rest, ...(task !== undefined && { task }) },
    ...(typeof words === 'string' && { words }),
  };
}

function briefing({ environment, base, documents }: Workshop, history: Json): string {
  const rows = Object.entries((schemaOf(environment.parameters)['properties'] ?? {}) as JsonObject).flatMap(([name, schema]) =>
    Object.hasOwn(base, name) ? [] : [`- ${name}: ${JSON.stringify(schema)}`],
  );
  const past = ((Array.isArray(history) ? history : []) as unknown as readonly PastTask[]).map(
    (pastTask) => `- ${JSON.stringify(pastTask)}`,
  );
  return [
    `You write tasks for this environment. ${environment.about.summary}`,
    'A solver will try your task several times. The best task is one that it solves about half of the time; one that it always or never solves earns nothing.',
    ...(documents.length === 0
      ? []
      : [
          `There are ${documents.length} documents. [search WORDS] lists documents, [open PATH] shows one; you may look ${mostLooks} times before you write.`,
        ]),
    'A task is a JSON object with any of these parameters:',
    ...rows,
    ...(past.length === 0 ? [] : ['What came of earlier tasks ("rate" is the share of attempts that solved it):', ...past]),
    'Answer with one JSON object: {"words": "what the task is about, in a sentence", "task": {…}}.',
  ].join('\n');
}
