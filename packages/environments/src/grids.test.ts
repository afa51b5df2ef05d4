import { it } from 'vitest';
import { playsSeeds, seededTasks } from './grids.cases.ts';

it.each(Object.keys(seededTasks))('%s plays 20 seeds without an error', (name) => playsSeeds(name, 20));
