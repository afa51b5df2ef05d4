/**
 * @file A four-by-four frozen lake where a step slips sideways in one of three cases. Only the goal pays. Real episodes are scarce, and
 * random play rarely reaches the goal. A table learns in a dream, which is an environment learned from real episodes of random play.
 *
 * Options: arm ("dream"; "real": the same number of real episodes; "shuffled": a dream with shuffled outcomes; "many": as many real
 * episodes as "dream" has dreamed ones; "imitated": the moves of the best random episodes), episodes, games (in the dream), batch,
 * rate, tasks (how initial states are chosen), seed. Prints the share of fresh real episodes that reach the goal, and the number of
 * dreamed episodes.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { makeDream } from '@ludus-agents/evaluation/internal/dreams';
import type { AnyEnvironment, EpisodeEvent, Json, Policy } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { experienceFrom } from '@ludus-agents/learning/internal/experience';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { createTrainer } from '@ludus-agents/learning/internal/training/trainer';
import type { ProgramOptions } from '../arms.ts';
import { playOne, scriptOf } from './_play.ts';

/** The usual lake. The walker is told where it is, and nothing of the ice. */
const lake = `
const cells = 'SFFFFHFHFFFHHFFG';
const moves = { '[left]': [0, -1], '[down]': [1, 0], '[right]': [0, 1], '[up]': [-1, 0] };
const ways = Object.keys(moves);
const asks = [{ seat: 'walker', choices: ways }];
const told = (at) => [{ to: ['walker'], text: \`You are at row \${at >> 2}, column \${at & 3}.\` }];
export default {
  id: 'ice@1',
  about: { summary: 'Cross the ice.', tasks: [{}], turns: 40 },
  parameters: {},
  task: () => ({}),
  seats: () => ['walker'],
  start: () => ({ state: { at: 0, turn: 0 }, messages: told(0), asks }),
  step({ at, turn }, actions, rng) {
    const meant = ways.indexOf(actions.walker?.text);
    const side = rng.next() < 2 / 3 ? 0 : rng.next() < 0.5 ? 1 : 3;
    const [down, right] = moves[ways[(meant + side) % 4]];
    const [row, column] = [(at >> 2) + down, (at & 3) + right];
    const next = row < 0 || row > 3 || column < 0 || column > 3 ? at : 4 * row + column;
    const isOver = 'HG'.includes(cells[next]) || turn === 39;
    return {
      state: { at: next, turn: turn + 1 },
      messages: told(next),
      asks: isOver ? [] : asks,
      ...(cells[next] === 'G' ? { rewards: { walker: 1 } } : {}),
    };
  },
};
`;

export default async function run(options: ProgramOptions): Promise<Json> {
  const { arm = 'dream', episodes = 150, games = 3000, batch = 20, rate = 0.3, tasks = 'uniform' } = options;
  const seed = Number(options['seed'] ?? 1);
  const folder = mkdtempSync(join(tmpdir(), 'ludus-ice-'));
  try {
    writeFileSync(join(folder, 'lake.mjs'), lake);
    const ice = await resolveEnvironment('./lake.mjs', folder, Trust.commandLine);
    const logs = await randomPlay(ice, Number(episodes), seed);
    if (arm === 'imitated') return { crossed: await crossings(ice, imitator(logs), seed), dreamed: 0 };
    const isDreamed = arm === 'dream' || arm === 'shuffled';
    if (isDreamed) writeFileSync(join(folder, 'dream.json'), JSON.stringify(await dreamOf(ice, logs, arm === 'shuffled' ? seed : null)));
    const length = arm === 'real' ? Number(episodes) : Number(games);
    const settings = [
      `training.environment=./${isDreamed ? 'dream.json' : 'lake.mjs'}`,
      'training.task={}',
      `training.games=${length}`,
      `training.batch=${batch}`,
      `training.rate=${JSON.stringify({ from: Number(rate), to: Number(rate) })}`,
      'view={"kind":"latest"}',
      `curriculum={"kind":"${tasks}"}`,
    ];
    const recipe = override(builtInRecipe('maze-tabular'), settings);
    const trainer = await createTrainer({ recipe, seed }, { trust: Trust.commandLine, cwd: folder, folder: null });
    await trainer.run(trainer.updates);
    return { crossed: await crossings(ice, trainer.learner.policy(), seed), dreamed: isDreamed ? length : 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Log = readonly EpisodeEvent[];

async function randomPlay(ice: AnyEnvironment, episodes: number, seed: number): Promise<readonly Log[]> {
  const walker = scripted('random', scriptOf(ice, 'random'));
  const logs: Log[] = [];
  for (let i = 0; i < episodes; i++) logs.push((await playOne(ice, { walker }, {}, seed * 1000 + i)).events);
  return logs;
}

/** A dream of episodes; with a seed, its outcomes are shuffled. */
async function dreamOf(ice: AnyEnvironment, logs: readonly Log[], shuffled: number | null) {
  const dream = await makeDream(logs, { of: ice.id, seat: 'walker', hold: 0.05 });
  if (shuffled === null) return dream;
  const outcomes = rng(shuffled, 'shuffled').shuffle(dream.steps);
  return { ...dream, steps: dream.steps.map(({ at, move }, i) => ({ ...outcomes[i], at, move })) };
}

/** Moves as in the episodes that went best, wherever it has been. */
function imitator(logs: readonly Log[]): Policy {
  const { actions } = experienceFrom(logs, 'walker');
  return scriptedPolicy('imitator', ({ view, ask, rng: random }) => {
    const last = view.seen.findLast((item) => item.kind === 'message');
    const action = actions.find(({ at }) => last?.kind === 'message' && at === last.text);
    return { text: action?.move ?? random.pick(ask.choices ?? []) };
  });
}

async function crossings(ice: AnyEnvironment, policy: Policy, seed: number): Promise<number> {
  const seeds = Array.from({ length: 200 }, (_, i) => seed * 1000 + 500 + i);
  const logs = await rollout(ice, { walker: policy }, { seeds, task: {} });
  const returns = logs.map((log) => {
    const end = log.at(-1);
    return end?.kind === 'end' ? (end.returns['walker'] ?? 0) : 0;
  });
  return returns.reduce((sum, each) => sum + each, 0) / returns.length;
}
