import { it } from 'vitest';
import { keepsPromise, promises } from './work.cases.ts';

it.each(Object.keys(promises))('%s is solved by its script on all 1,000 seeds, and not by doing nothing', (name) =>
  keepsPromise(name, 1000),
);
