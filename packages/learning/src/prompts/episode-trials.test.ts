import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { type Agent, Fault, scripted } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { createFirstCandidate } from './candidate.ts';
import { createEpisodeTrials } from './episode-trials.ts';
import { Evaluator } from './evaluator.ts';
import { judgePairs } from './gate.ts';
import { toySpec } from './toy.cases.ts';
import { TrialLedger } from './trial-ledger.ts';
import { pairTrials, placesOf } from './trial-scores.ts';

const usage = { promptTokens: 10, completionTokens: 2 };
const tasks = { propose: 2, select: 3, report: 1 };

function environment(fails: (call: number) => boolean = () => false) {
  const store = memoryStore();
  let calls = 0;
  const agent: Agent = {
    name: 'caller',
    act({ ask }) {
      if (fails(++calls)) throw new Error('The line is dead.');
      const call = { model: 'm', prompt: { messages: [] }, text: 'x', finish: 'stop' as const, usage, cost: 0.5 };
      return { action: { text: ask.choices?.[0] ?? '' }, calls: [call] };
    },
  };
  const seats = kuhnPoker.seats(kuhnPoker.task({}));
  const ground = createEpisodeTrials({
    ...{ store, run: 'run', environment: kuhnPoker, tasks: [{}], seat: seats[0]! },
    agents: async () => Object.fromEntries(seats.map((seat) => [seat, agent])),
  });
  return { store, ground, calls: () => calls };
}

describe('episode trials', () => {
  it('are saved, scored by return, and charged for every seat', async () => {
    const { store, ground, calls } = environment();
    const evaluator = new Evaluator({ ground, engine: 'test', seed: 1, tasks });
    const plays = await evaluator.evaluate(createFirstCandidate(toySpec('x')), placesOf('select', 3));
    for (const { episode, score, cost } of plays) {
      const record = await store.episode(episode as string);
      expect([record?.status, record?.run, record?.returns?.[Object.keys(record.returns)[0] as string]]).toEqual(['over', 'run', score]);
      expect(cost).toEqual({ calls: cost.calls, promptTokens: 10 * cost.calls, completionTokens: 2 * cost.calls, money: 0.5 * cost.calls });
    }
    expect(evaluator.spent.modelCalls).toBe(calls());
    const [first] = plays;
    const lesson = first === undefined ? null : await ground.lesson(first);
    expect([lesson?.episode.id, lesson?.scores[0]?.name, lesson?.scores[0]?.value]).toEqual([first?.episode, 'return', first?.score]);
  });

  it('resume an interrupted episode and pay only for the rest', async () => {
    const whole = environment();
    const spec = toySpec('x');
    const trial = { split: 'select', task: 0, repeat: 0, seed: 7 } as const;
    const signal = new AbortController().signal;
    const full = await whole.ground.play(spec, trial, signal);
    const log = await whole.store.events(full.episode as string);
    const cut = log.findIndex((event) => event.kind === 'action') + 1;
    const broken = environment();
    await broken.store.append(full.episode as string, 0, log.slice(0, cut), 'run');
    const paidBefore = { calls: 1, promptTokens: 10, completionTokens: 2, money: 0.5 };
    expect(await broken.ground.play(spec, trial, signal)).toEqual({ ...full, before: paidBefore });
    expect(broken.calls()).toBe(whole.calls() - 1);
    // Finished, it is read and not played.
    expect(await broken.ground.play(spec, trial, signal)).toEqual({ ...full, before: full.cost });
    expect(broken.calls()).toBe(whole.calls() - 1);
  });

  it('counts an episode once that a stopped process has noted, and in full where the process was killed', async () => {
    const whole = environment();
    const place = placesOf('select', 1);
    const [play] = await new Evaluator({ ground: whole.ground, engine: 'test', seed: 1, tasks }).evaluate(
      createFirstCandidate(toySpec('x')),
      place,
    );
    const log = await whole.store.events(play?.episode as string);
    const paidAfter = async (isNoted: boolean) => {
      const ledger = new TrialLedger();
      const { store, ground } = environment();
      await store.append(play?.episode as string, 0, log, 'run');
      const paid = { calls: play!.cost.calls, tokens: 0, money: 0, unpriced: 0 };
      if (isNoted) await ledger.put({ kind: 'cut', key: 'cut/0', paid, uncounted: 0 });
      await new Evaluator({ ground, ledger, engine: 'test', seed: 1, tasks }).evaluate(createFirstCandidate(toySpec('x')), place);
      return ledger.paid().calls;
    };
    expect([await paidAfter(true), await paidAfter(false)]).toEqual([play?.cost.calls, play?.cost.calls]);
  });

  it('reject a candidate that cannot play', async () => {
    const { store } = environment();
    const seats = kuhnPoker.seats(kuhnPoker.task({}));
    const ground = createEpisodeTrials({
      ...{ store, run: 'run', environment: kuhnPoker, tasks: [{}], seat: seats[0]! },
      agents: async (spec) => {
        if (spec.texts?.['instruction'] === 'broken') throw new Fault('input', 'No such memory.');
        return Object.fromEntries(seats.map((seat) => [seat, scripted('x', ({ ask }) => ({ text: ask.choices?.[0] ?? '' }))]));
      },
    });
    const evaluator = new Evaluator({ ground, engine: 'test', seed: 1, tasks });
    const before = await evaluator.evaluate(createFirstCandidate(toySpec('fine')), placesOf('select', 3));
    const after = await evaluator.evaluate(createFirstCandidate(toySpec('broken')), placesOf('select', 3));
    expect(after.map(({ score, status }) => [score, status])).toEqual([0, 1, 2].map(() => [null, 'No such memory.']));
    expect(judgePairs(pairTrials(before, after))).toMatchObject({ accept: false, words: 'rejected: no task could be compared' });
  });

  it('retry after a model failure, and count a lasting failure as missing', async () => {
    const once = environment((call) => call === 2);
    const ledger = new TrialLedger();
    const evaluator = new Evaluator({ ground: once.ground, ledger, engine: 'test', seed: 1, tasks, concurrency: 1 });
    const plays = await evaluator.evaluate(createFirstCandidate(toySpec('x')), placesOf('select', 3));
    expect(plays.every(({ score, status }) => score !== null && status === 'ok')).toBe(true);
    const statuses = [...(await once.store.statuses('run')).values()].sort();
    expect(statuses).toEqual(['error', 'over', 'over', 'over']);
    const dead = new Evaluator({ ground: environment(() => true).ground, engine: 'test', seed: 1, tasks, concurrency: 1 });
    const [missing] = await dead.evaluate(createFirstCandidate(toySpec('x')), placesOf('select', 1));
    expect(missing).toMatchObject({ score: null, status: 'agent failed', fault: expect.stringContaining('The line is dead.') });
  });
});
