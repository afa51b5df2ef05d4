/**
 * @file Determines the run, episode, and seat of a recorded call: by its path (/r/RUN/e/EPISODE/s/SEAT/v1/…), by headers (x-ludus-run,
 * x-ludus-episode, x-ludus-seat, x-ludus-seats) or by its key (ludus:RUN/EPISODE/SEAT), whichever a program can set.
 */

import { Refused } from './wire.ts';

export interface ProxyTarget {
  readonly run: string;
  /** Null if the call names none: then it belongs to the conversation that it continues. */
  readonly episode: string | null;
  readonly seat: string;
  /** The agent of the seat, if the program names it (x-ludus-agent). */
  readonly agent: string | null;
  /** All seats of the episode, if named; the first call determines them. */
  readonly seats: readonly string[] | null;
}

/** The parts of a path, if present. */
export interface PathParts {
  readonly run?: string | undefined;
  readonly episode?: string | undefined;
  readonly seat?: string | undefined;
}

const usualSeat = 'player';

export function placeOf(path: PathParts, headers: Headers, usualRun: string): ProxyTarget {
  const key = /^Bearer\s+ludus:([^/]*)(?:\/([^/]*))?(?:\/([^/]*))?$/i.exec(headers.get('authorization') ?? '');
  const pick = (part: 'run' | 'episode' | 'seat', at: number) => {
    const header = path[part] ?? headers.get(`x-ludus-${part}`) ?? (key?.[at] === '' ? undefined : key?.[at]);
    return header === undefined || header === null ? undefined : checkName(part, header);
  };
  const listed = headers.get('x-ludus-seats');
  const seat = pick('seat', 3) ?? usualSeat;
  const seats = listed === null ? null : listed.split(',').map((item) => checkName('seat', item.trim()));
  if (seats !== null && !seats.includes(seat))
    throw new Refused(400, `x-ludus-seats names ${seats.join(', ')}, but this call is of "${seat}".`);
  const agent = headers.get('x-ludus-agent')?.slice(0, 200) || null;
  return { run: pick('run', 1) ?? usualRun, episode: pick('episode', 2) ?? null, seat, agent, seats };
}

function checkName(what: string, name: string): string {
  if (/^[\w.:@~-]{1,80}$/.test(name) && name !== 'world') return name;
  throw new Refused(
    400,
    `Invalid ${what} ${JSON.stringify(name.slice(0, 90))}. Use at most 80 letters, digits, and . : @ ~ _ -, and not "world".`,
  );
}
