/** @file The built-in consultation tables by name. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { ClinicTable } from './table.ts';
import { mini, small } from './table.ts';
import { general } from './tables/general.ts';
import { support } from './tables/support.ts';

export const tables: Readonly<Record<string, ClinicTable>> = { general, support, small, mini };

export function tableNamed(name: string): ClinicTable {
  const table = Object.hasOwn(tables, name) ? tables[name] : undefined;
  if (table === undefined) throw new Fault('input', `Unknown table "${name}". Available: ${Object.keys(tables).join(', ')}.`);
  return table;
}
