/**
 * @file Speaks to the server: a route by its path, JSON in, JSON out, and every failure as one sentence.
 *
 * Paths, parameters, bodies and answers are checked against the server's routes as they are declared there. Only types come from there.
 */

import type { StudioApi } from '@ludus-agents/servers/internal/studio/index';
import type { ExtractSchema } from 'hono/types';

type Routes = ExtractSchema<StudioApi>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type Key<M extends Method> = `$${Lowercase<M>}`;

/** Paths that know a method, with parameters by their names: "/api/runs/of/:run". */
export type Path<M extends Method> = { [P in keyof Routes]: Key<M> extends keyof Routes[P] ? P : never }[keyof Routes] & string;

type Endpoint<M extends Method, P extends Path<M>> = Routes[P] extends { readonly [K in Key<M>]: infer E } ? E : never;

/** What a route wants: `param` of its path, `query`, `json` as its body. */
export type Wanted<M extends Method, P extends Path<M>> = Endpoint<M, P> extends { input: infer I } ? I : never;

/** What it answers. */
export type Answer<M extends Method, P extends Path<M>> = Endpoint<M, P> extends { output: infer O } ? O : never;

type Given<M extends Method, P extends Path<M>> = object extends Wanted<M, P> ? [wanted?: Wanted<M, P>] : [wanted: Wanted<M, P>];

interface Parts {
  readonly param?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly json?: unknown;
}

/** What the server refused, in its words; status 0 where it did not answer at all. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The address of something that is read, its parameters escaped: for a stream, a picture, a file to keep. */
export function address<P extends Path<'GET'>>(path: P, wanted: Wanted<'GET', P>): string {
  return addressOf(path, wanted as Parts);
}

function addressOf(path: string, { param = {}, query = {} }: Parts = {}): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(param[name]!));
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '');
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`;
}

export async function get<P extends Path<'GET'>>(path: P, wanted: Wanted<'GET', P>, signal?: AbortSignal): Promise<Answer<'GET', P>> {
  return send(address(path, wanted), signal === undefined ? {} : { signal });
}

export async function post<P extends Path<'POST'>>(path: P, ...[wanted]: Given<'POST', P>): Promise<Answer<'POST', P>> {
  return change('POST', path, wanted);
}

export async function put<P extends Path<'PUT'>>(path: P, ...[wanted]: Given<'PUT', P>): Promise<Answer<'PUT', P>> {
  return change('PUT', path, wanted);
}

export async function remove<P extends Path<'DELETE'>>(path: P, ...[wanted]: Given<'DELETE', P>): Promise<Answer<'DELETE', P>> {
  return change('DELETE', path, wanted);
}

/** A file that is dropped, as the bytes that it is. */
export async function upload<P extends Path<'POST'>>(path: P, file: Blob): Promise<Answer<'POST', P>> {
  return send(path, { method: 'POST', body: file });
}

/** Asks for something that is sent as it comes, one line of JSON after the other. */
export async function listen<T>(path: Path<'POST'>, wanted: Parts, hear: (line: T) => void): Promise<void> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(wanted.json ?? {}) };
  const response = await fetchAnswer(addressOf(path, wanted), init);
  if (!response.ok || response.body === null) throw await refusalOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read().catch(() => {
      throw new Refused(0, 'The server’s response was interrupted. Is it still running?');
    });
    if (done) return;
    const lines = (text + value).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) hear(JSON.parse(line) as T);
  }
}

function change<T>(method: Method, path: string, wanted: unknown): Promise<T> {
  const { json = {} } = (wanted ?? {}) as Parts;
  const init = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) };
  return send(addressOf(path, wanted as Parts | undefined), init);
}

/** One request. A partial response counts as none, whether it was interrupted or canceled. */
export async function send<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetchAnswer(path, init);
  if (!response.ok) throw await refusalOf(response);
  return (response.json() as Promise<T>).catch((thrown: unknown) => {
    if (init.signal?.aborted === true) throw thrown;
    throw new Refused(0, 'The server’s response was interrupted. Is it still running?');
  });
}

/** Fires "back" when the server answers again after it did not. */
export const connection: EventTarget = new EventTarget();
let isLost = false;

async function fetchAnswer(path: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(path, { ...init, credentials: 'same-origin' });
    if (isLost) connection.dispatchEvent(new Event('back'));
    isLost = false;
    return response;
  } catch (thrown) {
    if (init.signal?.aborted === true) throw thrown;
    isLost = true;
    throw new Refused(0, 'The server is not responding. Is it still running?');
  }
}

async function refusalOf(response: Response): Promise<Refused> {
  const body = (await response.json().catch(() => null)) as { error?: string } | null;
  return new Refused(response.status, readableError(body?.error) ?? `The server answered ${response.status}.`);
}

/** Without the part of the request that an error is in: users fill in forms, not request bodies. */
export function readableError(error: string | undefined): string | undefined {
  const reason = error?.replace(/^The (?:body|address): (?=.)/, '');
  return reason === undefined ? undefined : reason.charAt(0).toUpperCase() + reason.slice(1);
}
