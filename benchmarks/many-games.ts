/**
 * @file One language model in four worlds at once: what it is paid against players that never change, before and after it has played itself,
 * in the worlds it has played and in variants that it has not.
 */

import { languageTraining } from '../src/company/language.ts';
import { opponentBy } from '../src/company/rollouts.ts';
import type { JsonObject } from '../src/core/index.ts';
import { environment } from '../src/environments/index.ts';
import { hasRuntime } from '../src/learners/transformer/index.ts';
import { manyLm } from '../src/learning/languages.ts';
import { meet } from '../src/learning/meet.ts';
import type { Figure, Flags } from './run.ts';

interface Anchor {
  readonly world: string;
  readonly task: JsonObject;
  readonly anchor: string;
  /** Never played in training. */
  readonly heldOut?: true;
}

const anchors: readonly Anchor[] = [
  { world: 'kuhn-poker', task: {}, anchor: 'random' },
  { world: 'tic-tac-toe', task: {}, anchor: 'random' },
  { world: 'dilemma', task: { rounds: 3 }, anchor: 'random' },
  { world: 'bargain', task: { turns: 4 }, anchor: 'random' },
  { world: 'kuhn-poker', task: { rounds: 2 }, anchor: 'random', heldOut: true },
  { world: 'dilemma', task: { rounds: 5 }, anchor: 'random', heldOut: true },
  { world: 'bargain', task: { turns: 6 }, anchor: 'random', heldOut: true },
];

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  if (!hasRuntime()) return [{ name: 'many_lm', value: null, unit: '', note: 'onnxruntime-node is not installed' }];
  const seed = Number(flags['seed'] ?? 1);
  const recipe = { ...manyLm, games: Number(flags['games'] ?? manyLm.games) };
  const clock = process.cpuUsage();
  const { training, learner } = await languageTraining(recipe, { cwd: process.cwd(), seed });
  const meetings = async () => {
    const out: { returned: number; invalid: number }[] = [];
    for (const { world, task, anchor } of anchors) {
      const rules = await environment(world);
      out.push(await meet({ environment: rules, task, mine: learner.policy(), theirs: opponentBy(anchor, rules), games: 200, seed: 777 }));
    }
    return out;
  };
  await training.warmUp();
  const before = await meetings();
  for (let part = 1; part <= 10; part++) {
    const collapsed = await training.run(Math.ceil((training.updates * part) / 10));
    if (collapsed !== null) throw new Error(collapsed);
    process.stderr.write(`… ${part * 10} %, ${((await training.progress()).invalid * 100).toFixed(2)} % invalid\n`);
  }
  const after = await meetings();
  const { user, system } = process.cpuUsage(clock);
  return [
    ...anchors.map(({ world, task, heldOut, anchor }, i): Figure => {
      const [first, last] = [before[i], after[i]] as [(typeof before)[number], (typeof after)[number]];
      const variant = Object.entries(task).map(([name, value]) => `_${name}_${value}`);
      const broken = `invalid ${(100 * first.invalid).toFixed(1)} % → ${(100 * last.invalid).toFixed(1)} %`;
      return {
        name: `many_lm.${world}${variant.join('')}${heldOut === true ? '.held_out' : ''}.gain`,
        value: last.returned - first.returned,
        unit: '',
        ...(heldOut === true ? {} : { goal: '> 0' }),
        note: `against ${anchor}: ${first.returned.toFixed(3)} → ${last.returned.toFixed(3)}, ${broken}`,
      };
    }),
    { name: 'many_lm.seconds', value: (user + system) / 1e6, unit: 's', note: `${recipe.games} games, seed ${seed}` },
  ];
}
