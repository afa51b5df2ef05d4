import { it } from 'vitest';
import { keepsPromise, promises } from './work.cases.ts';

/** An episode of these takes much longer than one of the others. */
const slow = ['library', 'programs'];

it.each(Object.keys(promises))('%s is solved by its script on every seed, and not by doing nothing', (name) =>
  keepsPromise(name, slow.includes(name) ? 4 : 12),
);
