/** @file Proposer, solver and judge as learners: a frozen side stays as it is to the bit, and proposals go where they are paid. */

import { lock } from '@ludus-agents/environments/internal/lock';
import { type Policy, scriptedPolicy, textOf } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import type { CoevolutionSettings, Recipe } from '../rl/recipe.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { Coevolution } from './coevolution.ts';
import { draftForm } from './proposers/drafts.ts';
import { judgingEnvironment } from './proposers/judging-environment.ts';
import { createProposerEnvironment } from './proposers/proposer-environment.ts';
import { proposerRecipe, readProposer } from './proposers/recipes.ts';
import { taskMenu } from './task-menu.ts';

const { tasks: menu } = taskMenu(lock, { parameters: { dials: [1, 4], broken: [0, 1] }, count: 64, seed: 0 });
const form = draftForm(lock, { parameters: { dials: [1, 4], broken: [0, 1] } });
const checks = [{ name: 'winnable', problem: (task: unknown) => ((task as { broken: boolean }).broken ? 'broken' : null) }];

function process(name: string, settings: Partial<CoevolutionSettings> = {}, proposal = proposerRecipe(name), writer?: Policy) {
  const base = builtInRecipe(name === 'paso-doble' ? 'pasodoble' : name);
  const recipe: Recipe = {
    ...base,
    coevolution: { ...base.coevolution!, ...settings },
    training: { ...base.training, environment: 'lock', task: {}, games: 64_000, rate: { from: 0.2, to: 0.2 } },
  };
  const solver = new Tabular({ id: 'local/solver' });
  const proposer = recipe.coevolution?.one === true ? solver : new Tabular({ id: 'local/proposer' });
  const judge = !proposal.judged ? null : recipe.coevolution?.one === true ? solver : new Tabular({ id: 'local/judge' });
  const sides = { solver, proposer, judge, mine: ['opener'], others: {} };
  return {
    ...sides,
    run: new Coevolution(recipe, {
      environment: lock,
      proposal,
      form,
      seed: 3,
      checks: proposal.checks.includes('winnable') ? checks : [],
      ...sides,
      ...(writer !== undefined && { writer }),
    }),
  };
}

/** Weights after this many updates. */
async function stepped({ run, solver, proposer }: ReturnType<typeof process>, updates: number) {
  for (let i = 0; i < updates; i++) await run.step();
  return { solver: await solver.save(), proposer: await proposer.save() };
}

/** How a table plays, row by row, to the bit. */
const rowsOf = (learner: Tabular) => learner.strategy().map((row) => [...row].join(' '));

describe('co-evolution', () => {
  it.each([
    ['solver', 'proposer'],
    ['proposer', 'solver'],
  ] as const)('does not change the other side at all if only the %s learns', async (learns, frozen) => {
    const result = process('pae', { learns });
    await stepped(result, 3);
    const before = { solver: rowsOf(result.solver), proposer: rowsOf(result.proposer) };
    await stepped(result, 6);
    const after = { solver: rowsOf(result.solver), proposer: rowsOf(result.proposer) };
    // A table adds rows for what it meets; those that it had stay.
    expect(after[frozen].slice(0, before[frozen].length)).toEqual(before[frozen]);
    expect(after[learns].slice(0, before[learns].length)).not.toEqual(before[learns]);
  });

  it('alternates learning between the sides, also offline from useful tasks', async () => {
    const result = process('paso-doble', { learns: 'in-turn', period: 2, buffer: 16 });
    expect([0, 1, 2, 3, 4].map((update) => result.run.side(update).solver)).toEqual([false, false, true, true, false]);
    await stepped(result, 2);
    const first = rowsOf(result.proposer);
    await stepped(result, 2);
    expect(rowsOf(result.proposer)).toEqual(first);
    await stepped(result, 2);
    expect(rowsOf(result.proposer)).not.toEqual(first);
  });

  it('moves to solvable tasks with reward 4p(1 − p), and to impossible ones with 1 − p', async () => {
    const learnable = process('pae');
    await stepped(learnable, 40);
    expect(learnable.run.figures.valid).toBeGreaterThan(0.8);
    const hard = process('pae', {}, readProposer({ name: 'hard', reward: 'hard', keep: [0.01, 0.99] }, 'here'));
    await stepped(hard, 40);
    expect(hard.run.figures).toMatchObject({ rate: 0, paid: 1 });
    expect(hard.run.alarm).toMatch(/four in five were never solved/);
  });

  it('trains one learner in three roles with MAE, whose judge marks unsolvable tasks down', async () => {
    const { run, solver } = process('mae');
    for (let i = 0; i < 40; i++) await run.step();
    const { rollout } = await import('@ludus-agents/kernel/internal/engine/rollout');
    const broken = menu.filter((task) => (task as { broken: boolean }).broken);
    const marksOf = async (judge: Tabular) => {
      const inputs: number[] = [];
      for (const task of broken) {
        const logs = await rollout(
          judgingEnvironment,
          { judge: judge.policy() },
          { seeds: Array.from({ length: 40 }, (_, i) => i), task: { task } },
        );
        for (const log of logs) inputs.push(Number(/\d+/.exec(log.find((event) => event.kind === 'action')!.action.text)![0]));
      }
      return inputs.reduce((sum, mark) => sum + mark, 0) / inputs.length;
    };
    expect(await marksOf(solver)).toBeLessThan(4.4);
    // One that has learned nothing gives 5 on average.
    expect(await marksOf(new Tabular({ id: 'local/solver' }))).toBeGreaterThan(4.6);
  });

  it('earns more with a task writer that reads the results of earlier tasks', async () => {
    const workshop = createProposerEnvironment(lock, { reward: () => 0, form });
    const observations: string[] = [];
    const frontier = scriptedPolicy('frontier', (turn) => {
      observations.push(textOf(turn.view));
      return workshop.scripts!['frontier']!(turn);
    });
    const chance = scriptedPolicy('chance', workshop.scripts!['uniform']!);
    /** What the tasks earn by 4p(1 − p), and how the solver and the checkpoint end. */
    const learnable = readProposer({ name: 'learnable', reward: 'learnable', keep: [0.01, 0.99] }, 'here');
    const earned = async (writer: Policy) => {
      const result = process('paso-doble', {}, learnable, writer);
      const rewards: number[] = [];
      for (let i = 0; i < 24; i++) {
        await result.run.step();
        if (i >= 4) rewards.push(result.run.figures.paid);
      }
      return { reward: rewards.reduce((sum, value) => sum + value, 0) / rewards.length, made: result };
    };
    const { reward, made } = await earned(frontier);
    expect(reward).toBeGreaterThan((await earned(chance)).reward);
    expect(observations[0]).not.toMatch(/What came of earlier tasks/);
    expect(observations.at(-1)).toMatch(/What came of earlier tasks .*:\n- \{"task":\{.*"dials":\d.*"rate":/);
    // The learner that would have proposed was never asked, and what came of tasks is in the checkpoint.
    expect(made.proposer.strategy()).toEqual([]);
    const again = process('paso-doble', {}, learnable, frontier);
    await again.run.load(JSON.parse(JSON.stringify(await made.run.save())));
    expect(await stepped(again, 2)).toEqual(await stepped(made, 2));
  });

  it('continues from a checkpoint with an identical next update', async () => {
    const [item, other] = [process('mae'), process('mae')];
    await stepped(item, 5);
    await other.run.load(JSON.parse(JSON.stringify(await item.run.save())));
    expect(await stepped(other, 3)).toEqual(await stepped(item, 3));
    expect(other.run.figures).toEqual(item.run.figures);
  });

  it('teaches nothing by majority labels if the solver has no initial skill', async () => {
    const result = process('agent0', { labels: 'majority' });
    await stepped(result, 30);
    const truth = process('agent0', { labels: 'environment' });
    await stepped(truth, 30);
    const opens = async ({ solver }: { readonly solver: Tabular }) => {
      const { rollout } = await import('@ludus-agents/kernel/internal/engine/rollout');
      const logs = await rollout(lock, { opener: solver.policy() }, { seeds: Array.from({ length: 50 }, (_, i) => i), task: { dials: 2 } });
      return logs.filter((log) => (log.at(-1) as { returns: Record<string, number> }).returns['opener'] === 1).length / 50;
    };
    expect(await opens(truth)).toBeGreaterThan(0.9);
    expect(await opens(result)).toBeLessThan(0.5);
  });
});

describe('custom proposer', () => {
  it('is parsed with defaults and rejected if invalid', () => {
    expect(readProposer({ name: 'a', reward: () => 1, keep: [0, 1] }, 'here')).toMatchObject({ attempts: 8, invalid: 0, rate: 'success' });
    expect(() => readProposer({ name: 'a', reward: 'easy', keep: [0, 1] }, 'here')).toThrow(/one of learnable, triangle/);
    expect(() => readProposer({ name: 'a', reward: 'hard', keep: [1, 0] }, 'here')).toThrow(/two rates from 0 to 1/);
  });
});
