/** @file The version of this Ludus: what was offered by one is played by the same. */

import { readFileSync } from 'node:fs';

export const version: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }
).version;
