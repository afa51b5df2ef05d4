/** @file A training in one file: a recipe is loaded, one slot is changed, and the policy gets harder to exploit while it plays itself. */

import { loadRecipe } from 'ludus-agents';
import { type Recipe, recipeDefaults, runTraining } from 'ludus-agents/learning';

const recipe = (await loadRecipe('kuhn-tabular')) as Recipe;
const short: Recipe = { ...recipe, name: 'short', training: { ...recipe.training, games: 200_000 } };
const changed = (Object.keys(recipeDefaults) as (keyof typeof recipeDefaults)[]).filter(
  (slot) => JSON.stringify(recipe[slot]) !== JSON.stringify(recipeDefaults[slot]),
);
console.log(`${recipe.method}: differs from the defaults in ${changed.join(', ')}`);

// Without a folder nothing is kept. With one, the same call takes the training up again where it was stopped.
const training = runTraining({ recipe: short, seed: 1 }, { cwd: import.meta.dirname, folder: null });
for (let next = await training.next(); ; next = await training.next()) {
  if (next.done === true) {
    console.log(`in the end a best answer would win ${next.value?.exploitability?.toFixed(3)} chips a hand`);
    break;
  }
  const { update, updates, exploitability } = next.value;
  if (update % (updates / 5) < updates / 50) console.log(`update ${update} of ${updates}: ${exploitability?.toFixed(3)}`);
}
