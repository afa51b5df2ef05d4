/** @file Training by rollout as it is wired: leagues, opponents and demonstrations. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { describe, expect, it } from 'vitest';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { opponentBy } from './seat-policies.ts';
import { returnsOf, trainerBy } from './trainer.cases.ts';

const short = (name: string, ...settings: readonly string[]) => override(builtInRecipe(name), settings);

describe('training opponents', () => {
  it('are taken from the recipe, and the learner beats them in both seats', async () => {
    const method = short('spiral', 'training.opponents=random', 'training.games=9600', 'training.rate.from=0.1');
    const { first, last } = await returnsOf(method);
    expect(last).toBeGreaterThan(first + 0.2);
  });

  it('must exist', async () => {
    const kuhn = await builtInEnvironment('kuhn-poker');
    expect(() => opponentBy('nobody', kuhn)).toThrow(/no opponent "nobody".*random, /);
    await expect(trainerBy(short('spiral', 'training.opponents=nobody'))).rejects.toThrow(/Unknown agent.*nobody/i);
  });

  it("report how to name another teacher if the recipe's teacher does not exist", async () => {
    const taught = short('agent-rlvr', 'training.environment=kuhn-poker', 'training.task={}');
    await expect(trainerBy(taught).then((training) => training.run(1))).rejects.toThrow(/Unknown agent "optimal".*guidance\.teachers/);
  });
});

describe('league training', () => {
  const method = short('kuhn-league', 'training.games=25600');

  it('approaches equilibrium and resumes from a checkpoint to an identical end', async () => {
    const whole = await trainerBy(method);
    await whole.run(150);
    const rest = await trainerBy(method);
    await rest.load(JSON.parse(JSON.stringify(await whole.save())));
    await whole.run(whole.updates);
    expect((await whole.measure()).exploitability).toBeLessThan(0.4583 / 2);
    await rest.run(rest.updates);
    const saved = (await whole.save()) as unknown as { league: { standing: { ratings: object; past: string[] }; past: object } };
    expect(await rest.save()).toEqual(saved);
    const { standing, past } = saved.league;
    expect(Object.keys(standing.ratings)).toEqual(expect.arrayContaining(['self', 'random', 'honest', 'step-200']));
    expect(standing.past.length).toBe(8);
    expect(Object.keys(past).sort()).toEqual(standing.past.toSorted());
  });
});

describe('imitation training', () => {
  it('makes the table play like the demonstrating script', async () => {
    const training = await trainerBy(short('imitate', 'training.games=6400', 'training.rate.from=0.3', 'training.rate.to=0.1'));
    await training.run(training.updates);
    // The first of the world's scripts plays an equilibrium, and no reward was ever looked at.
    expect((await training.measure()).exploitability).toBeLessThan(0.1);
  });
});
