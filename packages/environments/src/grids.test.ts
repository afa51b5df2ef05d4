import { it } from 'vitest';
import { playsSeeds, seededTasks } from './grids.cases.ts';

it.each(Object.keys(seededTasks))('%s is played over 50 seeds without an error', (name) => playsSeeds(name, 50));
