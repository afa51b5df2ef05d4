/** @file The whole shipped suite against every bot with a planted fault, as a function, as a process and behind HTTP: the same is found. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { suiteOfDesk } from '@ludus-agents/desk/internal/desks';
import { sampleDesk } from '@ludus-agents/desk/internal/environment/sample';
import { faultsIn } from '@ludus-agents/desk/internal/found-faults';
import { evaluate } from '@ludus-agents/evaluation/internal/evaluate';
import { readScoredRows } from '@ludus-agents/evaluation/internal/score-run';
import type { AgentSpec } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { describe, expect, it } from 'vitest';
import { planted } from '../../../../benchmarks/_faulty-bots.ts';

const root = join(import.meta.dirname, '../../../..');
const bots = join(root, 'benchmarks', '_faulty-bots.ts');
const program = join(root, 'test', 'fixtures', 'shop-bot-process.ts');
const suite = suiteOfDesk(sampleDesk);

async function foundIn(spec: AgentSpec) {
  const store = memoryStore();
  const { run } = await evaluate({ trust: Trust.commandLine, suite, agents: [spec], store, floors: false, concurrency: 8 });
  const [agentFaults] = faultsIn(await readScoredRows(store, { run }), [spec.name]);
  return {
    conversations: agentFaults?.conversations ?? 0,
    faults: (agentFaults?.faults ?? []).filter((faultRate) => faultRate.found).map(({ fault }) => fault),
  };
}

function expectFound(name: string, faults: readonly string[]) {
  if (name === 'clean') expect(faults).toEqual([]);
  else expect(faults).toContain(planted[name]?.fault);
}

describe('the suite with at most 200 conversations', () => {
  it('finds nothing in the correct bot', async () => {
    expect(await foundIn({ name: 'clean', kind: `bot:${bots}#clean` })).toMatchObject({ conversations: 198, faults: [] });
  });

  it.each(Object.entries(planted))('finds the fault of %s in a function', async (name, { fault }) => {
    const { conversations, faults } = await foundIn({ name, kind: `bot:${bots}#${name}` });
    expect(conversations).toBeLessThanOrEqual(200);
    expect(faults).toContain(fault);
  });

  it.each(['clean', ...Object.keys(planted)])('finds the same in %s as a process', async (name) => {
    const settings = { command: [process.execPath, program, name], shared: true };
    const { faults } = await foundIn({ name, kind: 'bot', settings });
    expectFound(name, faults);
  });

  it.each(['clean', ...Object.keys(planted)])('finds the same in %s over HTTP', async (name) => {
    const server = spawn(process.execPath, [program, name, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [port] = (await once(server.stdout, 'data')) as [Buffer];
      const { faults } = await foundIn({ name, kind: `bot:http://127.0.0.1:${String(port).trim()}/chat` });
      expectFound(name, faults);
    } finally {
      server.kill();
    }
  });
});
