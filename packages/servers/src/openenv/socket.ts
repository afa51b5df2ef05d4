/**
 * @file A session over a WebSocket: one reply per request, strictly in order; a client that leaves, floods or stops reading affects only
 * itself.
 */

import type { Duplex } from 'node:stream';
import { type Json, parseJson, report, safely } from '@ludus-agents/kernel/internal/core/index';
import type { RawData, WebSocket } from 'ws';
import type { Caller } from '../access.ts';
import type { CallerNow } from '../admission.ts';
import type { Sessions } from '../sessions.ts';
import type { OpenEnvSession } from './session.ts';
import { type OpenEnvSessions, type Response, respond, unparsed } from './tools.ts';
import { errorFrame, errorOf, readFrame, whyUnreadable } from './wire.ts';

/** The reply to a text, immediately or later; null to close the connection. */
type Answerer = (text: string, session: OpenEnvSession) => string | null | Promise<string | null>;

/** The number of requests that may wait while one is served; beyond it, reading from the client pauses. */
const mostWaiting = 32;
/** The number of unread bytes allowed per client. */
const mostUnread = 2 ** 24;

export interface Attendance {
  readonly caller: Caller;
  /** The caller with the current state of its token. */
  readonly now: CallerNow;
  readonly sessionTable: Sessions<OpenEnvSession>;
  readonly make: () => OpenEnvSession;
  readonly answer: Answerer;
  readonly full: (message: string, counts: Readonly<Record<string, Json>>) => string;
}

/** Serves a socket until it closes. Replies go out on its wire. */
export function attend(socket: WebSocket, wire: Duplex, { caller, now, sessionTable, make, answer, full }: Attendance): void {
  const place = sessionTable.admit(caller, make, {
    expired() {
      const seconds = Math.round(sessionTable.idle / 1000);
      socket.send(errorFrame('SESSION_ERROR', `The session was idle for ${seconds} seconds and has been closed; connect again.`));
      socket.close(1000);
    },
  });
  if ('full' in place) {
    socket.send(full(place.full, place.counts));
    socket.close(1000);
    return;
  }
  const waiting: string[] = [];
  let busy = false;
  const tell = (reply: string | null) =>
    sendAtOnce(() => {
      if (reply === null) socket.close(1000);
      else if (socket.bufferedAmount > mostUnread) socket.terminate();
      else if (socket.readyState === socket.OPEN) wire.write(frameOf(reply));
    });
  // An unexpected failure ends only this session.
  const broken = () => {
    tell(errorFrame('SESSION_ERROR', 'Something went wrong on the server. See its output.'));
    tell(null);
  };
  const serve = (text: string): void => {
    const current = now();
    if ('error' in current || current.id !== caller.id) {
      tell(errorFrame('SESSION_ERROR', 'error' in current ? current.error : 'The token of this socket has changed; connect again.'));
      tell(null);
      return;
    }
    const reply = answer(text, place.who);
    if (!(reply instanceof Promise)) {
      tell(reply);
      return;
    }
    busy = true;
    reply.then(onText, (thrown: unknown) => {
      report('An OpenEnv session', thrown);
      broken();
    });
  };
  const onText = safely(
    'An OpenEnv session',
    (late: string | null) => {
      busy = false;
      place.last = performance.now();
      if (socket.readyState !== socket.OPEN) return;
      tell(late);
      while (!busy && waiting.length > 0) serve(waiting.shift() as string);
      if (socket.isPaused && waiting.length < mostWaiting) socket.resume();
    },
    broken,
  );
  const took = (data: RawData) => {
    place.last = performance.now();
    const text = data.toString();
    if (!busy) serve(text);
    else if (waiting.push(text) >= mostWaiting) socket.pause();
  };
  socket.on('message', safely('An OpenEnv session', took, broken));
  socket.on(
    'close',
    safely('Closing an OpenEnv session', () => {
      waiting.length = 0;
      sessionTable.close(caller, place.id);
    }),
  );
}

const outbox: (() => void)[] = [];

/** Replies that are ready within one turn of the event loop are sent together: alternating between sending and reading is 25% slower. */
function sendAtOnce(send: () => void): void {
  if (outbox.length === 0)
    setImmediate(() => {
      for (const sendAnswer of outbox.splice(0)) safely('Sending an answer', sendAnswer)();
    });
  outbox.push(send);
}

/**
 * Encodes a text as one WebSocket frame in one piece. The library writes header and text separately, which takes a third of a step's
 * time. Since neither the library nor this code leaves a partial frame, both may write to the same connection.
 */
export function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(header + length);
  frame[0] = 0x81;
  if (header === 2) frame[1] = length;
  else if (header === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, header);
  return frame;
}

/** Answers OpenEnv's own frames. */
export function frames(sessions: OpenEnvSessions): Answerer {
  return (text, session) => {
    let parsed: Json;
    try {
      parsed = parseJson(text);
    } catch (thrown) {
      return errorFrame('INVALID_JSON', `Invalid JSON: ${whyUnreadable(thrown)}`);
    }
    try {
      const frame = readFrame(parsed);
      if (frame === null) return errorFrame('UNKNOWN_TYPE', `Unknown message type: ${typeOf(parsed)}`);
      if (frame.kind === 'close') return null;
      const reply = toFrame(frame.kind, frame.data, session, sessions);
      return reply instanceof Promise ? reply.catch(errorOf) : reply;
    } catch (thrown) {
      return errorOf(thrown);
    }
  };
}

function toFrame(
  kind: 'reset' | 'step' | 'state' | 'mcp',
  data: Json,
  session: OpenEnvSession,
  sessions: OpenEnvSessions,
): string | Promise<string> {
  if (kind === 'state') return JSON.stringify({ type: 'state', data: session.state() });
  if (kind === 'mcp') return respond(data, sessions, session).then((response) => JSON.stringify({ type: 'mcp', data: response }));
  const result = kind === 'step' ? session.step(data) : session.reset(data);
  return result instanceof Promise ? result.then(observationFrame) : observationFrame(result);
}

function observationFrame(result: unknown): string {
  return JSON.stringify({ type: 'observation', data: result });
}

function typeOf(frame: Json): string {
  const type = (frame as { type?: Json })['type'] ?? '';
  return (typeof type === 'string' ? type : JSON.stringify(type)).slice(0, 80);
}

/** Answers JSON-RPC. */
export function calls(sessions: OpenEnvSessions): Answerer {
  return async (text, session) => {
    let response: Response = unparsed;
    try {
      response = await respond(parseJson(text), sessions, session);
    } catch {
      // Invalid JSON is answered with an error; `respond` itself does not throw.
    }
    return JSON.stringify(response);
  };
}
