/**
 * @file A remote OpenEnv environment as the agent on the `world` seat of `relay`: it sends the server's observations to the player, and the
 * player's answers to the server.
 *
 * One agent serves many episodes at once, each over a socket of its own, known by the message that began the episode. A resumed episode,
 * perhaps in another process, finds none: it is played again up to its last answer, since the same seed gives the same episode.
 */

import {
  type Agent,
  type AnyEnvironment,
  Fault,
  type Json,
  type JsonObject,
  nameOf,
  plainText,
  type Seat,
  type Seen,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { OpenEnvLine, type OpenEnvResult } from './line.ts';
import { actionOf, type Form, formOf, howTo, textOfObservation } from './speech.ts';

/** Milliseconds after which an unused socket is closed. */
const idle = 600_000;

/** A connection on which one episode is played. */
interface Session {
  readonly line: OpenEnvLine;
  readonly form: Form;
  timer: NodeJS.Timeout | undefined;
}

/** The first message of relay to the seat. */
interface Commission {
  readonly player: Seat;
  readonly reset: JsonObject;
}

export function createOpenEnvAgent(url: string, seat: Seat, environment: AnyEnvironment): Agent {
  if (seat !== 'world' || nameOf(environment) !== 'relay')
    throw new Fault('input', `openenv:${url} is a world and not a player: cast it on the seat "world" of "relay".`);
  const sessions = new WeakMap<Seen, Session>();

  /** A new session, played up to the player's last answer; `first` is the server's first observation. */
  async function begin(turn: Turn, signal: AbortSignal): Promise<{ readonly session: Session; readonly first: OpenEnvResult }> {
    const line = await OpenEnvLine.open(url, signal);
    try {
      const session: Session = { line, form: await formOf(line, signal), timer: undefined };
      const first = readResult(await line.ask({ type: 'reset', data: commissionOf(turn).reset }, signal));
      for (const answer of answersIn(turn).slice(0, -1)) {
        const read = actionOf(answer, session.form);
        if ('action' in read) await line.ask({ type: 'step', data: read.action }, signal);
      }
      return { session, first };
    } catch (thrown) {
      line.close();
      throw thrown;
    }
  }

  function letGo(key: Seen): void {
    const session = sessions.get(key);
    clearTimeout(session?.timer);
    session?.line.close();
    sessions.delete(key);
  }

  return {
    name: `openenv:${url.replace(/\/\/[^/@]*@/, '//')}`,
    async act(turn, signal) {
      const { player } = commissionOf(turn);
      const key = turn.view.seen[0]!;
      const begun = sessions.has(key) ? null : await begin(turn, signal);
      if (begun !== null) sessions.set(key, begun.session);
      const session = sessions.get(key) as Session;
      clearTimeout(session.timer);
      try {
        const opening = begun !== null && answersIn(turn).length === 0;
        const packet = opening
          ? observationData(begun.first, { player, intro: howTo(session.form) })
          : await sendStep(session, turn, { player, signal });
        if (packet['over'] === true) letGo(key);
        else session.timer = setTimeout(() => letGo(key), idle).unref();
        return { action: { text: '', data: packet } };
      } catch (thrown) {
        letGo(key);
        throw thrown;
      }
    },
  };
}

/** Sends the player's last answer, and returns the observation. */
async function sendStep(
  { line, form }: Session,
  turn: Turn,
  { player, signal }: { readonly player: Seat; readonly signal: AbortSignal },
): Promise<JsonObject> {
  const answer = answersIn(turn).at(-1) as PlayerAnswer;
  const read = actionOf(answer, form);
  const refuse = (why: string): JsonObject => ({
    messages: [{ to: [player], text: why }],
    penalties: { [player]: 1 },
    asks: [{ seat: player }],
  });
  if ('problem' in read) return refuse(read.problem);
  const reply = await line.ask({ type: 'step', data: read.action }, signal);
  if (reply.type === 'error') {
    const { message, code } = reply.data;
    if (code === 'VALIDATION_ERROR' || code === 'EXECUTION_ERROR') return refuse(`The world refuses this: ${plainText(message)}`);
  }
  return observationData(readResult(reply), { player, intro: '' });
}

/** An observation, for the player. */
function observationData(
  { observation, reward, done }: OpenEnvResult,
  { player, intro }: { readonly player: Seat; readonly intro: string },
): JsonObject {
  const text = [intro, textOfObservation(observation)].filter((part) => part !== '').join('\n');
  const choices = (observation['info'] as JsonObject | undefined)?.['choices'];
  const listed =
    Array.isArray(choices) &&
    choices.length > 0 &&
    new Set(choices).size === choices.length &&
    choices.every((one) => typeof one === 'string');
  return {
    messages: [{ to: [player], text, data: observation }],
    ...(typeof reward === 'number' && Number.isFinite(reward) ? { rewards: { [player]: reward } } : {}),
    ...(done ? { over: true } : { asks: [{ seat: player, ...(listed ? { choices } : {}) }] }),
  };
}

function readResult(reply: { readonly type: string; readonly data: JsonObject }): OpenEnvResult {
  const { observation, reward = null, done = false } = reply.data;
  if (reply.type === 'observation' && typeof observation === 'object' && observation !== null && !Array.isArray(observation))
    return { observation: observation as JsonObject, reward, done: done === true };
  const what = reply.type === 'error' ? plainText(reply.data['message']) : JSON.stringify(reply).slice(0, 120);
  throw new Fault('environment', `The OpenEnv server was asked for an observation, but answered: ${what}`);
}

function commissionOf({ view }: Turn): Commission {
  const first = view.seen[0];
  const data = first?.kind === 'message' && first.from === undefined ? (first.data as JsonObject | undefined) : undefined;
  if (data?.['seats'] === undefined) throw new Fault('input', 'A remote world must see its whole episode; leave "window" out of the task.');
  const { seats, task, seed } = data as { seats: readonly Seat[]; task: Json; seed: number };
  if (seats.length !== 1)
    throw new Fault('input', `An OpenEnv server plays with one seat, but this relay has ${seats.length}: ${seats.join(', ')}.`);
  const given = typeof task === 'object' && task !== null && !Array.isArray(task) ? (task as JsonObject) : {};
  return { player: seats[0]!, reset: { seed, ...given } };
}

export interface PlayerAnswer {
  readonly text: string;
  readonly data?: Json | undefined;
}

/** What the player has answered so far. */
function answersIn({ view }: Turn): readonly PlayerAnswer[] {
  return view.seen.flatMap((item) => (item.kind === 'message' && item.from !== undefined ? [{ text: item.text, data: item.data }] : []));
}
