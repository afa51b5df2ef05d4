/** @file Defines a tool of a built-in domain: name, description, arguments, and effect on a draft of the records. */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { DomainDraft } from './draft.ts';

export interface DomainTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly writes: boolean;
  /** The owner of a tool: the desk, the customer, or neither, for tools that set up and check a task. */
  readonly of: 'desk' | 'customer' | 'nobody';
  run(draft: DomainDraft, args: JsonObject): Json;
}

const marks = linear(/\W+$/);

/** Arguments are words with their kinds: `name`, `names[]`, `number#`, `yes!`, `object:`, `objects{}`; `?` where it may be left out. A name that ends in "!" writes. */
export function tool<Args>(name: string, description: string, takes: string, run: (draft: DomainDraft, args: Args) => Json): DomainTool {
  const names = takes.split(' ').filter((word) => word !== '');
  const nameOf = (word: string) => word.replace(marks, '');
  const properties = Object.fromEntries(names.map((word) => [nameOf(word), typeOf(word.replace('?', ''))]));
  return {
    ...{ name: name.replace('!', ''), description, writes: name.endsWith('!'), of: 'desk' },
    parameters: { type: 'object', properties, required: names.filter((word) => !word.endsWith('?')).map(nameOf) },
    run: (draft, args) => run(draft, args as Args),
  };
}

function typeOf(word: string): JsonObject {
  if (word.endsWith('[]')) return { type: 'array', items: { type: 'string' } };
  if (word.endsWith('{}')) return { type: 'array', items: { type: 'object' } };
  if (word.endsWith(':')) return { type: 'object' };
  if (word.endsWith('!')) return { type: 'boolean' };
  return { type: word.endsWith('#') ? 'number' : 'string' };
}
