/**
 * @file The Python packages pass their tests, among them those of Gymnasium and PettingZoo, against a server of this checkout. LUDUS_PYTHON names a
 * Python with pytest; what else it lacks, its tests skip.
 */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const python = process.env['LUDUS_PYTHON'] ?? 'python3';
const able = spawnSync(python, ['-c', 'import pytest']).status === 0;
if (!able) console.log(`Skipped: ${python} has no pytest.`);

it.skipIf(!able)('the Python package passes its tests', () => {
  const folder = join(root, 'python', 'ludus_agents');
  const env = {
    ...process.env,
    PYTHONPATH: folder,
    LUDUS_COMMAND: `${process.execPath} ${join(root, 'packages/ludus-agents/bin/ludus.js')}`,
  };
  const args = ['-m', 'pytest', '-q', '-ra', '-p', 'ludus_agents.pytest_plugin', 'tests'];
  const { status, stdout } = spawnSync(python, args, { cwd: folder, env, encoding: 'utf8' });
  expect(status, stdout).toBe(0);
  expect(stdout).toMatch(/\d+ passed/);
});
