/**
 * @file A model's server that counts what was spent on its side: every request that arrives costs its prompt and the longest answer that was
 * allowed, whatever becomes of it. So a budget that holds against it holds against any server that keeps to what it is asked.
 */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rng } from '@ludus-agents/kernel/internal/core/index';

/**
 * How some of the requests go wrong: an error after the work was done, an answer that never comes, a reply without counts, one with more than
 * was asked for, a reply that is cut off, counts below zero, counts that are no numbers, and an answer of 40 megabytes. */
export type Failure = 'error' | 'hang' | 'uncounted' | 'beyond' | 'cut' | 'negative' | 'absurd' | 'huge';

/** US dollars per million tokens. */
export const price = { prompt: 1000, completion: 2000 };

export interface SpendingServer {
  readonly url: string;
  readonly spent: { calls: number; tokens: number; money: number };
  /** Hears of each request that will never be answered, by the number that its prompt ends in, if it does. */
  onHang: (mark: number) => void;
  /** Called for each call, before it is answered. */
  onCall: () => void;
  close(): void;
}

export interface SpendingOptions {
  readonly failure: Failure;
  /** The share of requests that go wrong. */
  readonly share?: number;
  /** The status of an error. */
  readonly status?: number;
}

interface Asked {
  readonly messages: readonly { readonly content: string }[];
  readonly max_tokens?: number;
  readonly stream?: boolean;
}

export async function startSpendingServer({ failure, share = 0.4, status = 500 }: SpendingOptions): Promise<SpendingServer> {
  const spent = { calls: 0, tokens: 0, money: 0 };
  const dice = rng(7, failure);
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      // Looking costs nothing: what a server holds is not a call.
      if (!request.url?.endsWith('/chat/completions')) return answer(response, 404, 'application/json', '{"error":{"message":"not here"}}');
      const asked = JSON.parse(Buffer.concat(pieces).toString()) as Asked;
      const text = asked.messages.map(({ content }) => content).join('\n');
      const wrong = dice.next() < share;
      // Half a token a byte is twice what English takes. Without a limit an answer is long.
      const prompt = Math.ceil(Buffer.byteLength(text) / 2) + 4 * asked.messages.length;
      const completion = (asked.max_tokens ?? 50_000) + (wrong && failure === 'beyond' ? 3000 : 0);
      spent.calls++;
      started.onCall();
      spent.tokens += prompt + completion;
      spent.money += (prompt * price.prompt + completion * price.completion) / 1e6;
      if (wrong && failure === 'hang') started.onHang(Number(/#(\d+)\s*$/.exec(text)?.[1] ?? -1));
      else if (wrong && failure === 'error') answer(response, status, 'application/json', '{"error":{"message":"out of order"}}');
      else {
        const honest = { usage: { prompt_tokens: prompt, completion_tokens: completion } };
        const counted = wrong && failure in wrongCounts ? wrongCounts[failure as keyof typeof wrongCounts] : honest;
        if (wrong && failure === 'cut') cutOff(response, asked.stream === true);
        else if (wrong && failure === 'huge') flood(response, asked.stream === true);
        else reply(response, asked.stream === true, counted);
      }
    });
    response.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const started: SpendingServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    spent,
    onHang: () => {},
    onCall: () => {},
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return started;
}

function reply(response: ServerResponse, streamed: boolean, counted: object): void {
  const whole = { choices: [{ index: 0, message: { content: '[pass]' }, finish_reason: 'stop' }], ...counted };
  const pieces = [{ choices: [{ index: 0, delta: { content: '[pass]' } }] }, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }];
  const events = [...pieces, { choices: [], ...counted }].map((piece) => `data: ${JSON.stringify(piece)}\n\n`);
  if (streamed) answer(response, 200, 'text/event-stream', `${events.join('')}data: [DONE]\n\n`);
  else answer(response, 200, 'application/json', JSON.stringify(whole));
}

const wrongCounts = {
  uncounted: {},
  negative: { usage: { prompt_tokens: -1_000_000, completion_tokens: -1_000_000 } },
  absurd: { usage: { prompt_tokens: 'many', completion_tokens: 1e308 * 10 } },
};

/** The first half of an answer, and then the end of the connection. */
function cutOff(response: ServerResponse, streamed: boolean): void {
  response.writeHead(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json', 'content-length': '1000' });
  response.write(streamed ? 'data: {"choices":[{"index":0,"delta":{"content":"[pa' : '{"choices":[{"index":0,"mess', () =>
    response.destroy(),
  );
}

/** More than anyone reads, in pieces that are sent as they are taken. */
function flood(response: ServerResponse, streamed: boolean): void {
  response.writeHead(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json' });
  const piece = Buffer.from(streamed ? `data: {"choices":[{"index":0,"delta":{"content":"${'x'.repeat(1e6)}"}}]}\n\n` : 'x'.repeat(1e6));
  let left = 40;
  const send = () => {
    while (left > 0 && !response.destroyed) {
      left--;
      if (!response.write(piece)) return void response.once('drain', send);
    }
    response.end();
  };
  send();
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type });
  response.end(body);
}
