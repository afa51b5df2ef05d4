/** @file Remote worlds: answers that OpenEnv's own server gave, played back; our own server; and servers that misbehave. */

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAgent } from '@ludus-agents/agents/internal/kinds';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Agent, type EpisodeEvent, equal, type Json, type JsonObject, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play, resume } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { closeTestServers, startTestServer } from '@ludus-agents/servers/internal/server.cases';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';

interface Recording {
  readonly path: string;
  readonly action: JsonObject;
  readonly frames: readonly (readonly [sent: string, received: string])[];
}

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../agents/src/openenv/recorded.json'), 'utf8')) as Recording[];
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  await closeTestServers();
});

/** A server that answers as instructed; `opened` is called with every socket. */
async function server(action: JsonObject | null, opened: (socket: WebSocket) => void): Promise<string> {
  const http = createServer((_, response) => {
    response.statusCode = action === null ? 500 : 200;
    response.end(JSON.stringify({ action }));
  });
  const sockets = new WebSocketServer({ server: http });
  sockets.on('connection', opened);
  servers.push(http);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return `ws://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** Plays a recording back. Seeds are relay's own, so they are taken as they come. */
function playback({ action, frames }: Recording): Promise<string> {
  const plain = (frame: string) => {
    const { type, data } = JSON.parse(frame) as { type: string; data: JsonObject };
    return type === 'reset' ? { type } : { type, data };
  };
  return server(action, (socket) => {
    socket.on('message', (data) => {
      const question = data.toString();
      if (question.includes('"close"')) socket.close();
      else
        socket.send(
          frames.find(([message]) => equal(plain(message) as Json, plain(question) as Json))?.[1] ??
            `{"type":"error","data":{"message":"not recorded: ${question.replaceAll('"', "'")}"}}`,
        );
    });
  });
}

async function relayed(url: string, player: Agent, task: JsonObject = {}): Promise<EpisodeEvent[]> {
  const relay = await builtInEnvironment('relay');
  const events: EpisodeEvent[] = [];
  const world = await createAgent(`openenv:${url}`, 'world', relay);
  for await (const event of play(relay, { world, player }, { seed: 1, task })) events.push(event);
  expect(replay(relay, events)).toBeNull();
  return events;
}

const saying = (...texts: string[]) => {
  let next = 0;
  return scripted('saying', () => ({ text: texts[next++]! }));
};
const toldIn = (events: readonly EpisodeEvent[]) =>
  events.flatMap((event) => (event.kind === 'message' && event.to.includes('player') ? [event.text] : []));
const endOf = (events: readonly EpisodeEvent[]) => events.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>;

describe('a recorded OpenEnv environment', () => {
  it('accepts objects, shows hints, pays rewards, and explains rejected input', async () => {
    const url = await playback(recorded[0]!);
    const events = await relayed(url, saying('no idea', '{"guess": -5}', '{"gues": 1}', 'say {"guess": 1}', '{"guess": 2}'), {
      world: { most: 4 },
    });
    const [first, ...observations] = toldIn(events);
    expect(first).toContain('"guess"');
    expect(first).toContain('Guess a number from 1 to 4.');
    expect(observations).toEqual([
      'Answer with one JSON object.',
      'The environment refused this: below 1 there is nothing',
      'The environment refused this: Invalid message',
      'higher',
      'Right.',
    ]);
    expect(endOf(events)).toMatchObject({ reason: 'over', returns: { player: 0.9 }, penalties: { player: 3 } });
  });

  it('lists its tools and calls them', async () => {
    const url = await playback(recorded[1]!);
    const calls = ['{"tool": "add", "arguments": {"a": 1, "b": 2}}', '{"tool": "fly"}', '{"arguments": {}}'];
    const observations = toldIn(await relayed(url, saying(...calls), { turns: 4 }));
    expect(observations[0]).toContain('- add(a, b): Adds two numbers.');
    expect(observations.slice(1)).toEqual([
      '3',
      "fly failed: Unknown tool: 'fly'",
      'Name a tool: add.',
      'The world has used up its turns.',
    ]);
  });
});

describe('an environment behind a Ludus server', () => {
  it('plays as in this process, many at once, with the same episode per seed', async () => {
    const { ws, store, episodeHost } = await startTestServer();
    const relay = await builtInEnvironment('relay');
    const url = `${ws}/openenv/tic-tac-toe`;
    const random = await createAgent('random', 'player', relay);
    const logs = await Promise.all(Array.from({ length: 10 }, () => relayed(url, random, { world: { opponents: 'scripted:minimax' } })));
    for (const log of logs) expect(log).toEqual(logs[0]);
    await episodeHost.ledger.settle();
    const episodeRecords = await store.episodes({ environment: 'tic-tac-toe@1' });
    expect(episodeRecords).toHaveLength(10);
    expect(episodeRecords.every(({ status, returns }) => status === 'over' && returns?.['X'] === endOf(logs[0]!).returns['player'])).toBe(
      true,
    );
  });

  it('is found by its address with or without a path, a slash, or /ws', async () => {
    const { ws, url } = await startTestServer({ openenv: { environment: 'tic-tac-toe' } });
    const random = await createAgent('random', 'player', await builtInEnvironment('relay'));
    const expected = endOf(await relayed(`${ws}/openenv/tic-tac-toe/ws`, random));
    expect(expected.reason).toBe('over');
    for (const address of [ws, `${ws}/`, `${ws}/ws`, url, `${url}/openenv/tic-tac-toe/`])
      expect(endOf(await relayed(address, random))).toEqual(expected);
  });

  it('resumes a truncated log over a new socket', async () => {
    const { ws } = await startTestServer();
    const relay = await builtInEnvironment('relay');
    const url = `${ws}/openenv/kuhn-poker/ws`;
    const player = await createAgent('random', 'player', relay);
    const task = { world: { task: { rounds: 4 } } };
    const whole = await relayed(url, player, task);
    for (const cut of [4, 9, 14]) {
      const begun = whole.slice(0, cut);
      for await (const event of resume(relay, { world: await createAgent(`openenv:${url}`, 'world', relay), player }, begun))
        begun.push(event);
      expect(begun).toEqual(whole);
    }
  });
});

describe('a failing environment', () => {
  const talk = { properties: { message: { type: 'string' } }, required: ['message'] };
  const opening = '{"type":"observation","data":{"observation":{"text":"hi"},"reward":null,"done":false}}';

  it('ends the episode with a fault that names the cause', async () => {
    const faultOf = async (url: string) => endOf(await relayed(url, saying('hello', 'hello'))).fault;
    expect(await faultOf('ws://127.0.0.1:9')).toMatchObject({
      boundary: 'environment',
      seat: 'world',
      message: expect.stringContaining('cannot be reached'),
    });
    const silent = await server(talk, (socket) => socket.on('message', () => socket.terminate()));
    expect((await faultOf(silent))?.message).toContain('hung up');
    const babbling = await server(talk, (socket) => socket.on('message', () => socket.send('what?')));
    expect((await faultOf(babbling))?.message).toContain('cannot be read');
    const full = await server(talk, (socket) =>
      socket.on('message', () => socket.send('{"type":"error","data":{"message":"Server at capacity: 1/1","code":"CAPACITY_REACHED"}}')),
    );
    expect((await faultOf(full))?.message).toContain('Server at capacity');
    const odd = await server(talk, (socket) => socket.on('message', () => socket.send('{"type":"observation","data":{"observation":5}}')));
    expect((await faultOf(odd))?.message).toContain('asked for an observation');
    const dying = await server(null, (socket) => {
      let requestCount = 0;
      socket.on('message', () => (requestCount++ === 0 ? socket.send(opening) : socket.terminate()));
    });
    expect((await faultOf(dying))?.message).toContain('hung up');
  });

  it('is canceled immediately, even while it is waiting', async () => {
    const url = await server(talk, (socket) => {
      socket.on('message', (data) => data.toString().includes('reset') && socket.send(opening));
    });
    const relay = await builtInEnvironment('relay');
    const stop = new AbortController();
    const world = await createAgent(`openenv:${url}`, 'world', relay);
    let end: EpisodeEvent | undefined;
    for await (const event of play(relay, { world, player: saying('hello') }, { signal: stop.signal })) {
      if (event.kind === 'action' && event.seat === 'player') setImmediate(() => stop.abort());
      end = event;
    }
    expect(end).toMatchObject({ kind: 'end', reason: 'abort' });
  });

  it('is rejected in a seat it cannot take, or without an address', async () => {
    const relay = await builtInEnvironment('relay');
    await expect(createAgent('openenv:ws://x', 'player', relay)).rejects.toThrow('to the seat "world"');
    await expect(createAgent('openenv:ws://x', 'first', await builtInEnvironment('kuhn-poker'))).rejects.toThrow('to the seat "world"');
    for (const url of ['', 'elsewhere', 'ftp://x'])
      expect(endOf(await relayed(url, saying())).fault).toMatchObject({
        message: expect.stringContaining('Use the address of an OpenEnv server, such as'),
      });
    const single = await server(talk, (socket) => {
      socket.on('message', () => socket.send('{"type":"observation","data":{"observation":{"text":"Hello."}}}'));
    });
    const world = await createAgent(`openenv:${single}`, 'world', relay);
    const events: EpisodeEvent[] = [];
    for await (const event of play(relay, { world, a: saying(), b: saying() }, { task: { seats: ['a', 'b'] } })) events.push(event);
    expect(endOf(events).fault?.message).toContain('plays with one seat');
  });

  it('plays several seats over a packet protocol, and resumes after a crash', async () => {
    const frames: JsonObject[] = [];
    const url = await server(talk, (socket) => {
      let total = 0;
      socket.on('message', (raw) => {
        const { type, data } = JSON.parse(raw.toString()) as { type: string; data: JsonObject };
        if (type === 'close') return;
        frames.push({ type, data });
        for (const { message } of Object.values((data['answers'] ?? {}) as Record<string, { message: string }>)) total += Number(message);
        const packet = total >= 6 ? { rewards: { a: total }, over: true } : { messages: [{ to: ['a', 'b'], text: `${total}` }] };
        socket.send(JSON.stringify({ type: 'observation', data: { observation: { packet } } }));
      });
    });
    const relay = await builtInEnvironment('relay');
    const cast = async () => ({ world: await createAgent(`openenv:${url}`, 'world', relay), a: saying('1', '2'), b: saying('2', '3') });
    const events: EpisodeEvent[] = [];
    for await (const event of play(relay, await cast(), { task: { seats: ['a', 'b'] }, seed: 3 })) events.push(event);
    expect(endOf(events)).toMatchObject({ reason: 'over', returns: { a: 8, b: 0 } });
    expect(frames[0]!['data']).toMatchObject({ seats: ['a', 'b'] });
    expect(frames[1]!['data']).toEqual({ answers: { a: { message: '1' }, b: { message: '2' } } });
    const half = events.slice(
      0,
      events.findLastIndex((event) => event.kind === 'message' && event.to.includes('world')),
    );
    const rest: EpisodeEvent[] = [];
    for await (const event of resume(relay, { ...(await cast()), a: saying('2'), b: saying('3') }, half)) rest.push(event);
    expect(endOf(rest)).toEqual(endOf(events));
  });
});
