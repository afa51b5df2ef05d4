/**
 * @file Applies an edit made in another program: the difference between two readings of a foreign document, applied to our more detailed
 * document.
 */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { parseWithoutHash } from '../parse.ts';
import type { Persona } from '../persona.ts';
import { sentences } from '../prose.ts';
import { carry } from './carry.ts';
import { distinct } from './pointers.ts';

/**
 * Applies to the persona all additions from `before` to `after`, and all removals. Statements, goals, and secrets are compared by their
 * sentences, so that unchanged ones keep their ids, kinds, and visibility. The result has no hash yet.
 */
export function absorb(persona: Persona, before: Persona, after: Persona): Persona {
  const rest = carry(fields(persona), fields(before), fields(after)) as JsonObject;
  return parseWithoutHash({
    ...rest,
    raw: persona.raw,
    statements: takeItems(persona.statements, before.statements, after.statements),
    goals: takeItems(persona.goals, before.goals, after.goals),
    secrets: takeItems(persona.secrets, before.secrets, after.secrets),
  } as Json);
}

function fields({ statements: _s, goals: _g, secrets: _x, hash: _h, raw: _r, ...rest }: Persona): JsonObject {
  return rest;
}

function takeItems<T extends { readonly id: string; readonly text: string }>(
  ownItems: readonly T[],
  before: readonly T[],
  after: readonly T[],
): readonly T[] {
  const was = new Set(before.map((item) => item.text));
  const is = new Set(after.map((item) => item.text));
  const gone = new Set([...was].filter((text) => !is.has(text)));
  const parts = (item: T) => [item.text, ...sentences(item.text)];
  const lost = ownItems.filter((item) => parts(item).some((part) => gone.has(part)));
  // A sentence whose neighbor in the same statement was removed is added back as its own statement.
  const orphans = new Set(lost.flatMap(parts).filter((part) => is.has(part)));
  const added = after.filter((item) => !was.has(item.text) || orphans.has(item.text));
  return distinct([...ownItems.filter((item) => !lost.includes(item)), ...added]);
}
