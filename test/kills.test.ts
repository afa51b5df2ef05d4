/** @file A kill of the commands that write in different ways; kills.long.test.ts kills every command that writes 25 times. */

import { it } from 'vitest';
import { killScenario } from './kills.cases.ts';

// Episodes one by one, many rows at once, a file, checkpoints, and a server. The others write in one of these ways.
it.each(['run', 'import', 'export', 'train', 'studio'])('loses, duplicates, and truncates nothing when %s is killed', (name) =>
  killScenario(name, 1),
);
