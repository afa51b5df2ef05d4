import { summaryOf } from '@ludus-agents/evaluation/internal/scoring/statistics/summary';
import { type AgentSpec, type Environment, parameter, readTask, rng, type TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/tabular.ts';
import { acrossTexts, fastSlow, groupsOf, textsForGroup } from './fast-slow.ts';
import { CandidatePool } from './population.ts';
import { cellsReport, fourCells } from './weights-by-texts.ts';

// A bandit in words: one of four levers wins more often, and a good instruction helps anyone who reads it.
const parameters = {
  instruction: parameter.string({ default: 'Pull.', description: 'what the player is told' }),
  problem: parameter.integer({ min: 0, max: 3, default: 0, description: 'which lever is good' }),
} as const;
type Task = TaskOf<typeof parameters>;
type State = { readonly task: Task };
const levers = ['[0]', '[1]', '[2]', '[3]'];

const bandit: Environment<State, Task> = {
  id: 'bandit@1',
  about: { summary: 'Four levers.', tasks: [{}], turns: 1 },
  parameters,
  task: (input) => readTask('bandit', parameters, input),
  seats: () => ['player'],
  start: (task) => ({
    state: { task },
    messages: [{ to: ['player'], text: `${task.instruction} Problem ${task.problem}.` }],
    asks: [{ seat: 'player', choices: levers }],
  }),
  step: ({ task }, actions, dice) => {
    const good = actions['player']?.text === levers[task.problem];
    const chance = 0.1 + (good ? 0.5 : 0) + (task.instruction === 'Think.' ? 0.25 : 0);
    return { state: { task }, messages: [], asks: [], rewards: { player: dice.next() < chance ? 1 : 0 } };
  },
};

const spec = (instruction: string): AgentSpec => ({ name: 'player', kind: 'tabular', model: 'base', texts: { instruction } });
const instructionOf = (agentSpec: AgentSpec) => agentSpec.texts?.['instruction'] ?? '';

/** Plays groups under texts and learns from them: the slow channel, with a table for a policy. */
async function update(learner: Tabular, front: readonly AgentSpec[], at: number): Promise<void> {
  const plan = groupsOf(front, { seed: 5, update: at, problems: [0, 1, 2, 3], size: 8 });
  const logs = [];
  for (const [i, { problem, text }] of plan.entries()) {
    const task = { instruction: instructionOf(front[text]!), problem };
    const [log] = await rollout(bandit, { player: learner.policy() }, { seeds: [at * 1000 + i], task });
    logs.push(log ?? []);
  }
  const rollouts = logs.map((log, i) => {
    const end = log.at(-1);
    return { ...plan[i]!, reward: end?.kind === 'end' ? (end.returns['player'] ?? 0) : 0 };
  });
  const advantages = acrossTexts(rollouts);
  const rows = logs.flatMap((log, i) =>
    log.flatMap((event) => {
      if (event.kind !== 'action') return [];
      const call = event.calls?.[0];
      const [read, written] = [call?.promptTokenIds ?? [], call?.tokenIds ?? []];
      const weights = [...read.map(() => 0), ...written.map(() => advantages[i]!)];
      return [{ tokens: [...read, ...written], mask: [...read.map(() => 0), ...written.map(() => 1)], weights }];
    }),
  );
  await learner.forwardBackward(rows as never, 'cross_entropy');
  await learner.optimStep({ rate: 0.05 });
}

/** One light round of texts: two arms, drawn by softmax of what they earned at the weights as they are. */
async function textRound(learner: Tabular, from: AgentSpec, round: number): Promise<readonly AgentSpec[]> {
  const arms = new CandidatePool({ temperature: 0.05, rate: 0.1 });
  const specs = ['Pull.', 'Think.'].map((instruction) => ({ ...from, texts: { instruction } }));
  for (const spec of specs) arms.add(instructionOf(spec), 0.3);
  for (let i = 0; i < 60; i++) {
    const arm = arms.choose(rng(9, 'arm', round, i));
    const task = { instruction: arm, problem: i % 4 };
    const [log] = await rollout(bandit, { player: learner.policy() }, { seeds: [round * 1000 + i], task });
    const end = log?.at(-1);
    arms.earn(arm, [end?.kind === 'end' ? (end.returns['player'] ?? 0) : 0]);
  }
  return arms.ranked().map((id) => specs.find((spec) => instructionOf(spec) === id) as AgentSpec);
}

async function trained(freeze?: 'texts' | 'weights') {
  const learner = new Tabular({ optimiser: 'adam' });
  let updates = 0;
  const phases = [];
  const course = fastSlow(
    spec('Pull.'),
    { rounds: 3, freeze },
    {
      texts: (from, round) => textRound(learner, from, round),
      weights: async (front) => {
        for (let i = 0; i < 25; i++) await update(learner, front, updates++);
        return `local/bandit@${updates}`;
      },
    },
  );
  for (;;) {
    const { value, done } = await course.next();
    if (done === true) return { learner, answer: value, phases, updates };
    phases.push(value);
  }
}

describe('joint training of texts and weights', () => {
  it('computes advantages per problem across all texts', () => {
    const rollouts = [
      { problem: 0, text: 0, reward: 0 },
      { problem: 0, text: 0, reward: 0 },
      { problem: 0, text: 1, reward: 1 },
      { problem: 0, text: 1, reward: 1 },
      { problem: 1, text: 0, reward: 1 },
      { problem: 1, text: 1, reward: 1 },
    ];
    const advantages = acrossTexts(rollouts);
    for (const problem of [0, 1]) {
      const ownAdvantages = advantages.filter((_, i) => rollouts[i]?.problem === problem);
      expect(ownAdvantages.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 12);
    }
    expect(advantages[0]! + advantages[1]!).toBeLessThan(-1);
    expect(advantages[4]).toBe(0);
  });

  it('spreads every group over the texts of the front', () => {
    for (let seed = 0; seed < 50; seed++) {
      const texts = textsForGroup(3, 8, rng(seed));
      for (const text of [0, 1, 2]) expect(texts.filter((otherText) => otherText === text).length).toBeGreaterThanOrEqual(2);
    }
  });

  it('equals plain GRPO exactly if texts are frozen', async () => {
    const { learner, phases, updates } = await trained('texts');
    expect(phases.every(({ kind }) => kind === 'weights')).toBe(true);
    const alone = new Tabular({ optimiser: 'adam' });
    for (let i = 0; i < updates; i++) await update(alone, [spec('Pull.')], i);
    expect(await learner.save()).toBe(await alone.save());
  });

  it('equals plain text improvement exactly if weights are frozen', async () => {
    const { learner, answer, phases } = await trained('weights');
    const untouched = new Tabular({ optimiser: 'adam' });
    let front: readonly AgentSpec[] = [spec('Pull.')];
    for (let round = 0; round < 3; round++) front = await textRound(untouched, front[0]!, round);
    expect(answer).toEqual(front[0]);
    expect(await learner.save()).toBe(await untouched.save());
    expect(phases.at(-1)?.front).toEqual(front);
    expect(answer.model).toBe('base');
  });

  it('gains from both channels, attributed by the four cells', async () => {
    const { learner, answer } = await trained();
    expect(instructionOf(answer)).toBe('Think.');
    expect(answer.model).toBe('local/bandit@75');
    const base = new Tabular({ optimiser: 'adam' });
    const report = await fourCells(async (weights, texts) => {
      const policy = (weights === 'base' ? base : learner).policy();
      const instruction = texts === 'old' ? 'Pull.' : instructionOf(answer);
      const scores: number[] = [];
      for (const problem of [0, 1, 2, 3]) {
        const logs = await rollout(
          bandit,
          { player: policy },
          { seeds: Array.from({ length: 200 }, (_, i) => 70_000 + i), task: { instruction, problem } },
        );
        for (const log of logs) scores.push((log.at(-1) as { returns: Record<string, number> }).returns['player'] ?? 0);
      }
      return scores;
    });
    const { cells, weights, texts, both } = report;
    expect(cells.base.old.mean).toBeCloseTo(0.225, 1);
    expect(cells.base.new.mean).toBeCloseTo(0.475, 1);
    expect(weights.low).toBeGreaterThan(0);
    expect(texts.low).toBeGreaterThan(0.1);
    expect(both.mean).toBeGreaterThan(Math.max(weights.mean, texts.mean));
    expect(report.words).toHaveLength(4);
  });
});

describe('four-cell report', () => {
  it('computes each gain and how much the two channels overlap', () => {
    let rows = 0;
    const row = (value: number) => {
      const phase = 2 ** rows++;
      return Array.from({ length: 64 }, (_, i) => value + (Math.floor(i / phase) % 2 === 0 ? 0.01 : -0.01));
    };
    // What the paper reports for HoVer-hard.
    const report = cellsReport({ base: { old: row(2), new: row(10.6) }, trained: { old: row(11.6), new: row(21.2) } });
    expect(report.weights.mean).toBeCloseTo(9.6, 9);
    expect(report.texts.mean).toBeCloseTo(8.6, 9);
    expect(report.both.mean).toBeCloseTo(19.2, 9);
    expect(report.together.mean).toBeCloseTo(1, 9);
    expect(report.words[3]).toContain('more than each alone');
    rows = 0;
    const same = cellsReport({ base: { old: row(0), new: row(1) }, trained: { old: row(1), new: row(1) } });
    expect(same.words[3]).toContain('the same gain');
    rows = 0;
    const none = cellsReport({ base: { old: row(1), new: row(1) }, trained: { old: row(1), new: row(1) } });
    expect(none.words[0]).toContain('may be luck');
  });

  it('uses the standard intervals, and none without variation between tasks', () => {
    const [old, fresh] = [
      [0.1, 0.5, 0.2, 0.6],
      [0.3, 0.5, 0.7, 0.9],
    ];
    const { cells, texts } = cellsReport({ base: { old, new: fresh }, trained: { old, new: fresh } });
    const rows = (values: readonly number[]) => values.map((value, i) => ({ scene: '', task: String(i), seed: 0, value }));
    const { value, interval } = summaryOf(rows(fresh), { over: 'tasks' })!;
    expect([cells.base.new.mean, cells.base.new.low, cells.base.new.high]).toEqual([value, ...interval!]);
    // Four tasks: Student's interval, not that of many.
    expect(texts.low).toBeLessThan(0);
    const equal = cellsReport({ base: { old: [2, 3], new: [3, 4] }, trained: { old: [2, 3], new: [3, 4] } });
    expect(equal.texts).toEqual({ mean: 1, low: null, high: null });
    expect(equal.words[1]).toContain('may be luck');
  });

  it('rejects cells played on different tasks', () => {
    expect(() => cellsReport({ base: { old: [1], new: [1] }, trained: { old: [1, 2], new: [1] } })).toThrow(/same tasks/);
  });
});
