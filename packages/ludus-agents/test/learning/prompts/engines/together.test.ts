import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { codebreaker } from '@ludus-agents/environments/internal/codebreaker';
import type { JsonObject, Store } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { createImproveServices, improveRun, saveImproveRun } from '@ludus-agents/learning/internal/improving/improve';
import { Tabular } from '@ludus-agents/learning/internal/learners/index';
import { CheckpointJournal } from '@ludus-agents/learning/internal/prompts/checkpoint-journal';
import { habits } from '@ludus-agents/learning/internal/prompts/demo/habits';
import { bestRules, instructionDemo as demo, lawfulPlayer, textsWith } from '@ludus-agents/learning/internal/prompts/demo/index';
import type { RuleName } from '@ludus-agents/learning/internal/prompts/demo/rules';
import { improve } from '@ludus-agents/learning/internal/prompts/improve';
import { Journal } from '@ludus-agents/learning/internal/prompts/journal';
import type { ImproveReport } from '@ludus-agents/learning/internal/prompts/report';
import type { FourCells } from '@ludus-agents/learning/internal/prompts/weights-by-texts';
import type { ImproveDetail } from '@ludus-agents/servers/internal/studio/api';
import { openStudio } from '@ludus-agents/servers/internal/studio/request.cases';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../../../test/fixtures/amount.ts';
import { turns, until } from '../../../../../../test/fixtures/until.ts';
import { folder, ludus } from '../../../../src/cli/terminal.cases.ts';

interface Asked {
  readonly seed?: number;
  readonly calls?: number;
  readonly fresh?: number;
  readonly settings?: JsonObject;
  readonly store?: Store;
  /** Leave it after this many happenings, as if it had been killed. */
  readonly until?: number;
}

async function ran({ seed = 2, calls = 500, fresh = 100, settings = {}, store = memoryStore(), until = 1e9 }: Asked) {
  const run = await improveRun(
    { recipe: 'together-demo', seed, calls, settings, counts: { report: fresh }, name: 'run' },
    process.cwd(),
    Trust.commandLine,
  );
  await saveImproveRun(store, run, { cwd: process.cwd(), trust: Trust.commandLine });
  const course = improve(run.work, await createImproveServices(store, run, { trust: Trust.commandLine, cwd: '.' }));
  let next = await course.next();
  for (let told = 0; next.done !== true && told < until; told++) next = await course.next();
  if (next.done === true) return next.value;
  // Anyone who is killed writes no more; anyone who only stops must have written.
  await course.return(undefined as never);
  await turns(20);
  return null;
}

/** What habits are worth under texts, on one kind of code. */
async function worth(task: number, observations: readonly RuleName[], ownItems: readonly RuleName[]): Promise<number> {
  const player = lawfulPlayer({ ...demo.start, texts: textsWith(observations) }, ownItems);
  let sum = 0;
  for (let seed = 0; seed < 200; seed++)
    for await (const event of play(codebreaker, { [demo.seat]: player }, { seed, task: demo.tasks[task] ?? {} }))
      if (event.kind === 'end') sum += event.returns[demo.seat] ?? 0;
  return sum / 200;
}

describe('habits', () => {
  it('have the planted effect: good ones help without instructions, and bad ones hurt the best', async () => {
    for (const [task, kind] of ['number', 'pegs'].entries()) {
      const [bad, , good] = habits[kind] as readonly [RuleName, RuleName, RuleName];
      expect(await worth(task, [], [good])).toBeGreaterThan((await worth(task, [], [])) + 0.05);
      expect(await worth(task, bestRules, [bad])).toBeLessThan((await worth(task, bestRules, [])) - 0.1);
      expect(await worth(task, bestRules, [good])).toBe(await worth(task, bestRules, []));
    }
  });
});

describe('the weight shelf', () => {
  it('restores weights by name, with stable names, and rejects unknown ones', async () => {
    const store = memoryStore();
    const open = () => CheckpointJournal.open(store, 'run', () => new Tabular({ id: 'local/habits' }));
    const shelf = await open();
    const learner = (await shelf.learner('local/habits')) as Tabular;
    const untrained = await learner.save();
    learner.table.pull(learner.table.add(2), 1, 1);
    learner.table.settle(1, 0, 0);
    await learner.optimStep({ rate: 0.5 });
    const name = await shelf.keep(learner);
    expect(await shelf.keep(learner)).toBe(name);
    expect((await Journal.open(store, 'run', 'weights')).kept).toHaveLength(1);
    expect(await (await (await open()).learner(name)).save()).toBe(await learner.save());
    expect(await (await shelf.learner('local/habits')).save()).toBe(untrained);
    await expect(shelf.learner('local/others')).rejects.toThrow('This run has no weights "local/others"');
  });
});

describe('optimizing texts and weights together', () => {
  it('improves every cell over those with less, deterministically per seed', async () => {
    const store = memoryStore();
    const report = (await ran({ store })) as ImproveReport;
    const { cells, weights, texts, both } = report.cells as FourCells;
    expect(weights.mean).toBeGreaterThan(0);
    expect(texts.low).toBeGreaterThan(0.05);
    expect(cells.trained.new.mean).toBeGreaterThan(cells.base.new.mean + 0.05);
    expect(cells.trained.new.mean).toBeGreaterThan(cells.trained.old.mean + 0.05);
    expect(both.mean).toBeGreaterThan(Math.max(weights.mean, texts.mean));
    // The corners are the start and the answer of the report, on the very same tasks.
    expect([cells.base.old.mean, cells.trained.new.mean]).toEqual(
      [report.start.report, report.best.report].map((value) => expect.closeTo(value, 12)),
    );
    expect(report.calls).toBeLessThanOrEqual(500);
    expect(await store.notes('run', 'cells')).toEqual([JSON.parse(JSON.stringify(report.cells))]);
    // That the same seed says the same is seen below, too, on a smaller run.
    if (amount(0, 1) === 1) expect(await ran({})).toEqual(report);
  });

  it('resumes after a kill with the same result', async () => {
    const request = { calls: 240, fresh: 20, settings: { rounds: 1 } };
    const whole = await ran(request);
    for (const until of [7, 1].slice(0, amount(1, 2))) {
      const store = memoryStore();
      expect(await ran({ ...request, store, until })).toBeNull();
      expect(await ran({ ...request, store })).toEqual(whole);
    }
  });

  it('has equal rows with frozen weights, and equal columns with frozen texts', async () => {
    const cellsWith = async (freeze: string) => ((await ran({ fresh: 100, settings: { freeze } })) as ImproveReport).cells as FourCells;
    const texts = await cellsWith('weights');
    expect(texts.cells.trained).toEqual(texts.cells.base);
    expect(texts.texts.low).toBeGreaterThan(0);
    // Differences that are zero on every task do not vary, so they have no interval.
    expect(texts.weights).toEqual({ mean: 0, low: null, high: null });
    const weights = await cellsWith('texts');
    for (const row of ['base', 'trained'] as const) expect(weights.cells[row].new).toEqual(weights.cells[row].old);
    expect(weights.weights.low).toBeGreaterThan(0);
    expect(weights.texts).toEqual({ mean: 0, low: null, high: null });
  });
});

describe('ludus improve together-demo', () => {
  const cwd = folder();
  const words = ['improve', 'together-demo', '--budget', '150', '--tasks', '8,8,20', '--set', 'rounds=1'];

  it('ends with the four cells, as text and as JSON', async () => {
    const { code, out } = await ludus(cwd, [...words, '--json']);
    expect(code).toBe(0);
    const line = JSON.parse(out.trim().split('\n').at(-1) as string) as ImproveReport & { readonly random: number };
    expect([line.engine, typeof line.start, typeof line.best, typeof line.random]).toEqual(['together', 'number', 'number', 'number']);
    expect(Object.keys(line.cells?.cells ?? {})).toEqual(['base', 'trained']);
    const display = (await ludus(cwd, words)).out;
    expect(display).toMatch(/weights +old texts +new texts\nbase +\d\.\d{3} \(-?\d\.\d{3} to \d\.\d{3}\)/);
    expect(display).toMatch(/New texts (gain|lose) /);
    expect((await ludus(cwd, ['report', line.run, '--format', 'md'])).out).toContain('| weights | old texts | new texts |');
  });

  it('explains invalid options', async () => {
    expect((await ludus(cwd, ['improve', 'instruction-demo', '--engine', 'together', '--budget', '60'])).err).toContain(
      'has no weights to train',
    );
    expect((await ludus(cwd, [...words, '--model', 'fake'])).err).toContain('trains weights in this process, which is not possible');
    expect((await ludus(cwd, [...words, '--set', 'freeze=all'])).err).toContain('"freeze"');
  });
});

describe('the studio', () => {
  it('starts such a run and shows its four cells', async () => {
    const studio = await openStudio();
    try {
      const wish = { recipe: 'together-demo', engine: 'together', seed: 1, calls: 100 };
      const { body } = await studio.ask<{ run: string }>('POST', '/api/improving', wish);
      const shown = async () => (await studio.ask<ImproveDetail>('GET', `/api/improving/of/${body.run}`)).body;
      const { cells, report } = await until(shown, (improveDetail) => improveDetail.report !== null);
      expect(cells?.cells.trained.new.mean).toBeCloseTo(report?.best.report as number, 12);
      expect(cells?.words).toHaveLength(4);
    } finally {
      await studio.close();
    }
  });
});
