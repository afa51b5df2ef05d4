/** @file What pipeline modules can do besides asking members: run procedures, look up knowledge, and restrict the available moves. */

import { wordOverlap } from '../../word-overlap.ts';
import type { Procedure, Running } from '../procedures.ts';
import {
  afterRun,
  continueRun,
  failedKeys,
  matchingProcedure,
  movesIn,
  procedureKey,
  proceduresIn,
  startRun,
  withProcedure,
} from '../procedures.ts';
import { type Discussion, textFrom } from '../protocol.ts';
import { lineIn, linesIn } from '../speech.ts';
import type { PipelineModule } from './pipeline.ts';

export interface Skills {
  readonly library: readonly Procedure[];
  /** The move that a procedure makes now, or null. */
  readonly move: string | null;
  readonly running: Running | null;
  /** The procedure whose last move is being made now. */
  readonly finished: string;
  /** The keys of all procedures that were dropped. A routine among them is not mined again. */
  readonly dropped: readonly string[];
  readonly acted: { readonly [mechanism: string]: number };
}

/** Returns the library after this turn's speeches, and the move of the procedure in progress, if any. */
export function skillsOf(discussion: Discussion, modules: readonly PipelineModule[]): Skills {
  const { said, choices, repeats, observed, memory } = discussion;
  const uses = modules.filter(({ skills }) => skills !== undefined);
  if (uses.length === 0) return { library: [], move: null, running: null, finished: '', dropped: [], acted: {} };
  const acted = { written: 0, reused: 0, continued: 0, failed: 0, dropped: 0 };
  let library = proceduresIn(memory);
  let dropped = failedKeys(memory);
  const end = (name: string, failed: boolean) => {
    const after = afterRun(library, name, failed);
    if (failed) acted.failed++;
    const gone = library.filter((procedure) => !after.some(({ name }) => name === procedure.name));
    acted.dropped += gone.length;
    dropped = failedKeys({ dropped }, gone.map(procedureKey));
    library = after;
  };
  // The last move of a procedure was made in the previous turn, so its result is now available.
  if (textFrom(discussion, 'finished') !== '') end(textFrom(discussion, 'finished'), repeats > 0);
  const onward = continueRun(discussion);
  if (onward.kind === 'failed') end(onward.name, true);
  if (onward.kind === 'move') {
    acted.continued++;
    return { library, move: onward.move, running: onward.running, finished: endOfRun(onward, memory), dropped, acted };
  }
  const written = said.filter(({ part }) => uses.some(({ name, skills }) => name === part && skills === 'write'));
  for (const { text } of written)
    for (const [name, moves] of linesIn(text, 'skill')) {
      library = withProcedure(library, { name, when: observed, moves: movesIn(moves) });
      acted.written++;
    }
  const named = written.map(({ text }) => lineIn(text, 'run')?.toLowerCase()).findLast((name) => name !== undefined && name !== null);
  const isAuto = uses.some(({ skills }) => skills === 'auto');
  // A procedure that just failed is not retried in the same situation.
  const wanted =
    named !== undefined
      ? (library.find(({ name }) => name.toLowerCase() === named) ?? null)
      : isAuto && onward.kind !== 'failed' && repeats === 0
        ? matchingProcedure(library, observed)
        : null;
  const run = wanted === null ? null : startRun(wanted.name, wanted.moves, choices, wanted.expects);
  if (run?.kind !== 'move') {
    if (run?.kind === 'failed') end(run.name, true);
    return { library, move: null, running: null, finished: '', dropped, acted };
  }
  acted.reused++;
  return { library, move: run.move, running: run.running, finished: run.running === null ? (wanted?.name ?? '') : '', dropped, acted };
}

function endOfRun({ running }: { readonly running: Running | null }, memory: Discussion['memory']): string {
  return running === null ? ((memory['running'] as Running | undefined)?.name ?? '') : '';
}

const mostShown = 6;

/** Lists the best-matching procedures for a module, matched by starting situation or by a name related to the observation or the goal. */
export function skillWords(library: readonly Procedure[], discussion: Discussion): string {
  if (library.length === 0) return '';
  const { observed } = discussion;
  const wanted = situationWords(discussion);
  const visible = [...library]
    .map((procedure) => ({ procedure, score: Math.max(overlap(procedure.when, observed), sharedWords(procedure.name, wanted)) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, mostShown)
    .map(({ procedure: { name, moves, runs, failures } }) => `${name}: ${moves.join(' ')} (worked ${runs - failures} of ${runs} times)`);
  return `Skills you have: ${visible.join('; ')}. Write "Run: NAME" to run one.\n`;
}

/** Returns the observation, memory, and speeches of this turn as one text. Skills and knowledge are matched against it. */
function situationWords({ observed, memory, said }: Discussion): string {
  return [observed, JSON.stringify(memory['lines'] ?? {}), ...said.map(({ text }) => text)].join('\n');
}

/** Returns the lines of the team's knowledge that best match the observation and the goal. */
export function knowledgeWords(discussion: Discussion, { knowledge = 0 }: PipelineModule): string {
  const { settings } = discussion;
  const texts = Array.isArray(settings['knowledge']) ? settings['knowledge'].map(String) : [];
  if (knowledge === 0 || texts.length === 0) return '';
  const query = situationWords(discussion);
  const rows = texts.flatMap((text) => text.split('\n')).filter((row) => row.trim() !== '');
  const best = rows
    .map((row) => ({ row, score: sharedWords(row, query) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, knowledge)
    .filter(({ score }) => score > 0);
  return best.length === 0 ? '' : `You know: ${best.map(({ row }) => row).join(' ')}\n`;
}

/** Returns the moves available after the modules that ran, as set by the latest one with a `space` or `narrow`. */
export function actionSpace({ said, choices }: Discussion, modules: readonly PipelineModule[]): readonly string[] {
  const last = said.findLast(({ part }) => modules.some(({ name, space, narrow }) => name === part && (space ?? narrow) !== undefined));
  const module = modules.find(({ name }) => name === last?.part);
  if (module === undefined || last === undefined) return choices;
  const { space, narrow } = module;
  const within =
    space === undefined
      ? choices
      : choices.filter((choice) => space.some((prefix) => choice.toLowerCase().startsWith(prefix.toLowerCase())));
  const open = within.length === 0 ? choices : within;
  if (narrow === undefined || open.length <= narrow) return open;
  const text = lineIn(last.text, 'output') ?? last.text;
  const ranked = open.map((choice, i) => ({ choice, i, score: sharedWords(choice, text) })).sort((a, b) => b.score - a.score || a.i - b.i);
  // If the answer matches no move, no move is ruled out.
  return ranked[0]?.score === 0 ? open : ranked.slice(0, narrow).map(({ choice }) => choice);
}

function overlap(item: string, other: string): number {
  return wordOverlap(wordsOf(item), wordsOf(other));
}

/** Returns the share of a text's words that also occur in another text. */
function sharedWords(text: string, other: string): number {
  const current = new Set(wordsOf(other));
  const words = wordsOf(text).filter((word) => word.length > 2 || /\d/.test(word));
  return words.length === 0 ? 0 : words.filter((word) => current.has(word)).length / words.length;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
