/**
 * @file Steps with text per CPU-second, environment by environment, through `rollout`: seats that have a script of their name play it, the others
 * play at random. A step is one turn of all asked seats: their answers read, the rules applied, messages written, rewards paid, all of it in the log.
 * Each environment is measured in its own thread, so that code that was compiled for one does not slow the next.
 */

import '@ludus-agents/servers/internal/kinds';
import { Worker } from 'node:worker_threads';
import { environmentNames } from '@ludus-agents/environments/internal/built-in';
import { sizeOf } from './_size.ts';
import type { WorldSteps } from './_world-steps.ts';
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
  const only =
    typeof flags['only'] === 'string'
      ? flags['only'].split(',')
      : flags['smoke'] === true
        ? environmentNames().slice(0, 8)
        : environmentNames();
  const figures: Figure[] = [];
  for (const name of only) {
    const { rate, turns } = await stepsPerSecond(name, sizeOf(flags, 'seconds', 0.35, 0.001));
    const goal = goals[name] ?? (games.includes(name) ? 100_000 : 20_000);
    figures.push({
      name: `${name}.steps_per_cpu_s`,
      value: rate,
      unit: 'steps',
      goal: `≥ ${goal.toLocaleString('en-US')}`,
      note: `${turns.toFixed(1)} turns an episode`,
    });
    process.stderr.write(`… ${name} ${Math.round(rate).toLocaleString('en-US')}\n`);
  }
  return figures;
}

function stepsPerSecond(name: string, seconds: number): Promise<WorldSteps> {
  const worker = new Worker(new URL('./_world-steps.ts', import.meta.url), { workerData: { name, seconds } });
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}
