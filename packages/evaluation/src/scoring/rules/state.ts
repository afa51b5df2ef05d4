/** @file Assertions over the end state, as data: "outcome.database is true". Types count: 2 is not "2". */

import { equal, type Json } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { evidenceOf, type ScoringRule } from '../scorer.ts';
import type { Log, Note } from './log.ts';

interface Assertion {
  readonly at: string;
  readonly is: Json;
}

/** The value at a path of keys and list indices, or undefined. */
export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let here = value;
  for (const key of path) {
    if (Array.isArray(here)) here = here[Number(key)];
    else here = isObject(here) && Object.hasOwn(here, key) ? here[key] : undefined;
  }
  return here;
}

/** 1 if everything in `reference.state` is true in the environment's notes, else 0; `share` is how much of it is. */
export const state: ScoringRule = {
  name: 'state',
  version: 1,
  unit: 'episode',
  scale: [0, 1],
  find({ log, reference }) {
    const listed = reference['state'];
    const assertions = (Array.isArray(listed) ? listed : []).filter(isAssertion);
    if (assertions.length === 0 || log.notes.size === 0) return null;
    const checked = assertions.map((assertion) => ({
      one: assertion,
      holds: equal(valueAt(noteFor(log, assertion)?.value, assertion.at.split('.').slice(1)), assertion.is),
    }));
    const parts: Record<string, number> = { share: checked.filter(({ holds }) => holds).length / checked.length };
    for (const { one, holds } of checked) parts[one.at] = holds ? 1 : 0;
    const evidence = checked.flatMap(({ one, holds }) => {
      const note = noteFor(log, one);
      return note === undefined ? [] : evidenceOf(log, note, { supports: holds, note: `${one.at} is ${JSON.stringify(one.is)}` });
    });
    return { value: checked.every(({ holds }) => holds) ? 1 : 0, parts, evidence };
  },
};

function noteFor(log: Log, { at }: Assertion): Note | undefined {
  return log.notes.get(at.split('.', 1)[0]);
}

function isAssertion(json: Json): json is Json & Assertion {
  return isObject(json) && typeof json['at'] === 'string' && json['is'] !== undefined;
}
