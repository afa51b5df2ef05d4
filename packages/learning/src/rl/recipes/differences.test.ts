/** @file Every recipe differs from every other in what it does with a batch, or in a figure that a named test asserts; none has neither. */

import { readFileSync } from 'node:fs';
import { canonical, type Json } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import type { Recipe } from '../recipe.ts';
import { goldenFigures, namedFigures } from './figures.cases.ts';
import { goldenPlay, goldenUpdates } from './golden-update.cases.ts';
import { builtInRecipe, recipes } from './index.ts';

/** All that a training goes by, without what is said of it. */
function choices({ name: _, method, source, differs, omits, ...rest }: Recipe): string {
  return canonical(rest as unknown as Json);
}

/** Those without their own figure. */
const bare = (names: readonly string[]) => names.filter((name) => !(name in goldenFigures) && !(name in namedFigures));

describe('recipe differences', () => {
  it('include at least one choice between any two recipes', () => {
    const knownEntries = new Map<string, string>();
    const same = recipes.flatMap((recipe) => {
      const twin = knownEntries.get(choices(recipe));
      knownEntries.set(choices(recipe), recipe.name);
      return twin === undefined ? [] : [`${recipe.name} is ${twin}`];
    });
    expect(same).toEqual([]);
    const [first] = recipes as readonly [Recipe];
    expect(choices({ ...first, name: 'twin', differs: 'in nothing but words' })).toBe(choices(first));
  });

  it('are asserted by a figure for every recipe, and every figure has a recipe', () => {
    const names = recipes.map(({ name }) => name);
    expect(bare(names)).toEqual([]);
    expect(bare([...names, 'newcomer'])).toEqual(['newcomer']);
    expect([...Object.keys(goldenFigures), ...Object.keys(namedFigures)].filter((name) => !names.includes(name))).toEqual([]);
  });

  it('show on the golden batch, except for recipes with a separate test', async () => {
    const done = new Map<string, string[]>();
    // Those whose tasks are not of the golden batch are measured by their named tests alone.
    const measured = recipes.filter(
      ({ curriculum, roles, loss }) =>
        curriculum.kind !== 'opening' && curriculum.kind !== 'teacher' && roles?.kind !== 'set' && loss.kind !== 'mirror',
    );
    for (const recipe of measured) {
      const text = JSON.stringify([await goldenUpdates(recipe), await goldenPlay(recipe)]);
      done.set(text, [...(done.get(text) ?? []), recipe.name]);
    }
    const twins = [...done.values()].filter((names) => names.length > 1);
    // Of any two that do the same, one at least learns elsewhere or from something else, and a named test tells.
    expect(twins.filter((names) => names.filter((name) => !(name in namedFigures)).length > 1)).toEqual([]);
    expect(done.size).toBeGreaterThan(75);
  });

  it.each(Object.entries(namedFigures))('for %s are asserted by a named test', (_, [file, test, control = test]) => {
    const text = readFileSync(new URL(`../../../../../${file}`, import.meta.url), 'utf8');
    for (const words of [test, control]) expect(text).toContain(words);
  });

  it.each(Object.entries(goldenFigures).map(([name, [what]]) => [name, what]))('%s %s', async (name) => {
    const [, measure, wanted, control] = goldenFigures[name]!;
    expect(await measure(builtInRecipe(name))).toEqual(wanted);
    expect(await measure(builtInRecipe(control))).not.toEqual(wanted);
  });
});
