/** @file Writes schemas/*.json, the JSON Schemas that "$schema" of a user's files names. Run it with "npm run schemas" after a shape has changed. */

import '@ludus-agents/servers/internal/kinds';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemas } from '../packages/ludus-agents/src/schemas.ts';

const folder = join(import.meta.dirname, '..', 'packages', 'ludus-agents', 'schemas');
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(schemas)) writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
