/** @file The built-in desks by name, referenced in tasks as {"desk": "pharmacy", "case": "allergy"}. */

import type { DeskDocument } from './document.ts';
import { safetyDesks } from './safety-desks.ts';
import { serviceDeskDocument } from './service-desk/service-desk.ts';

export const builtInDeskNames: readonly string[] = [...Object.keys(safetyDesks), 'service-desk'];

/** A built-in desk with its cases; null if there is no desk of that name. */
export function builtInDesk(name: string): DeskDocument | null {
  if (name === 'service-desk') return serviceDeskDocument();
  return Object.hasOwn(safetyDesks, name) ? safetyDesks[name] : null;
}
