/** @file The shape of a recipe's rounds: how long they are, and which successes they keep. */

import { boolean, list, number, object, optional, required, type Shape, whole } from '@ludus-agents/kernel/internal/core/shape';
import type { Rounds } from './recipe.ts';

const share = number(0, 1);

export const rounds = object<Rounds>({
  updates: required(whole(1, 1e7), 'updates of a round'),
  least: required(number(-1e9, 1e9), 'the return that an episode needs to be used'),
  restart: required(boolean, 'whether each round starts from the initial weights'),
  band: optional(list(share, 2) as Shape<NonNullable<Rounds['band']>>, 'quantiles of log-perplexity between which rows are used'),
});
