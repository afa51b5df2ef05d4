/**
 * @file Writes what follows from the code and is not kept in git: the JSON Schemas of files that users write, and the reference pages of the documentation. The build
 * runs it; `npm run generate` runs it alone.
 */

import '@ludus-agents/servers/internal/kinds';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { schemas } from '../packages/ludus-agents/src/schemas.ts';
import { apiDoc, apiEntries } from './api-doc.ts';
import { methodsDoc } from './methods-doc.ts';
import { worldsDoc } from './worlds-doc.ts';

const root = join(import.meta.dirname, '..');
const schemaFolder = join('packages', 'ludus-agents', 'schemas');

// The declarations that the API reference is read from are those of the build while no source is newer, and schemas lie among the sources: they are written last.
write(join('docs', 'api.md'), apiDoc(apiEntries()));
write(join('docs', 'worlds.md'), await worldsDoc());
write(join('docs', 'methods.md'), methodsDoc());
for (const [name, schema] of Object.entries(schemas)) write(join(schemaFolder, `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);

/** Leaves a file alone that has this text already, so that it does not count as changed. */
function write(path: string, text: string): void {
  const file = join(root, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
