import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

/** A learner of the user’s own: here a table with another optimizer. */
function write(cwd: string): void {
  const learners = join(import.meta.dirname, '../../../../learning/src/learners/index.ts');
  writeFileSync(
    join(cwd, 'mine.mjs'),
    `import { Tabular } from ${JSON.stringify(learners)};\nexport default ({ id }) => new Tabular({ id, optimiser: 'sgd' });\n`,
  );
}

describe('a custom learner from a file', () => {
  it('trains, is saved, and plays', async () => {
    const cwd = folder();
    write(cwd);
    const trained = await ludus(cwd, ['train', 'kuhn-rae', '--learner', './mine.mjs', '--games', '2560', '--name', 'own', '--json']);
    expect(trained.code, trained.err).toBe(0);
    expect(trained.err).toContain('the learner is custom');
    expect(JSON.parse(trained.out.trim().split('\n').at(-1)!)).toMatchObject({ games: 2560 });
    const played = await ludus(cwd, ['play', 'kuhn-poker', '--agents', 'local/own@best,random', '--seed', '3']);
    expect(played.code, played.err).toBe(0);
  });

  it('is found by name, with a suggestion for a typo', async () => {
    const slip = await ludus(folder(), ['train', 'kuhn-rae', '--learner', 'tabel', '--games', '256']);
    expect(slip.code).toBe(2);
    expect(slip.err).toMatch(/Unknown learner "tabel"\. Did you mean "table"\?/);
  });
});
