/** @file What programs share: plays scripted agents, counts where two of them decide differently, and corrupts one at a given rate. */

import { join } from 'node:path';
import { loadContentFolder } from '@ludus-agents/agents/internal/workspace/content-folder';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { spearman } from '@ludus-agents/evaluation/internal/scoring/statistics/correlation';
import type { Action, Agent, AnyEnvironment, EpisodeEvent, Json, Reply, Script, Turn } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';

/** A script by name: one of the environment's, or "random". */
export function scriptOf(environment: AnyEnvironment, name: string): Script {
  if (name === 'random') return randomMove;
  const script = environment.scripts?.[name];
  if (script === undefined) throw new Error(`${environment.id} has no script "${name}".`);
  return script;
}

const randomMove: Script = ({ ask, rng: random }) => ({ text: random.pick(ask.choices ?? ['']) });

/** A script that answers like another one at the given share of its turns. */
export function mixed(script: Script, other: Script, share: number): Script {
  return (turn) => (turn.rng.next() < share ? other(turn) : script(turn));
}

export interface Comparison {
  /** Turns at which the script decided differently from the control in the same situation. */
  different: number;
  turns: number;
}

/** The script, counting where the control would have decided otherwise; both get the same random numbers. */
export function compared(script: Script, control: Script, count: Comparison): Script {
  return (turn) => {
    const twin = (): Turn => ({ ...turn, rng: rng(count.turns, 'twin', turn.view.seen.length) });
    const reply = script(twin());
    if (textOf(reply) !== textOf(control(twin()))) count.different++;
    count.turns++;
    return reply;
  };
}

function textOf(reply: Action | Reply): string {
  const action = 'action' in reply ? reply.action : reply;
  return `${action.text} ${JSON.stringify(action.data ?? null)}`;
}

export interface Episode {
  readonly events: readonly EpisodeEvent[];
  readonly returns: Readonly<Record<string, number>>;
}

export async function playOne(
  environment: AnyEnvironment,
  agents: Readonly<Record<string, Agent>>,
  task: Json,
  seed: number,
): Promise<Episode> {
  const events: EpisodeEvent[] = [];
  let returns: Readonly<Record<string, number>> = {};
  for await (const event of play(environment, agents, { seed, task })) {
    events.push(event);
    if (event.kind === 'end') returns = event.returns;
  }
  return { events, returns };
}

/** The cast of an environment: one script on a seat (or on all that nothing else is named for), the environment's own on the others. */
export function castOf(environment: AnyEnvironment, task: Json, seat: string | null, script: Script): Record<string, Agent> {
  const seats = environment.seats(environment.task(task));
  return Object.fromEntries(
    seats.map((name) => [
      name,
      seat === null || name === seat
        ? scripted('tested', script)
        : scripted(
            name,
            scriptOf(environment, environment.scripts?.[name] === undefined ? Object.keys(environment.scripts ?? {})[0] : name),
          ),
    ]),
  );
}

/** A built-in environment by name, or a folder of content by its path in the repository. */
export async function environmentOf(name: string): Promise<AnyEnvironment> {
  const root = join(import.meta.dirname, '../..');
  return name.includes('/') ? loadContentFolder(`./${name}`, { cwd: root, trust: Trust.commandLine }) : builtInEnvironment(name);
}

/** The rank correlation of scores with their known order; under shuffled labels, its mean over many shuffles. */
export function orderOf(expected: readonly number[], scores: readonly number[], labels: string, seed: number): number {
  if (labels !== 'shuffled') return spearman(expected, scores).value;
  const shuffles = 50;
  const random = rng(seed, 'labels');
  let sum = 0;
  for (let i = 0; i < shuffles; i++) sum += spearman(expected, random.shuffle(scores)).value;
  return sum / shuffles;
}
