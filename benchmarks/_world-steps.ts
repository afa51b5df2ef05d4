/** @file How many steps a CPU-second an environment makes, measured in a thread: the name comes as its data, the figure goes as its message. */

import '@ludus-agents/servers/internal/kinds';
import { parentPort, workerData } from 'node:worker_threads';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type AnyEnvironment, type Policy, type Script, type Seat, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';

export interface WorldSteps {
  /** Steps per CPU-second. */
  readonly rate: number;
  /** Turns an episode. */
  readonly turns: number;
}

/** The best of several rounds, after rounds that warm up, of about a third of a second each. */
async function stepsPerSecond(environment: AnyEnvironment, least: number): Promise<WorldSteps> {
  const policies = cast(environment);
  let best = 0;
  let seed = 0;
  let [steps, episodes] = [0, 0];
  for (let round = 0; round < 6; round++) {
    const clock = process.cpuUsage();
    let [seconds, turns] = [0, 0];
    while (seconds < least) {
      const seeds = Array.from({ length: 32 }, () => seed++);
      for (const log of await rollout(environment, policies, { seeds })) {
        const end = log.at(-1);
        if (end?.kind !== 'end' || end.reason !== 'over')
          throw new Error(`${environment.id}: an episode ended with ${JSON.stringify(end)}.`);
        turns += end.turns;
      }
      episodes += seeds.length;
      const { user, system } = process.cpuUsage(clock);
      seconds = (user + system) / 1e6;
    }
    steps += turns;
    if (round > 1) best = Math.max(best, turns / seconds);
  }
  return { rate: best, turns: steps / episodes };
}

function cast(environment: AnyEnvironment): Record<Seat, Policy> {
  const seats = environment.seats(environment.task({}));
  const random: Script = ({ ask, rng }) => ({ text: ask.choices === undefined ? 'hello' : rng.pick(ask.choices) });
  return Object.fromEntries(seats.map((seat: Seat) => [seat, scriptedPolicy(seat, environment.scripts?.[seat] ?? random)]));
}

const { name, seconds } = workerData as { readonly name: string; readonly seconds: number };
parentPort?.postMessage(await stepsPerSecond(await builtInEnvironment(name), seconds));
