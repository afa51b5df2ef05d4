/** @file Curricula inside `ludus train`: teachers by name and by file over the parameters of an environment, compared, resumed and refused. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { loadRecipe } from '@ludus-agents/learning/internal/loaders';
import { train } from '@ludus-agents/learning/internal/training/train';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const home = folder();
const small = ['--games', '512', '--set', 'training.batch=64', '--set', 'curriculum.parameters={"dials":[1,5]}', '--json'];

/** Gives the first task alone, whatever comes: then the learner opens locks of one dial and no other. */
const stubborn = `export default { name: 'stubborn', weights: (tasks) => tasks.map((_, i) => (i === 0 ? 1 : 0)) };\n`;

describe('ludus train --teacher', () => {
  it('compares teachers at equal games on all tasks, including one from a file', async () => {
    writeFileSync(join(home, 'mine.mjs'), stubborn);
    const words = ['train', 'teacher-tabular', '--teacher', 'uniform,./mine.mjs', '--seeds', '5', ...small, '--set', 'curriculum.even=0'];
    const { code, out } = await ludus(home, words);
    expect(code).toBe(0);
    const [best, worst] = JSON.parse(out.trim().split('\n').at(-1)!);
    expect([best.recipe, worst.recipe]).toEqual(['teacher-tabular-uniform', 'teacher-tabular-mine']);
    expect([best.games, best.seeds, worst.games]).toEqual([512, 5, 512]);
    expect(best.interval[0]).toBeGreaterThan(worst.interval[1]);
    // One lock of five, which it opens nearly always; of the others it knows the first dial.
    expect(worst.returned).toBeGreaterThan(1 / 5);
    expect(worst.returned).toBeLessThan(0.42);
  });

  it('reports the gain over all tasks in a regular run', async () => {
    const { out } = await ludus(home, ['train', 'teacher-tabular', '--teacher', 'plr', ...small]);
    expect(JSON.parse(out.trim().split('\n').at(-1)!).gain).toMatchObject({ episodes: 65 });
    expect((await ludus(home, ['report', 'teacher-tabular-plr-1', '-o', 'page.html'])).code).toBe(0);
  });

  it('resumes a stateful teacher with an identical result', async () => {
    const recipe = { ...(await loadRecipe('teacher-tabular', process.cwd(), Trust.commandLine)), name: 'taken' };
    const short = { ...recipe, training: { ...recipe.training, games: 640, batch: 128 } };
    const services = { trust: Trust.commandLine, cwd: home, folder: join(home, 'whole') };
    const whole = await train({ recipe: short, seed: 4 }, services);
    let steps = 0;
    const cut = { trust: Trust.commandLine, cwd: home, folder: join(home, 'cut') };
    expect(await train({ recipe: short, seed: 4 }, { ...cut, stopped: () => steps++ === 2 })).toBeNull();
    const resumed = await train({ recipe: short, seed: 4 }, cut);
    expect(resumed).toMatchObject({ returned: whole!.returned, games: whole!.games });
  });

  it('explains invalid teachers, parameters, and environments', async () => {
    const wrong = async (...words: string[]) => (await ludus(home, ['train', 'teacher-tabular', '--name', 'x', ...words])).err;
    expect(await wrong('--teacher', 'alp-gm')).toMatch(/Unknown teacher "alp-gm".*alp-gmm/);
    expect(await wrong('--set', 'curriculum.parameters=["dial"]')).toMatch(/has no parameter "dial"\. Available: dials/);
    expect(await wrong('--set', 'training.task={"letters":4}', '--set', 'curriculum.parameters=["combination"]')).toMatch(
      /has no range to vary\. Set its bounds, or/,
    );
  });
});
