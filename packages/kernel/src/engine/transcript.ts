/** @file Formats a log as text for people: messages, asks, answers and rewards. */

import type { Action, Ask, EpisodeEvent, Json, MessageEvent, Seat } from '../core/index.ts';

/** The whole log, one line per event if it fits; the same log always gives the same text. */
export function transcript(events: Iterable<EpisodeEvent>): string {
  const lines: string[] = [];
  let seats: readonly Seat[] = [];
  let turn = 0;
  for (const event of events) {
    if (event.kind === 'start') {
      seats = event.seats;
      lines.push(`${event.environment}, seed ${event.seed}`, `task ${JSON.stringify(event.task)}`);
      lines.push(`cast ${seats.map((seat) => `${seat} = ${event.cast[seat]}`).join(', ')}`);
      if (event.fork !== undefined) lines.push(`forked before event ${event.fork.at}, seed ${event.fork.seed} from there on`);
      lines.push('');
    } else if (event.kind === 'message') lines.push(...speechLines(event, seats));
    else if (event.kind === 'turn') lines.push('', `${++turn}. ${event.asks.map(askLine).join('; ')}`);
    else if (event.kind === 'action') lines.push(...block(`${event.seat}:`, event.action), ...callsLine(event.calls?.length ?? 0));
    else if (event.kind === 'reward') lines.push(...paymentLines(event.rewards, 'paid'), ...paymentLines(event.penalties ?? {}, 'penalty'));
    else {
      const why = event.fault === undefined ? (event.limit ?? '') : `${event.fault.seat ?? event.fault.boundary}: ${event.fault.message}`;
      lines.push('', `${event.reason}${why === '' ? '' : ` (${why})`} after ${event.turns} ${event.turns === 1 ? 'turn' : 'turns'}`);
      lines.push(...paymentLines(event.returns, 'returns'));
      if (Object.values(event.penalties).some((amount) => amount !== 0)) lines.push(...paymentLines(event.penalties, 'penalties'));
    }
  }
  return `${lines.join('\n')}\n`;
}

function speechLines(event: MessageEvent, seats: readonly Seat[]): string[] {
  const others = seats.filter((seat) => seat !== event.from);
  const all = others.length > 1 && others.every((seat) => event.to.includes(seat));
  const to = event.to.length === 0 ? 'note' : all ? 'to all' : `to ${event.to.join(', ')}`;
  return block(event.from === undefined ? `(${to})` : `(${event.from} ${to})`, event);
}

/** A label and its text: on the same line if there is only one, indented below it otherwise. */
function block(label: string, { text, data }: Action): string[] {
  const lines = text.split('\n');
  const body = lines.length === 1 ? [`${label} ${text}`] : [label, ...lines.map((line) => `    ${line}`.trimEnd())];
  if (data !== undefined) body.push(`    ${clip(data)}`);
  return body;
}

function askLine(ask: Ask): string {
  const { seat, choices } = ask;
  if (choices === undefined) return `${seat} is asked`;
  const visibleChoices = choices.length > 12 ? [...choices.slice(0, 5), `… ${choices.length - 5} more`] : choices;
  return `${seat} is asked: ${visibleChoices.join(' ')}`;
}

function callsLine(calls: number): string[] {
  return calls === 0 ? [] : [`    (${calls} model ${calls === 1 ? 'call' : 'calls'})`];
}

function paymentLines(amounts: Readonly<Record<Seat, number>>, label: string): string[] {
  const parts = Object.entries(amounts).map(([seat, amount]) => `${seat} ${formatSigned(amount)}`);
  return parts.length === 0 ? [] : [`${label}: ${parts.join(', ')}`];
}

function formatSigned(amount: number): string {
  const rounded = Number(amount.toFixed(6));
  return rounded > 0 ? `+${rounded}` : rounded < 0 ? `−${-rounded}` : '0';
}

function clip(data: Json): string {
  const text = JSON.stringify(data);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
