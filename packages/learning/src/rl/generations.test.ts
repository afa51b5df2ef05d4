/** @file Own logs by generations: good ones are imitated, the rest is replayed, none is both, and old ones are forgotten. */

import type { TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import { Generations } from './generations.ts';
import type { Replay } from './recipe.ts';
import { builtInRecipe } from './recipes/index.ts';
import { Recollection } from './recollection.ts';
import type { EpisodeSample } from './samples.ts';

/** An episode of one turn whose answer is its own number. */
const episode = (answer: number, returned: number): EpisodeSample => ({
  ...{ environment: 'desk@3', seat: 'clerk', prompt: 0, game: answer, returned, invalid: 0, truncated: false },
  turns: [{ read: [0], written: [answer], logprobs: [-1], reward: returned, penalty: 0, at: 0 }],
});
const rule: Extract<Replay, { kind: 'route' }> = { kind: 'route', updates: 2, least: 1, keep: 1, rows: 8, weight: 0.5 };
const answers = (rows: readonly TokenRow[]) => rows.map(({ tokens }) => tokens[1]).sort();

describe('generation of episodes', () => {
  it('is split at its end into good episodes to imitate and others to replay', () => {
    const generations = new Generations(rule, 1);
    generations.add([episode(1, 1), episode(2, 0)], 0);
    expect([generations.imitated(1), generations.replayed(1)]).toEqual([[], []]);
    generations.add([episode(3, 0.5), episode(4, 1)], 1);
    expect([answers(generations.imitated(2)), answers(generations.replayed(2))]).toEqual([
      [1, 4],
      [2, 3],
    ]);
    // Two tokens share the weight of imitation; the rest counts by what it returned beyond the mean of 0.625.
    expect(generations.imitated(2).map(({ weights }) => Array.from(weights ?? []))).toEqual([
      [0, 0.25],
      [0, 0.25],
    ]);
    expect(
      generations
        .replayed(2)
        .map(({ advantages }) => advantages?.[1])
        .sort(),
    ).toEqual([-0.125, -0.625]);
  });

  it('expires after the given number of others and survives serialization', () => {
    const generations = new Generations(rule, 1);
    for (let update = 0; update < 5; update++) generations.add([episode(update, 1), episode(10 + update, 0)], update);
    // Updates 2 and 3 are the last whole generation; update 4 is of one that is still played.
    expect([answers(generations.imitated(5)), answers(generations.replayed(5))]).toEqual([
      [2, 3],
      [12, 13],
    ]);
    const again = new Generations(rule, 1);
    again.read(JSON.parse(JSON.stringify(generations.write())));
    for (const otherGenerations of [generations, again]) otherGenerations.add([episode(5, 1)], 5);
    expect(again.imitated(6)).toEqual(generations.imitated(6));
    expect(answers(again.imitated(6))).toEqual([4, 5]);
  });

  it('adds at most its row limit to one update', () => {
    const generations = new Generations({ ...rule, updates: 1 }, 1);
    generations.add(
      Array.from({ length: 40 }, (_, i) => episode(i, i % 2)),
      0,
    );
    expect([generations.imitated(1).length, generations.replayed(1).length]).toEqual([8, 8]);
  });

  it('replays failures with ui-tars-2, but only successes with spear', async () => {
    const rowsIn = async (name: string) => {
      const recipe = builtInRecipe(name);
      const replay = recipe.replay.kind === 'route' ? { ...recipe.replay, updates: 1 } : { ...recipe.replay, rise: 0 };
      const memory = new Recollection({ ...recipe, replay } as typeof recipe, { learner: new Tabular(), seed: 1, seats: ['clerk'] });
      const batch = [episode(1, 1), episode(2, -1)];
      await memory.rows(batch, [[1], [-1]], 0);
      return [answers(memory.imitated(1)), answers(await memory.rows([], [], 1))];
    };
    expect(await rowsIn('ui-tars-2')).toEqual([[1], [2]]);
    expect(await rowsIn('spear')).toEqual([[], [1]]);
  });
});
