/** @file Speaks to the server: JSON in, JSON out, and every failure as one sentence. */

/** What the server refused, in its words; status 0 where it did not answer at all. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return send<T>(path, signal === undefined ? {} : { signal });
}

export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  return send<T>(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

/** For what is neither JSON nor a POST: a file that is dropped, something that is taken away. */
export async function send<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, credentials: 'same-origin' });
  } catch (thrown) {
    if (init.signal?.aborted === true) throw thrown;
    throw new Refused(0, 'The server does not answer. Is it still running?');
  }
  const { ok, status } = response;
  const body: unknown = await response.json().catch((thrown: unknown) => {
    // Half an answer is none, whether it broke off or nobody wanted the rest.
    if (init.signal?.aborted === true) throw thrown;
    if (ok) throw new Refused(0, 'The answer of the server broke off. Is it still running?');
    return null;
  });
  if (ok) return body as T;
  throw new Refused(status, (body as { error?: string } | null)?.error ?? `The server answered ${status}.`);
}
