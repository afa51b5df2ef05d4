/** @file What agents of this house are handed wherever they are cast: models by name, what was trained here, and tools. */

import type { Hands } from '../agents/index.ts';
import { findAgent } from '../workspace/agents.ts';
import { loadModel } from '../workspace/loaders.ts';
import { readDefaultModel } from '../workspace/models.ts';
import type { Source } from './consent.ts';
import { learnedAgent } from './learned.ts';
import { tools } from './tools.ts';

/** The same for whoever stands in a folder: what was trained there is called local/RUN@best. `source` says who names the agents. */
export function handsIn(cwd: string, source: Source = 'user'): Hands {
  return {
    model: (name) => loadModel(name, cwd, source),
    learned: (name, environment) => learnedAgent(name, environment, cwd),
    tools,
    usualModel: () => readDefaultModel(cwd),
    own: (name) => findAgent(name, cwd, source),
  };
}

export const hands: Hands = handsIn(process.cwd());
