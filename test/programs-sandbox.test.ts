/** @file Programs that the interpreter of the environments runs give the same reports in the sandbox, whole and broken. */

import { openSandbox } from '@ludus-agents/agents/internal/sandbox/sandbox';
import { runScriptTests } from '@ludus-agents/environments/internal/interpreter/interpreter';
import { applyChange, changesOf } from '@ludus-agents/environments/internal/programs/mutations';
import { repositories } from '@ludus-agents/environments/internal/programs/repositories';
import { expect, it } from 'vitest';

it('matches the sandbox on every repository, intact and with one change each', async () => {
  const tests: Record<string, string> = {};
  const whole: Record<string, string> = {};
  const broken: Record<string, string> = {};
  for (const repository of repositories) {
    const changes = changesOf(repository.files);
    Object.assign(tests, repository.tests);
    Object.assign(whole, repository.files);
    Object.assign(broken, applyChange(repository.files, changes[Math.floor(changes.length / 2)]!));
  }
  const plain = (report: readonly { readonly name: string; readonly ok: boolean }[]) =>
    report.map(({ name, ok }) => `${name} ${ok}`).sort();
  for (const files of [whole, broken]) {
    const box = await openSandbox({ files: { ...files, ...tests } });
    const { tests: report } = await box.test('**/*.test.*');
    box.close();
    const ours = runScriptTests({ ...files, ...tests }, Object.keys(tests)).tests;
    expect(plain(report)).toEqual(plain(ours));
    expect(report.every(({ ok }) => ok)).toBe(files === whole);
  }
});
