/** @file Steps with text per CPU-second, world by world, through `rollout`: helpers play their stand-ins, everybody else plays at random. */

import { type AnyEnvironment, nameOf, type Policy, type Script, type Seat, scriptedPolicy } from '../src/core/index.ts';
import { rollout } from '../src/engine/rollout.ts';
import { builtInEnvironment, environmentNames } from '../src/environments/index.ts';
import type { Figure, Flags } from './run.ts';

const games = [
  'kuhn-poker',
  'tic-tac-toe',
  'connect-four',
  'kinarow',
  'leduc',
  'liars-dice',
  'hanabi',
  'hanabi-tiny',
  'bargain',
  'codebreaker',
  'dilemma',
  'frozen-lake',
  'maze',
  'minesweeper',
  'sokoban',
  'chess',
  'wordle',
  'pathfinding',
  'kitchen',
  'skirmish',
  'motor',
  'drones',
  'volleyball',
];
const goals: Readonly<Record<string, number>> = { 'tic-tac-toe': 600_000, sites: 5000 };

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const only = typeof flags['only'] === 'string' ? flags['only'].split(',') : environmentNames;
  const figures: Figure[] = [];
  for (const name of only) {
    const environment = await builtInEnvironment(name);
    const { rate, turns } = await stepsPerSecond(environment);
    const goal = goals[name] ?? (games.includes(name) ? 100_000 : 20_000);
    figures.push({
      name: `${nameOf(environment)}.steps_per_cpu_s`,
      value: rate,
      unit: 'steps',
      goal: `≥ ${goal.toLocaleString('en-US')}`,
      note: `${turns.toFixed(1)} turns an episode`,
    });
    process.stderr.write(`… ${name} ${Math.round(rate).toLocaleString('en-US')}\n`);
  }
  return figures;
}

/** The best of several rounds, after rounds that warm up, of about a third of a second each. */
async function stepsPerSecond(environment: AnyEnvironment): Promise<{ rate: number; turns: number }> {
  const policies = cast(environment);
  let best = 0;
  let seed = 0;
  let [steps, episodes] = [0, 0];
  for (let round = 0; round < 6; round++) {
    const clock = process.cpuUsage();
    let [seconds, turns] = [0, 0];
    while (seconds < 0.35) {
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
