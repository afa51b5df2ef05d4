/**
 * @file An environment in which tasks of another environment are made. A `proposer` writes one, the `arena` tries it out, and the proposer
 * is paid by the result.
 *
 * The arena is an agent like any other (see `arena.ts`): its results are in the log, so an episode replays without playing the task again.
 * The task itself is read by the other environment's own reader, and broken ones come back with its sentence.
 */

import {
  type Action,
  type AnyEnvironment,
  type Ask,
  askAgain,
  type Environment,
  forfeitText,
  type Json,
  type JsonObject,
  knob,
  nameOf,
  type ParsedMove,
  readTask,
  retries,
  type Script,
  type Step,
  schemaOf,
  sentenceOf,
  type TaskOf,
} from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { Attempted, DifficultyReward } from './shapes.ts';

const knobs = {
  history: knob.data({ otherwise: [], about: 'what came of earlier tasks, told to the proposer' }),
  retries,
} as const;

type Task = TaskOf<typeof knobs>;

type State = {
  readonly proposed: Json;
  readonly retries: number;
  readonly misses: number;
  readonly found: Attempted | null;
};

export interface ProposerEnvironmentOptions {
  readonly reward: DifficultyReward;
  /** What a proposal without a valid task is paid. */
  readonly invalid?: number;
  /** Tasks to choose from, for proposers that read nothing. */
  readonly menu?: readonly Json[];
}

const seats = ['proposer', 'arena'] as const;

/** What the steps of this environment need. */
interface Shop {
  readonly environment: AnyEnvironment;
  readonly reward: DifficultyReward;
  readonly invalid: number;
  readonly propose: Ask;
}

/** An environment in which tasks of another one are proposed, tried and paid for. */
export function createProposerEnvironment(
  environment: AnyEnvironment,
  { reward, invalid = 0, menu }: ProposerEnvironmentOptions,
): Environment<State, Task> {
  const name = nameOf(environment);
  const choices = menu === undefined ? {} : { choices: menu.map((task) => JSON.stringify(task)) };
  const propose: Ask = { seat: 'proposer', schema: schemaOf(environment.knobs), ...choices };
  const shop: Shop = { environment, reward, invalid, propose };
  return {
    id: `workshop-of-${name}@1`,
    about: {
      summary: `A proposer writes a task for ${name}, the arena lets a solver try it, and the proposer is paid by how much there is to learn from it.`,
      tasks: [{}],
      turns: 22,
    },
    knobs,
    task: (input) => readTask(`workshop-of-${name}`, knobs, input),
    seats: () => seats,
    start: (task) => ({
      state: { proposed: null, retries: task.retries, misses: 0, found: null },
      messages: [{ to: ['proposer'], text: briefing(environment, task.history) }],
      asks: [propose],
    }),
    step: (state, actions) =>
      state.proposed === null ? proposal(shop, state, actions['proposer']!) : outcome(shop, state, actions['arena']!),
    knows: ({ proposed, found, misses }, seat) => (seat === 'proposer' ? { found: found, misses } : { proposed, misses }),
    scripts: { frontier },
  };
}

/**
 * A writer without a model (EnvGen, arXiv 2403.12014): what the solver can nearly do. A task that was not tried is taken for as hard as the nearest
 * one that was, and harder by its distance in the menu; the one whose rate is nearest to a half is written.
 */
const frontier: Script = ({ view, ask, rng: dice }) => {
  const [told] = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
  const past = (told ?? '').split('\n').flatMap((line) => (line.startsWith('- {"task"') ? [JSON.parse(line.slice(2)) as Past] : []));
  const menu = (ask.choices ?? []).map((text) => ({ text, task: JSON.parse(text) as JsonObject }));
  if (menu.length === 0 || past.length === 0 || dice.next() < 0.2) return { text: menu.length === 0 ? '{}' : dice.pick(menu).text };
  const places = placesOf(menu.map(({ task }) => task));
  const expected = menu.map(({ task }) => {
    const far = past.map((one) => distance(task, one.task, places));
    const near = Math.min(...far);
    const rates = past.flatMap(({ rate }, i) => (far[i] === near ? [rate] : [])).slice(-3);
    return rates.reduce((sum, one) => sum + one, 0) / rates.length - 0.4 * near;
  });
  const gap = (rate: number) => Math.abs(rate - 0.5);
  const least = Math.min(...expected.map(gap));
  return { text: dice.pick(menu.filter((_, i) => gap(expected[i]!) <= least + 1e-9)).text };
};

type Past = { readonly task: JsonObject; readonly rate: number };

/** The values of each knob in the menu, in order. */
function placesOf(tasks: readonly JsonObject[]): ReadonlyMap<string, readonly Json[]> {
  const values = (key: string) => [...new Set(tasks.map((task) => task[key] ?? null))].toSorted((a, b) => Number(a) - Number(b));
  return new Map(Object.keys(tasks[0] ?? {}).map((key) => [key, values(key)]));
}

/** How many values of the menu lie between two tasks, over all knobs. */
function distance(a: JsonObject, b: JsonObject, places: ReadonlyMap<string, readonly Json[]>): number {
  return [...places].reduce((sum, [key, values]) => sum + Math.abs(values.indexOf(a[key] ?? null) - values.indexOf(b[key] ?? null)), 0);
}

function proposal({ environment, invalid, propose }: Shop, state: State, action: Action): Step<State> {
  const read = taskIn(environment, action);
  if (read.ok)
    return { state: { ...state, proposed: read.move, misses: 0 }, messages: [], asks: [{ seat: 'arena', data: { task: read.move } }] };
  return askAgain(state, propose, read.problem, state.retries) ?? forfeitTurn(state, 'proposer', invalid);
}

function outcome({ reward, invalid }: Shop, state: State, action: Action): Step<State> {
  const found = (action.data ?? null) as Attempted | null;
  if (typeof found !== 'object' || found === null || typeof found.rate !== 'number') {
    const ask: Ask = { seat: 'arena', data: { task: state.proposed } };
    return askAgain(state, ask, 'The arena answers with data that has a rate.', state.retries) ?? forfeitTurn(state, 'arena', 0);
  }
  const solved = `It was solved in ${Math.round(found.rate * found.attempts)} of ${found.attempts} attempts.`;
  const text = found.valid ? solved : (found.problem ?? 'It is not valid.');
  return {
    state: { ...state, found },
    messages: [{ to: ['proposer'], text, data: found }],
    asks: [],
    rewards: { proposer: found.valid ? reward(found) : invalid, arena: 0 },
  };
}

function forfeitTurn(state: State, seat: (typeof seats)[number], paid: number): Step<State> {
  return { state, messages: [{ to: [seat], text: forfeitText(seat) }], asks: [], rewards: { proposer: paid, arena: 0 } };
}

/** The task that an answer gives as JSON, as the environment reads it. */
function taskIn(environment: AnyEnvironment, { text, data }: Action): ParsedMove<Json> {
  try {
    const given = data ?? (JSON.parse(linear(/\{.*\}/s).exec(text)?.[0] ?? 'no task') as Json);
    return { ok: true, move: environment.task(given) as Json };
  } catch (thrown) {
    return { ok: false, problem: `That is no task: ${sentenceOf(thrown)}` };
  }
}

function briefing(environment: AnyEnvironment, history: Json): string {
  const rows = Object.entries((schemaOf(environment.knobs)['properties'] ?? {}) as JsonObject).map(
    ([name, schema]) => `- ${name}: ${JSON.stringify(schema)}`,
  );
  const past = (Array.isArray(history) ? history : []).map((one) => `- ${JSON.stringify(one)}`);
  return [
    `You write tasks for this world. ${environment.about.summary}`,
    'A solver will try your task several times. You are paid most for a task that it solves about half of the time, and nothing for one that it always or never solves.',
    'A task is a JSON object with any of these:',
    ...rows,
    ...(past.length === 0 ? [] : ['What came of earlier tasks:', ...past]),
    'Answer with one JSON object.',
  ].join('\n');
}
