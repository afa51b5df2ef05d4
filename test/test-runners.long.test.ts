/** @file The examples of test runners pass in a folder outside the repository: node:test, vitest, and, where they are installed, jest and pytest. */

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const python = process.env['LUDUS_PYTHON'] ?? 'python3';
/** A folder with jest in its node_modules: the repository has no need of it otherwise. */
const jest = process.env['LUDUS_JEST'] ?? '';
const hasPytest = spawnSync(python, ['-c', 'import pytest']).status === 0;
const hasJest = jest !== '' && existsSync(join(jest, 'node_modules', '.bin', 'jest'));
if (!hasJest) console.log('Skipped: jest. LUDUS_JEST names a folder in which it is installed.');
if (!hasPytest) console.log(`Skipped: ${python} has no pytest.`);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ludus-runners-'));
  cpSync(join(root, 'examples', 'test-runners'), folder, { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  const link = (name: string, target: string) => symlinkSync(target, join(folder, 'node_modules', name));
  link('ludus-agents', join(root, 'dist', 'node_modules', 'ludus-agents'));
  link('vitest', join(root, 'node_modules', 'vitest'));
  if (hasJest) link('@jest', join(jest, 'node_modules', '@jest'));
});

const run = (command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } });
  return { status, output: `${stdout}${stderr}` };
};

describe('the same three tests', () => {
  it('pass in node:test', () => {
    const { status, output } = run(process.execPath, ['--test', 'node.test.mjs']);
    expect(status, output).toBe(0);
    expect(output).toMatch(/pass 3/);
  });

  it('pass in vitest', () => {
    const args = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--root', folder, 'vitest.test.mjs'];
    const { status, output } = run(process.execPath, args, { NO_COLOR: '1' });
    expect(status, output).toBe(0);
    expect(output).toMatch(/3 passed/);
  });

  it.skipIf(!hasJest)('pass in jest', () => {
    const args = [
      '--experimental-vm-modules',
      join(jest, 'node_modules', '.bin', 'jest'),
      '--rootDir',
      folder,
      '--testMatch',
      '**/jest.test.mjs',
    ];
    const { status, output } = run(process.execPath, args);
    expect(status, output).toBe(0);
    expect(output).toMatch(/3 passed/);
  });

  it.skipIf(!hasPytest)('pass in pytest', () => {
    const env = {
      PYTHONPATH: join(root, 'python', 'ludus_agents'),
      LUDUS_COMMAND: `${process.execPath} ${join(root, 'packages/ludus-agents/bin/ludus.js')}`,
    };
    const { status, output } = run(python, ['-m', 'pytest', '-q', '-p', 'ludus_agents.pytest_plugin', 'test_bot.py'], env);
    expect(status, output).toBe(0);
    expect(output).toMatch(/2 passed/);
  });
});
