/**
 * @file A protocol of a discussion: a pure function from what was said in this turn, and from the memory of earlier turns, to either the
 * next members to ask or the result.
 *
 * A protocol has no hidden state. State for the next turn of the episode goes into the `memory` of its result; the team stores it in the
 * seat's mind and passes it back.
 */

import { isObject, type Json, type JsonObject, type Seat } from '@ludus-agents/kernel/internal/core/index';
import type { TeamTool } from './tools.ts';

/** One speech of a member, for one part of the protocol. */
export type Speech = {
  readonly seat: Seat;
  readonly part: string;
  /** The created member on whose behalf the seat spoke. */
  readonly as?: string;
  readonly text: string;
  /** The answer in the speech: one of the choices if there are choices. Null if the speech has no answer. */
  readonly answer: string | null;
  /** For a policy that reports them: the probability of each move. */
  readonly chances?: { readonly [move: string]: number };
};

/** A discussion as a protocol sees it. */
export interface Discussion {
  readonly members: readonly Seat[];
  /** The members in a random order that is drawn at the start. */
  readonly order: readonly Seat[];
  /** The member who plans, orchestrates, merges, or decides, if the protocol has such a role. */
  readonly lead: Seat;
  readonly choices: readonly string[];
  readonly rounds: number;
  readonly threshold: number;
  readonly said: readonly Speech[];
  /** Settings that are specific to one protocol. */
  readonly settings: JsonObject;
  /** Memory that the protocol stored in earlier turns of the episode. */
  readonly memory: JsonObject;
  /** Turns of the team before this one. */
  readonly turn: number;
  /** What the seat observed since its last move. */
  readonly observed: string;
  /** How many times in a row the seat observed the same as before. */
  readonly repeats: number;
  /** How many moves in a row repeated an earlier move in the same situation with the same result. */
  readonly loops: number;
  /** Whether `listener` hears `speaker`. */
  hears(listener: Seat, speaker: Seat): boolean;
}

/** A request to a member: the part of the protocol, the prompt, and the speeches that the member hears first. */
export interface MemberAsk {
  readonly seat: Seat;
  readonly part: string;
  readonly tell: string;
  readonly hears: readonly number[];
  readonly choices?: readonly string[];
  /** The request is for a move of the seat. Members that are policies answer only these. */
  readonly act?: true;
  /** The member plays this created member, and sees only messages to and from that created member. */
  readonly as?: string;
  /** A program in the answer is run, and its output is added to the answer. */
  readonly code?: true;
}

/** The outcome of a discussion. */
export type DiscussionResult = {
  readonly answer: string;
  /** Set if no agreement was reached; the answer is then the best candidate. */
  readonly contested?: true;
  /** The importance of each member, from the ratings by the others. */
  readonly importance?: { readonly [seat: Seat]: number };
  /** The score that the answer received. */
  readonly score?: number;
  /** The number of times a new plan was made. */
  readonly revisions?: number;
  /** The mixed weight of each move, if weights were mixed. */
  readonly shares?: { readonly [move: string]: number };
  /** What the protocol needs at the next turn of the episode. */
  readonly memory?: JsonObject;
  /** How often each mechanism acted in this turn. */
  readonly acted?: { readonly [mechanism: string]: number };
  /** The member who made the move, if it was not the lead. */
  readonly by?: Seat;
  /** Of the predictions that could be compared: the number that came true, and their total. */
  readonly predicted?: { readonly right: number; readonly of: number };
  /** The novelty of the observation, from 0 to 1. The pipeline uses it as a signal; it is never part of the reward. */
  readonly novelty?: number;
};

export type NextStep = { readonly asks: readonly MemberAsk[] } | { readonly result: DiscussionResult };

export interface Protocol {
  readonly about: string;
  /** Mechanisms that can be switched off (`"off": ["ledger"]`), each with what the team does without it. */
  readonly mechanisms?: { readonly [name: string]: string };
  /** The tools that members can use now. */
  tools?(discussion: Discussion): readonly TeamTool[];
  next(discussion: Discussion): NextStep;
}

/** Returns whether a mechanism of the protocol is switched on. */
export function isOn({ settings }: Pick<Discussion, 'settings'>, mechanism: string): boolean {
  const { off } = settings;
  return !(Array.isArray(off) && off.includes(mechanism));
}

/** Reads a text from the protocol's memory. */
export function textFrom({ memory }: Pick<Discussion, 'memory'>, name: string): string {
  const value = memory[name];
  return typeof value === 'string' ? value : '';
}

/** Reads a number from the protocol's memory. */
export function numberFrom({ memory }: Pick<Discussion, 'memory'>, name: string): number {
  const value = memory[name];
  return typeof value === 'number' ? value : 0;
}

/** Reads a list from the protocol's memory. */
export function listFrom({ memory }: Pick<Discussion, 'memory'>, name: string): readonly Json[] {
  const value = memory[name];
  return Array.isArray(value) ? value : [];
}

/** Reads a record from the protocol's memory. */
export function recordFrom({ memory }: Pick<Discussion, 'memory'>, name: string): JsonObject {
  const value = memory[name];
  return isObject(value) ? value : {};
}

/** Adds texts to a memory list without duplicates, newest last, keeping at most `most`. */
export function withTexts(before: readonly Json[], texts: readonly string[], most: number): readonly string[] {
  const merged = [...before.filter((text): text is string => typeof text === 'string'), ...texts];
  return merged.filter((text, i) => text !== '' && merged.lastIndexOf(text) === i).slice(-most);
}

/** Returns earlier moves with their results: those that the protocol stored under `name`, plus the last move (`tried`). */
export function attempts(discussion: Discussion, name: string, most: number): readonly string[] {
  const tried = textFrom(discussion, 'tried');
  return withTexts(listFrom(discussion, name), tried === '' ? [] : [`${tried} → ${discussion.observed}`], most);
}

/** Returns the indexes of the speeches that match. */
export function speechesOf({ said }: Discussion, fits: (speech: Speech, index: number) => boolean): readonly number[] {
  return said.flatMap((speech, i) => (fits(speech, i) ? [i] : []));
}

export function othersOf({ members, lead }: Discussion): readonly Seat[] {
  return members.filter((member) => member !== lead);
}

/** Returns the instruction on how to answer. */
export function answerWords({ choices }: Pick<Discussion, 'choices'>): string {
  return choices.length === 0 ? 'Write a line "Answer: …".' : 'Write a line "Answer: …" with exactly one of the moves.';
}

/** Returns the most frequent of the latest answers. A tie goes to the answer of the earlier member. */
export function plurality(answers: readonly (string | null)[]): { readonly answer: string; readonly votes: number } {
  const votes = new Map<string, number>();
  for (const answer of answers) if (answer !== null) votes.set(answer, (votes.get(answer) ?? 0) + 1);
  let best = { answer: '', votes: 0 };
  for (const [answer, count] of votes) if (count > best.votes) best = { answer, votes: count };
  return best;
}

/** Returns the result when no turns are left: the lead's last answer, or the most frequent last answer. */
export function settle({ members, said, lead }: Discussion): DiscussionResult {
  const ownAnswer = said.findLast(({ seat, answer }) => seat === lead && answer !== null)?.answer ?? null;
  const latest = members.map((member) => said.findLast(({ seat, answer }) => seat === member && answer !== null)?.answer ?? null);
  return { answer: ownAnswer ?? plurality(latest).answer, contested: true };
}
