import { charged, type Model, rng } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { turns } from '../../../../test/fixtures/until.ts';
import { createFirstCandidate } from './candidate.ts';
import { componentsOf, withComponents } from './components.ts';
import type { Proposer } from './engine.ts';
import { Evaluator, type EvaluatorBudget, type EvaluatorParts, OutOfBudget } from './evaluator.ts';
import { toyGround, toySpec } from './toy.cases.ts';
import { type TrialKey, TrialLedger } from './trial-ledger.ts';
import { pairTrials, placesOf, scoreOf } from './trial-scores.ts';

const tasks = { propose: 4, select: 5, report: 7 };
const start = createFirstCandidate(toySpec('a'));
const other = createFirstCandidate(toySpec('b'));
const make = (more: Partial<EvaluatorParts> = {}) => {
  const ground = toyGround((spec, { task }) => (spec.texts?.['instruction'] === 'a' ? task / 10 : 0.5));
  return { ground, evaluator: new Evaluator({ ground, engine: 'test', seed: 1, tasks, ...more }) };
};

describe('evaluator', () => {
  it('never reuses a seed across splits, tasks, or repeats', async () => {
    const { ground, evaluator } = make();
    const places = (['propose', 'select'] as const).flatMap((split) => placesOf(split, tasks[split], 50));
    await evaluator.evaluate(start, places);
    const { ground: fresh, evaluator: reporter } = make();
    await reporter.report([start]);
    const seeds = [...ground.made, ...fresh.made].map(({ seed }) => seed);
    expect(new Set(seeds).size).toBe(seeds.length);
    const remainders = (split: string) =>
      new Set([...ground.made, ...fresh.made].filter((trial) => trial.split === split).map(({ seed }) => seed % 3));
    expect([...remainders('propose'), ...remainders('select'), ...remainders('report')]).toEqual([0, 1, 2]);
    expect(seeds.every((seed) => Number.isSafeInteger(seed) && seed >= 0)).toBe(true);
  });

  it('plays both sides of a comparison on the same tasks with the same seeds', async () => {
    const { ground, evaluator } = make();
    const places = placesOf('select', 5, 2);
    const pairs = pairTrials(await evaluator.evaluate(start, places), await evaluator.evaluate(other, places));
    expect(ground.made.slice(0, 10).map(({ seed }) => seed)).toEqual(ground.made.slice(10).map(({ seed }) => seed));
    expect(pairs.map(({ before, after }) => [before, after])).toEqual([0, 0.1, 0.2, 0.3, 0.4].map((score) => [score, 0.5]));
  });

  it('hides report tasks from engines and stops after reporting', async () => {
    const { evaluator } = make();
    const sly: TrialKey = { split: 'report', task: 0, repeat: 0 };
    await expect(evaluator.evaluate(start, [sly])).rejects.toThrow('played once, by report()');
    expect((await evaluator.report([start, other])).map((plays) => plays.length)).toEqual([7, 7]);
    await expect(evaluator.evaluate(start, placesOf('select', 1))).rejects.toThrow('Report tasks are played once, by report(). Nothing is');
  });

  it('plays each trial once and counts it once', async () => {
    const { ground, evaluator } = make();
    const both = await Promise.all([evaluator.evaluate(start, placesOf('select', 5)), evaluator.evaluate(start, placesOf('select', 5))]);
    expect(both[0]).toEqual(both[1]);
    expect([ground.made.length, evaluator.spent.calls]).toEqual([5, 5]);
    expect(evaluator.seen(start.id, 'select')).toHaveLength(5);
  });

  it('keeps plays in the order in which they were requested', async () => {
    const ground = {
      ...toyGround(() => 1),
      play: async (_: unknown, { task }: { task: number }) => {
        await turns(10 - 2 * task);
        return { score: task, status: 'ok', cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 } };
      },
    };
    const evaluator = new Evaluator({ ground, engine: 'test', seed: 1, tasks });
    await evaluator.evaluate(start, placesOf('select', 5));
    expect(evaluator.seen(start.id, 'select').map(({ task }) => task)).toEqual([0, 1, 2, 3, 4]);
  });

  it('charges each engine for plays that it shares with another, without repeating them', async () => {
    const ledger = new TrialLedger();
    const ground = toyGround(() => 1);
    const parts = { ground, ledger, seed: 1, tasks };
    const first = new Evaluator({ ...parts, engine: 'one' });
    const second = new Evaluator({ ...parts, engine: 'two' });
    await first.evaluate(start, placesOf('select', 5));
    await second.evaluate(start, placesOf('select', 5));
    expect([ground.made.length, first.spent.calls, second.spent.calls]).toEqual([5, 5, 5]);
  });

  it('stops at the budget: by calls before a play, by money during plays', async () => {
    const { ground, evaluator } = make({ budget: { calls: 7 } });
    await evaluator.evaluate(start, placesOf('select', 5));
    await expect(evaluator.evaluate(other, placesOf('select', 5))).rejects.toThrow(OutOfBudget);
    expect([ground.made.length, evaluator.left]).toEqual([5, 2]);
    const cost = { calls: 1, promptTokens: 90, completionTokens: 10, money: 0.01 };
    const priced = toyGround(() => 1, { cost });
    const purse = new Evaluator({
      ground: priced,
      engine: 'test',
      seed: 1,
      tasks: { ...tasks, select: 100 },
      budget: { money: 0.1 },
      concurrency: 4,
    });
    await expect(purse.evaluate(start, placesOf('select', 100))).rejects.toThrow('The budget of $0.1 is spent.');
    // Four began before any price was known; from then on what is under way is reckoned with.
    expect(purse.spent.money).toBeCloseTo(0.1, 9);
    const tokens = new Evaluator({ ground: priced, engine: 'test', seed: 1, tasks, budget: { tokens: 100 }, concurrency: 1 });
    await expect(tokens.evaluate(start, placesOf('select', 5))).rejects.toThrow('tokens');
    expect(tokens.spent.tokens).toBe(100);
  });

  it('tells a spent budget from one that the next step or call does not fit into', async () => {
    const { evaluator } = make({ budget: { calls: 7 } });
    await evaluator.evaluate(start, placesOf('select', 5));
    await expect(evaluator.evaluate(other, placesOf('select', 5))).rejects.toThrow(
      /7 plays has 2 plays left, but the next step may take up to 5 plays; 5 plays spent/,
    );
    const dear = charged({
      id: 'dear',
      price: { prompt: 0, completion: 1 },
      tokens: (text) => text.length,
      async complete(prompt) {
        return { model: 'dear', prompt, text: 'x', finish: 'stop', usage: { promptTokens: 0, completionTokens: 1 }, cost: 0.000001 };
      },
    });
    const ground = {
      ...toyGround(() => 1),
      async play(_spec: unknown, _trial: unknown, signal: AbortSignal) {
        const { cost } = await dear.complete({ messages: [{ role: 'user', content: 'x' }] }, { maxTokens: 4000 }, signal);
        return { score: 1, status: 'ok' as const, cost: { calls: 1, promptTokens: 0, completionTokens: 1, money: cost } };
      },
    };
    const purse = new Evaluator({ ground, engine: 'test', seed: 1, tasks, budget: { money: 0.0040015 }, concurrency: 1 });
    await expect(purse.evaluate(start, placesOf('select', 5))).rejects.toThrow(
      /\$0\.0040015 has \$0\.0039995 left, but the next call may take up to \$0\.004; \$0\.000002 spent so far.*maxTokens/,
    );
  });

  it.each([
    [{ calls: 300 }, 3],
    [{ tokens: 200_000 }, 3],
    [{ money: 0.3 }, 3],
    [{ tokens: 40_000 }, 0],
    [{ money: 0.04 }, 0],
  ] as const)('never spends more than %j with 64 plays at once', async (budget, waves) => {
    const used = { calls: 0, tokens: 0, money: 0 };
    // How often no answer is returned before 64 calls wait; none if the budget does not allow 64.
    const flight = { now: 0, most: 0, held: waves * 64, waiting: [] as (() => void)[] };
    const answered = async () => {
      flight.most = Math.max(flight.most, ++flight.now);
      if (flight.held > 0) {
        flight.held--;
        const released = new Promise<void>((resolve) => flight.waiting.push(resolve));
        if (flight.waiting.length === 64) for (const release of flight.waiting.splice(0)) release();
        await released;
      }
      flight.now--;
    };
    const model: Model = {
      id: 'priced',
      price: { prompt: 1, completion: 2 },
      tokens: (text) => text.length,
      async complete(prompt, { maxTokens = 0, seed = 0 }) {
        await answered();
        await turns(1 + (seed % 3));
        const usage = { promptTokens: prompt.messages[0]!.content.length, completionTokens: 1 + (seed % maxTokens) };
        const cost = (usage.promptTokens + 2 * usage.completionTokens) / 1e6;
        used.tokens += usage.promptTokens + usage.completionTokens;
        used.money += cost;
        return { model: 'priced', prompt, text: 'x', finish: 'stop', usage, cost };
      },
    };
    const rewardModel = charged(model);
    const ground = {
      ...toyGround(() => 0),
      async play(_: unknown, trial: { readonly seed: number }, signal: AbortSignal) {
        used.calls++;
        const dice = rng(trial.seed, 'cost');
        let [promptTokens, completionTokens, money] = [0, 0, 0];
        const calls = 1 + dice.int(4);
        for (let i = 0; i < calls; i++) {
          const sampling = { maxTokens: 1 + dice.int(120), seed: dice.int(1000) };
          const call = await rewardModel.complete(
            { messages: [{ role: 'user', content: 'x'.repeat(1 + dice.int(80)) }] },
            sampling,
            signal,
          );
          promptTokens += call.usage.promptTokens;
          completionTokens += call.usage.completionTokens;
          money += call.cost ?? 0;
        }
        return { score: 1, status: 'ok', cost: { calls, promptTokens, completionTokens, money } };
      },
    };
    const { evaluator } = make({ ground, budget, concurrency: 64, tasks: { propose: 4, select: 900, report: 1 } });
    const batches = async () => {
      for (let repeat = 0; ; repeat++)
        await evaluator.evaluate(
          start,
          placesOf('select', 150).map((place) => ({ ...place, repeat })),
        );
    };
    await expect(batches()).rejects.toThrow(OutOfBudget);
    if (waves > 0) expect(flight.most).toBe(64);
    for (const [what, most] of Object.entries(budget)) {
      expect(used[what as keyof typeof used]).toBeLessThanOrEqual(most);
      expect(used[what as keyof typeof used]).toBeGreaterThan(0.5 * most);
    }
  });

  it('stops on a money-only budget if nothing costs money', async () => {
    const played = async (cost: number, budget: EvaluatorBudget) => {
      const ground = toyGround(() => 1, { cost: { calls: 1, promptTokens: 1, completionTokens: 1, money: cost } });
      const { evaluator } = make({ ground, budget });
      for (let repeat = 0; repeat < 100; repeat++)
        await evaluator.evaluate(
          start,
          placesOf('select', 5).map((place) => ({ ...place, repeat })),
        );
      return evaluator.spent.calls;
    };
    await expect(played(0, { money: 1 })).rejects.toThrow('100 plays have cost nothing');
    expect([await played(1e-9, { money: 1 }), await played(0, { money: 1, calls: 500 })]).toEqual([500, 500]);
  });

  it('reports on the tasks completed by every candidate if the money runs out', async () => {
    const cost = { calls: 1, promptTokens: 1, completionTokens: 1, money: 0.01 };
    const parts = { ground: toyGround(() => 1, { cost }), engine: 'report', seed: 1, tasks: { ...tasks, report: 200 }, concurrency: 10 };
    const whole = await new Evaluator(parts).report([start, other]);
    expect(whole.map((plays) => plays.length)).toEqual([200, 200]);
    const poor = await new Evaluator({ ...parts, budget: { money: 2.3 } }).report([start, other]);
    expect(poor.map((plays) => plays.length)).toEqual([100, 100]);
    expect((await new Evaluator({ ...parts, budget: { money: 0.1 } }).report([start])).map((plays) => plays.length)).toEqual([0]);
  });

  it('counts a failed environment as missing, not as 0', async () => {
    const ground = toyGround((spec, { task }) => (task === 0 ? null : spec.texts?.['instruction'] === 'a' ? 0.2 : 0.4));
    const evaluator = new Evaluator({ ground, engine: 'test', seed: 1, tasks });
    const plays = await evaluator.evaluate(start, placesOf('select', 5));
    expect(plays[0]).toMatchObject({ score: null, status: 'model failed' });
    expect(scoreOf(plays)).toBeCloseTo(0.2, 12);
    const pairs = pairTrials(plays, await evaluator.evaluate(other, placesOf('select', 5)));
    expect(pairs.map(({ task }) => task)).toEqual([1, 2, 3, 4]);
  });

  it('stops if the scorer can score no play of the start, and scores these plays again on resuming', async () => {
    const ledger = new TrialLedger();
    const cost = { calls: 1, promptTokens: 1, completionTokens: 0, money: 0 };
    const ground = (unscored?: string) => ({
      ...toyGround(() => 1),
      play: async () => (unscored === undefined ? { score: 1, status: 'ok', cost } : { score: null, status: 'unparsed', unscored, cost }),
    });
    const parts = { engine: 'test', seed: 1, tasks, ledger };
    const blind = new Evaluator({ ...parts, ground: ground('not JSON') });
    await expect(blind.evaluate(start, placesOf('select', 5))).rejects.toMatchObject({ code: 'E_NO_SCORE' });
    const scores = await new Evaluator({ ...parts, ground: ground() }).evaluate(start, placesOf('select', 5));
    expect(scores.map(({ score }) => score)).toEqual([1, 1, 1, 1, 1]);
    expect(ledger.paid().calls).toBe(10);
  });

  it('retries outside failures, skips rare ones, and stops if everything fails', async () => {
    const cost = { calls: 1, promptTokens: 1, completionTokens: 0, money: 0.01 };
    const failing = (fails: (task: number, time: number) => boolean) => {
      const times = new Map<number, number>();
      return {
        ...toyGround(() => 1),
        play: async (_: unknown, { task }: { task: number }) => {
          const time = (times.get(task) ?? 0) + 1;
          times.set(task, time);
          if (fails(task, time)) return { score: null, status: 'model failed', fault: 'The line is dead.', cost };
          return { score: 1, status: 'ok', cost };
        },
      };
    };
    const parts = { engine: 'test', seed: 1, tasks: { ...tasks, select: 20 }, concurrency: 1 };
    const patient = new Evaluator({ ...parts, ground: failing((task, time) => task === 2 && time < 3) });
    const plays = await patient.evaluate(start, placesOf('select', 5));
    expect(plays.map(({ score }) => score)).toEqual([1, 1, 1, 1, 1]);
    expect([plays[2]?.cost.calls, patient.spent.modelCalls, patient.spent.calls]).toEqual([3, 7, 5]);
    const rare = await new Evaluator({ ...parts, ground: failing((task) => task === 2) }).evaluate(start, placesOf('select', 5));
    expect(rare.map(({ score }) => score)).toEqual([1, 1, null, 1, 1]);
    const ledger = new TrialLedger();
    const dead = new Evaluator({ ...parts, ground: failing((task) => task > 2), ledger });
    await expect(dead.evaluate(start, placesOf('select', 20))).rejects.toThrow(
      '3 plays in a row have failed 3 times each: The line is dead.',
    );
    // What failed last is not held against anyone when the run is resumed.
    expect(ledger.entries()).toHaveLength(5);
  });

  it('limits concurrency and leaves nothing running after a failure', async () => {
    let running = 0;
    let most = 0;
    const ground = {
      ...toyGround(() => 1),
      play: async (_: unknown, { task }: { task: number }) => {
        most = Math.max(most, ++running);
        await turns();
        running--;
        if (task === 3) throw new Error('broken ground');
        return { score: 1, status: 'ok', cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 } };
      },
    };
    const evaluator = new Evaluator({ ground, engine: 'test', seed: 1, tasks: { ...tasks, select: 40 }, concurrency: 8 });
    await expect(evaluator.evaluate(start, placesOf('select', 40))).rejects.toThrow('broken ground');
    expect([most, running]).toEqual([8, 0]);
  });

  it('stops a model that repeats itself after eight answers without anything new', async () => {
    const call = {
      model: 'm',
      prompt: { messages: [] },
      text: '',
      finish: 'stop',
      usage: { promptTokens: 1, completionTokens: 1 },
      cost: 0,
    } as const;
    let requestCount = 0;
    const parrot: Proposer = {
      name: 'parrot',
      improver: ({ paid, refused = [] }) => ({
        name: 'parrot',
        improve: async (spec) => {
          paid(call);
          if (requestCount++ === 3) expect(refused).toContain('this was proposed before');
          return [withComponents(spec, { ...componentsOf(spec), instruction: 'the same' })];
        },
      }),
    };
    const evaluator = new Evaluator({ ground: toyGround(() => 1), engine: 'e', seed: 1, tasks: { propose: 3, select: 3, report: 3 } });
    const parent = createFirstCandidate(toySpec('x'));
    for (let step = 0; step < 9; step++) {
      await evaluator.propose(parrot, { parent, step });
      await evaluator.evaluate(parent, [{ split: 'propose', task: 0, repeat: step }]);
    }
    await expect(evaluator.propose(parrot, { parent, step: 9 })).rejects.toThrow('brought nothing new');
    expect(requestCount).toBe(9);
  });

  it('stops an engine that proposes without new results', async () => {
    const { evaluator } = make();
    const idle = { name: 'idle', improver: () => ({ name: 'idle', improve: async () => [] }) };
    const talk = async () => {
      for (let step = 0; ; step++) await evaluator.propose(idle, { parent: start, step });
    };
    await expect(talk()).rejects.toThrow('have led to no new play');
    expect(evaluator.spent.proposals).toBe(50);
  });

  it('restores plays and proposals from its ledger', async () => {
    const store = memoryStore();
    await store.putRun({ id: 'run', plan: { environments: [], seeds: [0], casts: [] }, episodes: 0 });
    let requestCount = 0;
    const proposer = {
      name: 'counting',
      improver: () => ({
        name: 'counting',
        improve: async () => {
          requestCount++;
          return [toySpec('b')];
        },
      }),
    };
    for (let time = 0; time < 2; time++) {
      const { ground, evaluator } = make({ ledger: await TrialLedger.open(store, 'run') });
      const plays = await evaluator.evaluate(start, placesOf('propose', 4));
      const [child] = await evaluator.propose(proposer, { parent: start, plays, step: 3 });
      expect(child?.components['instruction']).toBe('b');
      expect([ground.made.length, requestCount, evaluator.spent.calls]).toEqual([time === 0 ? 4 : 0, 1, 4]);
    }
  });

  it('hides locked components from proposers', async () => {
    const { evaluator } = make({ locked: ['skill/*'] });
    const parent = createFirstCandidate(toySpec('a', { 'skill/x': 's' }));
    let observations: readonly string[] = [];
    const proposer = {
      name: 'sly',
      improver: ({ components }: { components: readonly string[] }) => {
        observations = components;
        return {
          name: 'sly',
          improve: async () => [toySpec('a', { 'skill/x': 'changed' }), toySpec('b', { 'skill/x': 's' }), parent.spec],
        };
      },
    };
    const candidates = await evaluator.propose(proposer, { parent, step: 0 });
    expect(observations).toEqual(['instruction']);
    expect(candidates.map(({ components }) => components['instruction'])).toEqual(['b']);
  });
});
