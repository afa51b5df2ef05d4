/** @file Helpers of the tests of the clinic: its tables and scripts, and one consultation. */

import type { Script } from '@ludus-agents/kernel/internal/core/index';
import { clinic } from './clinic.ts';
import type { ClinicTable } from './table.ts';
import { tables } from './tables.ts';

export const { general, support, small, mini } = tables as Record<string, ClinicTable> &
  Record<'general' | 'support' | 'small' | 'mini', ClinicTable>;

export const scripts = clinic.scripts as Readonly<Record<string, Script>>;
