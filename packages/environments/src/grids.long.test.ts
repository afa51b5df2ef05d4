import { it } from 'vitest';
import { playsSeeds, seededTasks } from './grids.cases.ts';

it.each(Object.keys(seededTasks))('%s plays 1,000 seeds without an error', (name) => playsSeeds(name, 1000));
