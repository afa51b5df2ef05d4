/** @file Writes schemas/*.json, the JSON Schemas that "$schema" of a user's files names. Run it with "npm run schemas" after a shape has changed. */

import '../src/workspace/all-kinds.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemas } from '../src/workspace/schemas.ts';

const folder = join(import.meta.dirname, '..', 'schemas');
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(schemas)) writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
