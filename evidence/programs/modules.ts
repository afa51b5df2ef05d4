/**
 * @file A rewriter, a selector, and an answerer on questions of four kinds. A narrow query finds one document, the right one in 85 of
 * 100 cases. A broad query finds four, including the right one, which helps only a selector that recognizes it. The answerer has to
 * read the document.
 *
 * Options: arm ("joint": the three learn together from one reward; "separate": each learns with rule-based partners that err in three
 * of ten cases, then all three are combined; "none": rule-based partners), games (in all), rate, seed. Prints the share of right
 * answers to fresh questions, and how often the query was broad.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type Json, type Policy, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { createTrainer } from '@ludus-agents/learning/internal/training/trainer';
import type { ProgramOptions } from '../arms.ts';

const seats = ['rewriter', 'selector', 'answerer'] as const;

const pipeline = `
const seats = ['rewriter', 'selector', 'answerer'];
const queries = ['[narrow]', '[broad]'];
const colors = ['[red]', '[blue]', '[green]', '[white]'];
const answers = ['[0]', '[1]', '[2]', '[3]'];
const right = {
  rewriter: () => '[broad]',
  selector: ({ kind }) => colors[(kind + 1) % 4],
  answerer: ({ kind, value }) => answers[(kind + value) % 4],
};
const ask = (seat, choices, data) => [{ seat, choices, data }];
export default {
  id: 'pipeline@1',
  about: { summary: 'A rewriter, a selector and an answerer.', tasks: [{}], turns: 3 },
  parameters: {},
  task: () => ({}),
  seats: () => seats,
  start(_, rng) {
    const state = { kind: rng.int(4), truth: rng.int(4), stage: 0, found: 'none', value: 0 };
    return { state, messages: [{ to: ['rewriter'], text: \`A question of kind \${state.kind}.\` }], asks: ask('rewriter', queries, state) };
  },
  step(before, actions, rng) {
    const { kind, truth, stage } = before;
    const text = actions[seats[stage]]?.text;
    if (stage === 0) {
      const isNarrow = text === '[narrow]';
      const state = { ...before, stage: 1, found: isNarrow ? (rng.next() < 0.85 ? 'right' : 'wrong') : 'four' };
      const told = \`A question of kind \${kind}. Found: \${isNarrow ? 'one document' : 'four documents by their colors'}.\`;
      return { state, messages: [{ to: ['selector'], text: told }], asks: ask('selector', colors, state) };
    }
    if (stage === 1) {
      const isRight = before.found === 'right' || (before.found === 'four' && text === right.selector(before));
      const value = isRight ? truth : rng.int(4);
      const state = { ...before, stage: 2, value };
      return { state, messages: [{ to: ['answerer'], text: \`A question of kind \${kind}. The document says \${value}.\` }], asks: ask('answerer', answers, state) };
    }
    const paid = text === answers[(kind + truth) % 4] ? 1 : 0;
    return { state: { ...before, stage: 3 }, messages: [], asks: [], rewards: Object.fromEntries(seats.map((seat) => [seat, paid])) };
  },
  scripts: {
    erring: ({ ask: { seat, choices, data }, rng }) => ({ text: rng.next() < 0.3 ? rng.pick(choices) : right[seat](data) }),
  },
};
`;

export default async function run({ arm = 'joint', games = 4800, rate = 0.05, settings = '[]', seed = 1 }: ProgramOptions): Promise<Json> {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-modules-'));
  try {
    writeFileSync(join(folder, 'pipeline.mjs'), pipeline);
    const environment = await resolveEnvironment('./pipeline.mjs', folder, Trust.commandLine);
    const partner = scriptedPolicy('erring', (environment.scripts as Readonly<Record<string, Script>>)['erring']);
    const learnPolicy = async (learners: readonly string[], length: number): Promise<Policy> => {
      const cast = Object.fromEntries(seats.map((seat) => [seat, learners.includes(seat) ? 'learner' : 'erring']));
      const recipe = override(builtInRecipe('marft'), [
        'training.environment=./pipeline.mjs',
        `training.games=${length}`,
        'training.batch=32',
        `training.rate={"from":${rate},"to":${Number(rate) / 4}}`,
        ...(learners.length < seats.length ? [`training.seats=${JSON.stringify(cast)}`] : []),
        ...(JSON.parse(String(settings)) as readonly string[]),
      ]);
      const trainer = await createTrainer({ recipe, seed: Number(seed) }, { trust: Trust.commandLine, cwd: folder, folder: null });
      await trainer.run(trainer.updates);
      return trainer.learner.policy();
    };
    const cast: Record<string, Policy> = Object.fromEntries(seats.map((seat) => [seat, partner]));
    if (arm === 'joint') {
      const policy = await learnPolicy(seats, Number(games));
      for (const seat of seats) cast[seat] = policy;
    } else if (arm === 'separate') for (const seat of seats) cast[seat] = await learnPolicy([seat], Number(games) / seats.length);
    const seeds = Array.from({ length: 200 }, (_, i) => Number(seed) * 1000 + i);
    const logs = await rollout(environment, cast, { seeds, task: {} });
    const returns = logs.map((log) => {
      const end = log.at(-1);
      return end?.kind === 'end' ? (end.returns['answerer'] ?? 0) : 0;
    });
    const broad = logs.filter((log) => log.some((event) => event.kind === 'action' && event.action.text === '[broad]')).length;
    return { right: returns.reduce((sum, value) => sum + value, 0) / logs.length, broad: broad / logs.length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
