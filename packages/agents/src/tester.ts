/** @file The agent on the seat that runs tests: Python inside the sandbox. The test results are its action, so logs replay without it. */

import { type Agent, Fault } from '@ludus-agents/kernel/internal/core/index';
import { usualPython } from './sandbox/backends.ts';
import { openSandbox } from './sandbox/sandbox.ts';

const pythons = ['python', 'python-wasm'] as const;

/** Answers asks whose data has "files" and the paths of "tests" among them; uses this machine's Python if any, or the one named. */
export function testerAgent(name: string, wanted = ''): Agent {
  const named = pythons.find((python) => python === wanted);
  if (named === undefined && wanted !== '')
    throw new Fault(
      'input',
      `Expected "tester", ${pythons.map((python) => `"tester:${python}"`).join(' or ')}, but got "tester:${wanted}".`,
    );
  return {
    name,
    async act({ ask }, signal) {
      const { files, tests } = (ask.data ?? {}) as { readonly files?: Record<string, string>; readonly tests?: readonly string[] };
      if (files === undefined || tests === undefined)
        throw new Fault('agent', `${name} runs the tests of repositories, which is not what seat "${ask.seat}" does.`);
      const box = await openSandbox({ backend: named ?? (await usualPython()), files, limits: { milliseconds: 10_000 } });
      try {
        const reports = await Promise.all(tests.map((path) => box.test(path, signal)));
        const report = reports.flatMap(({ tests: ran, problem }, i) =>
          problem === null && ran.length > 0 ? ran : [{ name: tests[i]!, ok: false, why: problem?.text ?? 'It has no tests.' }],
        );
        const passed = report.filter(({ ok }) => ok).length;
        return { action: { text: `${passed} of ${report.length} tests pass.`, data: { tests: report } } };
      } finally {
        box.close();
      }
    },
  };
}
