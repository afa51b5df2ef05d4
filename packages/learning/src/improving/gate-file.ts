/** @file A user's gate as a file: the fields of a rule, like {"errors": 1.645, "protect": [0, 3]}. */

import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import {
  boolean,
  either,
  list,
  number,
  object,
  one,
  optional,
  readAs,
  required,
  type Shape,
  some,
  whole,
} from '@ludus-agents/kernel/internal/core/shape';
import type { GateRule } from '../prompts/gate.ts';
import { costNames } from '../prompts/objectives.ts';

const gateShape: Shape<GateRule> = object<GateRule>(
  {
    errors: required(number(0, 10), 'standard errors that are taken off the mean before it must be above zero'),
    ties: optional(boolean, 'is a child that is just as good accepted? Only where no errors are taken off'),
    protect: optional(
      either<GateRule['protect'] & {}>('numbers of tasks, or "all"', list(whole(0, 1e6)), one('all')),
      'tasks that may not fall',
    ),
    drop: optional(number(0, 1), 'by how much a protected task may fall'),
    size: optional(whole(1), 'most characters of all texts'),
    prices: optional(some(costNames, number(0)), 'what a token, dollar or second of a play costs in score'),
    most: optional(some(costNames, number(0)), 'the most that a play may take on average'),
    frugal: optional(
      object<GateRule['frugal'] & {}>({ of: required(one(...costNames)), margin: required(number(0, 1)) }),
      'accept also what surely saves and loses no more than the margin',
    ),
  },
  { document: true },
);

/** Reads a gate from the content of a file. */
export function readGate(content: string, file: string): GateRule {
  return readAs(gateShape, jsonFrom(content, file), { where: file, called: 'a gate' });
}
