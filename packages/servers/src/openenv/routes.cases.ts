/** @file Helpers of the tests of the OpenEnv routes. */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { WebSocket } from 'ws';

/** A client that sends a frame and waits for the answer. */
export class Client {
  readonly socket: WebSocket;
  readonly closed: Promise<number>;
  readonly #heard: string[] = [];
  readonly #waiting: ((text: string) => void)[] = [];

  static async open(url: string, headers: Record<string, string> = {}): Promise<Client> {
    const client = new Client(new WebSocket(url, { headers }));
    await new Promise((resolve, reject) => client.socket.once('open', resolve).once('error', reject));
    return client;
  }

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    socket.on('message', (data) => {
      const text = data.toString();
      const wake = this.#waiting.shift();
      if (wake === undefined) this.#heard.push(text);
      else wake(text);
    });
  }

  async next(): Promise<JsonObject> {
    const text = this.#heard.shift() ?? (await new Promise<string>((resolve) => this.#waiting.push(resolve)));
    return JSON.parse(text) as JsonObject;
  }

  ask(type: string, data?: Json): Promise<JsonObject> {
    this.socket.send(JSON.stringify(data === undefined ? { type } : { type, data }));
    return this.next();
  }

  /** The id of the episode in the store. */
  async episode(): Promise<string> {
    return ((await this.ask('state'))['data'] as { episode: string }).episode;
  }

  /** Plays the first of the listed moves until the end, and gives all observations. */
  async play(reset: JsonObject): Promise<JsonObject[]> {
    const jsonObjects = [(await this.ask('reset', reset))['data'] as JsonObject];
    while (jsonObjects.at(-1)?.['done'] !== true) {
      const [message] = infoOf(jsonObjects.at(-1)).choices;
      jsonObjects.push((await this.ask('step', { message: message as string }))['data'] as JsonObject);
    }
    return jsonObjects;
  }
}

export const infoOf = (observed: JsonObject = {}) => (observed['observation'] as { info: { seat: string; choices: string[] } }).info;

export async function postJson(url: string, body: Json | string): Promise<{ status: number; body: JsonObject }> {
  const response = await fetch(url, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as JsonObject };
}
