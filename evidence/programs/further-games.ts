/**
 * @file A small language model learns three payoff games at once, and then a fourth. In all of them a higher move is better for one
 * side; the text says how the payoffs of the two sides go together, which decides what is best for the second.
 *
 * Options: before ("games"; "noise": the same games with payoffs at random; "new": only the fourth game; "none": imitation of random play
 * alone), games (of each of the three), further (games of the fourth), rate, seed. Prints what the learner earns in the fourth game from
 * a player who moves at random, after and before it has played it (1 by chance, 2 at best), and its updates on the three games.
 */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { matrix } from '@ludus-agents/environments/internal/laboratory/matrix';
import type { Json, Policy } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { opponentBy } from '@ludus-agents/learning/internal/training/seat-policies';
import { createTrainer, type Trainer } from '@ludus-agents/learning/internal/training/trainer';
import type { ProgramOptions } from '../arms.ts';

const gameOf = (alignment: number, scale: number, bias: number) => ({ moves: 4, transitive: 1, cyclic: 0, alignment, scale, bias });
const earlier = [gameOf(-1, 2, 0), gameOf(1, 1, 0), gameOf(-1, 1, 0.5)];
const further = gameOf(1, 2, 0.5);
const shuffled = earlier.map((task) => ({ ...task, transitive: 0, bias: 0, noise: task.scale }));
const [batch, fresh] = [30, 100];

export default async function run({
  before = 'games',
  games = 4000,
  further: count = 150,
  rate = 0.002,
  seed = 1,
}: ProgramOptions): Promise<Json> {
  const first = before === 'noise' ? shuffled : before === 'new' ? [further, further, further] : earlier;
  const trunk = await trainerFor(first, { games: before === 'none' ? 0 : 3 * Number(games), warm: 150, rate, seed });
  const reads = await payoffOf(trunk, seed);
  const last = await trainerFor([further], { games: Number(count), warm: 0, rate, seed });
  await last.learner.load(await trunk.learner.save());
  if ((await last.run(last.updates)) !== null) throw new Error('The training collapsed.');
  return { paid: await payoffOf(last, seed), atFirst: reads, acted: before === 'games' ? trunk.updates : 0 };
}

type Stage = { readonly games: number; readonly warm: number; readonly rate: string | number; readonly seed: string | number };

/** A trainer whose model has one vocabulary for all games; it is trained unless there are no warm-up steps. */
async function trainerFor(tasks: readonly { readonly scale: number }[], { games, warm, rate, seed }: Stage): Promise<Trainer> {
  const environments = tasks.map((task) => ({ environment: 'matrix', task, scale: 1 / task.scale }));
  const recipe = override(builtInRecipe('many-lm'), [
    `training.environments=${JSON.stringify(environments)}`,
    'training.environment=matrix',
    'training.sizes={"width":32,"layers":1,"heads":4,"context":192,"vocabulary":512}',
    `training.warmUp={"games":200,"steps":${warm},"rate":0.003}`,
    `training.games=${Math.max(batch, games)}`,
    `training.batch=${batch}`,
    ...[
      `training.rate.from=${rate}`,
      `training.rate.to=${rate}`,
      'training.ramp=5',
      'rollout={"kind":"iid"}',
      'loss={"kind":"policy-gradient","aggregation":"games","norm":1,"entropy":{"from":0.1,"to":0.1}}',
    ],
  ]);
  const readTasks = [...earlier, ...shuffled, further];
  const services = { trust: Trust.commandLine, cwd: process.cwd(), folder: null, readTasks };
  const trainer = await createTrainer({ recipe, seed: Number(seed) }, services);
  if (warm > 0) {
    await trainer.begin();
    if (games > 0) await trainer.run(trainer.updates);
  }
  return trainer;
}

/** What the learner earns in the fourth game from either seat. */
async function payoffOf({ learner }: Trainer, seed: string | number): Promise<number> {
  const returns: number[] = [];
  for (const mine of ['first', 'second']) {
    const cast: Record<string, Policy> = {
      first: opponentBy('even', matrix),
      second: opponentBy('even', matrix),
      [mine]: learner.policy(),
    };
    const seeds = Array.from({ length: fresh }, (_, i) => Number(seed) * 1000 + i);
    for (const log of await rollout(matrix, cast, { seeds, task: further })) {
      const end = log.at(-1);
      if (end?.kind === 'end') returns.push(end.returns[mine] ?? 0);
    }
  }
  return meanOrZero(returns);
}
