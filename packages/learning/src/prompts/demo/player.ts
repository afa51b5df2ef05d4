/**
 * @file The demonstration's player: it simulates a model whose play of codebreaker depends on its instruction by fixed rules.
 *
 * Without instruction it guesses at random and sometimes forgets the form of an answer. Good lines improve its play, wrong ones worsen it,
 * and too many cause errors. It is priced like a model: every answer is a call with tokens.
 */

import type { Agent, AgentSpec, JsonObject, ModelCall, Rng, Turn } from '@ludus-agents/kernel/internal/core/index';
import { chatOf } from '@ludus-agents/kernel/internal/core/index';
import { type RuleName, readRules } from './rules.ts';

/**
 * Percentages: without instructions, how often the answer's form is forgotten and feedback is used; and, for each line beyond `room`, how
 * often a turn ignores the instructions.
 */
const forgets = 10;
const heeds = 50;
const slips = 2;
const room = 6;

type Told = {
  readonly mode: string;
  readonly top: number;
  readonly pegs: number;
  readonly colours: number;
  readonly past: readonly (readonly [string, string])[];
};

type Names = ReadonlySet<RuleName>;

/** An agent that follows its texts, and treats its habits as additional lines of text. */
export function lawfulPlayer(spec: AgentSpec, habits: readonly RuleName[] = []): Agent {
  const texts = Object.values(spec.texts ?? {}).filter((text) => text !== '');
  const instruction = texts.join('\n');
  const { names: observation, lines } = readRules(instruction);
  const names = new Set([...observation, ...habits]);
  return {
    name: spec.name,
    act(turn) {
      const text = answer(turn, names, lines);
      return { action: { text }, calls: [callOf(instruction, turn, text)] };
    },
  };
}

function answer(turn: Turn, names: Names, lines: number): string {
  const { rng } = turn;
  if (!names.has('form') && rng.int(100) < forgets) return 'I have a feeling about this one.';
  const view = readView(turn);
  const slipped = rng.int(100) < slips * Math.max(0, lines - room);
  const guess = view.mode === 'number' ? number(view, slipped ? new Set() : names, rng) : row(view, slipped ? new Set() : names, rng);
  return `[guess ${guess}]`;
}

/** A number guess: random, or consistent with the answers; the middle, the edge or a lucky number of the consistent ones. */
function number({ top, past }: Told, names: Names, dice: Rng): string {
  let [low, high] = [1, top];
  if (names.has('between') || dice.int(100) < heeds)
    for (const [guess, speech] of past) {
      if (speech === 'higher') low = Math.max(low, Number(guess) + 1);
      else high = Math.min(high, Number(guess) - 1);
    }
  if (names.has('lucky')) {
    const lucky = Array.from({ length: high - low + 1 }, (_, i) => low + i).filter((n) => n % 10 === 7);
    if (lucky.length > 0) return `${dice.pick(lucky)}`;
  }
  if (names.has('edge')) return `${low}`;
  return `${names.has('middle') ? (low + high) >> 1 : low + dice.int(high - low + 1)}`;
}

/** A row guess: random, or consistent with the answers; a single color while that rule applies. */
function row(observation: Told, names: Names, dice: Rng): string {
  const { pegs, colours, past } = observation;
  if (names.has('plain') && past.length < colours - 1) return `${past.length + 1}`.repeat(pegs);
  if (names.has('open') && past.length === 0) return `${'1'.repeat(Math.ceil(pegs / 2))}${'2'.repeat(Math.floor(pegs / 2))}`;
  const heed = names.has('agree') || dice.int(100) < heeds;
  if (!heed && !names.has('fresh')) return dice.pick(rowsOf(pegs, colours));
  const fitting = rowsOf(pegs, colours).filter((code) =>
    past.every(([guess, speech]) => (!heed || speech === feedbackFor(guess, code)) && (!names.has('fresh') || guess !== code)),
  );
  return dice.pick(fitting);
}

const knownNames = new Map<string, readonly string[]>();

/** All possible rows. */
function rowsOf(pegs: number, colours: number): readonly string[] {
  const key = `${pegs} ${colours}`;
  let rows = knownNames.get(key);
  if (rows === undefined) {
    rows = [''];
    for (let peg = 0; peg < pegs; peg++) rows = rows.flatMap((row) => Array.from({ length: colours }, (_, i) => `${row}${i + 1}`));
    knownNames.set(key, rows);
  }
  return rows;
}

/** The environment's feedback for a guess: exact and misplaced pegs. */
export function feedbackFor(guess: string, code: string): string {
  let exact = 0;
  let common = 0;
  for (let i = 0; i < code.length; i++) if (guess[i] === code[i]) exact++;
  for (let i = 0; i < guess.length; i++) {
    const colour = guess[i];
    if (guess.indexOf(colour) === i) common += Math.min(times(guess, colour), times(code, colour));
  }
  return `${exact} ${common - exact}`;
}

function times(row: string, colour: string): number {
  let count = 0;
  for (let i = 0; i < row.length; i++) if (row[i] === colour) count++;
  return count;
}

export function readView({ view }: Turn): Told {
  const data = view.seen.flatMap((item) => (item.kind === 'message' && item.data !== undefined ? [item.data as JsonObject] : []));
  const past = data.slice(1).map(({ guess, answer }) => [guess as string, answer as string] as const);
  return { ...(data[0] as Told), past };
}

function callOf(instruction: string, { view }: Turn, text: string): ModelCall {
  const messages = [{ role: 'system' as const, content: instruction }, ...chatOf(view)];
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  const usage = { promptTokens: Math.ceil(characters / 4), completionTokens: Math.ceil(text.length / 4) };
  return { model: 'lawful', prompt: { messages }, text, finish: 'stop', usage, cost: 0 };
}
