import { it } from 'vitest';
import { survives } from './fixtures/crash.ts';

it('[E50] finishes with exactly the episodes of an undisturbed run after 5 kills and a resume', () => survives(5));
