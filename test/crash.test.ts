import { it } from 'vitest';
import { survives } from './fixtures/crash.ts';

it('[E50] 5 kills and a resume: every planned episode exactly once, whole, and equal to an undisturbed run', () => survives(5));
