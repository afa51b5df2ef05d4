/** @file Bots behind HTTP on loopback: their requests, their answers, sessions, keys, and every kind of failure. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { until } from '../../../../test/fixtures/until.ts';
import { botServices, callsIn, closeServers, converse, seatBot, startServer, textsIn } from './bot.cases.ts';

afterEach(async () => {
  vi.useRealTimers();
  await closeServers();
});

const bot = (settings: JsonObject, name = 'shop') => ({ name, kind: 'bot', settings });

describe('HTTP bot', () => {
  it("receives the other side's text and a session, and nothing else", async () => {
    const { url, received } = await startServer(({ body }) => ({ reply: `You said: ${(body as JsonObject)['message']}` }));
    const log = await converse(await seatBot(`bot:${url}/chat`), 'Hello there', 'Bye');
    expect(textsIn(log)).toEqual(['You said: Hello there', 'You said: Bye']);
    expect(received.map(({ body }) => (body as JsonObject)['message'])).toEqual(['Hello there', 'Bye']);
    expect(new Set(received.map(({ body }) => (body as JsonObject)['session'])).size).toBe(1);
    expect(JSON.stringify(received)).not.toMatch(/SECRET|\[done\]|You talk with|\/quit/);
    // Everything that was sent and answered is in the log.
    expect(callsIn(log)).toMatchObject([
      {
        model: `bot:${url}/chat`,
        prompt: { messages: [{ role: 'user', content: 'Hello there' }] },
        text: 'You said: Hello there',
        cost: null,
      },
      { prompt: { messages: [{ role: 'user', content: 'Bye' }] }, text: 'You said: Bye' },
    ]);
    expect(log.at(-1)).toMatchObject({ kind: 'end', reason: 'over' });
  });

  it('supports templates for requests, paths, and headers, and session ids chosen by the server', async () => {
    const { url, received } = await startServer(({ path }) =>
      path === '/begin'
        ? { data: { id: 'S-9' } }
        : path === '/end/S-9'
          ? {}
          : { data: { id: 'S-9', out: [{ text: 'Good ' }, { text: 'day' }] } },
    );
    const settings = {
      ...{ url: `${url}/ask/{session}`, request: { in: { text: '{message}', id: '{session}', n: '{turn}' }, all: '{history}' } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a header names a variable.
      ...{ reply: 'data.out', session: 'data.id', headers: { authorization: 'Bearer ${SHOP_TOKEN}' } },
      ...{ open: { url: `${url}/begin`, request: { id: '{session}', hello: true } }, close: { url: `${url}/end/{session}` } },
    };
    const services = botServices({ env: (name) => (name === 'SHOP_TOKEN' ? 'key-1' : undefined) });
    const log = await converse(await seatBot(bot(settings), services), 'One', 'Two');
    expect(textsIn(log)).toEqual(['Good day', 'Good day']);
    await expect.poll(() => received.length).toBe(4);
    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /begin',
      'POST /ask/S-9',
      'POST /ask/S-9',
      'DELETE /end/S-9',
    ]);
    expect(received.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill('Bearer key-1'));
    expect(received[0]?.body).toEqual({ hello: true });
    expect(received[2]?.body).toEqual({
      in: { text: 'Two', id: 'S-9', n: '1' },
      all: [
        { role: 'user', content: 'One' },
        { role: 'assistant', content: 'Good day' },
        { role: 'user', content: 'Two' },
      ],
    });
    // The key is not in the log.
    expect(JSON.stringify(log)).not.toContain('key-1');
    const without = await converse(await seatBot(bot(settings), botServices({ env: () => undefined })), 'One');
    expect(without.at(-1)).toMatchObject({ fault: { boundary: 'agent', message: expect.stringContaining('SHOP_TOKEN') } });
  });

  it('sends an OpenAI-compatible server only the conversation and logs its tool calls', async () => {
    const { url, received } = await startServer(() => ({
      choices: [{ message: { content: 'Done.', tool_calls: [{ id: 'c1', function: { name: 'refund', arguments: '{"order":"W-1"}' } }] } }],
      usage: { prompt_tokens: 7, completion_tokens: 2 },
    }));
    const log = await converse(await seatBot(`bot:openai:${url}/v1#shop-1`), 'Refund me', 'Thanks');
    expect(received.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
    expect(received[1]?.body).toEqual({
      model: 'shop-1',
      messages: [
        { role: 'user', content: 'Refund me' },
        { role: 'assistant', content: 'Done.' },
        { role: 'user', content: 'Thanks' },
      ],
    });
    expect(callsIn(log)[0]).toMatchObject({
      toolCalls: [{ id: 'c1', name: 'refund', arguments: { order: 'W-1' } }],
      usage: { promptTokens: 7, completionTokens: 2 },
    });
  });

  it('reports failures as agent faults with a readable message', async () => {
    const end = async (settings: JsonObject, answer: Parameters<typeof startServer>[0]) => {
      const { url } = await startServer(answer);
      const log = await converse(await seatBot(bot({ url, tries: 1, ...settings })), 'Hello');
      const last = log.at(-1) as { reason?: string; fault?: { boundary: string; message: string } };
      expect(last).toMatchObject({ reason: 'error', fault: { boundary: 'agent', seat: 'character' } });
      return last.fault?.message;
    };
    expect(await end({}, (_, response) => void response.writeHead(500).end('{"error":"boom"}'))).toContain(
      'answered 500: {"error":"boom"}',
    );
    expect(await end({}, (_, response) => void response.writeHead(422).end('no text'))).toMatch(
      /answered 422: no text\. It got \{"message":"Hello".*set "request"/,
    );
    expect(await end({}, (_, response) => void response.writeHead(302, { location: 'http://evil.test' }).end())).toContain(
      'bot shop answered with a redirect (HTTP 302). Redirects',
    );
    expect(await end({}, (_, response) => void response.writeHead(503).end('busy'))).toContain('answered 503: busy');
    expect(await end({}, (_, response) => void response.end('<!DOCTYPE html>\n<title>Log in</title>'))).toBe(
      'The bot shop answered with a web page instead of a reply: <!DOCTYPE html> <title>Log in</title>. Check its path and the headers for authentication.',
    );
    expect(await end({}, () => ({ nothing: 5 }))).toContain('no text in the usual fields; set "reply" to');
    expect(await end({ reply: 'a.b' }, () => ({ a: 1 }))).toContain('nothing at "a.b"');
    expect(await end({}, (_, response) => void response.end('{"reply": '))).toContain('JSON that cannot be read');
    expect(await end({}, (_, response) => void response.destroy())).toContain('The bot shop closed the connection: other side');
    const gone = await startServer(() => ({}));
    await closeServers();
    const log = await converse(await seatBot(bot({ url: gone.url, tries: 1 })), 'Hello');
    expect(log.at(-1)).toMatchObject({ fault: { message: expect.stringContaining(new URL(gone.url).host) } });
  });

  it('is sent a message again only if it did not accept it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let calls = 0;
    const busy = await startServer((_, response) => {
      if (++calls < 3) return void response.writeHead(429, { 'retry-after': '1' }).end('later');
      return { reply: 'now' };
    });
    const playing = converse(await seatBot(bot({ url: busy.url })), 'Hello');
    await until(async () => {
      await vi.advanceTimersByTimeAsync(1000);
      return calls === 3;
    });
    expect(textsIn(await playing)).toEqual(['now']);
    const broken = await startServer((_, response) => void response.writeHead(500).end('no'));
    await converse(await seatBot(bot({ url: broken.url })), 'Hello');
    expect(broken.received).toHaveLength(1);
  });

  it('enforces the time limit, and shares the concurrency and rate limits across episodes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const silent = await startServer(() => undefined);
    const playing = converse(await seatBot(bot({ url: silent.url, seconds: 5 })), 'Hello');
    await until(() => silent.received.length === 1);
    await vi.advanceTimersByTimeAsync(5000);
    expect((await playing).at(-1)).toMatchObject({ fault: { boundary: 'agent', message: 'The bot shop did not answer within 5 s.' } });

    let [now, most] = [0, 0];
    const gate: (() => void)[] = [];
    const { url, received } = await startServer(async () => {
      most = Math.max(most, ++now);
      await new Promise<void>((resolve) => gate.push(resolve));
      now--;
      return { reply: 'ok' };
    });
    const slow = await seatBot(bot({ url, concurrency: 2, perMinute: 3 }));
    const all = Promise.all(Array.from({ length: 4 }, () => converse(slow, 'Hello')));
    await until(() => gate.length === 2);
    for (const go of gate.splice(0)) go();
    await until(() => gate.length === 1);
    for (const go of gate.splice(0)) go();
    expect(received).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(60_001);
    await until(() => gate.length === 1);
    for (const go of gate.splice(0)) go();
    expect((await all).map(textsIn)).toEqual(Array(4).fill(['ok']));
    expect(most).toBe(2);
  });

  it('rejects invalid settings and settings that conflict with the kind', async () => {
    await expect(seatBot(bot({ url: 'nowhere' }))).rejects.toThrow('"url" must be an address');
    await expect(seatBot(bot({ url: 'http://x', requst: {} }))).rejects.toThrow('has no setting "requst". Did you mean "request"');
    await expect(seatBot(bot({ url: 'http://x', seconds: -1 }))).rejects.toThrow('"seconds" must be a number from');
    await expect(seatBot({ name: 'x', kind: 'bot:http://x', settings: { command: ['rm'] } })).rejects.toThrow(
      '"command" conflicts with the kind',
    );
    await expect(seatBot('bot')).rejects.toThrow('"url" must be');
  });
});
