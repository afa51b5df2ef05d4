/** @file Every bug in the Python programs fails a test, and every program without it passes: by a real interpreter. */

import { expect, it } from 'vitest';
import { probeBackend } from '../../agents/sandbox/backends.ts';
import { openSandbox } from '../../agents/sandbox/sandbox.ts';
import type { Files } from './judging.ts';
import { pythonRepositories } from './python-repositories.ts';

const probe = await probeBackend({ backend: 'python' });

async function passes(files: Files): Promise<boolean> {
  const box = await openSandbox({ backend: 'python', files });
  const { ok } = await box.test();
  box.close();
  return ok;
}

it.runIf(probe.ok).each(pythonRepositories.map((one) => [Object.keys(one.files)[0]!, one] as const))(
  '%s',
  async (_, { files, tests, bugs }) => {
    expect(await passes({ ...files, ...tests })).toBe(true);
    for (const [from, to] of bugs) {
      expect(Object.values(files).join('\n').split(from), from).toHaveLength(2);
      const broken = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replace(from, () => to)]));
      expect(await passes({ ...broken, ...tests }), `${from} → ${to}`).toBe(false);
    }
  },
);
