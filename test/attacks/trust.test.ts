/** @file The table of docs/reference/data-security.md, cell by cell: what a name may reach, by where it comes from, tried at the real entry points. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { AgentSpec, Json } from '@ludus-agents/kernel/internal/core/index';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { serve } from '@ludus-agents/servers/internal/app';
import { enqueuePlan } from '@ludus-agents/servers/internal/fleet/enqueue-plan';
import { mcpRoutes } from '@ludus-agents/servers/internal/mcp/routes';
import { openStudio } from '@ludus-agents/servers/internal/studio/studio.cases';
import { memoryStore, openSharedStore } from '@ludus-agents/store/internal/open-store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openServer } from '../../packages/ludus-agents/src/cli/commands/serve/running-server.ts';
import { ludus } from '../../packages/ludus-agents/src/cli/terminal.cases.ts';
import { processTerminal } from '../../packages/ludus-agents/src/cli/terminal.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'reference', 'data-security.md'), 'utf8');

/** The rows of the table, each by the names of its columns. */
function tableIn(text: string): readonly { readonly origin: string; readonly cells: Readonly<Record<string, string>> }[] {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => line.startsWith('| the name comes from |'));
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [, ...columns] = cellsOf(lines[head]!);
  const rows = lines.slice(
    head + 2,
    lines.findIndex((line, i) => i > head && !line.startsWith('|')),
  );
  return rows.map((line) => {
    const [origin = '', ...cells] = cellsOf(line);
    return { origin, cells: Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? ''])) };
  });
}

type Place = 'inside' | 'outside';

/** An agent that reaches for one thing; `happened` says whether it got it, by what it left behind. */
interface Attempt {
  readonly spec: AgentSpec;
  happened(observation: string): boolean;
}

let base: string;
let cwd: string;
let outside: string;
let server: Server;
let url: string;
const received: string[] = [];
const secret = 'a-secret-of-the-environment';

beforeAll(async () => {
  server = createServer((request, response) => {
    received.push(`${request.url} ${request.headers['x-secret'] ?? ''}`);
    request.resume();
    response.setHeader('content-type', 'application/json').end('{"reply":"Hm."}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env['TRUST_TEST_SECRET'] = secret;
});

afterAll(() => {
  server.close();
  delete process.env['TRUST_TEST_SECRET'];
});

const settings = { LUDUS_HOME: process.env['LUDUS_HOME'], LUDUS_TRUST: process.env['LUDUS_TRUST'] };

beforeEach(() => {
  received.length = 0;
  base = mkdtempSync(join(tmpdir(), 'ludus-trust-'));
  [cwd, outside] = [join(base, 'folder'), join(base, 'outside')];
  for (const folder of [cwd, outside]) mkdirSync(folder);
  process.env['LUDUS_HOME'] = join(base, 'home');
  process.env['LUDUS_TRUST'] = '';
});

afterEach(() => {
  Object.assign(process.env, settings);
  rmSync(base, { recursive: true, force: true });
});

const refused = /ludus config allow/;

const attempts: Readonly<Record<string, (place: Place) => Attempt>> = {
  code(place) {
    const folder = place === 'inside' ? cwd : outside;
    writeFileSync(
      join(folder, 'code.mjs'),
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(join(base, 'ran'))}, '');\nexport default () => ({ name: 'evil', act: async () => ({ action: { text: 'Hm.' } }) });\n`,
    );
    const kind = place === 'inside' ? './code.mjs' : join(outside, 'code.mjs');
    return { spec: { name: 'evil', kind }, happened: () => existsSync(join(base, 'ran')) };
  },
  command() {
    const script = join(outside, 'bot.mjs');
    writeFileSync(script, `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(join(base, 'ran'))}, '');\n`);
    return { spec: { name: 'evil', kind: `cmd:${process.execPath} ${script}` }, happened: () => existsSync(join(base, 'ran')) };
  },
  variable() {
    const headers = { 'x-secret': ['$', '{TRUST_TEST_SECRET}'].join('') };
    const spec = { name: 'evil', kind: 'bot', settings: { url: `${url}/variable`, headers } };
    return { spec, happened: () => received.some((line) => line.includes(secret)) };
  },
  'file outside'() {
    const document = { name: 'evil', kind: 'bot', settings: { url: `${url}/file` } };
    writeFileSync(join(outside, 'agent.json'), JSON.stringify(document));
    return {
      spec: { name: 'evil', kind: join(outside, 'agent.json') },
      happened: () => received.some((line) => line.startsWith('/file')),
    };
  },
  address() {
    const spec = { name: 'evil', kind: 'bot', settings: { url: `${url}/address` } };
    return { spec, happened: () => received.some((line) => line.startsWith('/address')) };
  },
  'model file'(place) {
    const file = join(place === 'inside' ? cwd : outside, 'weights.gguf');
    writeFileSync(file, 'root:x:0:0');
    // The file is not a model, so a permitted reader is told that, and its contents are not revealed.
    const happened = (observation: string) => {
      expect(observation).not.toContain('got "root"');
      return !refused.test(observation) && observation.includes('weights.gguf');
    };
    return { spec: { name: 'evil', kind: `llm:gguf:${place === 'inside' ? './weights.gguf' : file}` }, happened };
  },
};

const planOf = (spec: AgentSpec) => ({
  name: 'evil',
  environments: ['chat'],
  seeds: [1],
  casts: [{ character: spec, user: 'scripted' }],
});
const runCommand = async (args: readonly string[], folder = cwd) => {
  const { out, err } = await ludus(folder, [...args]);
  return `${out}\n${err}`;
};

/** How a name gets in at each entry point; gives all that is told about it afterwards. */
const entries: Readonly<Record<string, (spec: AgentSpec) => Promise<string>>> = {
  async 'command line'(spec) {
    const isWord = Object.keys(spec).length === 2;
    if (!isWord) writeFileSync(join(cwd, 'typed.json'), JSON.stringify(spec));
    return runCommand(['play', 'chat', '--character', isWord ? spec.kind : './typed.json', '--user', 'scripted', '--seed', '1']);
  },
  async 'plan file'(spec) {
    writeFileSync(join(cwd, 'plan.json'), JSON.stringify(planOf(spec)));
    const text = await runCommand(['run', 'plan.json', '--yes']);
    return `${text}${await runCommand(['data', 'export', '-o', '-'])}`;
  },
  async 'trusted configuration'(spec) {
    configure(spec);
    await runCommand(['config', 'allow', cwd]);
    return runCommand(['play', 'chat', '--character', 'evil', '--user', 'scripted', '--seed', '1']);
  },
  async 'untrusted configuration'(spec) {
    configure(spec);
    return runCommand(['play', 'chat', '--character', 'evil', '--user', 'scripted', '--seed', '1']);
  },
  async 'HTTP request'(spec) {
    const store = memoryStore();
    const terminal = { ...processTerminal(), cwd };
    const { episodeHost, agent } = await openServer(undefined, { sessions: 8, idle: 60 }, { store, terminal });
    const serving = await serve({ routes: [mcpRoutes({ episodeHost, store, version: '1', admin: agent, cwd })], noToken: true });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run', arguments: { plan: planOf(spec) } } };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const answer = await fetch(`${serving.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(call) });
    const text = await answer.text();
    const events = await Promise.all((await store.episodes({})).map(({ id }) => store.events(id)));
    await serving.close();
    return `${text}${JSON.stringify(events)}`;
  },
  async job(spec) {
    const file = join(base, 'shared.sqlite');
    const sharedStore = await openSharedStore(file);
    await enqueuePlan(readPlan(planOf(spec) as unknown as Json), {
      sharedStore,
      environment: (name) => resolveEnvironment(name, cwd, Trust.job),
    });
    const text = await runCommand(['fleet', 'worker', '--until-empty', '--store', file]);
    const events = await Promise.all((await sharedStore.store.episodes({})).map(({ id }) => sharedStore.store.events(id)));
    await sharedStore.close();
    return `${text}${JSON.stringify(events)}`;
  },
  async 'imported data'(spec) {
    const elsewhere = join(base, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'plan.json'), JSON.stringify(planOf({ name: 'evil', kind: 'random', texts: { replace: 'me' } })));
    await runCommand(['run', 'plan.json', '--yes'], elsewhere);
    await runCommand(['data', 'export', '-o', 'all.jsonl'], elsewhere);
    const lines = readFileSync(join(elsewhere, 'all.jsonl'), 'utf8').split('\n');
    const changed = lines.map((line) =>
      line.includes('"replace"') ? line.replace(/\{[^{}]*"texts":\{"replace":"me"\}[^{}]*\}/, () => JSON.stringify(spec)) : line,
    );
    expect(changed.join('\n')).toContain(JSON.stringify(spec.kind));
    writeFileSync(join(cwd, 'all.jsonl'), changed.join('\n'));
    const imported = await runCommand(['data', 'import', 'all.jsonl']);
    const [episode = ''] = JSON.parse(await listed()) as readonly string[];
    expect(episode, imported).not.toBe('');
    return runCommand(['fork', episode, '--at', '1']);
  },
};

async function listed(): Promise<string> {
  const { out } = await ludus(cwd, ['list', 'episodes', '--json']);
  return JSON.stringify([...out.matchAll(/"id": ?"([^"]+)"/g)].map(([, id]) => id));
}

function configure(spec: AgentSpec): void {
  const isFile = /^(\.|\/)/.test(spec.kind);
  if (!isFile) writeFileSync(join(cwd, 'named.json'), JSON.stringify(spec));
  writeFileSync(join(cwd, 'ludus.config.json'), JSON.stringify({ kinds: { agents: { evil: isFile ? spec.kind : './named.json' } } }));
}

const table = tableIn(page);

describe('the table in docs/reference/data-security.md', () => {
  it('has a row for every entry point and a column for everything that can be reached', () => {
    expect(table.map(({ origin }) => origin)).toEqual(Object.keys(entries));
    for (const { cells } of table) expect(Object.keys(cells)).toEqual(Object.keys(attempts));
  });
});

describe.each(table)('a name from $origin', ({ origin, cells }) => {
  it.each(Object.entries(cells))('has the documented access to %s: %s', async (reach, right) => {
    const wanted: readonly (readonly [Place, boolean])[] =
      right === 'inside'
        ? [
            ['inside', true],
            ['outside', false],
          ]
        : [['outside', right === 'yes']];
    for (const [place, expected] of wanted) {
      const attempt = attempts[reach]!(place);
      const text = await entries[origin]!(attempt.spec);
      expect(attempt.happened(text), `${place}: ${text.slice(0, 2000)}`).toBe(expected);
      // What is refused is refused by this rule, with the way to allow it, and not for some other reason.
      if (!expected) expect(text).toMatch(refused);
      rmSync(join(base, 'ran'), { force: true });
    }
  });
});

describe('the studio', () => {
  /** Files that leave a trace when they are loaded, each the kind of thing that a launch names. */
  const requests = (file: string) => ({
    'a suite of an evaluation': { what: 'eval', suite: file, agents: ['random'] },
    'an agent of an evaluation': { what: 'eval', suite: 'games-core', agents: [file] },
    'an agent of an arena': { what: 'arena', environments: ['kuhn-poker'], agents: [file, 'random'] },
    'an agent of a plan': { what: 'plan', environments: ['kuhn-poker'], tasks: [{}], agents: [file] },
    'an environment': { what: 'plan', environments: [file], tasks: [{}], agents: ['random'] },
    'a recipe': { what: 'train', recipe: file },
    'an engine': { what: 'improve', recipe: 'instruction-demo', engine: file },
    'the target of an improvement': { what: 'improve', agents: [file], suite: 'games-core', engine: 'gepa' },
    'the suite of an improvement': { what: 'improve', agents: ['scripted'], suite: file, engine: 'gepa' },
    'a population': { what: 'survey', questionnaire: '{}', population: file, agents: ['fake'] },
    'who answers a survey': { what: 'survey', questionnaire: '{}', population: 'customers', agents: [file] },
  });

  it.each(Object.keys(requests('')))('loads no file from outside its folder as %s, not even for a preview', async (what) => {
    const studio = await openStudio({ cwd });
    try {
      const { spec } = attempts['code']!('outside');
      const body = requests(spec.kind)[what as keyof ReturnType<typeof requests>];
      for (const path of ['/api/launch/look', '/api/launch']) {
        const answer = await studio.post(path, body);
        expect([path, answer.status >= 400]).toEqual([path, true]);
      }
      expect(existsSync(join(base, 'ran'))).toBe(false);
    } finally {
      await studio.close();
    }
  });
});
