/** @file Asks for confirmation before a training that calls models: on a server, or with agents played by models. */

import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { callsModels } from '@ludus-agents/evaluation/internal/suites';
import type { Recipe } from '@ludus-agents/learning/internal/rl/recipe';
import { confirm } from '../../confirm.ts';
import type { Terminal } from '../../terminal.ts';

/** True if no model is called, the options agree, or a person agrees. */
export async function mayCallModels(
  recipes: readonly Pick<Recipe, 'training' | 'coevolution'>[],
  { yes }: { readonly yes?: boolean },
  terminal: Terminal,
): Promise<boolean> {
  if (yes === true) return true;
  const calls = await Promise.all(recipes.map((recipe) => callsModelsIn(recipe, terminal)));
  return !calls.includes(true) || confirm(terminal, 'Models will be called. Start?');
}

async function callsModelsIn({ training, coevolution }: Pick<Recipe, 'training' | 'coevolution'>, terminal: Terminal): Promise<boolean> {
  if (training.server !== undefined) return true;
  const words = [...(training.opponents?.split(',') ?? []), coevolution?.by ?? ''].map((word) => word.trim());
  const agents = [...words, ...Object.values(training.seats ?? {})].filter((agent) => agent !== '');
  const specs = await Promise.all(agents.map((agent) => readSpec(agent, terminal.cwd, terminal.trust)));
  return specs.some(callsModels);
}
