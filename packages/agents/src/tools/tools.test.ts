/** @file Tools against real processes: an MCP server over stdio and over HTTP, and the sandbox. Attacks on it are in test/attacks. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, describe, expect, it } from 'vitest';
import { createAgentLoader } from '../kinds.ts';
import { talk } from '../llm/conversation.cases.ts';
import type { Mind } from '../mind/mind.ts';
import { fakeModel } from '../models/fake.ts';
import { createTools } from './create-tools.ts';
import { mcpToolbox } from './mcp.ts';
import { runCode, sandboxTool } from './sandbox.ts';
import { toolset, toolsOfRole } from './tool.ts';

const never = new AbortController().signal;
const program = `
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
const fields = (...names) => fromJsonSchema({ type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'number' }])), required: names });
const server = new McpServer({ name: 'desk', version: '1.0.0' });
server.registerTool('add', { description: 'Adds two numbers.', inputSchema: fields('a', 'b') }, async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
server.registerTool('fail', { description: 'Fails.', inputSchema: fields() }, async () => { throw new Error('no such desk'); });
server.registerTool('environment', { description: 'Lists variables.', inputSchema: fields() }, async () => ({ content: [{ type: 'text', text: Object.keys(process.env).join(' ') }] }));
await server.connect(new StdioServerTransport());
`;
const root = join(import.meta.dirname, '../../../..');
const desk = { command: process.execPath, args: ['--input-type=module', '-e', program], cwd: root, env: { GIVEN: '1' } };
const toolSet = createTools({ servers: { desk }, roles: { clerk: ['desk__add', 'desk__fail', 'run_code'], '*': [] } });
afterAll(() => toolSet.close());

describe('MCP server', () => {
  it('over stdio lists its tools, returns results, and reports failures', async () => {
    const box = await toolSet.open('desk');
    expect(box.tools.map(({ spec }) => spec.name)).toEqual(['desk__add', 'desk__fail', 'desk__environment']);
    expect(box.tools[0]?.spec.parameters).toMatchObject({ type: 'object', required: ['a', 'b'] });
    const clerk = toolset(box.tools, toolsOfRole('clerk', toolSet.roles));
    const use = (name: string, input: Json) => clerk.use({ id: '1', name, arguments: input }, never);
    expect(await use('desk__add', { a: 2, b: 40 })).toEqual({ tool: 'desk__add', arguments: { a: 2, b: 40 }, ok: true, result: '42' });
    expect(await use('desk__fail', {})).toMatchObject({ ok: false, result: 'no such desk' });
    expect(await use('desk__add', { a: 'x' })).toMatchObject({ ok: false });
    expect(await use('desk__environment', {})).toMatchObject({ ok: false, result: expect.stringContaining('is not allowed for you') });
    expect(toolset(box.tools, toolsOfRole('stranger', toolSet.roles)).specs).toEqual([]);
    expect(await toolSet.open('desk')).toBe(box);
  });

  it('receives only the environment variables it is given', async () => {
    process.env['LUDUS_TEST_SECRET'] = 'x';
    const box = await toolSet.open('desk');
    const listed = await box.tools[2]?.call({}, never);
    expect(listed?.text).toContain('GIVEN');
    expect(listed?.text).not.toContain('LUDUS_TEST_SECRET');
  });

  it('over HTTP lists its tools and returns results', async () => {
    const { McpServer, createMcpHandler, fromJsonSchema } = await import('@modelcontextprotocol/server');
    const inputSchema = fromJsonSchema<{ n: number }>({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] });
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'http', version: '1.0.0' });
      server.registerTool('twice', { description: 'Twice.', inputSchema }, async ({ n }) => ({
        content: [{ type: 'text' as const, text: String(2 * n) }],
      }));
      return server;
    });
    const http = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]));
      const body = pieces.length === 0 ? null : Buffer.concat(pieces);
      const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, { method: request.method ?? 'GET', headers, body }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const box = await mcpToolbox('web', { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` });
    expect(await box.tools[0]?.call({ n: 21 }, never)).toEqual({ ok: true, text: '42' });
    await box.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });

  it('reports a readable error when it cannot be opened', async () => {
    await expect(mcpToolbox('none', { command: '/no/such/program' })).rejects.toThrow('The MCP server "none" could not be opened: ');
    await expect(toolSet.open('other')).rejects.toThrow('Unknown toolbox "other". Available: sandbox, calculator, desk.');
  });

  it('is used by an agent, with every use recorded in its mind', async () => {
    const model = fakeModel({ answers: ['Tool: desk__add {"a": 1, "b": 2}', 'Tool: desk__environment {}', 'Speech: three'] });
    const agent = await createAgentLoader({ model: async () => model, tools: toolSet })(
      { name: 'clerk', kind: 'llm', model: 'm', tools: ['desk', 'sandbox'], settings: { architecture: 'react' } },
      'clerk',
      talk(['clerk'], 1),
    );
    const { action, mind } = await agent.act(
      { view: { seat: 'clerk', seen: [{ kind: 'message', to: ['clerk'], text: 'Add.' }] }, ask: { seat: 'clerk' }, rng: rng(1) },
      never,
    );
    expect(action.text).toBe('three');
    expect((mind as unknown as Mind).uses?.map(({ tool, ok, result }) => [tool, ok, result.slice(0, 30)])).toEqual([
      ['desk__add', true, '3'],
      ['desk__environment', false, 'The tool desk__environment is '],
    ]);
  });
});

describe('sandbox tool', () => {
  const limits = { milliseconds: 60_000, megabytes: 48, characters: 2000 };
  const run = (code: string, input: Json = null) => runCode(code, input, limits);

  it('computes, prints, awaits promises, and returns data', async () => {
    expect(await run('console.log("a", {b: 1}); return input.map((n) => n * 2)', [1, 2])).toEqual({
      ok: true,
      value: [2, 4],
      printed: 'a {"b":1}\n',
    });
    expect(await run('const x = await Promise.resolve(5); return {x}')).toMatchObject({ ok: true, value: { x: 5 } });
    expect(await run('')).toMatchObject({ ok: true, value: null });
    expect(await run('throw new Error("oh")')).toMatchObject({ ok: false, problem: 'Error: oh' });
    expect(await run('return (')).toMatchObject({ ok: false });
    expect(await run('await new Promise(() => {})')).toMatchObject({ ok: false, problem: 'The code never finished.' });
  });

  it('limits time, output, and result length', async () => {
    const brief = { ...limits, milliseconds: 200 };
    expect(await runCode('for (;;) {}', null, brief)).toMatchObject({ ok: false, problem: 'The code took too long.' });
    expect(await run('return "x".repeat(5000)')).toMatchObject({ ok: false, problem: 'The result is longer than 2000 characters.' });
    const loud = await run('for (let i = 0; i < 1e5; i++) console.log("noise"); return 1');
    expect(loud).toMatchObject({ ok: false, problem: 'The code gave too much output.' });
    expect(loud.printed).toHaveLength(2000);
    expect(await runCode('x'.repeat(2_000_000))).toMatchObject({ ok: false, problem: expect.stringContaining('1000000 characters') });
  });

  it('stops on an abort signal and works as a tool', async () => {
    const controller = new AbortController();
    const running = runCode('for (;;) {}', null, limits, controller.signal);
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    const tool = sandboxTool(limits);
    expect(await tool.call({ code: 'console.log("p"); return 6 * 7' }, never)).toEqual({ ok: true, text: '42\nprinted:\np\n' });
    expect(await tool.call({}, never)).toMatchObject({ ok: false });
    expect(sandboxTool({ backend: 'python' }).spec.description).toContain('Python');
  });
});
