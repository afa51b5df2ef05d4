/** @file `instruction-demo`: better instructions for a codebreaker, without a model or with one. */

import type { AgentSpec, Json } from '@ludus-agents/kernel/internal/core/index';
import type { Proposer } from '../engine.ts';
import { blindLines, learnedLines } from '../proposers/lines.ts';
import { demoLines, reflector, textsWith } from './reflector.ts';

export { lawfulPlayer } from './player.ts';
export { textsWith } from './reflector.ts';
export { bestRules, rules } from './rules.ts';

const turns = 8;

/** Two families of tasks, so that one candidate can be good at either. A malformed answer forfeits immediately. */
const tasks: readonly Json[] = [
  { mode: 'number', top: 64, turns, listed: false, retries: 0 },
  { mode: 'pegs', pegs: 3, colours: 5, turns, listed: false, retries: 0 },
];

export const instructionDemo = {
  name: 'instruction-demo',
  about: 'better instructions for an agent that guesses hidden numbers and rows of colored pegs',
  environment: 'codebreaker',
  seat: 'breaker',
  tasks,
  counts: { propose: 24, select: 24, report: 200 },
  start: { name: 'breaker', kind: 'lawful', texts: textsWith([]) } as AgentSpec,
  proposers: { reflect: reflector, learned: learnedLines(demoLines), blind: blindLines(demoLines) } as Readonly<Record<string, Proposer>>,
};
