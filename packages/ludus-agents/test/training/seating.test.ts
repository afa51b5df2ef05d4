import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { measureResponse } from '@ludus-agents/learning/internal/training/best-response';
import { standingsOfRecipes, type TrainedRun } from '@ludus-agents/learning/internal/training/compare-recipes';
import { seatingOf } from '@ludus-agents/learning/internal/training/seating';
import { train } from '@ludus-agents/learning/internal/training/train';
import { afterAll, describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { folder, ludus } from '../../src/cli/terminal.cases.ts';

const cwd = mkdtempSync(join(tmpdir(), 'seating-'));
afterAll(() => rmSync(cwd, { recursive: true }));

const seating = async (environment: string, seats?: Readonly<Record<string, string>>) => {
  const { training } = builtInRecipe('spiral');
  const anyEnvironment = await builtInEnvironment(environment);
  return seatingOf(
    { training: { ...training, environment, ...(seats === undefined ? {} : { seats }) } },
    anyEnvironment,
    cwd,
    Trust.commandLine,
  );
};

describe('the seats of a training run', () => {
  it('go to the learner, except those with a script', async () => {
    expect((await seating('kuhn-poker')).mine).toEqual(['first', 'second']);
    const { mine, others } = await seating('twenty-questions');
    expect([mine, Object.keys(others)]).toEqual([['guesser'], ['oracle']]);
  });

  it('leave the first seat to the learner if every seat has a script', async () => {
    for (const [environment, seat] of [
      ['service-desk', 'agent'],
      ['privacy-guard', 'defender'],
    ] as const) {
      const { mine, others } = await seating(environment);
      expect(mine).toEqual([seat]);
      expect(Object.hasOwn(others, seat)).toBe(false);
    }
  });

  it('go to the learner, script, random player, or file named in the recipe', async () => {
    writeFileSync(join(cwd, 'bot.mjs'), `export default { name: 'bot', act: () => ({ action: { text: '[bet]' } }) };`);
    expect((await seating('service-desk', { customer: 'learner', agent: 'gold' })).mine).toEqual(['customer']);
    const { mine, others } = await seating('kuhn-poker', { second: './bot.mjs' });
    expect([mine, others['second']?.name]).toEqual([['first'], 'bot']);
  });

  it('use scripts of the environment while the learner is shown how to play', async () => {
    writeFileSync(join(cwd, 'caller.mjs'), `export default { name: 'caller', act: () => ({ action: { text: '[stop]' } }) };`);
    const { others, shown } = await seating('service-desk', { customer: './caller.mjs' });
    expect([others['customer']?.name, shown['customer']?.name]).toEqual(['caller', 'customer']);
    const { shown: alone } = await seating('kuhn-poker', { second: './bot.mjs' });
    expect(alone['second']?.name).toBe('bot');
  });

  it('reject an unknown seat and a setup without a learner', async () => {
    await expect(seating('kuhn-poker', { third: 'random' })).rejects.toThrow('no seat "third"');
    await expect(seating('kuhn-poker', { first: 'random', second: 'random' })).rejects.toThrow(
      'is assigned to another agent. Leave one for the',
    );
  });
});

describe('a best response', () => {
  it('finds nearly the maximum gain against a script, with its certainty', async () => {
    const base = builtInRecipe('best-response');
    const recipe = { ...base, training: { ...base.training, opponents: 'scripted:bold', games: amount(8000, 20_000) } };
    const folder = join(cwd, '.ludus', 'training', 'br');
    const report = await train({ recipe, seed: 5 }, { trust: Trust.commandLine, cwd, folder });
    expect(report?.nothing).toBeNull();
    const { exploitability, interval, exact } = await measureResponse({
      trust: Trust.commandLine,
      run: 'br',
      recipe,
      seed: 5,
      cwd,
      episodes: 2000,
    });
    expect(exact).toBeCloseTo(1 / 3, 12);
    expect(exploitability).toBeGreaterThan(0.28);
    // A lower bound: the trained player wins no more than the best of all players, as far as the games can tell.
    expect(interval[0]).toBeLessThanOrEqual(1 / 3);
  });

  it('uses only complete games, and has no value if the agent always fails', async () => {
    const base = builtInRecipe('best-response');
    const failing = (share: number) => `export default { name: 'failing', act({ ask, rng }) {
      if (rng.next() < ${share}) throw new Error('no answer');
      return { action: { text: ask.choices[0] } };
    } };`;
    const measure = async (share: number) => {
      writeFileSync(join(cwd, `failing-${share}.mjs`), failing(share));
      const recipe = { ...base, training: { ...base.training, opponents: `./failing-${share}.mjs` } };
      return measureResponse({ trust: Trust.commandLine, run: 'br', recipe, seed: 5, cwd, episodes: 40 });
    };
    const { episodes } = await measure(0.3);
    expect(episodes).toBeGreaterThan(0);
    expect(episodes).toBeLessThan(40);
    await expect(measure(1)).rejects.toThrow('All 40 games failed');
  });

  it('gains nothing against an equilibrium', async () => {
    const base = builtInRecipe('best-response');
    const recipe = { ...base, training: { ...base.training, opponents: 'equilibrium', games: 10_000 } };
    await train({ recipe, seed: 6 }, { trust: Trust.commandLine, cwd, folder: join(cwd, '.ludus', 'training', 'none') });
    const { interval, exact } = await measureResponse({ trust: Trust.commandLine, run: 'none', recipe, seed: 6, cwd, episodes: 2000 });
    expect(exact).toBeCloseTo(0, 9);
    expect(interval[0]).toBeLessThanOrEqual(0);
  });
});

it('training with a constant reward reports that nothing was learned', async () => {
  writeFileSync(
    join(cwd, 'flat.mjs'),
    `const end = { state: {}, messages: [], asks: [], rewards: { only: 1 } };
    export default {
      id: 'flat@1', about: { summary: 'Pays the same whatever is answered.', tasks: [{}], turns: 1 }, parameters: {},
      task: () => ({}), seats: () => ['only'],
      start: () => ({ state: {}, messages: [{ to: ['only'], text: 'Choose.' }], asks: [{ seat: 'only', choices: ['[a]', '[b]'] }] }),
      step: () => end, scripts: {},
    };`,
  );
  const base = builtInRecipe('gigpo');
  const recipe = { ...base, training: { ...base.training, environment: './flat.mjs', games: 256 } };
  const report = await train({ recipe, seed: 1 }, { trust: Trust.commandLine, cwd, folder: null });
  expect(report?.nothing).toContain('paid the same');
});

describe('compared recipes', () => {
  const run = (recipe: string, seed: number, end: number): TrainedRun => ({
    recipe,
    seed,
    points: [1, 2].map((games) => ({ games, exploitability: end + 1 / games, legal: 1, returned: null, tokens: 0 })),
    report: {
      exploitability: end,
      legal: 1,
      average: null,
      returned: 0,
      games: 2,
      seconds: 1,
      invalid: 0,
      tokens: 5,
      nothing: null,
      gain: null,
      held: [],
      mechanism: null,
      channels: {},
      acted: {},
    },
  });

  it('are ordered by interquartile mean, with the probability of improvement', () => {
    const runs = [1, 2, 3, 4, 5].flatMap((seed) => [run('bad', seed, 0.4 + seed / 100), run('good', seed, seed / 100)]);
    const [first, second] = standingsOfRecipes(runs);
    expect([first?.recipe, second?.recipe]).toEqual(['good', 'bad']);
    expect(first?.exploitability).toBeCloseTo(0.03, 12);
    expect(first?.improvement['bad']?.value).toBe(1);
    expect(second?.improvement['good']?.value).toBe(0);
    expect(first?.curve.at(-1)?.value).toBeCloseTo(0.53, 12);
    expect(first?.tokens).toBe(25);
  });

  it('have no interval and no probability with fewer than five seeds', () => {
    const runs = [1, 2, 3, 4].flatMap((seed) => [run('bad', seed, 0.4 + seed / 100), run('good', seed, seed / 100)]);
    for (const { interval, improvement, curve } of standingsOfRecipes(runs))
      expect([interval, improvement, curve.filter((point) => point.interval !== null)]).toEqual([null, {}, []]);
  });

  it('end at equal tokens on request, or report that they have too few games', async () => {
    const cwd = folder();
    const words = ['train', 'grpo,dapo', '--tokens', '4000', '--json'];
    const { out } = await ludus(cwd, [...words, '--games', '20480']);
    const matches = JSON.parse(out.trim().split('\n').at(-1)!) as {
      readonly recipe: string;
      readonly tokens: number;
      readonly games: number;
    }[];
    // A run ends at the first of its fifty moments by which it has written so many.
    for (const { tokens, games } of matches) expect([tokens >= 4000, tokens < 5500, games < 4096]).toEqual([true, true, true]);
    expect((await ludus(folder(), [...words, '--games', '512'])).err).toMatch(/wrote \d+ of 4000 tokens in 512 games\. Raise --games/);
    expect((await ludus(folder(), ['train', 'kuhn-rae', '--tokens', '10'])).err).toContain('trains on a game tree, which uses no tokens');
  });
});
