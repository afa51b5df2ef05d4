/** @file Tools from the command line: a plan names them, LUDUS_TOOLS says what they are, roles bound them, and every use is in the log. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolRecord } from '@ludus-agents/agents/internal/tools/tool';
import { afterEach, describe, expect, it } from 'vitest';
import { folder, ludus, type Outcome } from './terminal.cases.ts';

/** A server that counts in its own process: one line in, one line out, as the protocol has it. */
const program = `
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
const inputSchema = fromJsonSchema({ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] });
const server = new McpServer({ name: 'desk', version: '1.0.0' });
for (const name of ['twice', 'other'])
  server.registerTool(name, { description: name, inputSchema }, async ({ a }) => ({ content: [{ type: 'text', text: 2 * a + ' by ' + process.pid }] }));
await server.connect(new StdioServerTransport());
`;
const root = join(import.meta.dirname, '../../../..');
const desk = { command: process.execPath, args: ['--input-type=module', '-e', program], cwd: root, type: 'stdio' };

afterEach(() => {
  delete process.env['LUDUS_TOOLS'];
});

/** A hand of poker with an agent that asks for one tool in every turn, and with such a file of tools. */
async function played(
  line: string,
  wanted: readonly string[],
  file?: unknown,
): Promise<Outcome & { readonly uses: readonly ToolRecord[]; readonly shown: string }> {
  const here = folder();
  if (file !== undefined) {
    process.env['LUDUS_TOOLS'] = join(here, 'tools.json');
    writeFileSync(join(here, 'tools.json'), typeof file === 'string' ? file : JSON.stringify(file));
  }
  const clerk = { name: 'clerk', kind: 'llm', model: `fake/${line}`, tools: wanted, settings: { architecture: 'react', steps: 1 } };
  const plan = { name: 'p', environments: ['kuhn-poker'], seeds: 1, casts: [{ first: clerk, second: 'random' }] };
  writeFileSync(join(here, 'plan.json'), JSON.stringify(plan));
  const outcome = await ludus(here, ['run', 'plan.json', '--yes', '--json']);
  if (outcome.code === 2) return { ...outcome, uses: [], shown: '' };
  const [row] = JSON.parse((await ludus(here, ['list', 'episodes', '--json'])).out) as { id: string }[];
  const visibleOutcome = await ludus(here, ['show', row?.id ?? '']);
  const { out } = await ludus(here, ['show', row?.id ?? '', '--events']);
  const events = out
    .trim()
    .split('\n')
    .map((item) => JSON.parse(item) as { mind?: { uses?: ToolRecord[] } });
  return { ...outcome, uses: events.flatMap(({ mind }) => mind?.uses ?? []), shown: visibleOutcome.out };
}

describe('the tools of a plan', () => {
  it('include the sandbox without any file', async () => {
    const { uses, shown } = await played('Tool: run_code {"code": "return 6 * 7"}', ['sandbox']);
    expect(shown).toContain('│ run_code {"code":"return 6 * 7"} → 42');
    expect(uses[0]).toEqual({ tool: 'run_code', arguments: { code: 'return 6 * 7' }, ok: true, result: '42' });
  });

  it('include MCP servers from a file, limited to their roles, and leave no process behind', async () => {
    const file = { mcpServers: { desk }, roles: { first: ['desk__twice'] } };
    const { uses } = await played('Tool: desk__twice {"a": 21}', ['desk'], file);
    expect(uses[0]).toMatchObject({ tool: 'desk__twice', ok: true, result: expect.stringMatching(/^42 by \d+$/) });
    expect(() => process.kill(Number(uses[0]?.result.slice(6)), 0)).toThrow('ESRCH');
    const kept = await played('Tool: desk__other {"a": 21}', ['desk'], file);
    expect(kept.uses[0]).toMatchObject({ ok: false, result: 'The tool desk__other is not allowed for you; you have desk__twice.' });
  });

  it.each<[string, readonly string[], unknown, string]>([
    ['an unknown toolbox', ['desk'], undefined, 'Unknown toolbox "desk". Available: sandbox, calculator.'],
    ['a file that is not JSON', ['desk'], '{', 'must be JSON, but is not'],
    [
      'an unknown field',
      ['desk'],
      { servers: {} },
      'unknown field "servers" (did you mean "mcpServers"?); it has mcpServers, sandbox, roles.',
    ],
    [
      'a server without a command or URL',
      ['desk'],
      { mcpServers: { desk: {} } },
      'mcpServers.desk must be an object with a "command" or a "url"',
    ],
    [
      'invalid arguments',
      ['desk'],
      { mcpServers: { desk: { command: 'x', args: [1] } } },
      'mcpServers.desk.args[0] must be a string, but got 1.',
    ],
    ['an invalid URL', ['desk'], { mcpServers: { desk: { url: 'x' } } }, 'mcpServers.desk.url must be an address'],
    ['an invalid limit', ['sandbox'], { sandbox: { megabytes: '64' } }, 'sandbox.megabytes must be a positive integer'],
    ['an unknown limit', ['sandbox'], { sandbox: { speed: 1 } }, 'unknown field "sandbox.speed"; '],
    ['invalid roles', ['sandbox'], { roles: { first: 'all' } }, 'roles.first must be a list of strings, but got "all".'],
  ])('are rejected with one sentence before anything is played: %s', async (_, wanted, file, speech) => {
    const { code, err } = await played('[check]', wanted, file);
    expect(err).toContain(speech);
    expect(code).toBe(2);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});
