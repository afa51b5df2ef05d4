/** @file "$schema" of a user's files: the path from a folder to the schema in the installed package, for completion in editors. */

import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** The documents that have a schema in schemas/. */
export const schemaNames = ['plan', 'suite', 'agent', 'persona', 'recipe', 'rubric', 'population', 'desk', 'config'] as const;
export type SchemaName = (typeof schemaNames)[number];

/** The "$schema" value for a file in a folder, if the package is installed in it or a parent folder. */
export function schemaLink(name: SchemaName, folder: string): string {
  const home = resolve(folder);
  for (let above = home; ; above = dirname(above)) {
    const file = join(above, 'node_modules', 'ludus-agents', 'schemas', `${name}.json`);
    if (existsSync(file)) return toDotted(relative(home, file));
    if (above === dirname(above)) return `./node_modules/ludus-agents/schemas/${name}.json`;
  }
}

/** A document with its schema as the first field. */
export function withSchema<T extends object>(document: T, name: SchemaName, folder: string): T & { readonly $schema: string } {
  return { $schema: schemaLink(name, folder), ...document };
}

function toDotted(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  return slashed.startsWith('.') ? slashed : `./${slashed}`;
}
