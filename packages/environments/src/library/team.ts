/**
 * @file A team in the library: a planner writes sub-questions, a retriever selects among the results, and a writer answers from the
 * selection. All three earn the F1 of the answer's words. Each loses reward for its own invalid form: a plan that is too long, an invalid
 * selection, or an answer with too many words.
 */

import type { Action, Ask, Json, Message, ParsedMove, Seat } from '@ludus-agents/kernel/internal/core/index';
import { parseBracketed } from '@ludus-agents/kernel/internal/core/index';
import type { Advance } from '../exercise.ts';
import type { LibraryDocument } from './corpus.ts';
import { type LibraryTask, type Shelf, searchDocuments } from './library.ts';
import { judgeReport, parseReport, type ReportVerdict } from './report.ts';

export const teamSeats = ['planner', 'retriever', 'writer'] as const;

export type TeamProgress = {
  readonly stage: 'plan' | 'select' | 'write' | 'over';
  readonly plan: readonly string[];
  readonly candidates: readonly string[];
  readonly selected: readonly string[];
  readonly fines: Readonly<Record<Seat, number>>;
  /** The message to everyone at the end. */
  readonly verdict: string;
};

export function beginTeam({ question }: Shelf, isReport: boolean): Advance<TeamProgress> {
  const about = 'A planner, a retriever and a writer answer one question from a library, and all are paid how well the answer fits.';
  return {
    progress: { stage: 'plan', plan: [], candidates: [], selected: [], fines: {}, verdict: '' },
    messages: [
      {
        to: ['planner'],
        text: `${about} You plan: write up to four searches, 300 characters in all, like [plan first words; other words].\nQuestion: ${question.ask}`,
      },
      {
        to: ['retriever'],
        text: `${about} You select among the documents that the plan finds, like [select Document1,Document3].\nQuestion: ${question.ask}`,
      },
      {
        to: ['writer'],
        text: isReport
          ? `${about} You write a report from the documents that were selected: several headings that begin with #, and sentences that end with the documents that prove them, like "Clay holds water (soil.md)." Every sentence is checked.\nQuestion: ${question.ask}`
          : `${about} You answer in at most 30 words from the documents that were selected, like [answer NAME].\nQuestion: ${question.ask}`,
      },
    ],
  };
}

export function teamAsk({ question, documents }: Shelf, { stage, candidates, selected }: TeamProgress, isReport: boolean): Ask | null {
  if (stage === 'over') return null;
  if (stage === 'plan')
    return {
      seat: 'planner',
      choices: [
        `[plan ${question.ask}]`,
        ...question.ask
          .match(/\b[A-Z]?\w+\b/g)!
          .slice(-3)
          .map((word) => `[plan ${word}]`),
      ].filter((item, i, all) => all.indexOf(item) === i),
    };
  if (stage === 'select')
    return { seat: 'retriever', choices: ['[select none]', ...candidates.map((_, i) => `[select Document${i + 1}]`)] };
  if (isReport)
    return {
      seat: 'writer',
      data: { ask: question.ask, documents: documents.filter(({ id }) => selected.includes(id)) },
    };
  return { seat: 'writer', choices: question.candidates.map((name) => `[answer ${name}]`) };
}

/** The number of documents that each search returns, for one to five searches. */
const shares: readonly (readonly number[])[] = [[10], [5, 5], [4, 3, 3], [3, 3, 2, 2], [2, 2, 2, 2, 2]];

export function teamAct(
  { search, report, documents }: LibraryTask,
  shelf: Shelf,
  progress: TeamProgress,
  action: Action,
): ParsedMove<Advance<TeamProgress>> {
  if (report && progress.stage === 'write') {
    if (!action.text.trimStart().startsWith('#')) return { ok: false, problem: 'Start the report with a heading that begins with #.' };
    const { message, verdict, note } = reportMessages(shelf, action.text);
    const rewards = Object.fromEntries(teamSeats.map((seat) => [seat, verdict.f1 - (progress.fines[seat] ?? 0)]));
    const last: TeamProgress = { ...progress, stage: 'over', verdict: message };
    return { ok: true, move: { progress: last, messages: [{ to: teamSeats, text: message }, note], rewards } };
  }
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const wanted = { plan: 'plan', select: 'select', write: 'answer', over: '' }[progress.stage];
  const speech = new RegExp(`^${wanted} (.+)$`, 'i').exec(read.move)?.[1];
  if (speech === undefined) return { ok: false, problem: `Your move is like [${wanted} …].` };
  if (progress.stage === 'plan') return { ok: true, move: takePlan(shelf, progress, speech, search) };
  if (progress.stage === 'select') return { ok: true, move: takeSelection(shelf, progress, speech) };
  return { ok: true, move: takeReport(shelf, progress, speech, documents !== null) };
}

function takePlan({ documents }: Shelf, progress: TeamProgress, speech: string, search: LibraryTask['search']): Advance<TeamProgress> {
  const plan = speech
    .split(';')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const share = shares[Math.min(plan.length, 5) - 1] ?? [];
  const matches = plan.slice(0, 5).flatMap((query, i) => searchDocuments(documents, query, share[i], search).map(({ id }) => id));
  const candidates = [...new Set(matches)];
  return {
    progress: { ...progress, stage: 'select', plan, candidates, fines: { planner: planFine(plan) } },
    messages: [{ to: ['retriever'], text: listDocuments(documents, candidates) }],
  };
}

function takeSelection({ documents }: Shelf, progress: TeamProgress, speech: string): Advance<TeamProgress> {
  const picked = selection(speech, progress.candidates.length);
  const ids = (picked ?? []).map((n) => progress.candidates[n - 1]);
  return {
    progress: { ...progress, stage: 'write', selected: ids, fines: { ...progress.fines, retriever: picked === null ? 1 : 0 } },
    messages: [{ to: ['writer'], text: listDocuments(documents, ids) }],
  };
}

function takeReport({ question }: Shelf, progress: TeamProgress, speech: string, isMeasured: boolean): Advance<TeamProgress> {
  const fines: Readonly<Record<Seat, number>> = { ...progress.fines, writer: speech.split(/\s+/).length > 30 ? 1 : 0 };
  const f1 = wordF1(speech, question.answer);
  const verdict = `The answer was ${speech.slice(0, 200)}; right is ${question.answer}.`;
  return {
    progress: { ...progress, stage: 'over', fines, verdict },
    messages: [
      { to: teamSeats, text: verdict },
      { to: [], text: 'verdict', data: { f1, fines, ...(isMeasured && { measures: { f1, ...recallOf(progress, question.support) } }) } },
    ],
    rewards: Object.fromEntries(teamSeats.map((seat) => [seat, f1 - (fines[seat] ?? 0)])),
  };
}

/** Returns the shares of the proving documents that the plan found and that the retriever selected. */
function recallOf({ candidates, selected }: TeamProgress, support: readonly string[]) {
  const share = (ids: readonly string[]) => support.filter((id) => ids.includes(id)).length / support.length;
  return { planRecall: share(candidates), selectRecall: share(selected) };
}

/** Returns the messages about a report, and the note with its measures. */
export function reportMessages(
  { documents, question }: Shelf,
  text: string,
): { readonly message: string; readonly verdict: ReportVerdict; readonly note: Message } {
  const report = parseReport(
    text,
    documents.map(({ id }) => id),
  );
  const verdict = judgeReport(report, question.points ?? [], documents);
  const { claims, supported, cited, points, covered, headings, precision, coverage } = verdict;
  return {
    verdict,
    message: `The report makes ${claims} claims, ${cited} with citations, of which ${supported} are supported, and covers ${covered} of ${points} points.`,
    note: { to: [], text: 'report', data: { measures: { precision, coverage, claims, cited, headings } } },
  };
}

export function planFine(plan: readonly string[]): number {
  return plan.length > 4 || plan.join('').length > 300 ? 0.5 : 0;
}

/**
 * Parses the numbers of a selection, in order. Returns null if it is invalid: another form, a number out of range, or a duplicate. An empty
 * selection is valid and free.
 */
export function selection(speech: string, count: number): readonly number[] | null {
  if (speech.trim().toLowerCase() === 'none') return [];
  if (!/^Document\d+(\s*,\s*Document\d+)*$/i.test(speech.trim())) return null;
  const numbers = speech.match(/\d+/g)!.map(Number);
  return numbers.every((n) => n >= 1 && n <= count) && new Set(numbers).size === numbers.length ? numbers : null;
}

/** Computes F1 over bags of words. */
export function wordF1(speech: string, right: string): number {
  const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const [input, wanted] = [wordsOf(speech), wordsOf(right)];
  const left = [...wanted];
  let shared = 0;
  for (const word of input) {
    const at = left.indexOf(word);
    if (at < 0) continue;
    left.splice(at, 1);
    shared++;
  }
  return shared === 0 ? 0 : (2 * shared) / (input.length + wanted.length);
}

function listDocuments(documents: readonly LibraryDocument[], ids: readonly string[]): string {
  if (ids.length === 0) return 'There are no documents.';
  return ids
    .map(
      (id, i) =>
        `Document${i + 1}: ${documents.find((document) => document.id === id)!.title}. ${documents.find((document) => document.id === id)!.text}`,
    )
    .join('\n');
}

export function teamKnows({ documents, question }: Shelf, progress: TeamProgress, seat: Seat): Json {
  const { stage, candidates, selected: ids, plan, verdict } = progress;
  if (stage === 'over') return { ask: question.ask, answer: question.answer, stage, plan, verdict };
  const base = { ask: question.ask, stage };
  if (seat === 'retriever' && stage !== 'plan') return { ...base, shown: listDocuments(documents, candidates) };
  if (seat === 'writer' && stage === 'write') return { ...base, shown: listDocuments(documents, ids), names: question.candidates };
  return base;
}
