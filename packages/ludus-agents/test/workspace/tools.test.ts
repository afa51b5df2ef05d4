import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { closeTools } from '@ludus-agents/agents/internal/workspace/open-tools';
import { createToolSet } from '@ludus-agents/agents/internal/workspace/tools';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { beforeAll, describe, expect, it } from 'vitest';
import { folder, ludus } from '../../src/cli/terminal.cases.ts';

const here = folder();
const write = (name: string, text: string) => writeFileSync(join(here, name), text);

beforeAll(() => {
  write(
    'adder.mjs',
    `export const adder = {
      by: 1,
      spec: { name: 'add', description: 'adds', parameters: { type: 'object' } },
      async call({ a }) { return { ok: true, text: String(a + this.by) }; },
    };`,
  );
  write('server.json', JSON.stringify({ command: process.execPath, args: ['-e', '0'] }));
  write('unnamed.mjs', 'export const tool = { spec: { name: "two words" }, call() {} };');
  write('none.mjs', 'export const price = 2;');
  write('ludus.config.json', JSON.stringify({ kinds: { tools: { plus: './adder.mjs' }, judges: { strict: './judge.mjs' } } }));
  write(
    'judge.mjs',
    `export const judge = { id: 'mine', async complete(prompt) {
      return { model: 'mine', prompt, text: 'nothing to read', finish: 'stop', usage: { promptTokens: 1, completionTokens: 1 }, cost: 0 };
    } };`,
  );
});

describe('a custom tool', () => {
  it.each(['./adder.mjs', './adder.mjs#adder', 'plus'])('is opened by %s and called', async (name) => {
    for (const source of [Trust.commandLine, Trust.request] as const) {
      const { tools } = await createToolSet(here, source).open(name);
      expect(tools.map(({ spec }) => spec.name)).toEqual(['add']);
      expect(await tools[0]?.call({ a: 4 }, new AbortController().signal)).toEqual({ ok: true, text: '5' });
    }
    await closeTools();
  });

  it.each([
    ['./adder.mjs', Trust.storedData, 'is named by stored data'],
    ['./server.json', Trust.request, 'describes an MCP server, which must be configured by'],
    ['./unnamed.mjs', Trust.commandLine, 'its spec: name must be up to 64 letters, digits, dashes or underscores'],
    ['./none.mjs', Trust.commandLine, 'does not export a tool: expected a tool with spec'],
    ['nothing', Trust.commandLine, 'Unknown toolbox "nothing". Available: sandbox, calculator.'],
  ] as const)('%s named by %s is rejected: %s', async (name, source, sentence) => {
    await expect(createToolSet(here, source).open(name)).rejects.toThrow(sentence);
  });

  it('is available to agents of the folder and listed by kind', async () => {
    expect((await createAgentServices(here, Trust.commandLine).tools?.open('plus'))?.tools).toHaveLength(1);
    const { out } = await ludus(here, ['list', 'tools', '--json']);
    expect(JSON.parse(out)).toEqual([
      { name: 'plus', about: 'your own, in ./adder.mjs' },
      { name: 'sandbox', about: expect.any(String) },
      { name: 'calculator', about: expect.any(String) },
    ]);
    expect((await ludus(here, ['show', 'tool', './adder.mjs'])).code).toBe(0);
  });
});

describe('a custom judge', () => {
  it.each(['./judge.mjs', 'strict'])('is used by %s', async (judge) => {
    const { out } = await ludus(here, ['judge', 'trust', 'coser', '--judge', judge, '--twins', '1', '--json']);
    expect(JSON.parse(out)).toMatchObject({ judge: 'mine', grade: 'C' });
    expect((await ludus(here, ['show', 'judge', judge])).code).toBe(0);
  });
});
