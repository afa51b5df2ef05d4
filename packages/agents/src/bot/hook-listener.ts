/**
 * @file Receives reports of what bots do: calls posted as JSON, OpenTelemetry spans of tools, and requests to the bot's own MCP server,
 * which are forwarded. It listens on this machine only and accepts only open sessions, whose names cannot be guessed.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fault, type Json, type JsonObject, parseJson, safely, sentenceOf, type ToolCall } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { openBots } from './open-bots.ts';
import { toolCallsIn } from './session.ts';
import { callsInSpans } from './spans.ts';

const largest = 4 * 2 ** 20;

export class HookListener {
  readonly #server: Server;
  readonly #calls = new Map<string, ToolCall[]>();
  /** The MCP server to which requests are forwarded. */
  readonly #mcp: string | null;
  url = '';

  private constructor(mcp: string | null) {
    this.#mcp = mcp;
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      this.#answer(request, response).catch((thrown: unknown) => refuse(response, 500, sentenceOf(thrown)));
    this.#server = createServer(
      safely('A hook', (request: IncomingMessage, response: ServerResponse) => {
        void answer(request, response);
      }),
    );
    // A bot that thinks for longer than Node's default of five seconds reuses the same connection.
    this.#server.keepAliveTimeout = 60_000;
  }

  static async open(port: number, mcp: string | null): Promise<HookListener> {
    const hookListener = new HookListener(mcp);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    hookListener.#server.once('error', reject);
    hookListener.#server.listen(port, '127.0.0.1', resolve);
    await promise.catch((thrown) => {
      throw new Fault(
        'agent',
        `Hooks cannot listen on port ${port}: ${sentenceOf(thrown)}. Set another port in "hooks", or 0 for any free port.`,
      );
    });
    // The listener alone does not keep the program running.
    hookListener.#server.unref();
    hookListener.url = `http://127.0.0.1:${(hookListener.#server.address() as AddressInfo).port}`;
    openBots.processes.add(hookListener);
    return hookListener;
  }

  /** Opens a session and returns the address for its events. */
  begin(session: string): string {
    this.#calls.set(session, []);
    return `${this.url}/${session}`;
  }

  /** Returns the calls since the last request. */
  take(session: string): readonly ToolCall[] {
    const came = this.#calls.get(session) ?? [];
    if (this.#calls.has(session)) this.#calls.set(session, []);
    return came;
  }

  end(session: string): void {
    this.#calls.delete(session);
  }

  close(): void {
    openBots.processes.delete(this);
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, ownText, rest] = /^\/([0-9a-f-]{36})(\/.*)$/.exec(request.url ?? '') ?? ['', undefined, request.url ?? ''];
    if (ownText !== undefined && !this.#calls.has(ownText)) return refuse(response, 404, `No session ${ownText} is open.`);
    if (rest === '/mcp' && ownText !== undefined && this.#mcp !== null) return this.#forward(ownText, request, response, this.#mcp);
    if (request.method !== 'POST' || (rest !== '/calls' && rest !== '/v1/traces'))
      return refuse(response, 404, 'Not found. Use POST /calls or POST /v1/traces, optionally after /SESSION.');
    if (!/json/.test(request.headers['content-type'] ?? ''))
      return refuse(response, 415, 'Send JSON: spans are accepted as http/json, not as http/protobuf.');
    let body: Json;
    try {
      body = parseJson(await bodyOf(request)) as Json;
    } catch (thrown) {
      return refuse(response, 400, sentenceOf(thrown));
    }
    const came = rest === '/calls' ? callsInBody(body) : callsInSpans(body);
    let lost = 0;
    for (const { session = ownText, call } of came) {
      const calls = this.#calls.get(ownText ?? session ?? '');
      if (calls === undefined) lost++;
      else calls.push(call);
    }
    if (lost > 0 && lost === came.length && rest === '/calls')
      return refuse(response, 404, 'No open session has that name. Send the "session" that the bot received.');
    response.setHeader('content-type', 'application/json').end(rest === '/calls' ? JSON.stringify({ taken: came.length - lost }) : '{}');
  }

  /** Forwards a request to the bot's MCP server and its answer, unchanged; records a call that succeeded. */
  async #forward(session: string, request: IncomingMessage, response: ServerResponse, to: string): Promise<void> {
    const text = request.method === 'POST' ? await bodyOf(request) : null;
    const headers = new Headers();
    for (const [key, value] of Object.entries(request.headers))
      if (!/^(?:host|connection|content-length|transfer-encoding|accept-encoding)$/.test(key)) headers.set(key, String(value));
    const left = new AbortController();
    response.on('close', () => left.abort());
    const answer = await fetch(to, { method: request.method ?? 'GET', headers, body: text, redirect: 'error', signal: left.signal });
    const retainedHeaders = [...answer.headers].filter(
      ([key]) => !/^(?:content-encoding|content-length|transfer-encoding|connection)$/.test(key),
    );
    response.writeHead(answer.status, Object.fromEntries(retainedHeaders));
    let came = '';
    for await (const chunk of answer.body ?? []) {
      if (came.length < largest) came += Buffer.from(chunk).toString('utf8');
      response.write(chunk);
    }
    // The call is recorded before the answer ends, so the bot cannot continue before it.
    const call = text === null ? null : toolCallIn(text, came);
    if (call !== null) this.#calls.get(session)?.push(call);
    response.end();
  }
}

/** {"name", "arguments", "session"}, or {"calls": […], "session"}. */
function callsInBody(body: Json): { session?: string; call: ToolCall }[] {
  const input = Array.isArray(body)
    ? { calls: body }
    : isObject(body) && typeof body['name'] === 'string'
      ? { ...body, calls: [body] }
      : body;
  const session = isObject(input) ? input['session'] : undefined;
  return toolCallsIn(input as Json).map((call) => ({ ...(typeof session === 'string' ? { session } : {}), call }));
}

/** The tool call that an MCP server executed; null for anything else, or if it failed. */
function toolCallIn(request: string, answer: string): ToolCall | null {
  try {
    const hookRequest = parseJson(request) as Json;
    if (!isObject(hookRequest) || hookRequest['method'] !== 'tools/call' || !isObject(hookRequest['params'])) return null;
    const lines = /^\s*\{/.test(answer) ? [answer] : [...answer.matchAll(/^data:\s?(.*)$/gm)].map(([, line = '']) => line);
    const reply = lines.map((line) => parseJson(line) as JsonObject).find((jsonObject) => jsonObject['id'] === hookRequest['id']);
    if (!isObject(reply?.['result']) || reply['result']['isError'] === true) return null;
    return {
      id: String(hookRequest['id']),
      name: String(hookRequest['params']['name'] ?? ''),
      arguments: hookRequest['params']['arguments'] ?? {},
    };
  } catch {
    return null;
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > largest) throw new Fault('input', `A hook accepts at most ${largest} bytes per request.`, { code: 'E_TOO_LARGE' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refuse(response: ServerResponse, status: number, error: string): void {
  if (response.headersSent) response.end();
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}
