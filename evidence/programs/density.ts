/**
 * @file Houses with four doors per floor: one leads up, one nowhere, and two out. A table learns to climb with one or more algorithms.
 *
 * Options: pay ("dense": every floor pays a share; "sparse": only the roof pays), recipes (RECIPE:RATE, separated by commas), games,
 * batch, floors, settings (JSON list of NAME=VALUE), seed. Prints the share of fresh episodes that reach the roof, over all recipes and for each.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { readStory } from '@ludus-agents/environments/internal/story/story';
import { type AnyEnvironment, type Json, type JsonObject, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { createTrainer } from '@ludus-agents/learning/internal/training/trainer';
import type { ProgramOptions } from '../arms.ts';

const doors = ['[red]', '[blue]', '[green]', '[white]'];

export default async function run({
  pay = 'dense',
  recipes = 'rloo:0.3',
  games = 800,
  batch = 32,
  floors = 4,
  settings: more = '[]',
  seed = 1,
}: ProgramOptions): Promise<Json> {
  const document = houseBy(rng(Number(seed), 'house'), Number(floors), pay === 'dense');
  const house = readStory(document, 'house') as AnyEnvironment;
  const folder = mkdtempSync(join(tmpdir(), 'ludus-density-'));
  try {
    writeFileSync(join(folder, 'house.json'), JSON.stringify(document));
    const climbed: Record<string, number> = {};
    for (const item of String(recipes).split(',')) {
      const [name = '', rate = '0.3'] = item.split(':');
      const settings = [
        'training.environment=./house.json',
        'training.task={}',
        'training.optimiser=adam',
        `training.games=${games}`,
        `training.batch=${batch}`,
        `training.rate={"from":${rate},"to":${rate}}`,
        'view={"kind":"latest"}',
        ...(JSON.parse(String(more)) as readonly string[]),
      ];
      const recipe = override(builtInRecipe(name), settings);
      const trainer = await createTrainer({ recipe, seed: Number(seed) }, { trust: Trust.commandLine, cwd: folder, folder: null });
      await trainer.run(trainer.updates);
      const seeds = Array.from({ length: 50 }, (_, i) => Number(seed) * 1000 + i);
      const logs = await rollout(house, { player: trainer.learner.policy() }, { seeds, task: {} });
      climbed[name] = meanOrZero(
        logs.map((log) => (log.some((event) => event.kind === 'message' && event.text.includes('The roof.')) ? 1 : 0)),
      );
    }
    return { climbed: meanOrZero(Object.values(climbed)), by: climbed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where the right doors are differs from seed to seed. */
function houseBy(random: Rng, floors: number, isDense: boolean): JsonObject {
  const rooms = Array.from({ length: floors }, (_, floor) => {
    const [up, nowhere, ...out] = random.shuffle(doors);
    const isTop = floor === floors - 1;
    const pays = isDense ? 1 / floors : isTop ? 1 : 0;
    const moves = {
      [up]: { to: isTop ? 'roof' : `floor ${floor + 1}`, pays },
      [nowhere]: { to: `floor ${floor}` },
      ...Object.fromEntries(out.map((door) => [door, { to: 'street' }])),
    };
    return [`floor ${floor}`, { text: `Floor ${floor}.`, moves }] as const;
  });
  const ends = { roof: { text: 'The roof.', over: true }, street: { text: 'The street.', over: true } };
  const about = 'Climb to the roof.';
  return { kind: 'story', name: 'house', about, begins: 'floor 0', turns: 3 * floors, places: { ...Object.fromEntries(rooms), ...ends } };
}
