import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { builtInRecipe as recipeOf } from '@ludus-agents/learning/internal/rl/recipes/index';
import { createTrainer } from '@ludus-agents/learning/internal/training/trainer';
import { groundOf } from '@ludus-agents/learning/internal/training/training-run';
import { openSharedStore } from '@ludus-agents/store/internal/open-store';
import { afterAll, describe, expect, it } from 'vitest';
import { checkAge, rolloutsBy, rolloutWork } from './rollout-jobs.ts';
import { Worker } from './worker.ts';

const agentServices = createAgentServices(process.cwd(), Trust.commandLine);

const directory = mkdtempSync(join(tmpdir(), 'ludus-far-'));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;

/** Trains for a few updates, with games here or by two workers, and gives what was learned with the logs that it was learned from. */
async function trained(name: string, settings: readonly string[], far: boolean) {
  const recipe = override(recipeOf(name), settings);
  expect(groundOf(recipe, await builtInEnvironment(recipe.training.environment)).kind).toBe('rollout');
  const where = join(directory, `${files++}.db`);
  const [sharedStore, otherSharedStore, two] = [await openSharedStore(where), await openSharedStore(where), await openSharedStore(where)];
  await sharedStore.store.putRun({ id: 'lesson', plan: { environments: [], seeds: [0], casts: [] }, episodes: 0, work: { kind: 'train' } });
  const stop = new AbortController();
  const pool = [otherSharedStore, two].map((ownSharedStore) =>
    new Worker({
      sharedStore: ownSharedStore,
      environment: builtInEnvironment,
      services: agentServices,
      concurrency: 2,
      grace: 0,
      other: { rollout: rolloutWork(ownSharedStore.store) },
    }).run(stop.signal),
  );
  const rollouts = rolloutsBy({ sharedStore, run: 'lesson', seed: 3, environment: builtInEnvironment, signal: stop.signal });
  const trainer = await createTrainer(
    { recipe, seed: 3 },
    { trust: Trust.commandLine, cwd: directory, folder: null, ...(far && { rollouts }) },
  );
  await trainer.run(3);
  const { learner } = await trainer.save();
  const measured = await trainer.measure();
  const logs = await Promise.all([...(await sharedStore.store.statuses('lesson')).keys()].map((id) => sharedStore.store.events(id)));
  const weights = await sharedStore.store.notes('lesson', 'weights');
  stop.abort();
  await Promise.all(pool);
  await Promise.all([sharedStore, otherSharedStore, two].map((sharedStore) => sharedStore.close()));
  return { learner, measured, logs, weights: weights as readonly { mark: string; update: number }[] };
}

describe('a learner with remote rollouts', () => {
  for (const [name, settings] of [['dapo', ['training.games=96', 'training.batch=32']]] as const)
    it(`[F20] learns the same from workers as on its own: ${name}`, async () => {
      const [alone, far] = [await trained(name, settings, false), await trained(name, settings, true)];
      expect(alone.logs).toHaveLength(0);
      expect(far.logs.length).toBeGreaterThanOrEqual(96);
      expect(far.learner).toBe(alone.learner);
      expect(far.measured).toEqual(alone.measured);
      // Every token says by which weights it was sampled, and the journal says from which update those are.
      expect(far.weights.map(({ update }) => update)).toEqual([0, 1, 2]);
      const marks = new Set(far.weights.map(({ mark }) => mark));
      const calls = far.logs.flat().flatMap((event) => (event.kind === 'action' ? (event.calls ?? []) : []));
      expect(calls.length).toBeGreaterThan(100);
      for (const { model } of calls) expect(marks).toContain(model.split('@')[1]);
    });

  it('[F20] adapts the number of episodes per task on workers to its success rate: dart', async () => {
    const adaptive = 'rollout={"kind":"adaptive","size":8,"least":2,"above":0.05,"longer":2}';
    const settings = [
      'training.games=192',
      'training.batch=64',
      'training.ahead=false',
      'training.task={"pool":2,"rungs":1,"holds":2}',
      adaptive,
    ];
    const [alone, far] = [await trained('dart', settings, false), await trained('dart', settings, true)];
    expect(far.measured).toEqual(alone.measured);
    expect(far.measured.acts!['attempts saved']).toBeGreaterThan(0);
    expect(far.logs.length).toBe(192 - far.measured.acts!['attempts saved']!);
  });

  it('[F20] plays several batches ahead of the gradient with adaptive sizes: dart', async () => {
    const far = await trained('dart', ['training.games=192', 'training.batch=32', 'training.ahead=3'], true);
    expect(far.weights.length).toBeGreaterThan(0);
    expect(far.measured.acts!['stale tokens']).toBeGreaterThan(0);
    expect(far.measured.stale).toBeGreaterThan(1);
  });

  it('[F21] rejects tokens of weights that are too old or were not requested', () => {
    const call = { prompt: { messages: [] }, text: '', finish: 'stop', usage: { promptTokens: 0, completionTokens: 1 }, cost: 0 } as const;
    const log = [{ kind: 'action' as const, seat: 'a', action: { text: 'x' }, calls: [{ ...call, model: 'local/x@abc' }] }];
    const oldest = 1;
    expect(() => checkAge(log, 'local/x', { mark: 'abc', at: 4, age: 1, oldest })).not.toThrow();
    expect(() => checkAge(log, 'local/x', { mark: 'abc', at: 4, age: 2, oldest })).toThrow('Weights can be at most 1 updates old, but');
    expect(() => checkAge(log, 'local/x', { mark: 'def', at: 5, age: 0, oldest })).toThrow('some are from local/x@abc');
  });

  it('[F20] rejects a league, because workers lack its past versions', async () => {
    await expect(trained('kuhn-league', [], true)).rejects.toThrow('plays against its past versions, which workers do not');
  });
});
