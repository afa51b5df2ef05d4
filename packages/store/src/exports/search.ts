/**
 * @file The tried moves of an agent that looks ahead, as data: preference pairs between moves of one position, revisions from the first
 * error (Agent-R, arXiv 2501.11425), and the value of every stored position. Pairs never combine positions: both sides answer the same
 * prompt.
 */

import type { ActionEvent, ChatMessage, JsonObject, Seat } from '@ludus-agents/kernel/internal/core/index';
import { type DatasetFormat, flatOrigin, type Leave, wireMessage } from './format.ts';
import type { ExportEpisode } from './plays.ts';
import { chatsOf, fieldsOf } from './words.ts';

interface Tried {
  readonly move: string;
  readonly visits: number;
  readonly value: number;
  readonly words?: string;
  readonly next?: readonly Tried[];
}

interface SearchTurn {
  readonly seat: Seat;
  readonly prompt: readonly ChatMessage[];
  /** The best first. */
  readonly moves: readonly Tried[];
}

/** Moves differ where the gap is at least this part of the spread between the best and the worst. */
const clear = 0.25;

export const search: DatasetFormat = {
  about: 'searches of agents that look ahead: preference pairs, revisions from the first error, values of positions',
  notes: [
    '`pairs`: two actions in one position, by their values in the search. `revisions`: a bad action, its outcome, and the better one; only the last message is trained on. `values`: every saved action with its path, visits, and mean value for the seat.',
  ],
  open: () => [
    { name: 'pairs', rows: (play, leave) => rowsOf(play, leave, pairsIn) },
    // Omissions are reported once, by the first table.
    { name: 'revisions', rows: (play) => rowsOf(play, () => undefined, revisionsIn) },
    { name: 'values', rows: (play) => rowsOf(play, () => undefined, valuesIn) },
  ],
};

function* rowsOf(
  play: ExportEpisode,
  leave: Leave,
  make: (turn: SearchTurn) => Iterable<JsonObject>,
): Generator<JsonObject, void, undefined> {
  let hasMatch = false;
  for (const turn of searchTurns(play)) {
    hasMatch = true;
    const origin = flatOrigin(play, turn.seat);
    for (const row of make(turn)) yield { ...row, ...origin };
  }
  if (!hasMatch) leave('no agent searched ahead');
}

/** The turns of seats that looked ahead, each with the seat's observations. */
function* searchTurns({ events, seats }: ExportEpisode): Generator<SearchTurn, void, undefined> {
  for (const [i, event] of events.entries()) {
    if (event.kind !== 'action' || !seats.includes(event.seat)) continue;
    const moves = movesIn(event);
    if (moves.length < 2) continue;
    const messages = chatsOf({ events: events.slice(0, i + 1), wording: 'view' }, event.seat)[0]?.messages ?? [];
    yield { seat: event.seat, prompt: messages.slice(0, -1), moves: [...moves].sort((a, b) => b.value - a.value || b.visits - a.visits) };
  }
}

/** Logs may come from anywhere: anything but a list of moves with numbers is ignored. */
function movesIn({ mind }: ActionEvent): readonly Tried[] {
  const { kind, moves } = fieldsOf(mind);
  if (kind !== 'search/1' || !Array.isArray(moves)) return [];
  return (moves as readonly Tried[]).filter(
    (otherMove) => typeof otherMove?.move === 'string' && Number.isFinite(otherMove.value) && Number.isFinite(otherMove.visits),
  );
}

function answer(move: string): JsonObject {
  return wireMessage({ role: 'assistant', content: move }, 'object');
}

/** The best move next to each that is clearly worse. */
function worseThanBest(moves: readonly Tried[]): readonly Tried[] {
  const [best, worst] = [moves[0]!, moves.at(-1)!];
  const gap = clear * (best.value - worst.value);
  return gap <= 0 ? [] : moves.filter(({ value }) => best.value - value >= gap);
}

function* pairsIn({ prompt, moves }: SearchTurn): Generator<JsonObject, void, undefined> {
  const best = moves[0]!;
  for (const worse of worseThanBest(moves))
    yield {
      prompt: prompt.map((message) => wireMessage(message, 'object')),
      chosen: [answer(best.move)],
      rejected: [answer(worse.move)],
      score_chosen: best.value,
      score_rejected: worse.value,
      margin: best.value - worse.value,
      visits_chosen: best.visits,
      visits_rejected: worse.visits,
    };
}

/** The worst action, its outcome, and the best one: the lesson is to correct the error, not to make it. */
function* revisionsIn({ prompt, moves }: SearchTurn): Generator<JsonObject, void, undefined> {
  const worst = worseThanBest(moves).at(-1);
  const best = moves[0]!;
  if (worst === undefined) return;
  const line = [worst.move, ...mainLine(worst)].join(', ');
  const explanation = worst.words === undefined ? '' : ` ${worst.words}`;
  const text = `That was a mistake: ${line} came to ${worst.value.toFixed(2)} in ${worst.visits} tries.${explanation} Go back and choose again.`;
  const messages = [
    ...prompt.map((message) => wireMessage(message, 'object')),
    answer(worst.move),
    wireMessage({ role: 'user', content: text }, 'object'),
  ];
  yield { messages: [...messages, answer(best.move)], mask: [...messages.map(() => 0), 1], from: worst.value, to: best.value };
}

/** The most tried continuation of a move. */
function mainLine({ next }: Tried): readonly string[] {
  if (!Array.isArray(next) || next.length === 0) return [];
  const most = (next as readonly Tried[]).reduce((best, item) => (item.visits > best.visits ? item : best));
  return [most.move, ...mainLine(most)];
}

function* valuesIn({ prompt, moves }: SearchTurn): Generator<JsonObject, void, undefined> {
  const messages = prompt.map((message) => wireMessage(message, 'object'));
  const below = function* (list: readonly Tried[], path: readonly string[]): Generator<JsonObject, void, undefined> {
    for (const { move, visits, value, next } of list) {
      yield { prompt: messages, path: [...path, move], visits, value };
      if (Array.isArray(next)) yield* below(next, [...path, move]);
    }
  };
  yield* below(moves, []);
}
