/** @file Every kind that there is, with all that the parts of Ludus add to them. Whatever looks names up imports it first: commands, entries, servers and threads. */

import './learning-kinds.ts';
import './society-kinds.ts';
import type { Kind } from '../core/kind.ts';
import { allKinds } from '../core/kind-registry.ts';

export { kindOf } from '../core/kind-registry.ts';

/** All of them, in the order in which a user meets them. */
export const kinds: readonly Kind[] = allKinds();
