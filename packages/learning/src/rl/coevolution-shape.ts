/** @file The shape of a recipe's coevolution: who proposes tasks, and which side learns. */

import {
  above,
  anything,
  boolean,
  list,
  number,
  object,
  one,
  optional,
  required,
  type ShapeValue,
  whole,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { count, varying } from './recipe-slots.ts';

export const coevolution = object({
  proposer: required(words, 'reward of proposals: a name of "ludus list proposers", or a file'),
  learns: optional(one('both', 'proposer', 'solver', 'in-turn'), 'which side learns'),
  by: optional(words, 'the task proposer instead of a learner: any agent, "frontier", "failures", or "uniform"'),
  told: optional(boolean, 'whether a proposer sees the results of earlier tasks'),
  checks: optional(list(words), 'checks that a task must pass: winnable, program, retrieval, reference:AGENT, committee:A+B'),
  originals: optional(list(anything), 'tasks that the solver is measured on'),
  practice: optional(number(0, 1), 'share of the practice that is in the original tasks'),
  documents: optional(words, 'folder with documents that the tasks are about'),
  variety: optional(number(0, 10), 'weight of entropy in the loss of a writer that learns'),
  rate: optional(above(0, 1e3), 'learning rate of a writer and a judge'),
  period: optional(count, 'in turn: updates before the other side learns'),
  buffer: optional(count, 'size of the buffer of tasks that the solver practices in its turns'),
  labels: optional(one('environment', 'majority'), 'reward source of the solver'),
  one: optional(boolean, 'all roles are one learner'),
  parameters: optional(varying, 'which parameters tasks vary in'),
  tasks: optional(whole(2, 4096), 'maximum number of tasks for measuring the solver'),
});

/** The proposer of tasks, its sources, and when each side learns. */
export type CoevolutionSettings = ShapeValue<typeof coevolution>;
