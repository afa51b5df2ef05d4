/** @file Parses the cast from a command line: --me, --agents, --SEAT AGENT, and scripts for the rest. */

import { standIn } from '@ludus-agents/agents/internal/kinds';
import { type AnyEnvironment, Fault, recordOf, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { nearest } from '@ludus-agents/kernel/internal/core/suggest';
import { meantOption } from './unknown-option.ts';

export interface CastOptions {
  readonly me?: string;
  readonly agents?: string;
  /** SEAT=AGENT, once per seat. */
  readonly seat?: readonly string[];
  readonly watch?: boolean;
}

/** The seats of an environment, and options that are not seats. */
export interface TerminalSeating {
  readonly environment: string;
  readonly seats: readonly Seat[];
  /** Long names of the command's options, to distinguish a mistyped option from a seat. */
  readonly known?: readonly string[];
  /** Seats that a single agent leaves to the agents that the content names. */
  readonly standIns?: readonly Seat[];
}

/** Seats that the command line names, with their agents. */
export function namedSeats(options: CastOptions, seating: TerminalSeating): Record<Seat, string> {
  const { environment, seats, standIns = [] } = seating;
  const cast: Record<Seat, string> = {};
  if (options.agents !== undefined) {
    const agents = options.agents.split(',').map((name) => name.trim());
    if (agents.length !== 1 && agents.length !== seats.length)
      throw new Fault(
        'input',
        `--agents: expected one agent, or one for each of the ${seats.length} seats (${seats.join(', ')}), got ${agents.length}.`,
      );
    const [only] = agents as [string];
    for (const [i, seat] of seats.entries()) if (agents.length > 1 || !standIns.includes(seat)) cast[seat] = agents[i] ?? only;
  }
  for (const pair of options.seat ?? []) {
    const cut = pair.indexOf('=');
    if (cut < 1 || cut === pair.length - 1) throw new Fault('input', `--seat: expected SEAT=AGENT, such as first=random, got "${pair}".`);
    cast[seatIn(pair.slice(0, cut), seating)] = pair.slice(cut + 1);
  }
  if (options.me !== undefined) {
    if (options.watch === true) throw new Fault('input', 'Use either --watch or --me, not both.', { code: 'E_CONFLICTING_OPTIONS' });
    cast[seatIn(options.me, { environment, seats })] = 'human';
  }
  for (const [seat, agent] of Object.entries(cast))
    if (agent === '') throw new Fault('input', `--agents has no agent for the seat "${seat}". Add one.`);
  return cast;
}

/** The full cast: you take the first unnamed seat, unless you watch; scripts take the rest. */
export function castOf(options: CastOptions, environment: AnyEnvironment, seating: TerminalSeating): Record<Seat, string> {
  const cast = namedSeats(options, seating);
  const empty = seating.seats.filter((seat) => cast[seat] === undefined);
  const seated = Object.values(cast).some(isHuman) || options.watch === true || options.agents !== undefined;
  // A seat that runs programs is assigned only by name.
  const yours = seated ? undefined : empty.find((seat) => standIn(environment, seat) !== 'tester');
  for (const seat of empty) cast[seat] = seat === yours ? 'human' : standIn(environment, seat);
  return recordOf(seating.seats, (seat) => cast[seat]!);
}

export function isHuman(agent: string): boolean {
  return agent === 'human' || agent === 'me';
}

/** A seat in the environment's spelling; case is ignored. */
export function seatIn(typed: string, { environment, seats, known = [] }: TerminalSeating): Seat {
  const matchingSeat = seats.find((seat) => seat === typed) ?? seats.find((seat) => seat.toLowerCase() === typed.toLowerCase());
  if (matchingSeat !== undefined) return matchingSeat;
  const what = known.length > 0 ? `has no seat "${typed}" and no option --${typed}` : `has no seat "${typed}"`;
  const meant = nearest(typed, seats) ?? meantOption(typed, known);
  const hint = meant === null ? '' : ` Did you mean ${seats.includes(meant) ? `"${meant}"` : `--${meant}`}?`;
  throw new Fault('input', `${environment} ${what}; its seats are ${seats.join(', ')}.${hint}`);
}
