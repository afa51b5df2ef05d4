/** @file Boards, guessing and talking worlds over many seeds without an error, for a short test and a long one. */

import { type EndEvent, type Json, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { expect } from 'vitest';
import { builtInEnvironment } from './built-in.ts';

/** Each with tasks that draw something from the seed. */
export const seededTasks: Readonly<Record<string, readonly Json[]>> = {
  'frozen-lake': [{}, { map: 'generated' }],
  maze: [{}, { sight: 'walls', size: 6 }],
  minesweeper: [{}, { columns: 9, rows: 9, mines: 10 }],
  sokoban: [{}, { size: 7, boxes: 3 }],
  wordle: [{}],
  'guess-my-city': [{}],
  chess: [{ plies: 60 }, { opening: 'krk', plies: 30 }],
  debate: [{}, { bets: 'public', spare: 3, strengths: false }],
  nations: [{}, { scenario: 'invasion', days: 5 }],
  tutor: [{}, { mode: 'budget', ahead: false }],
  support: [{}, { setting: 'arena' }],
  recommender: [{}, { world: 'clickbait', steps: 12 }],
  kitchen: [{ horizon: 40 }, { kitchen: 'forced', moves: 'both', horizon: 60, think: 1 }],
  skirmish: [{ steps: 20 }, { game: 'collect', steps: 20 }, { game: 'beacon', steps: 10 }],
  sites: [{ steps: 12 }, { sight: 'text', instructor: true, steps: 6 }],
  motor: [{ steps: 20 }, { control: 'speed', steps: 20 }],
  drones: [{ seconds: 0.2 }, { game: 'formation', seconds: 0.2 }, { game: 'adversary', seconds: 0.2 }],
  volleyball: [{}, { noise: 0.5 }],
  shift: [{}, { change: 'dynamics' }],
  design: [{}, { seats: 'one' }],
  'idea-quest': [{}],
  pathfinding: [{ steps: 16 }, { agents: 8, steps: 8, density: 0.3 }],
};

const random: Script = ({ ask, rng }) => ({ text: ask.choices === undefined ? 'hello' : rng.pick(ask.choices) });

/** Random play comes to its own end on every seed, is paid finite amounts, and some of the logs are replayed. */
export async function playsSeeds(name: string, seeds: number): Promise<void> {
  const environment = await builtInEnvironment(name);
  for (const task of seededTasks[name] ?? []) {
    const seats = environment.seats(environment.task(task));
    const policies = Object.fromEntries(seats.map((seat) => [seat, scriptedPolicy(seat, environment.scripts?.[seat] ?? random)]));
    for (let from = 0; from < seeds; from += 50) {
      const logs = await rollout(environment, policies, { seeds: Array.from({ length: 50 }, (_, i) => from + i), task });
      for (const log of logs) {
        const { reason, returns } = log.at(-1) as EndEvent;
        expect(reason).toBe('over');
        for (const payment of Object.values(returns)) expect(Number.isFinite(payment)).toBe(true);
      }
      expect(replay(environment, logs[0] ?? [])).toBeNull();
    }
  }
}
