/** @file A connection to an OpenEnv server: each sent frame gets one reply, within a time limit. */

import type { Socket } from 'node:net';
import { Fault, type Json, type JsonObject, parseJson, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { WebSocket } from 'ws';

export interface OpenEnvFrame {
  readonly type: string;
  readonly data: JsonObject;
}

/** A server's reply to a reset or a step. */
export interface OpenEnvResult {
  readonly observation: JsonObject;
  readonly reward: Json;
  readonly done: boolean;
}

/** The time limit for a server's reply, in milliseconds. */
const patience = 120_000;
const largest = 100 * 2 ** 20;

export class OpenEnvConnection {
  /** The address without its last part, for HTTP requests. */
  readonly base: URL;
  readonly #socket: WebSocket;
  #wire: Socket | undefined;
  #waiting: { resolve(frame: OpenEnvFrame): void; reject(fault: Fault): void } | null = null;

  /** Connects to `ws://host/…`, with or without a trailing /ws. */
  static async open(url: string, signal: AbortSignal): Promise<OpenEnvConnection> {
    const base = addressOf(url);
    const target = below(base, '/ws');
    target.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(target, { handshakeTimeout: 10_000, maxPayload: largest });
    const connection = new OpenEnvConnection(base, socket);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => socket.terminate();
    signal.addEventListener('abort', abort, { once: true });
    socket.once('open', resolve);
    socket.once('error', (error) =>
      reject(new Fault('environment', `The OpenEnv server at ${addressText(base)} cannot be reached: ${sentenceOf(error)}`)),
    );
    await promise.finally(() => signal.removeEventListener('abort', abort));
    return connection;
  }

  private constructor(base: URL, socket: WebSocket) {
    this.base = base;
    this.#socket = socket;
    socket.on('upgrade', (response) => {
      this.#wire = response.socket;
    });
    socket.on('message', (data) => this.#hear(data.toString()));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.#fail(`The OpenEnv server at ${addressText(base)} hung up.`));
  }

  /** Sends a frame and returns the reply. */
  async ask(frame: OpenEnvFrame, signal: AbortSignal): Promise<OpenEnvFrame> {
    if (this.#socket.readyState !== WebSocket.OPEN)
      throw new Fault('environment', `The OpenEnv server at ${addressText(this.base)} closed the connection.`);
    const { promise, resolve, reject } = Promise.withResolvers<OpenEnvFrame>();
    this.#waiting = { resolve, reject };
    const abort = () => this.#fail('called off');
    const timer = setTimeout(
      () => this.#fail(`The OpenEnv server at ${addressText(this.base)} has not answered for ${patience / 1000} seconds.`),
      patience,
    );
    signal.addEventListener('abort', abort, { once: true });
    this.#wire?.ref();
    this.#socket.send(JSON.stringify(frame));
    return promise.finally(() => {
      this.#waiting = null;
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      // An idle socket does not keep the process alive.
      this.#wire?.unref();
    });
  }

  close(): void {
    // The server closes the connection after our close frame; otherwise it is disconnected.
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send('{"type": "close"}');
    setTimeout(() => this.#socket.close(1000), 1000).unref();
  }

  #hear(text: string): void {
    try {
      const frame = parseJson(text) as Partial<OpenEnvFrame>;
      if (typeof frame.type !== 'string') throw new Error('it has no type');
      this.#waiting?.resolve({ type: frame.type, data: frame.data ?? {} });
    } catch (thrown) {
      this.#fail(`The OpenEnv server at ${addressText(this.base)} sent a frame that cannot be read: ${sentenceOf(thrown)}`);
    }
  }

  #fail(why: string): void {
    this.#waiting?.reject(new Fault('environment', why));
  }
}

function addressOf(url: string): URL {
  if (!URL.canParse(url) || !/^(wss?|https?):$/.test(new URL(url).protocol))
    throw new Fault('input', `Use the address of an OpenEnv server, such as openenv:ws://localhost:8000, but got "${url.slice(0, 80)}".`);
  return new URL(url.replace(/^ws/, 'http').replace(linear(/\/+$/), '').replace(/\/ws$/, ''));
}

/** A path below an address, which may or may not end with a slash. */
export function below(base: URL, path: string): URL {
  return new URL(`${base.href.replace(linear(/\/+$/), '')}${path}`);
}

/** An address for messages, without its secret parts. */
function addressText(base: URL): string {
  return `${base.host}${base.pathname}`;
}
