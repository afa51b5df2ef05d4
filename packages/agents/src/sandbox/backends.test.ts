/** @file Containers and servers: the command line that is built, against a program in docker's place, and the messages over HTTP. */

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, describe, expect, it } from 'vitest';
import type { Tool } from '../tools/tool.ts';
import { openSandbox, type SandboxOptions } from './sandbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'ludus-docker-'));
const servers: Server[] = [];
afterAll(() => {
  rmSync(folder, { recursive: true });
  for (const server of servers) server.closeAllConnections();
});

/** Stands in docker's place: notes what it was asked, knows one image, and runs the entry point here. */
function fakeDocker(): { readonly engine: string; asked(): string[][] } {
  const place = mkdtempSync(join(folder, 'd-'));
  const [engine, log, box] = [join(place, 'docker'), join(place, 'log'), join(place, 'box')] as const;
  mkdirSync(box);
  const program = `#!${process.execPath}
    const { appendFileSync } = require('node:fs');
    const { spawn } = require('node:child_process');
    const args = process.argv.slice(2);
    appendFileSync(${JSON.stringify(log)}, JSON.stringify(args) + '\\n');
    if (args[0] === 'image') process.exit(args[2] === 'missing' ? 1 : 0);
    if (args[0] === 'run') {
      const at = args.indexOf('--entrypoint');
      const inner = args.slice(at + 3).map((one) => (one === '/box' ? ${JSON.stringify(box)} : one));
      const file = args[at + 1] === 'node' ? process.execPath : args[at + 1];
      spawn(file, inner, { stdio: ['inherit', 'inherit', 'ignore'] }).on('exit', (code) => process.exit(code));
    }`;
  writeFileSync(engine, program);
  chmodSync(engine, 0o755);
  return {
    engine,
    asked: () =>
      readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as string[]),
  };
}

const wide = { milliseconds: 60_000, wallMilliseconds: 120_000, megabytes: 100 };
const ask: Tool = { spec: { name: 'ask', description: '', parameters: {} }, call: async () => ({ ok: true, text: 'answered' }) };

describe('container sandbox', () => {
  it.each<[string, SandboxOptions, string, string]>([
    ['Python', { language: 'python' }, 'main.py', 'result = [1, tools.ask()]'],
    ['JavaScript', { language: 'javascript' }, 'main.js', 'export default async () => [1, await tools.ask({})]'],
  ])('runs %s without network, host files, privileges, or excess memory', async (_, options, file, code) => {
    const docker = fakeDocker();
    const box = await openSandbox({
      backend: 'container',
      engine: docker.engine,
      runtime: 'runsc',
      limits: wide,
      tools: [ask],
      files: { [file]: code },
      ...options,
    });
    expect(await box.run(file)).toMatchObject({ ok: true, value: [1, 'answered'], calls: [{ tool: 'ask' }] });
    const run = docker.asked().find(([verb]) => verb === 'run') as string[];
    const given = (flag: string) => run.flatMap((item, i) => (item === flag ? [run[i + 1]] : []));
    expect(given('--network')).toEqual(['none']);
    expect(given('--cap-drop')).toEqual(['ALL']);
    expect(given('--security-opt')).toEqual(['no-new-privileges']);
    expect(given('--runtime')).toEqual(['runsc']);
    expect(given('--user')).toEqual(['65534:65534']);
    expect(given('--pull')).toEqual(['never']);
    expect(given('--memory')).toEqual(given('--memory-swap'));
    expect(given('--volume').every((item) => item?.endsWith(':ro'))).toBe(true);
    expect(given('--ulimit')).toContain('core=0');
    expect(run).toContain('--read-only');
    expect(run).not.toContain('--privileged');
    expect(run.slice(run.indexOf('--entrypoint') + 2)[0]).toMatch(options.language === 'python' ? /^python:/ : /^node:/);
  });

  it('requires an engine and an image', async () => {
    await expect(openSandbox({ backend: 'container', engine: '/no/docker' })).rejects.toThrow(
      'cannot run here: there is no /no/docker here',
    );
    await expect(openSandbox({ backend: 'container', engine: fakeDocker().engine, image: 'missing' })).rejects.toThrow(
      'has no image "missing"',
    );
  });
});

describe('remote sandbox', () => {
  /** Answers each message in turn, and keeps what it was sent. */
  async function serving(answers: readonly (Json | string)[]) {
    const messages: { readonly body: JsonObject; readonly key: unknown }[] = [];
    const server = createServer(async (request, response) => {
      let text = '';
      for await (const piece of request) text += piece;
      messages.push({ body: JSON.parse(text) as JsonObject, key: request.headers['authorization'] });
      const answer = answers[messages.length - 1] ?? null;
      response.writeHead(answer === null ? 500 : 200).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, heard: messages };
  }
  const opened = async (answers: readonly (Json | string)[]) => {
    const { url, heard } = await serving(answers);
    const box = await openSandbox({
      backend: 'remote',
      url,
      headers: { authorization: 'Bearer k' },
      limits: { ...wide, calls: 3 },
      tools: [ask],
      files: { 'main.py': 'x' },
    });
    return { result: await box.run('main.py', 1), heard, box };
  };

  it('sends the job, answers tool calls, and reads the result', async () => {
    const calls = { type: 'calls', token: 't', calls: [{ id: 1, name: 'ask', text: '{}' }] };
    const { result, heard, box } = await opened([
      calls,
      { type: 'end', kind: 'done', text: '[2]', printed: 'p', files: { 'out.txt': 'x', '../out': 'y' } },
    ]);
    expect(result).toMatchObject({ ok: true, value: [2], printed: 'p', calls: [{ tool: 'ask', ok: true, result: 'answered' }] });
    expect(heard[0]).toMatchObject({ key: 'Bearer k', body: { type: 'job', entry: 'main.py', input: 1, files: { 'main.py': 'x' } } });
    expect(heard[1]?.body).toEqual({ type: 'answers', token: 't', answers: [{ id: 1, ok: true, text: '"answered"' }] });
    expect(box.list()).toEqual(['main.py', 'out.txt']);
  });

  it.each<[string, readonly (Json | string)[], string]>([
    ['invalid JSON', ['<html>'], 'engine'],
    ['an error', [], 'engine'],
    ['an unknown end message', [{ type: 'end', kind: 'fine', text: '1' }], 'engine'],
    ['an oversized value', [{ type: 'end', kind: 'done', text: `"${'x'.repeat(30_000)}"` }], 'output'],
    ['an invalid JSON value', [{ type: 'end', kind: 'done', text: '{' }], 'output'],
    ['an endless answer', ['x'.repeat(7_000_000)], 'engine'],
    ['deeply nested JSON', ['['.repeat(100_000)], 'engine'],
    ['calls without a token', [{ type: 'calls', calls: [{}] }], 'engine'],
    [
      'too many calls',
      Array.from({ length: 9 }, () => ({ type: 'calls', token: 't', calls: [{ id: 1, name: 'ask', text: '{}' }] })),
      'calls',
    ],
  ])('rejects %s', async (_, answers, kind) => {
    expect((await opened(answers)).result.problem?.kind).toBe(kind);
  });

  it('requires an address', async () => {
    await expect(openSandbox({ backend: 'remote' })).rejects.toThrow('it needs the address of a sandbox server');
    await expect(openSandbox({ backend: 'remote', url: 'file:///etc/passwd' })).rejects.toThrow('it needs the address');
  });
});
