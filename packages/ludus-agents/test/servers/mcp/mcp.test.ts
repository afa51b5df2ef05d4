/** @file The official MCP client sits down: over HTTP in both eras of the protocol and over standard input and output. */

import { join } from 'node:path';
import { a2aBot } from '@ludus-agents/agents/internal/bot/a2a-bot';
import { readBotSettings } from '@ludus-agents/agents/internal/bot/settings';
import { createAgent, createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { gallery } from '@ludus-agents/agents/internal/personas/index';
import { createTools } from '@ludus-agents/agents/internal/tools/create-tools';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Agent, type EpisodeEvent, type JsonObject, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { a2aRoutes } from '@ludus-agents/servers/internal/a2a/routes';
import { A2aPeers } from '@ludus-agents/servers/internal/mcp/peers';
import { type McpServerOptions, mcpRoutes } from '@ludus-agents/servers/internal/mcp/routes';
import { closeTestServers, startTestServer, type TestServer } from '@ludus-agents/servers/internal/server.cases';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { folder } from '../../../src/cli/terminal.cases.ts';

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await closeTestServers();
});

const eras = { legacy: {}, modern: { versionNegotiation: { mode: 'auto' } } } as const;

async function house(changes: Partial<McpServerOptions> = {}): Promise<TestServer> {
  return startTestServer({ routes: (episodeHost, store) => [mcpRoutes({ episodeHost, store, version: '1.0.0', ...changes })] });
}

async function connect(url: string, era: keyof typeof eras = 'legacy', headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, eras[era]!);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  clients.push(client);
  return client;
}

interface Called {
  readonly isError?: boolean;
  readonly text: string;
  readonly data: { episode: string; done: boolean; choices?: string[]; return: number; reward: number; asked: boolean; seat: string };
}

async function call(client: Client, name: string, jsonObject: JsonObject = {}): Promise<Called> {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: jsonObject as Record<string, unknown> });
  const text = (content as { text: string }[]).map((part) => part.text).join('\n');
  return { ...(isError === true && { isError }), text, data: structuredContent as Called['data'] };
}

/** Plays the last of the listed moves to the end; the episode is named in every call. */
async function finish(client: Client, observation: Called): Promise<{ readonly last: Called; readonly actions: string[] }> {
  const actions: string[] = [];
  let last = observation;
  while (!last.data.done) {
    const message = last.data.choices?.at(-1) ?? 'hello';
    actions.push(message);
    last = await call(client, 'act', { episode: last.data.episode, message });
    expect(last.isError).toBeUndefined();
  }
  return { last, actions };
}

async function inProcess(actions: readonly string[], seed: number): Promise<readonly EpisodeEvent[]> {
  const environment = await builtInEnvironment('kuhn-poker');
  let next = 0;
  const first: Agent = scripted('mcp', () => ({ text: actions[next++]! }));
  const events: EpisodeEvent[] = [];
  for await (const event of play(
    environment,
    { first, second: await createAgent('random', 'second', environment) },
    { seed, task: { rounds: 3 } },
  ))
    events.push(event);
  return events;
}

describe('the official MCP client', () => {
  it.each(['legacy', 'modern'] as const)('plays a game to the end over HTTP in the %s era, as in this process', async (era) => {
    const { url, log } = await house();
    const client = await connect(url, era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['look', 'act', 'rules', 'resign']);
    const observation = await call(client, 'look', { world: 'kuhn-poker', seed: 9, task: { rounds: 3 } });
    expect(observation.text).toContain('Your card is');
    const { last, actions } = await finish(client, observation);
    const events = await log(observation.data.episode);
    expect(events).toEqual(await inProcess(actions, 9));
    const end = events.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>;
    expect(last.data.return).toBe(end.returns['first']);
    expect(last.text).toContain(`You were paid ${end.returns['first']} in all.`);
  });

  it('plays a game to the end over stdio without naming the episode, which is stored', async () => {
    const cwd = folder();
    const main = join(import.meta.dirname, '../../../src/cli/main.ts');
    const start = `import('${main}').then(({ main }) => main(['serve', 'mcp', '--stdio', 'kuhn-poker'])).then((code) => { process.exitCode = code; })`;
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: ['--input-type=module', '-e', start], cwd }));
    clients.push(client);
    const observation = await call(client, 'look', { seed: 9, task: { rounds: 3 } });
    expect((await call(client, 'look')).data.episode).toBe(observation.data.episode);
    expect(await call(client, 'look', { seed: 10 })).toMatchObject({ isError: true, text: expect.stringContaining('is in progress') });
    const actions: string[] = [];
    for (let last = observation; !last.data.done; ) {
      actions.push(last.data.choices?.at(-1) as string);
      last = await call(client, 'act', { message: actions.at(-1) as string });
    }
    const another = await call(client, 'look', { seed: 10 });
    expect(another.data.episode).not.toBe(observation.data.episode);
    expect((await call(client, 'resign')).text).toContain('abort');
    await client.close();
    const store = await openStore(join(cwd, '.ludus', 'ludus.sqlite'));
    expect(await store.events(observation.data.episode)).toEqual(await inProcess(actions, 9));
    expect((await store.episode(another.data.episode))?.status).toBe('abort');
    await store.close();
  });

  it('meets another client in one episode', async () => {
    const { url } = await house({ environment: 'tic-tac-toe' });
    const [ann, bob] = [await connect(url), await connect(url)];
    const opening = call(ann, 'look', { match: 'm', seat: 'X' });
    const waiting = call(bob, 'look', { match: 'm', seat: 'O' });
    const first = await opening;
    const moved = call(ann, 'act', { episode: first.data.episode, message: '[4]' });
    const second = await waiting;
    expect(second.text).toContain('X plays [4].');
    expect(second.data.episode).not.toBe(first.data.episode);
    await call(bob, 'resign', { episode: second.data.episode });
    expect((await moved).data).toMatchObject({ done: true, reason: 'abort' });
  });
});

describe('an MCP response', () => {
  it('explains errors in one sentence', async () => {
    const { url } = await house();
    const client = await connect(url);
    const wrong: readonly [string, JsonObject, string][] = [
      ['look', {}, 'Name the environment to play.'],
      ['look', { episode: 'nope' }, 'Episode "nope" not found'],
      ['look', { world: 'kuhn-poker', seat: 'third' }, 'Available: first, second'],
      ['look', { world: 'kuhn-poker', opponents: 'llm:openai/gpt-5' }, 'Guests may not use'],
      ['look', { world: 'kuhn-poker', opponents: 5 }, 'opponents'],
      ['look', { world: 'shogi' }, 'Input validation error'],
      ['look', { world: 'kuhn-poker', seed: -1 }, 'seed'],
      ['act', { message: '[bet]' }, 'Name the episode'],
      ['act', { episode: 'nope' }, 'message'],
      ['act', { episode: 'nope', message: 5 }, 'message'],
      ['resign', { episode: 'nope' }, 'not found'],
      ['rules', { world: 'shogi' }, 'Input validation error'],
    ];
    for (const [name, jsonObject, sentence] of wrong) {
      const { isError, text } = await call(client, name, jsonObject);
      expect([name, isError]).toEqual([name, true]);
      expect(text).toContain(sentence);
    }
    expect(await call(client, 'run', { plan: {} }).catch((thrown: Error) => thrown.message)).toEqual(expect.stringContaining('run'));
  });

  it('waits only a limited time for a slow opponent', async () => {
    const thinking = Promise.withResolvers<{ action: { text: string } }>();
    const slow: Agent = { name: 'slow', act: () => thinking.promise };
    const { url } = await startTestServer({
      episodeHost: { agent: async () => slow },
      routes: (episodeHost, store) => [mcpRoutes({ episodeHost, store, version: '1', environment: 'kuhn-poker', patience: 40 })],
    });
    const client = await connect(url);
    const { episode } = (await call(client, 'look', { seed: 1 })).data;
    const acted = await call(client, 'act', { episode, message: '[bet]' });
    expect(acted.data).toMatchObject({ asked: false, done: false });
    expect(acted.text).toContain('still thinking');
    expect(await call(client, 'act', { episode, message: '[bet]' })).toMatchObject({ isError: true });
    thinking.resolve({ action: { text: '[fold]' } });
    expect((await call(client, 'look', { episode })).data).toMatchObject({ done: true, return: 1 });
  });

  it('enforces limits, and finished games free capacity', async () => {
    const { url } = await house({ environment: 'kuhn-poker', most: 2 });
    const client = await connect(url);
    const first = await call(client, 'look', { seed: 1 });
    await call(client, 'look', { seed: 2 });
    expect(await call(client, 'look', { seed: 3 })).toMatchObject({ isError: true, text: expect.stringContaining('capacity') });
    await finish(client, first);
    expect((await call(client, 'look', { seed: 3 })).data.asked).toBe(true);
  });

  it('includes transcripts of ended episodes, personas, and rules', async () => {
    const { url, log } = await house();
    const client = await connect(url);
    const observation = await call(client, 'look', { world: 'kuhn-poker', seed: 1 });
    const uri = `ludus://episodes/${observation.data.episode}`;
    await log(observation.data.episode);
    await expect(client.readResource({ uri })).rejects.toThrow('still being played');
    await finish(client, observation);
    await log(observation.data.episode);
    const { contents } = await client.readResource({ uri });
    expect((contents[0] as { text: string }).text).toContain('kuhn-poker@1, seed 1');
    const { resources } = await client.listResources();
    expect(resources.map((resource) => resource.uri)).toEqual(expect.arrayContaining([uri, 'ludus://personas/innkeeper']));
    const persona = (await client.readResource({ uri: 'ludus://personas/innkeeper' })).contents[0] as { text: string };
    expect(JSON.parse(persona.text)).toHaveProperty('name');
    // The mistake is the caller's, not an internal error of the server.
    const notFound = (message: string) => expect.objectContaining({ code: -32_602, message: expect.stringContaining(message) });
    await expect(client.readResource({ uri: 'ludus://personas/nobody' })).rejects.toEqual(notFound('nobody'));
    await expect(client.readResource({ uri: 'ludus://episodes/none' })).rejects.toEqual(notFound('not found'));
    const { messages } = await client.getPrompt({ name: 'rules', arguments: { world: 'leduc' } });
    expect(JSON.stringify(messages)).toContain('leduc');
    expect((await call(client, 'rules', { world: 'dilemma' })).text).toContain('Seats:');
    expect((await call(client, 'rules', { episode: observation.data.episode })).text).toContain('Your seat is first');
  });

  it("includes environments, runs, and scores with the owner's tools", async () => {
    const { url, store } = await house({ admin: createAgent });
    const client = await connect(url, 'modern');
    expect((await call(client, 'list_worlds')).text).toContain('kuhn-poker: ');
    const plan = { name: 'r', environments: ['kuhn-poker'], seeds: 5 };
    expect((await call(client, 'run', { plan })).data).toMatchObject({ run: 'r', planned: 5, played: 5 });
    expect((await call(client, 'run', { plan })).data).toMatchObject({ played: 0, before: 5 });
    expect((await store.statuses('r')).size).toBe(5);
    expect((await call(client, 'score', { run: 'r' })).data).toMatchObject({ run: 'r', scored: 5 });
    expect((await call(client, 'run', { plan: { environments: ['kuhn-poker'], seeds: 'x' } })).text).toContain('seeds');
    expect(await call(client, 'score', { run: 'none' })).toMatchObject({ isError: true, text: expect.stringContaining('not found') });
  });
});

describe('the MCP endpoint', () => {
  it('rejects strangers beyond loopback and pages of other sites', async () => {
    const { url, serving } = await startTestServer({
      host: '0.0.0.0',
      routes: (episodeHost, store) => [mcpRoutes({ episodeHost, store, version: '1', environment: 'kuhn-poker' })],
    });
    await expect(connect(url)).rejects.toThrow();
    const client = await connect(url, 'legacy', { authorization: `Bearer ${serving.token}` });
    expect((await call(client, 'look', { seed: 1 })).data.asked).toBe(true);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', origin: 'https://evil.example' };
    expect((await fetch(`${url}/mcp`, { method: 'POST', body, headers })).status).toBe(403);
  });

  it('answers nonsense with an error and keeps running', async () => {
    const { url } = await house();
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    for (const body of [
      '{',
      '[]',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"act","arguments":[]}}',
    ]) {
      const response = await fetch(`${url}/mcp`, { method: 'POST', body, headers });
      expect(await response.text()).toContain('error');
    }
    expect((await fetch(`${url}/mcp`, { method: 'POST', body: 'x'.repeat(9 * 2 ** 20), headers })).status).toBe(413);
    expect((await call(await connect(url), 'look', { world: 'kuhn-poker' })).data.asked).toBe(true);
  });
});

describe('the toolbox of an agent', () => {
  const add = { name: 'add', code: '(a, b) => a + b', tests: [1, 2, 3].map((n) => ({ args: [n, n], result: 2 * n })) };

  it('is served as tools that run in the sandbox, and nothing else', async () => {
    const { url } = await house({ box: [add, { ...add, name: 'fail', code: '() => { throw new Error("no") }' }] });
    const client = await connect(url);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['add', 'fail']);
    expect(tools[0]?.description).toContain('add(1, 1) is 2');
    expect(await call(client, 'add', { args: [19, 23] })).toMatchObject({ text: '42' });
    expect(await call(client, 'fail', { args: [] })).toMatchObject({ isError: true, text: expect.stringContaining('no') });
  });
});

describe('agents over A2A', () => {
  it('are tools that answer, continue their conversation, and report failures', async () => {
    const opened: string[] = [];
    const link = {
      name: 'shop',
      open: async (session: string) => {
        opened.push(session);
        let turns = 0;
        const send = async (message: string) => {
          turns++;
          if (message === 'break') throw new Error('The shop is closed.');
          return { text: `${turns}: ${message}` };
        };
        return { send, close: async () => undefined };
      },
    };
    const { url } = await house({ peers: new A2aPeers({ shop: link }) });
    const client = await connect(url);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['ask_shop']);
    const first = await call(client, 'ask_shop', { message: 'hello' });
    const { conversation } = first.data as unknown as { conversation: string };
    expect(first.text).toBe(`1: hello\n(conversation: ${conversation})`);
    expect((await call(client, 'ask_shop', { message: 'again', conversation })).text).toMatch(/^2: again\n/);
    expect((await call(client, 'ask_shop', { message: 'hello' })).text).toMatch(/^1: hello\n/);
    expect(await call(client, 'ask_shop', { message: 'break' })).toMatchObject({ isError: true, text: 'The shop is closed.' });
    expect(new Set(opened).size).toBe(3);
  });

  it('are called by the tools of another agent, over both protocols', async () => {
    const inn = await startTestServer({ routes: (episodeHost) => [a2aRoutes({ episodeHost, version: '1.0.0', personas: gallery })] });
    const settings = readBotSettings({ name: 'inn', kind: 'bot', settings: { via: 'a2a', url: `${inn.url}/a2a/innkeeper/` } });
    const { url } = await house({ peers: new A2aPeers({ inn: a2aBot('inn', settings, { env: () => undefined }) }) });
    const tools = createTools({ servers: { friends: { url: `${url}/mcp` } }, roles: { '*': ['friends__*'] } });
    const model = fakeModel({
      answers: (prompt) =>
        JSON.stringify(prompt).includes('an inn at the ferry')
          ? 'Speech: In the Heron.'
          : 'Tool: friends__ask_inn {"message": "Who keeps this inn?"}',
    });
    const environment = await builtInEnvironment('chat');
    const asker = await createAgentLoader({ model: async () => model, tools })(
      { name: 'asker', kind: 'llm', model: 'fake', tools: ['friends'], settings: { architecture: 'react', steps: 1 } },
      'character',
      environment,
    );
    const log: EpisodeEvent[] = [];
    const agents = { character: asker, user: await createAgent('scripted:user', 'user', environment) };
    for await (const event of play(environment, agents, { seed: 1, limits: { turns: 2 } })) log.push(event);
    await tools.close();
    expect(log.flatMap((event) => (event.kind === 'action' ? [event.action.text] : []))).toContain('In the Heron.');
  });
});
