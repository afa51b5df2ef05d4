/** @file What agents of this house are handed wherever they are cast: models by name, what was trained here, and tools. */

import type { Hands } from '../agents/index.ts';
import { modelOf } from '../models/index.ts';
import { isLearned, learnedAgent, learnedModel } from './learned.ts';
import { tools } from './tools.ts';

/** The same for whoever stands in a folder: what was trained there is called local/RUN@best. */
export function handsIn(cwd: string): Hands {
  return {
    model: (name) => (isLearned(name) ? learnedModel(name, cwd) : modelOf(name)),
    learned: (name, environment) => learnedAgent(name, environment, cwd),
    tools,
  };
}

export const hands: Hands = handsIn(process.cwd());
