/** @file A person at a terminal: shows new observations, prompts for a move, and sends exactly what the person meant. */

import type { Readable, Writable } from 'node:stream';
import type { Action, Agent, Ask, Seat, Seen, View } from '@ludus-agents/kernel/internal/core/index';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { Keyboard } from './keyboard.ts';

export interface HumanOptions {
  readonly name?: string;
  readonly input?: Readable;
  readonly output?: Writable;
  /** Called when the person leaves, to cancel the episode. */
  readonly quit?: () => void;
  /** Formats an observation, including its line end. */
  readonly show?: (item: Seen, seat: Seat) => string;
  readonly paint?: Paint;
}

/** Colors, if the terminal has any. */
export interface Paint {
  seat(seat: Seat): string;
  strong(text: string): string;
  faint(text: string): string;
}

export interface Human extends Agent {
  /** Shows what is new in a view. It is also called once after the last turn. */
  tell(view: View): void;
}

export function human(options: HumanOptions = {}): Human {
  const { name = 'human', input = process.stdin, output = process.stdout, quit, show = plainly, paint = unpainted } = options;
  const keyboard = Keyboard.of(input);
  const weakSet = new WeakSet<Seen>();

  function tell(view: View): void {
    let text = '';
    for (const item of view.seen) {
      if (weakSet.has(item)) continue;
      weakSet.add(item);
      text += show(item, view.seat);
    }
    if (text !== '') output.write(`\n${text}`);
  }

  async function answer(ask: Ask, signal: AbortSignal): Promise<Action> {
    output.write(`\n${hint(ask, paint)}\n`);
    for (;;) {
      const line = await keyboard.read(`${paint.seat(printable(ask.seat))} ${paint.faint('›')} `, output, signal);
      const command = line === null ? ({ kind: 'quit' } as const) : understand(line, ask);
      if (command.kind === 'move') return { text: command.text };
      if (command.kind === 'quit') {
        quit?.();
        throw new Fault('agent', 'The person at the keyboard left.');
      }
      output.write(command.kind === 'help' ? help(ask, paint) : `  ${command.why}\n`);
    }
  }

  return {
    name,
    speaks: true,
    tell,
    act: ({ view, ask }, signal) =>
      keyboard.alone(async () => {
        tell(view);
        return { action: await answer(ask, signal) };
      }),
  };
}

type Said =
  | { readonly kind: 'move'; readonly text: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'quit' }
  | { readonly kind: 'unclear'; readonly why: string };

/**
 * Interprets a typed line. A bare move gets its brackets, as does an unambiguous ending of a move ("5" for [harvest 5]). A number picks
 * from the list if no move contains a digit. Text in brackets or after /say is sent as typed, and the environment judges it.
 */
export function understand(line: string, { choices = [] }: Ask): Said {
  const text = line.trim();
  if (text === '?' || text === '/help') return { kind: 'help' };
  if (text === '/quit') return { kind: 'quit' };
  if (/^\/say\s/.test(text)) return { kind: 'move', text: text.slice('/say'.length).trim() };
  if (text === '') return { kind: 'unclear', why: 'Type your answer and press Enter; ? shows help.' };
  const wanted = fold(text);
  const move = choices.find((choice) => fold(choice) === wanted || fold(bare(choice)) === wanted);
  if (move !== undefined) return { kind: 'move', text: move };
  const ends = choices.filter((choice) => fold(bare(choice)).endsWith(` ${wanted}`));
  if (ends.length === 1) return { kind: 'move', text: ends[0]! };
  if (/^\d+$/.test(text) && canNumber(choices)) {
    const picked = choices[Number(text) - 1];
    return picked === undefined
      ? { kind: 'unclear', why: `The moves are numbered 1 to ${choices.length}.` }
      : { kind: 'move', text: picked };
  }
  if (choices.length > 0 && !text.includes('[') && choices.every(isBracketed))
    return {
      kind: 'unclear',
      why: `"${printable(text)}" is not a move here. Type ? to list the moves. [Brackets] and /say send what you type as it is.`,
    };
  return { kind: 'move', text };
}

function isBracketed(choice: string): boolean {
  return choice.startsWith('[') && choice.endsWith(']');
}

function bare(choice: string): string {
  return isBracketed(choice) ? choice.slice(1, -1) : choice;
}

function fold(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

/** Numbers pick moves only if no move contains a number: "5" must never mean the fifth move when it could mean five. */
function canNumber(choices: readonly string[]): boolean {
  return choices.length > 0 && !choices.some((choice) => /\d/.test(choice));
}

/** A colored word, and its width in columns without the color codes. */
interface Piece {
  readonly text: string;
  readonly columns: number;
}

/** The list of moves, numbered if numbers pick moves. */
function listChoices(choices: readonly string[], paint: Paint, labelOf: (choice: string) => string = (choice) => choice): Piece[] {
  const numbers = canNumber(choices);
  return choices.map((choice, i) => {
    const move = printable(labelOf(choice));
    const number = numbers ? `${i + 1} ` : '';
    return { text: `${paint.faint(number)}${paint.strong(move)}`, columns: number.length + move.length };
  });
}

/** Lays out pieces side by side, as many per row as fit. */
function rows(pieces: readonly Piece[], columns: number): string[] {
  const lines: string[] = [];
  let room = 0;
  for (const piece of pieces) {
    room -= piece.columns + 2;
    if (room < 0 || lines.length === 0) {
      lines.push(piece.text);
      room = columns - piece.columns;
    } else lines.push(`${lines.pop()}  ${piece.text}`);
  }
  return lines;
}

/** The line above the prompt: the moves, if they fit. */
function hint({ choices = [] }: Ask, paint: Paint): string {
  const tail = paint.faint('· ? help');
  if (choices.length === 0) return `  ${paint.faint('Answer in your own words')} ${tail}`;
  const [line, more] = rows(listChoices(choices, paint, bare), 64);
  return `  ${more === undefined ? line : `${choices.length} moves`} ${tail}`;
}

/** Longer lists of moves are omitted, because people skip them. */
const mostListed = 60;

function help({ choices = [], schema }: Ask, paint: Paint): string {
  const lines: string[] = [];
  if (choices.length > 0) {
    const pieces = listChoices(choices.slice(0, mostListed), paint);
    lines.push('Your moves:', ...rows(pieces, choices.length > 6 ? 68 : 1).map((row) => `  ${row}`));
    if (choices.length > mostListed) lines.push(`  … and ${choices.length - mostListed} more`);
    lines.push(canNumber(choices) ? 'Type a move, with or without brackets, or its number.' : 'Type a move, with or without brackets.');
  } else lines.push('Type what you want to say and press Enter.');
  if (schema !== undefined) lines.push(`The answer must fit ${printable(JSON.stringify(schema))}`);
  if (choices.length > 0) lines.push('/say TEXT sends your text unchanged.');
  lines.push('/quit leaves the game (so do Ctrl-C and Ctrl-D).');
  return `${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

function plainly(item: Seen): string {
  if (item.kind === 'message') return `${printable(item.from === undefined ? item.text : `${item.from}: ${item.text}`)}\n`;
  if (item.kind === 'action') return '';
  return `You receive ${item.reward}${item.penalty === 0 ? '' : ` and a penalty of ${item.penalty}`}.\n`;
}

const unpainted: Paint = { seat: (seat) => seat, strong: (text) => text, faint: (text) => text };
