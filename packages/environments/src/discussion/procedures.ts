/**
 * @file Procedures: named lists of moves that a team keeps, runs move by move without asking anyone, and drops when they fail.
 *
 * A procedure comes from a member that wrote it down, from a specialist's proposal, or from moves that worked in earlier episodes
 * (`mineProcedures`). It stops when one of its moves is not legal, or when the seat is told the same as before the move. A mined one also
 * stops when the seat is told something else than in the episodes that it comes from.
 */

import { equal, hash, isObject, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { wordOverlap } from '../word-overlap.ts';
import type { Discussion } from './protocol.ts';

export type Procedure = {
  readonly name: string;
  /** The observation before its first move. */
  readonly when: string;
  readonly moves: readonly string[];
  /** The observation after each move except the last, if it was always the same. Empty texts are not checked. */
  readonly expects?: readonly string[];
  readonly runs: number;
  readonly failures: number;
};

const mostMoves = 40;
const mostProcedures = 60;
/** Drops a procedure once its failures exceed its successes by this number. */
const patience = 2;
/** Minimum word overlap between a situation and the one in which a procedure starts. */
const alike = 0.8;

/** Returns the moves listed in a text: in brackets if any, otherwise separated by commas, semicolons, or arrows. */
export function movesIn(text: string): readonly string[] {
  const bracketed = text.match(linear(/\[[^\]\n]{1,80}\]/g));
  const moves = bracketed ?? text.split(linear(/\s*(?:,|;|->|→)\s*/)).map((move) => move.replace(linear(/[.\s]+$/), '').trim());
  return moves.filter((move) => move !== '').slice(0, mostMoves);
}

export function proceduresIn(memory: JsonObject): readonly Procedure[] {
  const stored: Json = memory['procedures'] ?? [];
  return Array.isArray(stored) ? (stored.filter(isProcedure) as readonly Procedure[]) : [];
}

/** Identifies a procedure across episodes, for the list of those that failed. */
export function procedureKey({ when, moves }: Pick<Procedure, 'when' | 'moves'>): string {
  return hash([when, ...moves]).slice(0, 12);
}

/** Returns the keys of the procedures that were dropped, newest last, with those of this turn. */
export function failedKeys(memory: JsonObject, added: readonly string[] = []): readonly string[] {
  const before = memory['dropped'];
  const stored = Array.isArray(before) ? before.map(String) : [];
  return [...new Set([...stored, ...added])].slice(-mostProcedures);
}

function isProcedure(value: Json): boolean {
  return isObject(value) && typeof value['name'] === 'string' && Array.isArray(value['moves']) && value['moves'].length > 0;
}

/** Adds a procedure to the library, replacing any procedure with the same name. The same moves again keep their record. */
export function withProcedure(library: readonly Procedure[], added: Omit<Procedure, 'runs' | 'failures'>): readonly Procedure[] {
  if (added.moves.length === 0) return library;
  if (library.some(({ name, moves }) => name === added.name && equal(moves, added.moves))) return library;
  return [...library.filter(({ name }) => name !== added.name), { ...added, runs: 0, failures: 0 }].slice(-mostProcedures);
}

/** Returns the procedure with the most similar starting situation, if it is similar enough. Ties go to the one with the fewest failures. */
export function matchingProcedure(library: readonly Procedure[], observed: string): Procedure | null {
  const now = wordsOf(observed);
  let best: { readonly procedure: Procedure; readonly score: number } | null = null;
  for (const procedure of library) {
    const score = wordOverlap(wordsOf(procedure.when), now) - procedure.failures / 100;
    if (score >= alike && score > (best?.score ?? 0)) best = { procedure, score };
  }
  return best?.procedure ?? null;
}

/** A procedure in progress: the remaining moves, and the expected observation before each. */
export type Running = { readonly name: string; readonly left: readonly string[]; readonly expects?: readonly string[] };

export type RunStep =
  | { readonly kind: 'none' }
  /** The next move, and the rest of the procedure after it. */
  | { readonly kind: 'move'; readonly move: string; readonly running: Running | null }
  /** The procedure cannot continue. */
  | { readonly kind: 'failed'; readonly name: string };

/** Continues the procedure stored in memory, if any, in this turn. */
export function continueRun({
  memory,
  choices,
  repeats,
  observed,
}: Pick<Discussion, 'memory' | 'choices' | 'repeats' | 'observed'>): RunStep {
  const running = memory['running'];
  if (!isObject(running) || !Array.isArray(running['left']) || running['left'].length === 0) return { kind: 'none' };
  const { name, left, expects: [expected = '', ...expects] = [] } = running as Running;
  const isOther = expected !== '' && wordOverlap(wordsOf(expected), wordsOf(observed)) < alike;
  if (repeats > 0 || isOther) return { kind: 'failed', name };
  return startRun(name, left, choices, expects);
}

export function startRun(name: string, moves: readonly string[], choices: readonly string[], expects: readonly string[] = []): RunStep {
  const [first = '', ...left] = moves;
  const move = choices.length === 0 ? first : choices.find((choice) => choice.toLowerCase() === first.toLowerCase());
  if (move === undefined || move === '') return { kind: 'failed', name };
  return { kind: 'move', move, running: left.length === 0 ? null : { name, left, ...(expects.length === 0 ? {} : { expects }) } };
}

/** Updates the library after a procedure completed or failed. Drops a procedure that fails too often. */
export function afterRun(library: readonly Procedure[], name: string, failed: boolean): readonly Procedure[] {
  return library.flatMap((procedure) => {
    if (procedure.name !== name) return [procedure];
    const counted = { ...procedure, runs: procedure.runs + 1, failures: procedure.failures + (failed ? 1 : 0) };
    return counted.failures * 2 - counted.runs >= patience ? [] : [counted];
  });
}

/** The observation before each move of a seat in one episode, and the seat's return. */
export interface MovePath {
  readonly steps: readonly { readonly observed: string; readonly move: string }[];
  readonly paid: number;
}

/**
 * Mines routines from successful episodes. A routine is a sequence of two or more moves from the same situation that at least two
 * successful episodes share, or the whole of one successful episode. An episode is successful if its return is above the mean.
 */
export function mineProcedures(paths: readonly MovePath[]): readonly Procedure[] {
  if (paths.length === 0) return [];
  const mean = paths.reduce((sum, { paid }) => sum + paid, 0) / paths.length;
  const isBest = (payment: number) => payment > 0 && (payment > mean || paths.every((path) => path.paid === payment));
  const good = paths.filter(({ paid }) => isBest(paid));
  const counts = new Map<
    string,
    { readonly when: string; readonly moves: readonly string[]; expects: readonly string[]; episodes: number }
  >();
  for (const { steps } of good) {
    const visited = new Set<string>();
    for (let from = 0; from < steps.length; from++)
      for (let to = from + 2; to <= Math.min(steps.length, from + 8); to++) {
        const [when, moves] = [steps[from].observed, steps.slice(from, to).map(({ move }) => move)];
        const key = `${when}\u0000${moves.join('\u0000')}`;
        if (visited.has(key)) continue;
        visited.add(key);
        const observations = steps.slice(from + 1, to).map(({ observed }) => observed);
        const count = counts.get(key) ?? { when, moves, expects: observations, episodes: 0 };
        count.expects = count.expects.map((text, i) => (text === observations[i] ? text : ''));
        count.episodes++;
        counts.set(key, count);
      }
  }
  const isClear = clearSituations(good);
  const frequent = [...counts.values()].filter(({ when, moves, episodes }) => episodes > 1 && isClear(when, moves[0]));
  // Of routines that start in the same situation, the longest shared one is used.
  const longest = new Map<string, (typeof frequent)[number]>();
  for (const item of frequent) if (item.moves.length > (longest.get(item.when)?.moves.length ?? 0)) longest.set(item.when, item);
  const shared = [...longest.values()].map(({ when, moves, expects }) => ({
    ...{ name: nameOf('routine', when), when, moves, expects, runs: 0, failures: 0 },
  }));
  const whole = good
    .filter(({ steps }) => steps.length > 1 && !longest.has(steps[0].observed) && isClear(steps[0].observed, steps[0].move))
    .map(({ steps }) => ({
      ...{
        name: nameOf('episode', steps[0].observed),
        when: steps[0].observed,
        moves: steps.slice(0, mostMoves).map(({ move }) => move),
        expects: steps.slice(1, mostMoves).map(({ observed }) => observed),
      },
      ...{ runs: 0, failures: 0 },
    }));
  const once = whole.filter(({ when }, i) => whole.findIndex((other) => other.when === when) === i);
  return withoutFailing([...shared, ...once], paths).slice(-mostProcedures);
}

/** Filters out procedures whose moves, made from the same situation, occur in more episodes without a positive return than with one. */
export function withoutFailing<P extends Pick<Procedure, 'when' | 'moves'>>(
  procedures: readonly P[],
  paths: readonly MovePath[],
): readonly P[] {
  return procedures.filter(({ when, moves }) => {
    let balance = 0;
    for (const { steps, paid } of paths) {
      const isRun = steps.some(({ observed }, from) => observed === when && moves.every((move, i) => steps[from + i]?.move === move));
      if (isRun) balance += paid > 0 ? 1 : -1;
    }
    return balance >= 0;
  });
}

/** Derives a name from the situation, so that routine names are unique. */
function nameOf(source: string, when: string): string {
  return `${source} ${when
    .replace(/[:\s]+/g, ' ')
    .trim()
    .slice(-60)}`.toWellFormed();
}

/** A routine may start in a situation only if at least this share of successful visits continues with the same move. */
const clearShare = 0.6;

/**
 * Tests whether successful episodes that reach a situation mostly continue with the same move. If they differ, the situation doesn't
 * determine the move.
 */
function clearSituations(good: readonly MovePath[]): (when: string, move: string) => boolean {
  const visits = new Map<string, Map<string, number>>();
  for (const { steps } of good)
    for (const { observed, move } of steps) {
      const moves = visits.get(observed) ?? new Map<string, number>();
      visits.set(observed, moves.set(move, (moves.get(move) ?? 0) + 1));
    }
  return (when, move) => {
    const moves = visits.get(when) ?? new Map<string, number>();
    const sum = [...moves.values()].reduce((total, count) => total + count, 0);
    return (moves.get(move) ?? 0) >= clearShare * sum;
  };
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
