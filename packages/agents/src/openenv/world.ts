/**
 * @file A remote OpenEnv environment as the agent on the `world` seat of `relay`: sends the server's observations to the player, and the
 * player's answers to the server. OpenEnv supports one player. A server that supports several is sent {"seats": […]} on reset and
 * {"answers": {SEAT: {"message": …}}} on each step, and puts a packet of `relay` into its observation: {"packet": {messages, asks, rewards,
 * over}}.
 *
 * One agent serves many concurrent episodes, each over its own socket, identified by the episode's first message. A resumed episode,
 * perhaps in another process, has no socket: it is replayed up to its last answer, because the same seed gives the same episode.
 */

import type { Agent, AnyEnvironment, Json, JsonObject, Seat, Seen, Turn } from '@ludus-agents/kernel/internal/core/index';
import { Fault, nameOf, plainText } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { OpenEnvConnection, type OpenEnvResult } from './line.ts';
import { actionOf, type Form, formOf, howTo, textOfObservation } from './speech.ts';

/** The time in milliseconds after which an unused socket is closed. */
const idle = 600_000;

/** The connection of one episode. */
interface Session {
  readonly line: OpenEnvConnection;
  readonly form: Form;
  timer: NodeJS.Timeout | undefined;
}

/** The first message of relay to the seat. */
interface Commission {
  readonly seats: readonly Seat[];
  readonly reset: JsonObject;
}

export function createOpenEnvAgent(url: string, seat: Seat, environment: AnyEnvironment): Agent {
  if (seat !== 'world' || nameOf(environment) !== 'relay')
    throw new Fault('input', `openenv:${url} is an environment, not a player. Assign it to the seat "world" of "relay".`);
  const sessions = new WeakMap<Seen, Session>();

  /** Opens a session and replays it up to the player's last answer; `first` is the server's first observation. */
  async function begin(turn: Turn, signal: AbortSignal): Promise<{ readonly session: Session; readonly first: OpenEnvResult }> {
    const connection = await OpenEnvConnection.open(url, signal);
    try {
      const session: Session = { line: connection, form: await formOf(connection, signal), timer: undefined };
      const first = readResult(await connection.ask({ type: 'reset', data: commissionOf(turn).reset }, signal));
      for (const round of roundsIn(turn).slice(0, -1)) {
        const read = stepOf(round, session.form, several(turn));
        if ('action' in read) await connection.ask({ type: 'step', data: read.action }, signal);
      }
      return { session, first };
    } catch (thrown) {
      connection.close();
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
      const { seats } = commissionOf(turn);
      const key = turn.view.seen[0]!;
      const begun = sessions.has(key) ? null : await begin(turn, signal);
      if (begun !== null) sessions.set(key, begun.session);
      const session = sessions.get(key) as Session;
      clearTimeout(session.timer);
      try {
        const opening = begun !== null && roundsIn(turn).length === 0;
        const packet = opening
          ? observationData(begun.first, { seats, intro: howTo(session.form) })
          : await sendStep(session, turn, { seats, signal });
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

/** Sends the players' last answers, and returns the observation. */
async function sendStep(
  { line, form }: Session,
  turn: Turn,
  { seats, signal }: { readonly seats: readonly Seat[]; readonly signal: AbortSignal },
): Promise<JsonObject> {
  const round = roundsIn(turn).at(-1)!;
  const read = stepOf(round, form, seats.length > 1);
  const refuse = (problem: string): JsonObject => {
    const askedSeats = round.map(({ seat }) => seat);
    return {
      messages: [{ to: askedSeats, text: problem }],
      penalties: Object.fromEntries(askedSeats.map((seat) => [seat, 1])),
      asks: askedSeats.map((seat) => ({ seat })),
    };
  };
  if ('problem' in read) return refuse(read.problem);
  const reply = await line.ask({ type: 'step', data: read.action }, signal);
  if (reply.type === 'error') {
    const { message, code } = reply.data;
    if (code === 'VALIDATION_ERROR' || code === 'EXECUTION_ERROR') return refuse(`The environment refused this: ${plainText(message)}`);
  }
  return observationData(readResult(reply), { seats, intro: '' });
}

/** The message to the server for one round of answers. */
function stepOf(
  round: readonly SeatAnswer[],
  form: Form,
  several: boolean,
): { readonly action: JsonObject } | { readonly problem: string } {
  if (!several) return actionOf(round[0]!, form);
  return {
    action: {
      answers: Object.fromEntries(round.map(({ seat, text, data }) => [seat, { message: text, ...(data !== undefined && { data }) }])),
    },
  };
}

/** An observation, as a packet for the players. */
function observationData(
  { observation, reward, done }: OpenEnvResult,
  { seats, intro }: { readonly seats: readonly Seat[]; readonly intro: string },
): JsonObject {
  const { packet } = observation;
  if (isObject(packet)) return packet;
  const [player, ...others] = seats as readonly [Seat, ...Seat[]];
  if (others.length > 0)
    throw new Fault('input', `This OpenEnv server plays with one seat, but the relay has ${seats.length}: ${seats.join(', ')}.`);
  const text = [intro, textOfObservation(observation)].filter((part) => part !== '').join('\n');
  const choices = (observation['info'] as JsonObject | undefined)?.['choices'];
  const listed =
    Array.isArray(choices) &&
    choices.length > 0 &&
    new Set(choices).size === choices.length &&
    choices.every((choice) => typeof choice === 'string');
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
  if (data?.['seats'] === undefined)
    throw new Fault('input', 'A remote environment must see the whole episode. Remove "window" from the task.');
  const { seats, task, seed } = data as { seats: readonly Seat[]; task: Json; seed: number };
  const settings = isObject(task) ? task : {};
  return { seats, reset: { seed, ...settings, ...(seats.length > 1 && { seats }) } };
}

function several(turn: Turn): boolean {
  return commissionOf(turn).seats.length > 1;
}

interface SeatAnswer {
  readonly seat: Seat;
  readonly text: string;
  readonly data?: Json | undefined;
}

/** The players' answers so far: one list for each ask of the world seat. */
function roundsIn({ view }: Turn): readonly (readonly SeatAnswer[])[] {
  const rounds: SeatAnswer[][] = [];
  let open = false;
  for (const item of view.seen) {
    if (item.kind !== 'message' || item.from === undefined) open = false;
    else {
      const answer = { seat: item.from, text: item.text, data: item.data };
      if (open) rounds.at(-1)!.push(answer);
      else rounds.push([answer]);
      open = true;
    }
  }
  return rounds;
}
