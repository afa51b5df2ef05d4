/** @file Renders an episode event by event: the speaker is left of the line, secrets have a dotted line, moves an arrow. */

import { readMind } from '@ludus-agents/agents/internal/mind/mind';
import { mindLines } from '@ludus-agents/agents/internal/mind-words';
import type { ToolRecord } from '@ludus-agents/agents/internal/tools/tool';
import { count, formatSigned } from '@ludus-agents/kernel/internal/core/format';
import {
  type EndEvent,
  type EpisodeEvent,
  equal,
  type Json,
  type MessageEvent,
  printable,
  type Seat,
  type Seen,
  type StartEvent,
  type TaskParameters,
} from '@ludus-agents/kernel/internal/core/index';
import type { Colours } from './colours.ts';
import { clip, pad, width, wrap } from './width.ts';

export interface EpisodeRenderer {
  /** An event as lines with their line ends; empty if there is nothing to show. */
  show(event: EpisodeEvent, index: number): string;
}

export interface EpisodeRenderOptions {
  readonly colours: Colours;
  readonly columns: number;
  /** Prefix each event with its index, as used by `fork --at`. */
  readonly numbers?: boolean;
  /** Everything, or one seat's view. */
  readonly seat?: Seat | undefined;
  /** The environment's parameters, if it is loaded: defaults need not be shown. */
  readonly parameters?: TaskParameters | undefined;
}

/** Text is easier to read if lines are not too long, even on a wide screen. */
const longest = 100;

/** The tools behind an answer, each with its result, one per line. */
function usesIn(mind: Json | undefined): readonly string[] {
  const uses = readMind(mind)?.uses;
  // A log may come from elsewhere, so nothing about a mind is guaranteed.
  if (!Array.isArray(uses)) return [];
  return uses.map(({ tool, arguments: input, ok, result }: Partial<ToolRecord>) => {
    const [question = '', came = ''] = [JSON.stringify(input ?? null), String(result)].map((text) =>
      clip(text.replace(/\s+/g, ' '), longest),
    );
    return printable(`${tool} ${question} ${ok === true ? '→' : '✗'} ${came}`);
  });
}

export function scene(options: EpisodeRenderOptions): EpisodeRenderer {
  const { colours, seat: only } = options;
  let seats: readonly Seat[] = [];
  let labelWidth = 0;
  let observations: readonly string[] = [];

  function lines(event: EpisodeEvent): readonly Line[] {
    if (only !== undefined && event.kind !== 'end' && event.kind !== 'start' && !concerns(event, only)) return [];
    if (event.kind === 'message') return [speechLine(event)];
    if (event.kind === 'reward') return [rewardLine(event.rewards, event.penalties ?? {})];
    if (event.kind !== 'action') return [];
    const spokenLine: Line = { label: event.seat, mark: '▸', text: printable(event.action.text), strong: true };
    const calls = event.calls?.length ?? 0;
    const asides = [
      ...usesIn(event.mind),
      // Zero counts are shown, too: readers look for mechanisms that never acted.
      ...mindLines(event.mind).map((line) =>
        printable(/^(?:mechanisms so far|off without a judge)/.test(line) ? line : clip(line, longest)),
      ),
      ...(calls === 0 ? [] : [count(calls, 'model call')]),
    ];
    return [spokenLine, ...asides.map((text): Line => ({ label: '', mark: '│', text, faint: true }))];
  }

  function speechLine({ to, from, text }: MessageEvent): Line {
    const content = printable(text);
    if (to.length === 0) return { label: 'note', mark: '┊', text: content, faint: true };
    const everyone = seats.every((seat) => to.includes(seat) || seat === from);
    if (everyone || only !== undefined) return { label: from ?? '', mark: '│', text: content };
    if (from !== undefined) return { label: from, mark: '┊', text: `→ ${printable(to.join(', '))}: ${content}` };
    return { label: `→ ${to.join(', ')}`, mark: '┊', text: unlessTold(content) };
  }

  /** Consecutive seats often get the same rules; text directly above is not repeated. */
  function unlessTold(content: string): string {
    const rows = content.split('\n');
    const fresh = rows.filter((row) => !observations.includes(row));
    const again = rows.length - fresh.length;
    observations = again === 0 ? rows : observations;
    return again < 2 ? content : [...fresh, `… and ${again} lines as above`].join('\n');
  }

  function rewardLine(rewards: Readonly<Record<Seat, number>>, penalties: Readonly<Record<Seat, number>>): Line {
    const mine = (seat: Seat) => only === undefined || seat === only;
    const parts = Object.entries(rewards).flatMap(([seat, amount]) =>
      mine(seat) ? [`${printable(seat)} ${tintAmount(colours, amount)}`] : [],
    );
    for (const [seat, amount] of Object.entries(penalties))
      if (mine(seat)) parts.push(colours.yellow(printable(`${seat} penalty ${amount}`)));
    return { label: '', mark: '│', text: parts.join('   ') };
  }

  function set({ label, mark, text, strong, faint }: Line, index: number): string {
    const number = options.numbers === true ? `${colours.faint(String(index).padStart(4))} ` : '';
    const blank = options.numbers === true ? '     ' : '';
    const room = Math.min(longest, Math.max(10, options.columns - labelWidth - 3 - blank.length));
    const colour = (content: string) =>
      seats.indexOf(bareSeat(label)) < 0 ? colours.faint(content) : colours.seat(content, seats.indexOf(bareSeat(label)));
    const gutter = mark === '▸' ? colour('▸') : colours.faint(mark);
    return wrap(text, room)
      .map((row, i) => {
        const head = pad(i === 0 ? clip(printable(label), labelWidth) : '', labelWidth, 'right');
        const body = strong === true ? colours.bold(row) : faint === true ? colours.faint(row) : row;
        return `${i === 0 ? number : blank}${colour(head)} ${i === 0 ? gutter : colours.faint(mark === '▸' ? '│' : mark)} ${body}`.trimEnd();
      })
      .join('\n');
  }

  return {
    show(event, index) {
      if (event.kind === 'start') {
        seats = event.seats;
        labelWidth = Math.min(16, Math.max(6, ...seats.map((seat) => width(seat) + 2)));
        return `${headline(event, options)}\n`;
      }
      if (event.kind === 'end') return `\n${ending(event, colours)}\n`;
      return lines(event)
        .map((line) => `${set(line, index)}\n`)
        .join('');
    },
  };
}

interface Line {
  readonly label: string;
  readonly mark: '│' | '┊' | '▸';
  readonly text: string;
  readonly strong?: boolean;
  readonly faint?: boolean;
}

function bareSeat(label: string): Seat {
  return label.startsWith('→ ') ? label.slice(2) : label;
}

function concerns(event: Exclude<EpisodeEvent, StartEvent | EndEvent>, seat: Seat): boolean {
  if (event.kind === 'message') return event.to.includes(seat);
  if (event.kind === 'action') return event.seat === seat;
  return event.kind === 'reward' && (Object.hasOwn(event.rewards, seat) || Object.hasOwn(event.penalties ?? {}, seat));
}

/** Environment, task, seed and cast. */
export function headline(start: StartEvent, { colours, parameters }: Pick<EpisodeRenderOptions, 'colours' | 'parameters'>): string {
  const facts = [`seed ${start.seed}`, ...changedParameters(start.task, parameters)];
  if (start.fork !== undefined) {
    const parent = start.fork.episode === undefined ? 'another episode' : start.fork.episode.slice(0, 8);
    facts.push(`fork of ${parent} at ${start.fork.at}${start.fork.seed === start.seed ? '' : ` with seed ${start.fork.seed}`}`);
  }
  const cast = start.seats.map((seat, i) => `${colours.seat(printable(seat), i)} ${printable(start.cast[seat] ?? '')}`);
  return `${colours.bold(printable(start.environment))} ${colours.faint(`· ${printable(facts.join(' · '))}`)}\n${cast.join(colours.faint(' · '))}\n`;
}

/** A short task description: values that differ from the default, without tables. */
function changedParameters(task: Json, parameters: TaskParameters | undefined): string[] {
  if (typeof task !== 'object' || task === null || Array.isArray(task)) return [];
  return Object.entries(task).flatMap(([name, value]) => {
    const usual = parameters !== undefined && Object.hasOwn(parameters, name) && equal(parameters[name]?.default, value);
    return usual || (typeof value === 'object' && value !== null) ? [] : [`${name} ${clip(String(value), 24)}`];
  });
}

/** The status and each seat's return. */
export function ending(end: EndEvent, colours: Colours): string {
  const after = `after ${count(end.turns, 'turn')}`;
  const returns = Object.entries(end.returns).map(
    ([seat, amount], i) => `${colours.seat(printable(seat), i)} ${tintAmount(colours, amount)}`,
  );
  for (const [seat, amount] of Object.entries(end.penalties))
    if (amount !== 0) returns.push(colours.yellow(printable(`${seat} penalty ${amount}`)));
  const why = {
    over: colours.bold('Over'),
    limit: colours.yellow(`Stopped at its limit of ${printable(end.limit ?? 'something')}`),
    abort: colours.yellow('Called off'),
    error: colours.red('Failed'),
  }[end.reason];
  const fault =
    end.fault === undefined ? '' : `\n${colours.red(printable(`${end.fault.seat ?? end.fault.boundary}: ${end.fault.message}`))}`;
  return `${why} ${after}: ${returns.join(', ')}${fault}`;
}

/** An event as seen by a person at a seat, in the same style. */
export function seenLine(item: Seen, options: { readonly colours: Colours; readonly columns: number }): string {
  const { colours } = options;
  if (item.kind === 'action') return '';
  const bar = colours.faint('│');
  const rows = (text: string) =>
    wrap(text, Math.min(longest, options.columns - 4))
      .map((row) => `  ${bar} ${row}`.trimEnd())
      .join('\n');
  if (item.kind === 'message') return `${rows(printable(item.from === undefined ? item.text : `${item.from}: ${item.text}`))}\n`;
  const parts: string[] = [];
  if (item.reward !== 0 || item.penalty === 0) parts.push(tintAmount(colours, item.reward));
  if (item.penalty !== 0) parts.push(colours.yellow(`a penalty of ${item.penalty}`));
  return `  ${bar} You receive ${parts.join(' and ')}.\n`;
}

export function tintAmount(colours: Colours, amount: number): string {
  return amount > 0 ? colours.green(formatSigned(amount)) : amount < 0 ? colours.red(formatSigned(amount)) : formatSigned(amount);
}
