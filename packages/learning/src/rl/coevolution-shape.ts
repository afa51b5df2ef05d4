/** @file The shape of a recipe's coevolution: who proposes tasks, and which side learns. */

import {
  either,
  list,
  number,
  object,
  one,
  optional,
  record,
  required,
  type Shape,
  whole,
  words,
  yesno,
} from '@ludus-agents/kernel/internal/core/shape';
import type { CoevolutionSettings } from './recipe.ts';

const count = whole(1, 1e7);
const finite = number(-1e9, 1e9);

const varied = either<NonNullable<CoevolutionSettings['knobs']>>(
  'a list of names, or bounds by name',
  list(words),
  record(list(finite, 2)) as unknown as Shape<NonNullable<CoevolutionSettings['knobs']>>,
);

export const coevolution = object<CoevolutionSettings>({
  proposer: required(words, 'how proposals are paid: a name of "ludus list proposers", or a file'),
  learns: optional(one('both', 'proposer', 'solver', 'in-turn'), 'which side learns'),
  by: optional(words, 'who writes the tasks in the place of a learner: any agent, or "frontier"'),
  period: optional(count, 'in turn: updates before the other side learns'),
  buffer: optional(count, 'in the solver’s turns tasks come from the latest so many that taught'),
  labels: optional(one('environment', 'majority'), 'what the solver is paid by'),
  one: optional(yesno, 'all roles are one learner'),
  knobs: optional(varied, 'which knobs tasks vary in'),
  tasks: optional(whole(2, 4096), 'tasks to propose from, at most'),
});
