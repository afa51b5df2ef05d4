/** @file The OpenEnv door under use and abuse: limits, matches, HTTP, clients that flood, stall, vanish or send nonsense. */

import { createAgent } from '@ludus-agents/agents/internal/kinds';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Agent, EpisodeEvent, Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { turns, until } from '../../../../test/fixtures/until.ts';
import { closeTestServers, startTestServer } from '../server.cases.ts';
import { Client, infoOf, postJson } from './routes.cases.ts';

afterEach(async () => {
  vi.useRealTimers();
  await closeTestServers();
});

describe('an OpenEnv session', () => {
  it('gives the same episode for the same seed, with rewards per seat that add up', async () => {
    const { ws, log } = await startTestServer();
    const client = await Client.open(`${ws}/openenv/kuhn-poker/ws`);
    const reset = { seed: 12, seat: 'second', task: { rounds: 4 }, opponents: 'scripted:bold' };
    const once = await client.play(reset);
    const item = await client.episode();
    expect(await client.play(reset)).toEqual(once);
    const another = await client.episode();
    expect(another).not.toBe(item);
    const [first, second] = [await log(item), await log(another)];
    expect(second).toEqual(first);
    const end = first.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>;
    const rewards = once.map(({ reward }) => (reward as number | null) ?? 0);
    expect(rewards.reduce((sum, value) => sum + value, 0)).toBe(end.returns['second']);
    expect(once[0]?.['reward']).toBeNull();
    expect(replay(await builtInEnvironment('kuhn-poker'), first)).toBeNull();
  });

  it('never shows a seat the private data of another', async () => {
    const { ws, log } = await startTestServer();
    const client = await Client.open(`${ws}/openenv/kuhn-poker/ws`);
    for (let seed = 0; seed < 10; seed++) {
      const jsonObjects = await client.play({ seed, task: { rounds: 2 } });
      const events = await log(await client.episode());
      const observations = events.flatMap((event) => (event.kind === 'message' && event.to.includes('first') ? [event.text] : []));
      const visible = jsonObjects.flatMap(({ observation }) =>
        (observation as { messages: { content: string }[] }).messages.map(({ content }) => content),
      );
      expect(visible).toEqual(observations);
      expect(JSON.stringify(jsonObjects.slice(0, -1))).not.toContain('"seed"');
    }
  });

  it('is rejected with an error at capacity, until another session ends', async () => {
    const { ws } = await startTestServer({ openenv: { most: 2 } });
    const [a] = [await Client.open(`${ws}/openenv/tic-tac-toe/ws`), await Client.open(`${ws}/openenv/kuhn-poker/ws`)];
    const refused = await Client.open(`${ws}/openenv/tic-tac-toe/ws`);
    expect(await refused.next()).toEqual({
      type: 'error',
      data: {
        message: 'Server at capacity: 2/2 sessions active. Cannot accept new connections.',
        code: 'CAPACITY_REACHED',
        active_sessions: 2,
        max_sessions: 2,
      },
    });
    expect(await refused.closed).toBe(1000);
    a?.socket.send('{"type": "close"}');
    expect(await a?.closed).toBe(1000);
    // The server may hear of the end a little later than we do.
    for (let type: Json | undefined = 'error'; type === 'error'; ) {
      const again = await Client.open(`${ws}/openenv/tic-tac-toe/ws`);
      ({ type } = await again.ask('reset', {}));
    }
  });

  it('is closed when idle for too long, and its episode is aborted', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const { ws, log } = await startTestServer({ openenv: { idle: 1000 } });
    const [silent, busy] = [await Client.open(`${ws}/openenv/tic-tac-toe/ws`), await Client.open(`${ws}/openenv/tic-tac-toe/ws`)];
    await silent.ask('reset', {});
    const episode = await silent.episode();
    for (let i = 0; i < 3; i++) {
      await busy.ask('state');
      await vi.advanceTimersByTimeAsync(500);
    }
    expect((await silent.next())['data']).toMatchObject({ code: 'SESSION_ERROR' });
    expect(await silent.closed).toBe(1000);
    expect((await busy.ask('state'))['type']).toBe('state');
    expect((await log(episode)).at(-1)).toMatchObject({ reason: 'abort' });
  });

  it('joins others in a match, one seat each, and is notified when one of them leaves', async () => {
    const { ws, log } = await startTestServer();
    const [a, b] = [await Client.open(`${ws}/openenv/tic-tac-toe/ws`), await Client.open(`${ws}/openenv/tic-tac-toe/ws`)];
    const opening = a.ask('reset', { match_id: 'final', seed: 3, seat: 'X', name: 'ann' });
    const waiting = b.ask('reset', { match_id: 'final', seat: 'O', name: 'bob' });
    const first = (await opening)['data'] as JsonObject;
    // O is asked only once X has moved.
    const moved = a.ask('step', { message: '[4]' });
    const second = (await waiting)['data'] as JsonObject;
    const episode = await b.episode();
    expect([infoOf(first).seat, infoOf(second).seat]).toEqual(['X', 'O']);
    expect(JSON.stringify(second)).toContain('X plays [4].');
    const answered = b.ask('step', { message: '[0]' });
    expect(JSON.stringify(await moved)).toContain('O plays [0].');
    a.socket.terminate();
    const last = (await answered)['data'] as JsonObject;
    expect(last).toMatchObject({ done: true, observation: { info: { reason: 'abort' } } });
    expect((await log(episode))[0]).toMatchObject({ cast: { X: 'ann', O: 'bob' } });
  });

  it('answers in order, regardless of request speed and slow opponents', async () => {
    const slow: Agent = { name: 'slow', act: ({ ask }) => turns(30).then(() => ({ action: { text: ask.choices?.[0] ?? '' } })) };
    const agent = async (_: unknown, seat: string, environment: Parameters<typeof createAgent>[2]) =>
      seat === 'second' ? slow : createAgent('random', seat, environment);
    const { ws } = await startTestServer({ episodeHost: { agent } });
    const client = await Client.open(`${ws}/openenv/kuhn-poker/ws`);
    const asked = ['reset', 'step', 'state', 'step', 'nope', 'state'];
    const answers = asked.map((type) =>
      client.ask(type, type === 'reset' ? { seed: 1 } : type === 'step' ? { message: '[bet]' } : undefined),
    );
    expect((await Promise.all(answers)).map(({ type }) => type)).toEqual([
      'observation',
      'observation',
      'state',
      'error',
      'error',
      'state',
    ]);
  });
});

describe('OpenEnv over HTTP', () => {
  it('keeps a named episode and no other', async () => {
    const { url, log } = await startTestServer();
    const at = `${url}/openenv/kuhn-poker`;
    const begun = await postJson(`${at}/reset`, { seed: 3, episode_id: 'mine', task: { rounds: 2 } });
    let jsonObject = begun.body;
    const { episode } = (await (await fetch(`${at}/state?episode_id=mine`)).json()) as { episode: string };
    let steps = 0;
    while (jsonObject['done'] !== true) {
      const [move] = infoOf(jsonObject).choices;
      ({ body: jsonObject } = await postJson(`${at}/step`, {
        action: { message: move as string },
        episode_id: 'mine',
        timeout_s: 5,
        request_id: 'r',
      }));
      steps++;
      if (jsonObject['done'] !== true)
        expect(await (await fetch(`${at}/state?episode_id=mine`)).json()).toMatchObject({ step_count: steps, episode_id: 'mine' });
    }
    expect((await log(episode)).at(-1)).toMatchObject({ reason: 'over' });
    expect((await postJson(`${at}/step`, { action: { message: '[bet]' }, episode_id: 'mine' })).status).toBe(404);
    expect((await fetch(`${at}/state?episode_id=mine`)).status).toBe(404);
    expect(await (await fetch(`${at}/state`)).json()).toMatchObject({ episode_id: null, step_count: 0 });
    const alone = await postJson(`${at}/step`, { action: { message: '[bet]' }, seed: 3 });
    expect(alone.status).toBe(200);
    expect(JSON.stringify(alone.body)).toContain('first bets 1.');
  });

  it('accepts one reset of an episode at a time', async () => {
    const { url } = await startTestServer();
    const at = `${url}/openenv/tic-tac-toe`;
    const waiting = postJson(`${at}/reset`, { episode_id: 'a', match_id: 'm', seat: 'X' });
    // Until the first is being served, others may be served and forgotten: their names are of no episode.
    const refused = await until(
      () => postJson(`${at}/reset`, { episode_id: 'a', task: { k: 99 } }),
      ({ body }) => String(body['detail']).includes('already in progress'),
    );
    expect(refused.status).toBe(400);
    const other = postJson(`${at}/reset`, { episode_id: 'b', match_id: 'm', seat: 'O' });
    expect((await waiting).status).toBe(200);
    expect((await postJson(`${at}/reset`, { episode_id: 'a', task: { k: 99 } })).status).toBe(400);
    expect(await other).toMatchObject({ status: 200, body: { done: true, observation: { info: { reason: 'abort' } } } });
    expect((await postJson(`${at}/reset`, { episode_id: 'a', seed: 1 })).status).toBe(200);
  });

  it('returns the metadata, schema, and health of the environment', async () => {
    const { url } = await startTestServer({ openenv: { environment: 'kuhn-poker' } });
    const get = async (path: string) => (await (await fetch(`${url}${path}`)).json()) as JsonObject;
    for (const base of ['/openenv/kuhn-poker', '']) {
      expect(await get(`${base}/health`)).toEqual({ status: 'healthy' });
      expect(await get(`${base}/metadata`)).toMatchObject({ name: 'kuhn-poker', version: '1' });
      const schema = await get(`${base}/schema`);
      expect(Object.keys(schema)).toEqual(['action', 'observation', 'state']);
      expect(schema['action']).toMatchObject({ required: ['message'], additionalProperties: false });
      const { info, paths } = (await get(`${base}/openapi.json`)) as { info: { version: string }; paths: JsonObject };
      expect(info.version).toMatch(/^1\./);
      expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/reset', '/step', '/state']));
    }
  });

  it('rejects invalid input with its location and the reason', async () => {
    const { url } = await startTestServer({ most: 10_000 });
    const at = `${url}/openenv/kuhn-poker`;
    expect(await postJson(`${at}/reset`, { seed: 'x' })).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'int_type', loc: ['seed'] }] },
    });
    expect(await postJson(`${at}/reset`, '{')).toMatchObject({ status: 422, body: { detail: [{ type: 'json_invalid' }] } });
    expect(await postJson(`${at}/reset`, [])).toMatchObject({ status: 422, body: { detail: [{ type: 'dict_type' }] } });
    expect(await postJson(`${at}/step`, {})).toMatchObject({ status: 422, body: { detail: [{ type: 'missing', loc: ['action'] }] } });
    expect(await postJson(`${at}/step`, { action: {} })).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'missing', loc: ['message'] }] },
    });
    expect(await postJson(`${at}/step`, { action: { message: 'x' }, timeout_s: 0 })).toMatchObject({ status: 422 });
    expect(await postJson(`${at}/reset`, { task: { rounds: -1 } })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('rounds') },
    });
    expect((await postJson(`${at}/reset`, { task: 'x'.repeat(10_000) })).status).toBe(413);
    expect((await postJson(`${url}/openenv/shogi/reset`, {})).status).toBe(404);
    expect((await fetch(`${at}/nothing`)).status).toBe(404);
  });

  it('opens and closes sessions for JSON-RPC and rejects unknown ones', async () => {
    const { url } = await startTestServer({ openenv: { most: 1 } });
    const call = async (method: string, params: Json = {}) =>
      (await postJson(`${url}/openenv/tic-tac-toe/mcp`, { jsonrpc: '2.0', id: 7, method, params })).body as {
        result: { session_id: string; data: { text: string; done: boolean } };
        error: { code: number; message: string };
      };
    const { session_id } = (await call('openenv/session/create')).result;
    expect((await call('openenv/session/create')).error).toMatchObject({ code: -32000, data: { max_sessions: 1 } });
    await call('tools/call', { session_id, name: 'look', arguments: { seed: 1 } });
    const acted = await call('tools/call', { session_id, name: 'act', arguments: { message: '[4]' } });
    expect(acted.result.data.text).toContain('X plays [4].');
    expect((await call('tools/call', { session_id, name: 'rules' })).result.data.text).toContain('Your seat is X');
    expect((await call('tools/call', { session_id: 'no', name: 'look' })).error.message).toBe('Unknown session_id: no');
    expect((await call('tools/call', { session_id })).error.message).toContain("Missing 'name'");
    expect((await call('tools/call', { name: 'rules' })).result.data.text).toContain('tic-tac-toe');
    expect((await call('tools/list', [])).error.message).toBe('Params must be an object');
    expect((await call('openenv/session/close', { session_id })).result).toEqual({ session_id, closed: true });
    expect((await call('openenv/session/close', { session_id })).error.code).toBe(-32602);
  });
});
