import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createAgent } from '@ludus-agents/agents/internal/kinds';
import type { Agent } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { turns, until } from '../../../../test/fixtures/until.ts';
import { closeTestServers, startTestServer } from '../server.cases.ts';
import { Client, postJson } from './routes.cases.ts';

afterEach(async () => {
  vi.useRealTimers();
  await closeTestServers();
});

describe('a misbehaving client', () => {
  it('has its opponent canceled if it leaves in the middle of a step', async () => {
    let signal: AbortSignal | undefined;
    const thinking: Agent = {
      name: 'thinking',
      act(_, abortSignal) {
        signal = abortSignal;
        return new Promise(() => undefined);
      },
    };
    const agent = async (wanted: unknown, seat: string, environment: Parameters<typeof createAgent>[2]) =>
      wanted === 'scripted:bold' ? thinking : createAgent('random', seat, environment);
    const { ws, log } = await startTestServer({ episodeHost: { agent } });
    const [other, leaving] = [await Client.open(`${ws}/openenv/kuhn-poker/ws`), await Client.open(`${ws}/openenv/kuhn-poker/ws`)];
    await leaving.ask('reset', { opponents: 'scripted:bold' });
    const episode = await leaving.episode();
    leaving.socket.send('{"type": "step", "data": {"message": "[bet]"}}');
    await until(() => signal !== undefined);
    leaving.socket.terminate();
    await until(() => signal?.aborted === true);
    expect((await log(episode)).at(-1)).toMatchObject({ reason: 'abort' });
    expect((await other.play({ seed: 1 })).at(-1)).toMatchObject({ done: true });
  });

  it('affects no other session with nonsense, raw bytes, or oversized messages', async () => {
    const { ws } = await startTestServer({ most: 50_000 });
    const other = await Client.open(`${ws}/openenv/kuhn-poker/ws`);
    const client = await Client.open(`${ws}/openenv/kuhn-poker/ws`);
    client.socket.send(Buffer.from([0xff, 0x00, 0x80]));
    expect((await client.next())['data']).toMatchObject({ code: 'INVALID_JSON' });
    expect((await client.ask('reset', { task: { rounds: 2 } }))['type']).toBe('observation');
    client.socket.send(`{"type":"step","data":{"message":"${'x'.repeat(50_000)}"}}`);
    expect(await client.closed).toBe(1009);
    for (const path of ['/openenv/shogi/ws', '/openenv/ws', '/openenv/kuhn-poker/nothing', '/openenv/%00/ws'])
      await expect(Client.open(`${ws}${path}`)).rejects.toThrow('404');
    expect((await other.play({ seed: 1 })).at(-1)).toMatchObject({ done: true });
  });

  it('is no longer read if it sends without reading, and other clients are served', async () => {
    const { ws } = await startTestServer();
    const greedy = await Client.open(`${ws}/openenv/tic-tac-toe/ws`);
    await greedy.ask('reset', {});
    greedy.socket.pause();
    // Twenty megabytes of questions whose answers are ten times as long.
    const question = `{"type":"mcp","data":{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":"${'x'.repeat(1000)}"}}}`;
    for (let i = 0; i < 20_000; i++) greedy.socket.send(question);
    const other = await Client.open(`${ws}/openenv/kuhn-poker/ws`);
    for (let seed = 0; seed < 20; seed++) expect((await other.play({ seed })).at(-1)).toMatchObject({ done: true });
    greedy.socket.terminate();
  });

  it('leaves no running episode after disconnecting by the hundred', async () => {
    const house = await startTestServer({ openenv: { most: 64 } });
    const other = await Client.open(`${house.ws}/openenv/kuhn-poker/ws`);
    await other.ask('reset', { seed: 1, task: { rounds: 3 } });
    let refused = 0;
    for (let wave = 0; wave < 4; wave++) {
      const clients = await Promise.all(Array.from({ length: 100 }, () => Client.open(`${house.ws}/openenv/tic-tac-toe/ws`)));
      const answers = await Promise.all(clients.map((client) => Promise.race([client.ask('reset', {}), client.closed.then(() => null)])));
      refused += answers.filter((answer) => answer === null || answer['type'] === 'error').length;
      for (const [i, { socket }] of clients.entries()) {
        if (i % 3 === 0) socket.send('{"type": "step", "data": {"message": "[4]"}}');
        if (i % 2 === 0) socket.terminate();
        else socket.close();
      }
      await Promise.all(clients.map(({ closed }) => closed));
    }
    // Sixty-three of each hundred found a place.
    expect(refused).toBe(4 * 37);
    expect((await other.ask('step', { message: '[bet]' }))['type']).toBe('observation');
    const statuses = await until(
      async () => {
        await house.episodeHost.ledger.settle();
        return (await house.store.episodes({ limit: 1000 })).map(({ status }) => status);
      },
      (matches) => matches.filter((status) => status === 'running').length <= 1,
    );
    expect(statuses.length).toBeGreaterThanOrEqual(4 * 63);
  });

  it('leaks no memory after hundreds of connections', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { ws } = await startTestServer({ episodeHost: { store: null } });
    const visit = async (visits: number) => {
      for (let i = 0; i < visits; i += 50)
        await Promise.all(
          Array.from({ length: 50 }, async () => {
            const client = await Client.open(`${ws}/openenv/tic-tac-toe/ws`);
            await client.ask('reset', {});
            await client.ask('step', { message: '[4]' });
            client.socket.terminate();
            await client.closed;
          }),
        );
    };
    const used = async () => {
      await turns(20);
      collect();
      return process.memoryUsage().heapUsed;
    };
    await visit(amount(150, 300));
    const before = await used();
    await visit(amount(250, 500));
    // A session that was kept would cost some ten thousand bytes. The server may hear of the last ends a little later than we do.
    await until(used, (after) => after - before < 2_000_000);
  });

  it('is rejected from other machines without the token, which an address can carry', async () => {
    const { ws, url, serving } = await startTestServer({ host: '0.0.0.0' });
    await expect(Client.open(`${ws}/openenv/kuhn-poker/ws`)).rejects.toThrow('401');
    await expect(Client.open(`${ws}/ws`)).rejects.toThrow('401');
    for (const path of ['/schema', '/openenv/kuhn-poker/metadata', '/openenv/kuhn-poker/health'])
      expect((await fetch(`${url}${path}`)).status).toBe(401);
    for (const path of ['reset', 'step', 'mcp']) expect((await postJson(`${url}/openenv/kuhn-poker/${path}`, {})).status).toBe(401);
    const client = await Client.open(`${ws.replace('//', `//ludus:${serving.token}@`)}/openenv/kuhn-poker/ws`);
    expect((await client.play({ seed: 1 })).at(-1)).toMatchObject({ done: true });
  });
});
