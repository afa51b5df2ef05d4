/** @file How a tool of a built-in domain is written: a name, a line about it, its arguments, and what it does to a draft of the records. */

import type { Json, JsonObject } from '../../../core/index.ts';
import type { DomainDraft } from './draft.ts';

export interface DomainTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly writes: boolean;
  run(draft: DomainDraft, args: JsonObject): Json;
}

/** Arguments are words with their kinds: `name`, `names[]`, `number#`, `objects{}`. A name that ends in "!" writes. */
export function tool<Args>(name: string, description: string, takes: string, run: (draft: DomainDraft, args: Args) => Json): DomainTool {
  const names = takes.split(' ').filter((word) => word !== '');
  const properties = Object.fromEntries(names.map((word) => [word.replace(/\W+$/, ''), typeOf(word)]));
  return {
    ...{ name: name.replace('!', ''), description, writes: name.endsWith('!') },
    parameters: { type: 'object', properties, required: Object.keys(properties) },
    run: (draft, args) => run(draft, args as Args),
  };
}

function typeOf(word: string): JsonObject {
  if (word.endsWith('[]')) return { type: 'array', items: { type: 'string' } };
  if (word.endsWith('{}')) return { type: 'array', items: { type: 'object' } };
  return { type: word.endsWith('#') ? 'number' : 'string' };
}
