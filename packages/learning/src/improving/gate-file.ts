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
    errors: required(number(0, 10), 'number of standard errors by which the mean gain must exceed 0'),
    ties: optional(boolean, 'whether to accept ties; requires "errors": 0'),
    protect: optional(
      either<GateRule['protect'] & {}>('task numbers, or "all"', list(whole(0, 1e6)), one('all')),
      'tasks whose score may not drop',
    ),
    drop: optional(number(0, 1), 'how far the score of a protected task may drop'),
    size: optional(whole(1), 'maximum length of all texts in characters'),
    prices: optional(some(costNames, number(0)), 'score to subtract per token, dollar, or second'),
    most: optional(some(costNames, number(0)), 'maximum average cost per episode'),
    frugal: optional(
      object<GateRule['frugal'] & {}>({ of: required(one(...costNames)), margin: required(number(0, 1)) }),
      'also accept edits that reliably save cost and lose at most the margin',
    ),
  },
  { document: true },
);

/** Reads a gate from the content of a file. */
export function readGate(content: string, file: string): GateRule {
  return readAs(gateShape, jsonFrom(content, file), { where: file, called: 'a gate' });
}
