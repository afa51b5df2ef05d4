import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'ludus-setup-'));
afterAll(() => rmSync(folder, { recursive: true }));
// A machine with apt-get and without bubblewrap: nothing else is on its path.
writeFileSync(join(folder, 'apt-get'), '#!/bin/sh\necho "apt-get $*" >&2\n', { mode: 0o755 });

function setUp(env: Readonly<Record<string, string>>): string {
  const script = join(import.meta.dirname, '..', 'scripts', 'bubblewrap.ts');
  return spawnSync(process.execPath, [script], { env: { PATH: folder, ...env }, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' })
    .stderr;
}

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('the setup of the machine for tests', () => {
  it.each([{ CI: '1' }, {}])('names a package before installing it and never prompts without a terminal: %j', (env) => {
    const output = setUp(env);
    const steps = ['About to install the Debian package "bubblewrap"', 'LUDUS_BUBBLEWRAP=skip', 'apt-get -qq'].map((step) =>
      output.indexOf(step),
    );
    expect(steps).not.toContain(-1);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(output).toMatch(/apt-get .* install .*bubblewrap/);
    expect(output).not.toContain('[Y/n]');
  });

  it('is skipped on request', () => {
    expect(setUp({ LUDUS_BUBBLEWRAP: 'skip' })).toBe('');
  });
});
