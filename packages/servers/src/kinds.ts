/** @file All kinds, with the entries that each part of Ludus adds. Code that looks up names imports this file first. */

import '@ludus-agents/learning/internal/kinds';
import '@ludus-agents/societies/internal/kinds';
import type { Kind } from '@ludus-agents/kernel/internal/core/kind';
import { allKinds } from '@ludus-agents/kernel/internal/core/kind-registry';

export { kindOf } from '@ludus-agents/kernel/internal/core/kind-registry';

/** Every kind of named object (environments, agents, models, and so on), in the order in which a user meets them. */
export const kinds: readonly Kind[] = allKinds();
