/** @file Repair in Python: a real interpreter on its own seat, and logs that replay without one. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { probeBackend, usualPython } from '@ludus-agents/agents/internal/sandbox/backends';
import { testerAgent } from '@ludus-agents/agents/internal/tester';
import { programs } from '@ludus-agents/environments/internal/programs/programs';
import { decides } from '@ludus-agents/environments/internal/programs/python';
import { type Agent, type EpisodeEvent, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../../src/cli/terminal.cases.ts';

const probe = await probeBackend({ backend: 'python' });
const wasm = await probeBackend({ backend: 'python-wasm' });
if (!probe.ok) console.log(`Tests with a real Python are left out: ${probe.why}`);

const fixer = scripted('fixer', programs.scripts!['fixer']!);
const saying = (text: string): Agent => ({ name: 'says', act: () => ({ action: { text } }) });

async function logOf(cast: Readonly<Record<'fixer' | 'tester', Agent>>, seed = 1): Promise<readonly EpisodeEvent[]> {
  const events: EpisodeEvent[] = [];
  for await (const event of play(programs, cast, { task: { mode: 'python' }, seed })) events.push(event);
  return events;
}

const paid = (events: readonly EpisodeEvent[]) => {
  const end = events.at(-1)!;
  return end.kind === 'end' && end.reason === 'over' ? end.returns['fixer'] : end;
};

describe('repair in Python', () => {
  it('rewards the report of the tester, and asks again for an invalid one', async () => {
    const report = (ok: boolean): Agent => ({
      name: 'reports',
      act: () => ({ action: { text: '', data: { tests: [{ name: 'a.b', ok, why: '' }] } } }),
    });
    expect(paid(await logOf({ fixer: saying('[submit]'), tester: report(true) }))).toBe(1);
    expect(paid(await logOf({ fixer: saying('[submit]'), tester: report(false) }))).toBe(0);
    const refused = await logOf({ fixer: saying('[submit]'), tester: saying('all fine') });
    expect(paid(refused)).toBe(0);
    expect(refused.filter((event) => event.kind === 'reward' && event.penalties?.['tester'] !== undefined)).toHaveLength(2);
  });

  it('matches tests by the end of their names, and requires all of them', () => {
    const test = (name: string, ok: boolean) => ({ name, ok, why: '' });
    const report = [test('test_add.Adds.test_two', true), test('test_add.test_three', false)];
    expect(decides(report, ['tests/test_add.py::Adds::test_two'])).toBe(true);
    expect(decides(report, ['test_two', 'test_three'])).toBe(false);
    expect(decides(report, ['test_four'])).toBe(false);
    expect(decides([], [])).toBe(false);
  });

  it.runIf(probe.ok)('is solved by the script and not by doing nothing, and replays without Python', async () => {
    const tester = testerAgent('tester');
    const mended = await logOf({ fixer, tester }, 3);
    expect(paid(mended)).toBe(1);
    expect(paid(await logOf({ fixer: saying('[submit]'), tester }, 3))).toBe(0);
    // Replay compares every event with the result of the logged actions under the rules.
    expect(() => replay(programs, mended)).not.toThrow();
  });

  it('uses a named Python, or Python in WebAssembly if this machine has none', async ({ skip }) => {
    expect(await usualPython({ python: '/no/such/python' })).toBe('python-wasm');
    expect(() => testerAgent('tester', 'ruby')).toThrow(
      'Expected "tester", "tester:python" or "tester:python-wasm", but got "tester:ruby".',
    );
    skip(!wasm.ok, `the sandbox python-wasm does not run here: ${wasm.why}`);
    const tester = testerAgent('tester', 'python-wasm');
    expect(paid(await logOf({ fixer, tester }, 3))).toBe(1);
    expect(paid(await logOf({ fixer: saying('[submit]'), tester }, 3))).toBe(0);
  });

  it.runIf(probe.ok)('accepts a custom repository from the command line', async () => {
    const cwd = folder();
    const repository = {
      files: { 'add.py': 'def add(a, b):\n    return a - b\n' },
      tests: { 'test_add.py': 'from add import add\n\ndef test_adds():\n    assert add(2, 3) == 5\n' },
      FAIL_TO_PASS: ['test_add.py::test_adds'],
    };
    const moves = ['```add.py\ndef add(a, b):\n    return a + b\n```', '[test]', '[submit]'];
    writeFileSync(
      join(cwd, 'mender.ts'),
      `let n = 0;\nexport default { name: 'mender', act: () => ({ action: { text: ${JSON.stringify(moves)}[n++] } }) };\n`,
    );
    const task = JSON.stringify({ mode: 'python', repository });
    const { code, out, err } = await ludus(cwd, ['play', 'programs', '--fixer', './mender.ts', '--task', task]);
    expect(code, err).toBe(0);
    expect(out).toMatch(/FAIL test_add\.test_adds/);
    expect(out).toMatch(/pass test_add\.test_adds[\s\S]*fixer \+?1/);
  });
});
