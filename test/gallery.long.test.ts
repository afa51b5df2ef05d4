/** @file Every project of the gallery runs as its README prints it. `UPDATE_TUTORIALS=1` writes the real output into the READMEs. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPage } from './fixtures/printed-pages.ts';

const projects = join(import.meta.dirname, '..', 'examples', 'projects');
const names = readdirSync(projects, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

describe('the gallery', () => {
  it('has ten projects', () => expect(names).toHaveLength(10));

  it.each(names)('%s runs as printed', async (name) => {
    const options = { files: join(projects, name), byShell: true };
    expect(await checkPage(join(projects, name, 'README.md'), options)).toBeGreaterThan(0);
  });
});
