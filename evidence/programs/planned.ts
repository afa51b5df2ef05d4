/**
 * @file A planner that queries a library for a frozen retriever and a frozen writer, at four prices per word. Options: by ("trained":
 * the recipe ai-search-planner, which knows each price; "untold": the same without the price; "question": the question unchanged),
 * games (per training), settings (JSON list of NAME=VALUE), seed. Prints the value of right answers minus the price of the words, averaged over the prices, and the number
 * of training episodes that were charged.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { opponentBy } from '@ludus-agents/learning/internal/training/seat-policies';
import type { ProgramOptions } from '../arms.ts';
import { freshLogs, learned, paidTo } from './_learned.ts';

const prices = [0.005, 0.02, 0.05, 0.15];

export default async function run({ by = 'trained', games = 1600, settings: more = '[]', seed = 1 }: ProgramOptions): Promise<Json> {
  const fronts: Json[] = [];
  const worth: number[] = [];
  let charged = 0;
  for (const price of prices) {
    const weight = by === 'trained' ? -price : 0;
    const settings = [
      `rewards.cost.weight=${weight}`,
      `training.games=${by === 'question' ? 64 : games}`,
      ...(JSON.parse(String(more)) as readonly string[]),
    ];
    const { environment, recipe, policy, acted } = await learned('ai-search-planner', settings, Number(seed));
    if (by === 'trained') charged += Number((acted as { readonly 'scored by cost'?: number })['scored by cost'] ?? 0);
    const questionPolicy = scriptedPolicy('question', ({ ask }) => ({ text: (ask.choices ?? [])[0] }));
    const cast = {
      planner: by === 'question' ? questionPolicy : policy(),
      retriever: opponentBy('retriever', environment),
      writer: opponentBy('writer', environment),
    };
    const logs = await freshLogs(environment, cast, { task: recipe.training.task ?? {}, seed: Number(seed), games: 128 });
    const plans = logs.flatMap((log) =>
      log.flatMap((event) => (event.kind === 'action' && event.seat === 'planner' ? [event.action.text] : [])),
    );
    const right = paidTo(logs, ['planner']);
    const wordCount = meanOrZero(plans.map((text) => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0));
    fronts.push({ price, right, words: wordCount });
    worth.push(right - price * wordCount);
  }
  return { worth: meanOrZero(worth), fronts, charged };
}
