/** @file The names of control judges on a command line. */

import { type Control, controlNames } from './scoring/trust/control-names.ts';

/** Alternative names of control judges: by their fault. */
export const faults: Readonly<Record<string, Control>> = { length: 'longest', position: 'first' };

/** The names of control judges, as they are typed. */
export const controlWords: readonly string[] = [...controlNames, ...Object.keys(faults)].map((name) => `fake:${name}`);
