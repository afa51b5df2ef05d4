/** @file Every bug in the Python programs fails a test, and every program without it passes: by the interpreter of this machine and the one in WebAssembly. */

import { probeBackend } from '@ludus-agents/agents/internal/sandbox/backends';
import { openSandbox } from '@ludus-agents/agents/internal/sandbox/sandbox';
import type { Files } from '@ludus-agents/environments/internal/programs/judging';
import { pythonRepositories } from '@ludus-agents/environments/internal/programs/python-repositories';
import { describe, expect, it } from 'vitest';

const backends = ['python', 'python-wasm'] as const;
const probes = await Promise.all(backends.map((backend) => probeBackend({ backend })));

async function passes(backend: (typeof backends)[number], files: Files): Promise<boolean> {
  const box = await openSandbox({ backend, files });
  const { ok } = await box.test();
  box.close();
  return ok;
}

describe.each(backends.filter((_, i) => probes[i]!.ok))('the Python programs run by %s', (backend) => {
  it.each(pythonRepositories.map((pythonRepository) => [Object.keys(pythonRepository.files)[0]!, pythonRepository] as const))(
    'pass without a bug and fail with each one: %s',
    async (_, { files, tests, bugs }) => {
      expect(await passes(backend, { ...files, ...tests })).toBe(true);
      for (const [from, to] of bugs) {
        expect(Object.values(files).join('\n').split(from), from).toHaveLength(2);
        const broken = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replace(from, () => to)]));
        expect(await passes(backend, { ...broken, ...tests }), `${from} → ${to}`).toBe(false);
      }
    },
  );
});
