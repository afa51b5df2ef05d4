/**
 * @file Adapting the environment to the student (EnvGen, arXiv 2403.12014): settings of an environment are written for what the student
 * cannot do yet, it practises there, comes back to the original environment, is measured skill by skill, and the next settings are written
 * from that.
 *
 * Differs: settings are read by the environment's own reader and refused in a sentence, half of the practice stays in the original
 * environment, and a plain `weakest` writer replaces the language model.
 */

import { type AnyEnvironment, canonical, type Json, type Rng, sentenceOf } from '@ludus-agents/kernel/internal/core/index';

/** Success by skill in the original environment, and how sure that is. */
export type CycleFigures = Readonly<Record<string, { readonly rate: number; readonly error: number }>>;

/** Writes settings of the environment from what was measured and what became of the last ones. */
export type Writer = (told: {
  readonly measured: CycleFigures;
  readonly refused: readonly string[];
  readonly cycle: number;
}) => readonly Json[] | Promise<readonly Json[]>;

export interface AdaptationParts {
  readonly environment: AnyEnvironment;
  readonly writer: Writer;
  /** Lets the student practise so many episodes on a task. */
  readonly practise: (task: Json, episodes: number) => void | Promise<void>;
  readonly measure: () => CycleFigures | Promise<CycleFigures>;
  readonly cycles?: number;
  /** Settings requested in each cycle. */
  readonly settings?: number;
  /** Episodes of practice in each cycle. */
  readonly episodes: number;
}

export interface Cycle {
  readonly measured: CycleFigures;
  readonly tasks: readonly Json[];
  readonly refused: readonly string[];
}

/**
 * Adapts an environment to a student (EnvGen): settings are written for what the student cannot do yet, and it practices there. Returns the cycles, each
 * with what was measured before it; the last entry is the final measurement.
 */
export async function adapt(parts: AdaptationParts): Promise<readonly Cycle[]> {
  const { environment, writer, practise, measure, cycles = 4, settings = 4, episodes } = parts;
  const out: Cycle[] = [];
  let refused: readonly string[] = [];
  for (let cycle = 0; cycle < cycles; cycle++) {
    const measured = await measure();
    const read = (await writer({ measured, refused, cycle })).slice(0, settings).map((task) => readSettings(environment, task));
    const tasks = read.flatMap((one) => ('task' in one ? [one.task] : []));
    refused = read.flatMap((one) => ('problem' in one ? [one.problem] : []));
    out.push({ measured, tasks, refused });
    const original = tasks.length === 0 ? episodes : Math.ceil(episodes / 2);
    const each = tasks.length === 0 ? 0 : Math.floor((episodes - original) / tasks.length);
    for (const task of tasks) await practise(task, each);
    await practise(environment.task({}) as Json, episodes - each * tasks.length);
  }
  return [...out, { measured: await measure(), tasks: [], refused: [] }];
}

function readSettings(environment: AnyEnvironment, task: Json): { readonly task: Json } | { readonly problem: string } {
  try {
    return { task: environment.task(task) as Json };
  } catch (thrown) {
    return { problem: sentenceOf(thrown) };
  }
}

/** For each skill a setting that asks for it alone: what a writer that boosts the weakest skills chooses from. */
export type Drills = Readonly<Record<string, Json>>;

/** Tasks that ask for one skill each, by environment. */
export const drills: Readonly<Record<string, Drills>> = {
  'quest-world': {
    exploring: { rooms: 8, loops: 2, doors: 0, containers: 0, depth: 0, traders: 0, goal: 'carry' },
    unlocking: { rooms: 5, doors: 3, containers: 0, depth: 0, traders: 0, goal: 'carry' },
    opening: { rooms: 4, doors: 0, containers: 5, depth: 0, traders: 0, goal: 'carry' },
    crafting: { rooms: 4, doors: 0, containers: 0, depth: 3, traders: 0, goal: 'craft' },
    trading: { rooms: 4, doors: 0, containers: 0, depth: 1, traders: 2 },
  },
  'service-desk': Object.fromEntries(
    ['cancel', 'exchange', 'return', 'refund', 'address', 'information', 'must-refuse', 'multi-request', 'wrong-identity', 'transfer'].map(
      (kind) => [kind, { kind }],
    ),
  ),
};

/** Writes drills for the weakest skills, weaker ones first; equals in an order of the dice. */
export function weakest(own: Drills, dice: Rng, many = 4): Writer {
  return ({ measured }) =>
    dice
      .shuffle(Object.entries(own))
      .toSorted(([a], [b]) => (measured[a]?.rate ?? 0) - (measured[b]?.rate ?? 0))
      .slice(0, many)
      .map(([, task]) => task);
}

/** Writes the same settings whatever was measured: the control. */
export function evenly(own: Drills, many = 4): Writer {
  const all = Object.values(own).toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
  return ({ cycle }) => Array.from({ length: many }, (_, i) => all[(cycle * many + i) % all.length]!);
}
