/** @file Chess with all its rules, from the initial position, from an endgame with known distance to mate, or from any position. */

import type { Ask, Message, MoveOutcome, Rng, Seat, TaskOf, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, parameter, parseBracketed, retries } from '@ludus-agents/kernel/internal/core/index';
import { drawMap, splitParameter } from '../grid.ts';
import { boardImage } from '../picture/board.ts';
import { type EndgameName, endgameIndex, endgameTable } from './endgame.ts';
import { bracketedUci, plainSan, readMove, sanOf } from './notation.ts';
import { ChessPosition, type Move } from './position.ts';
import { scripts } from './scripts.ts';
import { positionText } from './text.ts';

const parameters = {
  opening: parameter.choice({
    options: ['usual', 'kqk', 'krk'],
    default: 'usual',
    description: 'the usual array, or any position with white to move of king and queen, or king and rook, against a king',
  }),
  fen: parameter.string({ default: '', description: 'a custom position as FEN, instead of an opening' }),
  notation: parameter.choice({
    options: ['uci', 'san'],
    default: 'uci',
    description: 'how legal moves are listed; both notations are accepted',
  }),
  plies: parameter.integer({ min: 1, max: 1000, default: 200, description: 'half-moves after which the game is drawn' }),
  split: splitParameter,
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

/** `seen` contains the positions since the last irreversible move, for the repetition rule. */
type State = TaskState<Game, Task>;
type Game = {
  readonly fen: string;
  readonly seen: readonly string[];
  readonly plies: number;
};

const seats = ['white', 'black'] as const;
const both: readonly Seat[] = seats;
export const usual = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

export const chess = defineEnvironment({
  id: 'chess@1',
  about: {
    summary:
      'Chess with all rules, including castling, en passant, promotion, and draws by stalemate, fifty moves, threefold repetition, and dead positions. Moves are read in UCI (e2e4) or SAN (Nf3). Rewards are +1, 0, or −1. In the endgames of king and queen or king and rook against a king, white wins from every position with the move, in at most 10 and 16 moves.',
    tasks: [{}, { opening: 'kqk', plies: 40 }, { opening: 'krk', plies: 40, notation: 'san' }],
    turns: 200 * 11,
    open: true,
    sum: 0,
  },
  parameters,
  task(task) {
    return task.fen === '' ? task : { ...task, fen: ChessPosition.from(task.fen).fen() };
  },
  seats: seats,

  start(task, rng) {
    const fen = openingOf(task, rng);
    const position = ChessPosition.from(fen);
    const { text, key } = positionText(position);
    const state: Game = { fen, seen: [key], plies: 0 };
    const messages = seats.map((seat): Message => ({ to: [seat], text: `${rulesFor(seat, task)}\n${text}` }));
    const over = ending(position, position.moves(), state, task);
    return over === null ? { state, messages } : finish(state, [...messages, toBoth(over.text)], over.winner);
  },

  turn(state) {
    const { position, moves } = readyAt(state);
    return askOf(position, moves, state.task);
  },

  read(action, state) {
    const read = parseBracketed(action);
    if (!read.ok) return read;
    const { position, moves } = readyAt(state);
    const move = readMove(position, moves, read.move);
    return move === null ? { ok: false, problem: `[${read.move.slice(0, 40)}] is not a legal move here.` } : { ok: true, move };
  },

  play(state, move, { seat }) {
    const { position, moves } = readyAt(state);
    ready.delete(state);
    const san = plainSan(position, move, moves);
    position.play(move);
    const checked = position.inCheck();
    const replies = position.moves(checked, moves);
    const sign = !checked ? '.\n' : replies.length === 0 ? '#.\n' : '+.\n';
    const { text, fen, key } = positionText(position, seat === 'white' ? 'white plays ' : 'black plays ', san, sign);
    const { task, plies } = state;
    const next: State = { task, fen, seen: position.quiet === 0 ? [key] : withLast(state.seen, key), plies: plies + 1, misses: 0 };
    const over = ending(position, replies, next, task);
    if (over !== null) return finish(next, [toBoth(text), toBoth(over.text)], over.winner);
    keepReady(next, { position, moves: replies });
    return { state: next, messages: [toBoth(text)] };
  },

  forfeit: (state, seat, text) => finish(state, [toBoth(text)], seat === 'white' ? 'black' : 'white'),

  knows: ({ fen, seen, plies }) => ({ fen, seen, plies }),
  draw({ fen }) {
    // Eight rows of eight, without the FEN that follows them.
    const rows = positionText(ChessPosition.from(fen)).text.slice(0, 71);
    return boardImage(rows, { chequered: true, rows: [...'87654321'], columns: [...'abcdefgh'] });
  },
  scripts,
});

interface Ready {
  readonly position: ChessPosition;
  readonly moves: Move[];
}

/** Recently reached positions with their moves, so that the next step need not compute them again. */
const ready = new Map<Game, Ready>();
const mostReady = 512;

function keepReady(state: Game, reached: Ready): Ready {
  if (ready.size >= mostReady) ready.clear();
  ready.set(state, reached);
  return reached;
}

function readyAt(state: Game): Ready {
  const before = ready.get(state);
  if (before !== undefined) return before;
  const position = ChessPosition.from(state.fen);
  return keepReady(state, { position, moves: position.moves() });
}

const toBoth = (text: string): Message => ({ to: both, text });

function finish(state: Game, messages: readonly Message[], winner: Seat | null): MoveOutcome<Game> {
  const white = winner === null ? 0 : winner === 'white' ? 1 : -1;
  return { state, messages, over: true, rewards: { white, black: white === 0 ? 0 : -white } };
}

/** Returns a copy with one more item and no spare capacity: a list that grows in place reserves room for seventeen. */
function withLast(observations: readonly string[], key: string): readonly string[] {
  const all = new Array<string>(observations.length + 1);
  for (let i = 0; i < observations.length; i++) all[i] = observations[i];
  all[observations.length] = key;
  return all;
}

/** Returns the result of a finished game, or null while it continues. */
function ending(
  position: ChessPosition,
  moves: readonly Move[],
  { seen, plies }: Game,
  task: Task,
): { text: string; winner: Seat | null } | null {
  if (moves.length === 0) {
    if (!position.inCheck()) return draw('stalemate');
    const winner = position.side === 1 ? 'black' : 'white';
    return { text: `Checkmate: ${winner} wins.`, winner };
  }
  if (position.isDead()) return draw('neither side can mate any more');
  if (position.quiet >= 100) return draw('fifty moves without a pawn moved or a piece taken');
  if (seen.length > 8 && isThird(seen)) return draw('the same position for the third time');
  return plies >= task.plies ? draw(`${task.plies} half-moves are played`) : null;
}

const draw = (why: string) => ({ text: `A draw: ${why}.`, winner: null });

/**
 * Returns whether the last position occurred twice before. Only positions with the same side to move are compared, which are an even number
 * of half-moves apart.
 */
function isThird(observations: readonly string[]): boolean {
  const now = observations.at(-1);
  let before = 0;
  for (let i = observations.length - 5; i >= 0; i -= 2) if (observations[i] === now && ++before === 2) return true;
  return false;
}

function askOf(position: ChessPosition, moves: readonly Move[], { notation }: Task): Ask {
  const choices = notation === 'uci' ? moves.map(bracketedUci) : moves.map((move) => `[${sanOf(position, move, moves)}]`);
  return { seat: position.side === 1 ? 'white' : 'black', choices };
}

function openingOf(task: Task, rng: Rng): string {
  if (task.fen !== '') return task.fen;
  if (task.opening === 'usual') return usual;
  const name: EndgameName = task.opening;
  const { white } = endgameTable(name);
  return drawMap(
    'chess',
    task.split,
    () => drawEndgame(name, white, rng),
    (fen) => fen,
  );
}

/** Draws a legal position with white to move, or returns null if this draw was not legal. */
function drawEndgame(name: EndgameName, white: Int8Array, rng: Rng): string | null {
  const [king, piece, other] = [rng.int(64), rng.int(64), rng.int(64)];
  if (white[endgameIndex(king, piece, other)] === 0) return null;
  const position = new ChessPosition();
  position.board[king] = 6;
  position.board[piece] = name === 'kqk' ? 5 : 4;
  position.board[other] = -6;
  return position.fen();
}

function rulesFor(seat: Seat, { plies }: Task): string {
  return `You play ${seat} in a game of chess. Capital letters are white. Mate pays 1, a draw 0; after ${plies} half-moves the game is drawn.\nAnswer with exactly one move in square brackets, in UCI like [e2e4] or in SAN like [Nf3].`;
}
