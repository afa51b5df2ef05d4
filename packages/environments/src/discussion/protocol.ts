/**
 * @file A protocol of a discussion: a pure function from what was said in this turn, and from the memory of earlier turns, to who is asked
 * next or to the result.
 *
 * A protocol has no hidden state. What it needs at the next turn of the episode is the `memory` in its result: the team keeps it in the
 * seat's mind and passes it back.
 */

import { isObject, type Json, type JsonObject, type Seat } from '@ludus-agents/kernel/internal/core/index';
import type { TeamTool } from './tools.ts';

/** One thing that was said: by whom, and for which part of the protocol. */
export type Speech = {
  readonly seat: Seat;
  readonly part: string;
  /** The created member as whom it was said. */
  readonly as?: string;
  readonly text: string;
  /** The answer in it: one of the choices where there are some; null where it has none. */
  readonly answer: string | null;
  /** How likely the member was to make each move, where it is a policy that knows. */
  readonly chances?: { readonly [move: string]: number };
};

/** A discussion as a protocol sees it. */
export interface Discussion {
  readonly members: readonly Seat[];
  /** The same in an order that was rolled at the start. */
  readonly order: readonly Seat[];
  /** The member who plans, orchestrates, merges or decides, where a protocol has one. */
  readonly lead: Seat;
  readonly choices: readonly string[];
  readonly rounds: number;
  readonly threshold: number;
  readonly said: readonly Speech[];
  /** What one protocol needs beyond what all have. */
  readonly settings: JsonObject;
  /** What the protocol kept at earlier turns of the episode. */
  readonly memory: JsonObject;
  /** Turns of the team before this one. */
  readonly turn: number;
  /** What the seat was told since its last move. */
  readonly observed: string;
  /** How many times in a row the seat was told the same as before. */
  readonly repeats: number;
  /** How many moves in a row were made before in the same situation, with the same result. */
  readonly loops: number;
  /** Does `listener` hear `speaker`? */
  hears(listener: Seat, speaker: Seat): boolean;
}

/** Someone is asked: for which part, in which words, after hearing which of the speeches. */
export interface MemberAsk {
  readonly seat: Seat;
  readonly part: string;
  readonly tell: string;
  readonly hears: readonly number[];
  readonly choices?: readonly string[];
  /** It is asked for a move of the seat. Members that are policies answer only such asks. */
  readonly act?: true;
  /** It plays a created member, and sees only what that member was told and said. */
  readonly as?: string;
  /** A program in its answer is run, and its output is added to the answer. */
  readonly code?: true;
}

/** What a discussion came to. */
export type DiscussionResult = {
  readonly answer: string;
  /** No agreement was reached: this is the best candidate. */
  readonly contested?: true;
  /** What each member counted for, by the ratings of the others. */
  readonly importance?: { readonly [seat: Seat]: number };
  /** How good the answer was judged to be. */
  readonly score?: number;
  /** How often it was planned anew. */
  readonly revisions?: number;
  /** What each move was worth, where weights were mixed. */
  readonly shares?: { readonly [move: string]: number };
  /** What the protocol needs at the next turn of the episode. */
  readonly memory?: JsonObject;
  /** How often each of its mechanisms acted in this turn. */
  readonly acted?: { readonly [mechanism: string]: number };
  /** The member who made the move, where it was not the lead. */
  readonly by?: Seat;
  /** Of predictions that could be compared: the share that came true, and how many there were. */
  readonly predicted?: { readonly right: number; readonly of: number };
  /** How new what it saw was, from 0 to 1; a reward for the pipeline alone, never paid. */
  readonly novelty?: number;
};

export type NextStep = { readonly asks: readonly MemberAsk[] } | { readonly result: DiscussionResult };

export interface Protocol {
  readonly about: string;
  /** What can be switched off (`"off": ["ledger"]`), each with what the team does without it. */
  readonly mechanisms?: { readonly [name: string]: string };
  /** The tools that members can use now. */
  tools?(discussion: Discussion): readonly TeamTool[];
  next(discussion: Discussion): NextStep;
}

/** Is a mechanism of the protocol switched on? */
export function isOn({ settings }: Pick<Discussion, 'settings'>, mechanism: string): boolean {
  const { off } = settings;
  return !(Array.isArray(off) && off.includes(mechanism));
}

/** A text that the protocol kept at an earlier turn. */
export function textFrom({ memory }: Pick<Discussion, 'memory'>, name: string): string {
  const value = memory[name];
  return typeof value === 'string' ? value : '';
}

/** A number that the protocol kept at an earlier turn. */
export function numberFrom({ memory }: Pick<Discussion, 'memory'>, name: string): number {
  const value = memory[name];
  return typeof value === 'number' ? value : 0;
}

/** A list that the protocol kept at an earlier turn. */
export function listFrom({ memory }: Pick<Discussion, 'memory'>, name: string): readonly Json[] {
  const value = memory[name];
  return Array.isArray(value) ? value : [];
}

/** A record that the protocol kept at an earlier turn. */
export function recordFrom({ memory }: Pick<Discussion, 'memory'>, name: string): JsonObject {
  const value = memory[name];
  return isObject(value) ? value : {};
}

/** Texts for the memory: the newest last, each once, at most `most`. */
export function withTexts(before: readonly Json[], texts: readonly string[], most: number): readonly string[] {
  const merged = [...before.filter((text): text is string => typeof text === 'string'), ...texts];
  return merged.filter((text, i) => text !== '' && merged.lastIndexOf(text) === i).slice(-most);
}

/** What was tried at earlier moves, with what came of each: what the protocol kept under `name`, and its last move (`tried`). */
export function attempts(discussion: Discussion, name: string, most: number): readonly string[] {
  const tried = textFrom(discussion, 'tried');
  return withTexts(listFrom(discussion, name), tried === '' ? [] : [`${tried} → ${discussion.observed}`], most);
}

/** The indexes of speeches that fit. */
export function speechesOf({ said }: Discussion, fits: (speech: Speech, index: number) => boolean): readonly number[] {
  return said.flatMap((speech, i) => (fits(speech, i) ? [i] : []));
}

export function othersOf({ members, lead }: Discussion): readonly Seat[] {
  return members.filter((member) => member !== lead);
}

/** How to answer, in words. */
export function answerWords({ choices }: Pick<Discussion, 'choices'>): string {
  return choices.length === 0 ? 'Write a line "Answer: …".' : 'Write a line "Answer: …" with exactly one of the moves.';
}

/** The answer that most of the latest answers give; the earlier member's where as many give another. */
export function plurality(answers: readonly (string | null)[]): { readonly answer: string; readonly votes: number } {
  const votes = new Map<string, number>();
  for (const answer of answers) if (answer !== null) votes.set(answer, (votes.get(answer) ?? 0) + 1);
  let best = { answer: '', votes: 0 };
  for (const [answer, count] of votes) if (count > best.votes) best = { answer, votes: count };
  return best;
}

/** The end where the turns are used up: what the lead answered last, else what most said last. */
export function settle({ members, said, lead }: Discussion): DiscussionResult {
  const ownAnswer = said.findLast(({ seat, answer }) => seat === lead && answer !== null)?.answer ?? null;
  const latest = members.map((member) => said.findLast(({ seat, answer }) => seat === member && answer !== null)?.answer ?? null);
  return { answer: ownAnswer ?? plurality(latest).answer, contested: true };
}
