/**
 * @file One language model in four environments at once: what it is paid against players that never change, before and after it has played
 * itself, in those it has played, in variants that it has not, and in a game that it has never seen.
 *
 * `--url=http://gpu:8000 --base=NAME` trains a model on a server instead, in six environments, as briefly as `--games`, `--batch` and `--warm`
 * (steps of imitation) say; `--meet` is how many games are played from each seat in one measurement, and more where the cards decide
 * more (500; 5,000 in Kuhn poker); `--rate` is the first learning rate, and `--seconds` ends the training at the next update after so long. What it has by then is printed on the way, so that a run that is cut off has told something.
 */

import '@ludus-agents/servers/internal/kinds';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { JsonObject, Learner } from '@ludus-agents/kernel/internal/core/index';
import { hasRuntime } from '@ludus-agents/learning/internal/learners/transformer/index';
import { type Met, playMatchup } from '@ludus-agents/learning/internal/rl/matchup';
import { manyLm } from '@ludus-agents/learning/internal/rl/recipes/language';
import { opponentBy } from '@ludus-agents/learning/internal/training/seat-policies';
import { createTrainer } from '@ludus-agents/learning/internal/training/trainer';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

interface Anchor {
  readonly environment: string;
  readonly task: JsonObject;
  readonly anchor: string;
  /** What it is measured for: a gain that we set out for, a gain that self-play does not promise, or a task never played in training. */
  readonly as?: 'told' | 'held_out';
  /** Games from each seat, where 500 leave too much to the cards; fewer are taken by the same share. */
  readonly games?: number;
}

const haggle = { mode: 'haggle', top: 10, turns: 4 };
const anchors: readonly Anchor[] = [
  { environment: 'kuhn-poker', task: {}, anchor: 'random', games: 5000 },
  { environment: 'kuhn-poker', task: {}, anchor: 'equilibrium', games: 5000 },
  { environment: 'tic-tac-toe', task: {}, anchor: 'random' },
  { environment: 'tic-tac-toe', task: {}, anchor: 'minimax' },
  { environment: 'dilemma', task: { rounds: 3 }, anchor: 'random' },
  { environment: 'dilemma', task: { rounds: 3 }, anchor: 'alld' },
  { environment: 'bargain', task: haggle, anchor: 'random' },
  { environment: 'bargain', task: haggle, anchor: 'fair' },
  // Who learns to defect from itself is paid less by those who answer in kind.
  { environment: 'dilemma', task: { rounds: 3 }, anchor: 'tit-for-tat', as: 'told' },
  { environment: 'kuhn-poker', task: { rounds: 2 }, anchor: 'random', as: 'held_out' },
  { environment: 'tic-tac-toe', task: { columns: 4, rows: 3 }, anchor: 'random', as: 'held_out' },
  { environment: 'dilemma', task: { rounds: 5 }, anchor: 'random', as: 'held_out' },
  { environment: 'dilemma', task: { game: 'stag', rounds: 3 }, anchor: 'random', as: 'held_out' },
  { environment: 'bargain', task: { ...haggle, turns: 6 }, anchor: 'random', as: 'held_out' },
  { environment: 'bargain', task: { ...haggle, top: 8 }, anchor: 'random', as: 'held_out' },
  { environment: 'bargain', task: { turns: 4 }, anchor: 'random', as: 'held_out' },
  { environment: 'leduc', task: {}, anchor: 'random', as: 'held_out' },
];

/** On a server: six that are played, and what was never read before. */
const bits = { table: 'bits', turns: 8, wrong: 'ends', shaped: true };
const anchorsOnServer: readonly Anchor[] = [
  { environment: 'kuhn-poker', task: {}, anchor: 'random', games: 5000 },
  { environment: 'leduc', task: {}, anchor: 'random', games: 2000 },
  { environment: 'tic-tac-toe', task: {}, anchor: 'random' },
  { environment: 'dilemma', task: { rounds: 3 }, anchor: 'random' },
  { environment: 'bargain', task: haggle, anchor: 'random' },
  { environment: 'twenty-questions', task: bits, anchor: 'oracle' },
  { environment: 'kuhn-poker', task: {}, anchor: 'equilibrium', as: 'told', games: 5000 },
  { environment: 'leduc', task: {}, anchor: 'tight', as: 'told', games: 2000 },
  { environment: 'tic-tac-toe', task: {}, anchor: 'minimax', as: 'told' },
  { environment: 'bargain', task: haggle, anchor: 'fair', as: 'told' },
  { environment: 'tic-tac-toe', task: { columns: 4, rows: 3 }, anchor: 'random', as: 'held_out' },
  { environment: 'dilemma', task: { game: 'stag', rounds: 3 }, anchor: 'random', as: 'held_out' },
  { environment: 'bargain', task: { turns: 4 }, anchor: 'random', as: 'held_out' },
  { environment: 'liars-dice', task: {}, anchor: 'random', as: 'held_out' },
];

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const number = (name: string, usual: number, smoke = usual) => sizeOf(flags, name, usual, smoke);
  const { url, base } = flags;
  const served = typeof url === 'string' && typeof base === 'string' ? { url, base, rank: number('rank', 16) } : null;
  if (served === null && !hasRuntime()) return [{ name: 'many_lm', value: null, unit: '', note: 'onnxruntime-node is not installed' }];
  const seed = number('seed', 1);
  const games = number('games', manyLm.training.games, manyLm.training.batch);
  const meet = number('meet', 500, 1);
  const recipe = { ...manyLm, training: { ...manyLm.training, games, ...(served === null ? alone(number) : onServer(served, number)) } };
  const until = performance.now() + 1000 * number('seconds', Number.POSITIVE_INFINITY);
  const whom = served === null ? anchors : anchorsOnServer;
  let played = 0;
  const training = await createTrainer({ recipe, seed }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
  const { learner } = training;
  await training.begin();
  process.stderr.write(`… imitated, ${time()}\n`);
  const before = await meetings(learner, whom, { most: meet, atOnce: served !== null });
  before.forEach((met, i) => {
    process.stderr.write(`  ${nameOf(whom[i])} ${met.returned.toFixed(3)}, ${percent(met.invalid)} invalid\n`);
  });
  process.stderr.write(`… measured, ${time()}\n`);
  const aimed = whom.filter(({ as }) => as === undefined);
  const parts = served === null ? 10 : 5;
  for (let part = 1; part <= parts && performance.now() < until; part++) {
    const upTo = Math.ceil((training.updates * part) / parts);
    while (training.update() < upTo && performance.now() < until) {
      const collapsed = await training.run(served === null ? upTo : training.update() + 1);
      if (collapsed !== null) throw new Error(collapsed);
    }
    played = training.update() * recipe.training.batch;
    const met = await meetings(learner, aimed, { most: Math.min(meet, served === null ? 100 : 25), atOnce: served !== null });
    const text = met.map(({ returned, invalid }) => `${returned.toFixed(2)} (${percent(invalid)})`).join(' ');
    process.stderr.write(
      `… update ${training.update()} of ${training.updates}, ${percent((await training.measure()).invalid)} invalid, ${time()}: ${text}\n`,
    );
  }
  const trained = seconds();
  const after = await meetings(learner, whom, { most: meet, atOnce: served !== null });
  return [
    ...whom.map((anchor, i) => gain(anchor, before[i], after[i])),
    { name: 'many_lm.seconds', value: trained, unit: 's', note: `of one core, ${played} of ${games} games, seed ${seed}` },
    { name: 'many_lm.wall_seconds', value: performance.now() / 1000, unit: 's' },
  ];
}

/** As the recipe has it; fewer steps of imitation where `--warm` says so. */
function alone(number: (name: string, usual: number, smoke?: number) => number) {
  const warmUp = manyLm.training.warmUp!;
  const steps = number('warm', warmUp.steps, 1);
  return { warmUp: { ...warmUp!, steps, games: Math.ceil((warmUp.games * steps) / warmUp.steps) } };
}

/** A large model needs less: gentler steps, fewer of them. It has two more games. */
function onServer(
  server: { readonly url: string; readonly base: string; readonly rank: number },
  number: (name: string, usual: number) => number,
) {
  const { warmUp, environments = [] } = manyLm.training;
  return {
    environments: [
      ...environments,
      { environment: 'leduc', task: {}, scale: 0.3 },
      { environment: 'twenty-questions', task: bits, scale: 0.3 },
    ],
    learner: 'tinker' as const,
    server,
    sizes: { answer: 16 },
    batch: number('batch', 64),
    rate: { from: number('rate', 2e-4), to: number('rate', 2e-4) / 2 },
    ramp: 3,
    warmUp: { ...warmUp!, games: 12 * number('warm', 120), steps: number('warm', 120), rate: 2e-4, rows: 64 },
  };
}

async function meetings(
  learner: Learner,
  whom: readonly Anchor[],
  { most, atOnce }: { readonly most: number; readonly atOnce: boolean },
): Promise<readonly Met[]> {
  const meet = async ({ environment, task, anchor, games = 500 }: Anchor) => {
    const rules = await builtInEnvironment(environment);
    const theirs = opponentBy(anchor, rules);
    return playMatchup({
      environment: rules,
      task,
      mine: learner.policy(),
      theirs,
      games: Math.ceil(games * Math.min(1, most / 500)),
      seed: 777,
    });
  };
  // A server answers more the more it is asked at a time.
  if (atOnce) return Promise.all(whom.map(meet));
  const out: Met[] = [];
  for (const anchor of whom) out.push(await meet(anchor));
  return out;
}

/** What it is paid more than before, with an interval of 95% from differences game by game: the same seeds, the same seats. */
function gain(anchor: Anchor, before: Met, after: Met): Figure {
  const differences = after.returns.map((value, i) => value - before.returns[i]);
  const mean = after.returned - before.returned;
  const variance = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (differences.length - 1);
  const margin = 1.96 * Math.sqrt(variance / differences.length);
  const text = `${before.returned.toFixed(3)} → ${after.returned.toFixed(3)}, gain between ${(mean - margin).toFixed(3)} and ${(mean + margin).toFixed(3)}`;
  return {
    name: `many_lm.${nameOf(anchor)}.gain`,
    value: mean,
    unit: '',
    ...(anchor.as === undefined ? { goal: '> 0' } : {}),
    note: `${text}; invalid ${percent(before.invalid)} → ${percent(after.invalid)}`,
  };
}

function nameOf({ environment, task, anchor, as }: Anchor): string {
  const variant = Object.entries(task).map(([name, value]) => `_${name}_${value}`);
  return `${environment}${variant.join('')}.${anchor}${as === 'held_out' ? '.held_out' : ''}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function time(): string {
  return `${seconds()} s of one core, ${Math.round(performance.now() / 1000)} s in all`;
}

function seconds(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1e6);
}
