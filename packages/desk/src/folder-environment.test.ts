/** @file A desk folder as an environment: its cases are the tasks, logs hold the desk, and a clerk who knows the cases solves them. */

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AnyEnvironment, type Json, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { deskEnvironment } from './environment/desk.ts';
import { readDesk } from './environment/document.ts';
import { sampleDesk, sampleInput } from './environment/sample.ts';
import { casesOf, createFolderEnvironment } from './folder-environment.ts';
import './kinds.ts';

async function returnsOf(environment: AnyEnvironment, script: Script, task: Json): Promise<readonly number[]> {
  const cast = { agent: scriptedPolicy('clerk', script), customer: scriptedPolicy('customer', environment.scripts!['customer']!) };
  return (await rollout(environment, cast, { seeds: [11, 12], task })).map((log) => {
    const end = log.at(-1);
    return end?.kind === 'end' ? end.returns['agent']! : Number.NaN;
  });
}

describe('a desk folder as an environment', () => {
  it('is found by its path and plays each case of the folder', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'ludus-desk-'));
    mkdirSync(join(cwd, 'shop'));
    const { tasks, policy, ...rest } = sampleInput;
    writeFileSync(join(cwd, 'shop', 'policy.md'), policy);
    writeFileSync(join(cwd, 'shop', 'desk.json'), JSON.stringify(rest));
    writeFileSync(join(cwd, 'shop', 'tasks.json'), JSON.stringify(tasks.slice(0, 2)));
    const environment = await resolveEnvironment('./shop', cwd, Trust.commandLine);
    expect(casesOf(environment)).toEqual([{ case: 'cancel-pending' }, { case: 'cancel-two' }]);
    expect(casesOf(deskEnvironment)).toBeUndefined();
    // The whole desk is in the task, so that a log replays without the folder.
    const task = environment.task({ case: 'cancel-two' }) as {
      readonly case: { readonly id: string };
      readonly desk: { readonly name: string };
    };
    expect([task.case.id, task.desk.name]).toEqual(['cancel-two', 'spoke-and-chain']);
    expect(environment.id).toBe(deskEnvironment.id);
  });

  it('has a clerk that solves every case, unlike one that does nothing', async () => {
    const environment = createFolderEnvironment(sampleDesk);
    const paid = { gold: 0, 'do-nothing': 0 };
    for (const name of ['gold', 'do-nothing'] as const)
      for (const task of casesOf(environment)!) {
        const returns = await returnsOf(environment, environment.scripts![name]!, task);
        paid[name] += returns.reduce((sum, value) => sum + value, 0) / returns.length;
      }
    expect(paid.gold).toBe(sampleDesk.tasks.length);
    expect(paid['do-nothing']).toBeLessThan(sampleDesk.tasks.length / 2);
  });

  it('has a clerk that asks for confirmation before a tool that needs it', async () => {
    const tools = sampleInput.tools.map((tool) => (tool.name === 'cancel_order' ? { ...tool, confirm: 'order' } : tool));
    const environment = createFolderEnvironment(readDesk({ ...sampleInput, tools } as unknown as Json, 'desk'));
    expect(await returnsOf(environment, environment.scripts!['gold']!, { case: 'cancel-pending' })).toEqual([1, 1]);
  });
});
