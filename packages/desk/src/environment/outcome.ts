/** @file The outcome of a conversation at a desk: actions, statements, and omissions. Each problem is one sentence with its quote. */

import { equal, type Json, type JsonObject, states, toFact } from '@ludus-agents/kernel/internal/core/index';
import { agrees, breachIn, claimsIn, declines, defers, isSaidToBeDone, refuses, type SpokenLine, settlementIn } from '../claims.ts';
import { answersBySteps, mentionsValue, statesFact } from '../desk-facts.ts';
import { sentencesOf } from '../questions.ts';
import type { Desk, DeskCase, DeskDatabase } from './document.ts';
import type { DeskBreach } from './procedure.ts';
import { changesIn, holdsIn, isWrite, runCall, toolOf } from './tools.ts';

/** The source of knowledge about actions: our tools, the records or calls that a bot shows, or only the text. */
export type DeskJudged = 'state' | 'its records' | 'reported calls' | 'words';

export type DeskOutcome = {
  readonly reward: number;
  readonly ended: string;
  readonly judged: DeskJudged;
  /** Null if unknown, because only text is judged. */
  readonly state: boolean | null;
  readonly told: boolean;
  readonly kept: boolean;
  readonly done: boolean;
  /** Each problem with the turn and the words of the agent; no words for an omission. */
  readonly problems: readonly DeskProblem[];
  readonly changes: Json;
};

export type DeskProblem = { readonly kind: string; readonly about: string; readonly quote: string | null };

export interface DeskConversation {
  readonly desk: Desk;
  readonly case: DeskCase;
  readonly database: DeskDatabase;
  readonly lines: readonly SpokenLine[];
  readonly judged: DeskJudged;
  /** The names of the tools that the agent has called. */
  readonly called?: readonly string[];
  /** Violations of the desk's procedure. */
  readonly breaches?: readonly DeskBreach[];
}

export function outcomeAt(
  { desk, case: deskCase, database, lines, judged, called = [], breaches = [] }: DeskConversation,
  ended: string,
): DeskOutcome {
  const statements = lines.filter(({ by }) => by === 'agent').map(({ text }) => text);
  const changes = changesIn(desk.database, database);
  const wanted = changesIn(desk.database, goldDatabase(desk, deskCase));
  const wish = (deskCase.says.find(({ kind }) => kind === 'request') ?? deskCase.says[0])?.say ?? '';
  const writeTools = desk.tools.filter(isWrite).map(({ name }) => name);
  const problems: DeskProblem[] = [];
  const add = (kind: string, about: string, quote: string | null = null) => problems.push({ kind, about, quote });
  if (ended !== 'stop')
    add('end', ended === 'messages' ? 'The conversation was cut off after too many messages.' : `The conversation ended by ${ended}.`);
  const needsWrite = deskCase.gold.some((call) => call.by === undefined && isWrite(toolOf(desk, call)));
  // Actions of the customer are visible even if only text is known of the agent.
  const unseen = judged === 'words' && (needsWrite || deskCase.holds === undefined);
  const wrong = unseen ? [] : deskCase.holds === undefined ? differences(changes, wanted) : unmet(database, deskCase.holds);
  for (const { kind, about } of wrong) add(kind, about);
  const state = unseen ? null : wrong.length === 0;
  for (const hold of judged === 'words' ? [] : (deskCase.avoid ?? []))
    if (holdsIn(database, hold).holds)
      add('policy', `It came about, and must not: ${JSON.stringify(hold.does)} gives ${JSON.stringify(hold.gives)}.`);
  if (judged !== 'words')
    for (const tool of deskCase.calls ?? []) if (!called.includes(tool)) add('called', `${tool} had to be called, but was not.`);
  // Whether something was done that only words could show: it has to be said.
  if (judged === 'words' && needsWrite && !isShownByWords(deskCase, lines, writeTools))
    add('done', `What was asked for was never said to be done: ${wish}`);
  for (const { kind, about, read } of breaches) if (read === undefined || isRetold(read, lines)) add(kind, about);
  const agreed = deskCase.refuse ? breachIn(lines, writeTools, judged !== 'words') : null;
  if (agreed !== null) add('policy', `The policy does not allow "${wish}", but the agent says it is done.`, agreed.sentence);
  for (const fact of [...deskCase.tell, ...desk.required])
    if (!statements.some((text) => statesFact(text, fact))) add('told', `It was never said: ${String(fact).replaceAll('|', ' or ')}`);
  for (const { step, answers } of answersBySteps(deskCase.says, lines))
    for (const fact of step.tell)
      if (!answers.some(({ text }) => statesFact(text, fact)))
        add('told', `"${step.say}" was not answered with ${String(fact).replaceAll('|', ' or ')}.`, answers[0]?.text ?? null);
  if (lines.some(({ by }) => by === 'customer') && !problems.some(({ kind }) => kind === 'told') && saysNothing(lines, deskCase.refuse)) {
    const worked = needsWrite && state === true && statements.some((text) => !isBlank(text));
    const answered = deskCase.says.some(({ tell }) => tell.length > 0) || deskCase.tell.length > 0;
    if (deskCase.watches !== true && !worked && !answered)
      add('told', 'The agent answered nothing, or everything with the same sentence.', statements[0] ?? null);
  }
  for (const words of [...deskCase.never, ...desk.forbidden]) {
    const match = statements.find((text) => states(text, toFact(words)));
    if (match !== undefined) add('forbidden', `It must not be said: ${words}`, match);
  }
  const ofKind = (...kinds: readonly string[]) => !problems.some(({ kind }) => kinds.includes(kind));
  const parts = { told: ofKind('told'), kept: ofKind('policy', 'identity', 'consent', 'forbidden'), done: ofKind('done', 'called') };
  return { reward: problems.length === 0 ? 1 : 0, ended, judged, state, ...parts, problems, changes };
}

/** Does the agent state one of these cells before the customer does, other than in a refusal? */
function isRetold(cells: readonly string[], lines: readonly SpokenLine[]): boolean {
  return lines.some(({ by, text }, i) => {
    if (by !== 'agent' || declines(text)) return false;
    const before = lines.slice(0, i).filter((line) => line.by === 'customer');
    return cells.some((cell) => statesFact(text, cell) && !before.some((line) => statesFact(line.text, cell)));
  });
}

/**
 * Does the text show that the request was done? It is claimed, or named by a statement after the customer's yes, or a later question
 * about it is answered correctly. A polite sentence after a yes shows nothing.
 */
function isShownByWords({ gold, says }: DeskCase, lines: readonly SpokenLine[], tools: readonly string[]): boolean {
  if (!isSaidToBeDone(lines, tools)) return false;
  const values = gold
    .flatMap(({ by, args }) => (by === undefined ? Object.values(args).map(String) : []))
    .filter((value) => value.length >= 2);
  const isNamed = lines.some(
    ({ by, text }, i) => by === 'agent' && agrees(lines[i - 1]?.text ?? '') && values.some((value) => mentionsValue(text, value)),
  );
  const isClaimed = lines.some(({ by, text }) => by === 'agent' && (claimsIn(text, tools).length > 0 || settlementIn(text) !== null));
  const checks = answersBySteps(says, lines).filter(({ step }) => step.kind === 'ask' && step.tell.length > 0);
  const isChecked = checks.some(({ step, answers }) => step.tell.every((fact) => answers.some(({ text }) => statesFact(text, fact))));
  return isClaimed || isNamed || isChecked;
}

/** The database after the gold calls; failing calls change nothing. */
export function goldDatabase(desk: Desk, { gold }: DeskCase): DeskDatabase {
  let { database } = desk;
  for (const call of gold) {
    const result = runCall(desk, database, call);
    if (result.ok) database = result.database;
  }
  return database;
}

/** The errors in the final records: wrong values, and changes that were not requested. */
type Difference = { readonly kind: 'state' | 'unchanged' | 'side effect'; readonly about: string };

function unmet(database: DeskDatabase, holds: NonNullable<DeskCase['holds']>): readonly Difference[] {
  return holds.flatMap((hold) => {
    const { holds: met, found } = holdsIn(database, hold);
    const { does, args } = hold;
    const what = does.run === undefined ? JSON.stringify(does) : does.run.slice(does.run.indexOf('.') + 1);
    return met
      ? []
      : [
          {
            kind: 'state',
            about: `At the end ${what} ${JSON.stringify(args)} should give ${JSON.stringify(hold.gives)}, but gave ${JSON.stringify(found)}.`,
          },
        ];
  });
}

function differences(jsonObject: JsonObject, wanted: JsonObject): readonly Difference[] {
  const out: Difference[] = [];
  const add = (kind: Difference['kind'], about: string) => out.push({ kind, about });
  for (const key of new Set([...Object.keys(wanted), ...Object.keys(jsonObject)])) {
    if (equal(jsonObject[key] ?? null, wanted[key] ?? null) && key in jsonObject === key in wanted) continue;
    if (!(key in jsonObject)) add('unchanged', `${key} should have become ${JSON.stringify(wanted[key])}, but was not changed.`);
    else if (!(key in wanted)) add('side effect', `${key} became ${JSON.stringify(jsonObject[key])}, but should not have been changed.`);
    else add('state', `${key} should have become ${JSON.stringify(wanted[key])}, but became ${JSON.stringify(jsonObject[key])}.`);
  }
  return out;
}

function isBlank(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(text);
}

/** Silence, or one sentence as the reply to different messages, unless it refuses. Repeated and forbidden requests may get it again. */
function saysNothing(lines: readonly SpokenLine[], refuse: boolean): boolean {
  const answers = new Set(lines.flatMap(({ by, text }) => (by === 'agent' && !isBlank(text) ? [text.trim().toLowerCase()] : [])));
  const [first = ''] = answers;
  if (answers.size !== 1 || refuse) return answers.size === 0;
  const messages = lines.flatMap(({ by, text }, i) => (by === 'customer' && lines[i + 1]?.by === 'agent' ? [text.toLowerCase()] : []));
  const isNew = (message: string, at: number) =>
    !messages
      .slice(0, at)
      .some((before) => sentencesOf(before).some((item) => item.trim().split(/\s+/).length >= 3 && message.includes(item)));
  return messages.filter(isNew).length >= 2 && !refuses(first) && !declines(first) && !defers(first);
}
