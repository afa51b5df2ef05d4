/** @file A conversation as the fault detectors read it: messages and actions of the tested seat, and the messages it received. */

import { callsOf } from '@ludus-agents/evaluation/internal/scoring/rules/calls';
import { type Log, noteOf } from '@ludus-agents/evaluation/internal/scoring/rules/log';
import { hash, type Json, type JsonObject, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { SpokenLine } from '../claims.ts';
import { answersBySteps, type DeskFacts, type DeskStepFacts } from '../desk-facts.ts';
import { plainText } from '../questions.ts';

export interface DialogueLine extends SpokenLine {
  /** The original text; `text` is without emphasis, and agent lines are without quotes of the customer. */
  readonly raw: string;
  readonly event: number;
  /** The number of answers by the seat before this line. */
  readonly turn: number;
}

export interface DialogueCall {
  readonly event: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly key: string;
}

export interface Dialogue {
  readonly lines: readonly DialogueLine[];
  /** Successful calls, of our tools or reported by a bot. */
  readonly calls: readonly DialogueCall[];
  /** The successful calls that change something. */
  readonly writes: readonly DialogueCall[];
  /** Whether the bot's own records changed; null if it shows none. */
  readonly changed: boolean | null;
  /** Whether calls are visible at all. */
  readonly seesCalls: boolean;
  readonly facts: DeskFacts | null;
  /** Whether a bot has imported the records of the case. */
  readonly takesRecords: boolean;
  /** All results of the desk's tools, as one text. */
  readonly results: string;
  /** Unwanted changes, one sentence each; null if the bot's records are not visible. */
  readonly unasked: readonly string[] | null;
  /** Whether actions are visible, so text is not needed as evidence. */
  readonly isSeen: boolean;
  /** Violations of the desk's procedure, and the unfinished parts of the request. */
  readonly breaches: readonly OutcomeProblem[];
  readonly undone: readonly OutcomeProblem[];
  /** Records that were to change and got a wrong value. */
  readonly misrecorded: readonly OutcomeProblem[];
  /** The seat's failure that ended the episode. */
  readonly failure: string | null;
  /** The answers to each customer message, with their lines. */
  readonly steps: readonly { readonly step: DeskStepFacts; readonly answers: readonly DialogueLine[] }[];
}

const saved = new WeakMap<Log, Map<Seat, Dialogue | null>>();

/** The conversation of a seat with the others; null if the seat has said nothing. */
export function dialogueOf(log: Log, seat: Seat): Dialogue | null {
  const knownEntries = saved.get(log) ?? new Map<Seat, Dialogue | null>();
  saved.set(log, knownEntries);
  let dialogue = knownEntries.get(seat);
  if (dialogue === undefined) {
    dialogue = read(log, seat);
    knownEntries.set(seat, dialogue);
  }
  return dialogue;
}

function read(log: Log, seat: Seat): Dialogue | null {
  const note = noteOf(log, 'desk');
  const facts = note === null ? null : (note.value as DeskFacts);
  // At a desk the customer is no contestant.
  if (facts !== null && seat !== 'agent') return null;
  const toolUses = callsOf(log, seat);
  const callEvents = new Set(toolUses.map(({ event }) => event));
  const calls: DialogueCall[] = toolUses.filter(({ ok }) => ok !== false).map(({ event, tool, args }) => toCall(event, tool, args));
  const lines: DialogueLine[] = [];
  let turn = 0;
  let reports = false;
  let changed: boolean | null = null;
  let takesRecords = false;
  const results: string[] = [];
  for (const [event, episodeEvent] of log.episode.events.entries()) {
    if (episodeEvent.kind === 'message' && episodeEvent.from !== undefined && episodeEvent.from !== seat && episodeEvent.to.includes(seat))
      lines.push({ by: 'customer', text: episodeEvent.text, raw: episodeEvent.text, event, turn });
    if (
      episodeEvent.kind === 'message' &&
      episodeEvent.from === undefined &&
      episodeEvent.to.includes(seat) &&
      isObject(episodeEvent.data) &&
      'tool' in episodeEvent.data
    )
      results.push(
        typeof episodeEvent.data['value'] === 'string'
          ? episodeEvent.data['value']
          : stringsIn(episodeEvent.data['value'] ?? null).join('\n'),
      );
    if (episodeEvent.kind !== 'action' || episodeEvent.seat !== seat || callEvents.has(event)) continue;
    const raw = episodeEvent.action.text;
    lines.push({ by: 'agent', text: withoutQuotes(plainText(raw), lines), raw, event, turn: turn++ });
    const changes = isObject(episodeEvent.action.data) ? episodeEvent.action.data['changes'] : undefined;
    if (isObject(changes)) changed = Object.keys(changes).length > 0;
    takesRecords ||= isObject(episodeEvent.action.data) && episodeEvent.action.data['records'] === true;
    const reportedCalls = isObject(episodeEvent.action.data) ? episodeEvent.action.data['calls'] : undefined;
    if (!Array.isArray(reportedCalls)) continue;
    reports = true;
    for (const call of reportedCalls as readonly Json[])
      if (isObject(call) && typeof call['name'] === 'string')
        calls.push(toCall(event, call['name'], isObject(call['arguments']) ? call['arguments'] : {}));
  }
  if (turn === 0) return null;
  const fault = log.end?.fault;
  const failure = log.end?.reason === 'error' && fault?.boundary === 'agent' ? fault.message : null;
  const problems = problemsOf(noteOf(log, 'outcome')?.value);
  const isSeen = !isUnseen(noteOf(log, 'outcome')?.value);
  const unasked = !isSeen ? null : problems.flatMap(({ kind, about }) => (kind === 'side effect' ? [about] : []));
  const steps = answersBySteps(facts?.steps ?? [], lines);
  return {
    lines,
    calls,
    writes: calls.filter(({ tool }) => facts?.writes.includes(tool) === true),
    changed,
    unasked,
    isSeen,
    breaches: problems.filter(({ kind }) => kind === 'identity' || kind === 'consent'),
    misrecorded: problems.filter(({ kind }) => kind === 'state'),
    undone: problems.filter(({ kind }) => kind === 'unchanged' || kind === 'done'),
    seesCalls: toolUses.length > 0 || reports,
    facts,
    failure,
    steps,
    takesRecords,
    results: results.join('\n'),
  };
}

const quoted = linear(/["“]([^"”\n]{12,400})["”]/g);
const trailingDots = linear(/[.…]+$/);

/** A text without its quotes of the customer, which are not the agent's statements. */
function withoutQuotes(text: string, lines: readonly DialogueLine[]): string {
  const isCustomers = (words: string) =>
    lines.some((line) => line.by === 'customer' && line.text.includes(words.replace(trailingDots, '')));
  return text.replace(quoted, (quote, words: string) => (isCustomers(words) ? '' : quote));
}

/** All texts in a value. */
function stringsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(stringsIn);
  return isObject(value) ? Object.values(value).flatMap((item) => stringsIn(item as Json)) : [];
}

/** A problem of the outcome, by its kind. */
interface OutcomeProblem {
  readonly kind: string;
  readonly about: string;
}

function problemsOf(outcome: Json | undefined): readonly OutcomeProblem[] {
  if (!isObject(outcome) || !Array.isArray(outcome['problems'])) return [];
  return outcome['problems'].filter(isObject).map(({ kind, about }) => ({ kind: String(kind), about: String(about) }));
}

/** Are its records, and therefore side effects, invisible? */
function isUnseen(outcome: Json | undefined): boolean {
  return !isObject(outcome) || outcome['judged'] === 'words' || !Array.isArray(outcome['problems']);
}

/** Names and numbers of records in a text, such as B-1001 or 4711. */
export function recordsIn(text: string): readonly string[] {
  return text.match(/\b[A-Za-z]{1,6}[-/#]?\d+\b|\b\d{3,}\b/g) ?? [];
}

function toCall(event: number, tool: string, args: JsonObject): DialogueCall {
  return { event, tool, args, key: hash({ tool, args }) };
}
