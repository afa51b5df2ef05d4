import { type EndEvent, type Json, rng, type Script, type Step, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { isHeldOut } from '../grid.ts';
import { chess, usual } from './chess.ts';
import { endgameIndex, endgameTable } from './endgame.ts';
import { readMove, sanOf, uciOf } from './notation.ts';
import { ChessPosition, type Move, perft } from './position.ts';
import { squareOf } from './squares.ts';

const kiwipete = 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -';
const third = '8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -';

/** Counts the leaves at a depth by the kind of their last move. */
function tally(position: ChessPosition, depth: number): Record<'nodes' | 'captures' | 'passing' | 'castles' | 'checks' | 'mates', number> {
  const sum = { nodes: 0, captures: 0, passing: 0, castles: 0, checks: 0, mates: 0 };
  for (const move of position.moves()) {
    const [captures, passing, castles] = [position.takes(move), position.isInPassing(move), position.isCastling(move)].map(Number) as [
      number,
      number,
      number,
    ];
    position.make(move);
    if (depth > 1) {
      for (const [name, count] of Object.entries(tally(position, depth - 1))) sum[name as keyof typeof sum] += count;
    } else {
      sum.nodes++;
      sum.captures += captures;
      sum.passing += passing;
      sum.castles += castles;
      if (position.inCheck()) {
        sum.checks++;
        if (position.moves().length === 0) sum.mates++;
      }
    }
    position.undo();
  }
  return sum;
}

describe('legal chess moves', () => {
  // The published counts of the usual test positions.
  it.each([
    [usual, [20, 400, 8902, 197281]],
    [kiwipete, [48, 2039, 97862]],
    [third, [14, 191, 2812, 43238]],
    ['r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -', [6, 264, 9467]],
    ['rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8', [44, 1486, 62379]],
  ])('from %s match published counts', (fen, counts) => {
    const position = ChessPosition.from(fen);
    const before = position.fen();
    expect(counts.map((_, i) => perft(position, i + 1))).toEqual(counts);
    expect(position.fen()).toBe(before);
  });

  it('match published counts of captures, en passant, castling, checks, and mates', () => {
    expect(tally(ChessPosition.from(kiwipete), 2)).toEqual({ nodes: 2039, captures: 351, passing: 1, castles: 91, checks: 3, mates: 0 });
    expect(tally(ChessPosition.from(third), 4)).toMatchObject({ nodes: 43238, passing: 123, mates: 17 });
  });

  it('are parsed from SAN and UCI without ambiguity', () => {
    for (const fen of [kiwipete, 'k7/8/8/8/8/8/8/KR5R w - - 0 1', '5k2/P7/8/8/Q6Q/8/8/Q3K3 w - - 0 1']) {
      const position = ChessPosition.from(fen);
      const moves = position.moves();
      const texts = moves.map((move) => sanOf(position, move, moves));
      expect(new Set(texts).size).toBe(moves.length);
      for (const [i, move] of moves.entries())
        for (const text of [texts[i]!, uciOf(move)]) expect(readMove(position, moves, text)).toBe(move);
    }
    const position = ChessPosition.from('5k2/P7/8/8/Q6Q/8/8/Q3K3 w - - 0 1');
    const moves = position.moves();
    const san = (uci: string) => sanOf(position, readMove(position, moves, uci) as Move, moves);
    expect([san('a7a8q'), san('a4d4'), san('h4d4'), san('a1d4')]).toEqual(['a8=Q+', 'Qa4d4', 'Qhd4', 'Q1d4']);
  });
});

describe('chess positions', () => {
  it.each([usual, 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1', '8/8/8/8/3pP3/8/8/K6k b - e3 0 1'])(
    '%s is written as it was read',
    (fen) => {
      expect(ChessPosition.from(fen).fen()).toBe(fen);
    },
  );

  it.each([
    '8/8/8/8/8/8/8/8 w - - 0 1',
    'rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1',
    'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1',
    'k7/8/8/8/8/8/8/KR6 w QQ - 0 1',
    'k6P/8/8/8/8/8/8/KR6 w - - 0 1',
    'k7/8/8/8/8/8/8/R6K w - - 0 1',
    'nonsense',
  ])('%s is rejected with a readable error', (fen) => {
    expect(() => chess.task({ fen })).toThrow(/A chess position \(FEN\) must/);
  });
});

/** Plays moves from a position and gives the last step. */
function played(task: Json, moves: string): Step {
  let step: Step = chess.start(chess.task(task), rng(1));
  for (const move of moves.split(' ')) {
    const seat = step.asks[0]?.seat as string;
    step = chess.step(step.state as never, { [seat]: { text: `[${move}]` } }, rng(1));
  }
  return step;
}
const lastText = (step: Step) => step.messages.at(-1)?.text;

describe('chess games', () => {
  it('end by checkmate with a win for the mating side', () => {
    const step = played({}, 'f3 e5 g4 Qh4');
    expect(step.rewards).toEqual({ white: -1, black: 1 });
    expect(lastText(step)).toBe('Checkmate: black wins.');
    expect(step.messages[0]?.text).toMatch(/^black plays Qh4#\./);
  });

  it.each([
    ['stalemate', { fen: '7k/8/6K1/8/8/8/8/5Q2 w - - 0 1' }, 'Qf7'],
    ['neither side can mate any more', { fen: '7k/8/8/8/8/8/6p1/6K1 w - - 0 1' }, 'Kxg2'],
    ['neither side can mate any more', { fen: '7k/8/8/8/8/8/6nN/6K1 w - - 0 1' }, 'Kxg2'],
    ['fifty moves without a pawn moved or a piece taken', { fen: 'k7/8/8/8/8/8/8/KR6 w - - 98 90' }, 'Rb2 Ka7'],
    ['the same position for the third time', {}, 'Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8'],
    ['2 half-moves are played', { plies: 2 }, 'e4 e5'],
  ])('are drawn by %s', (why, task, moves) => {
    const step = played(task, moves);
    expect(step.rewards).toEqual({ white: 0, black: 0 });
    expect(lastText(step)).toBe(`A draw: ${why}.`);
  });

  it('are not drawn by two bishops of opposite colors, or a repetition with different castling rights', () => {
    expect(played({ fen: '8/7k/8/8/8/5b2/8/B5K1 w - - 0 1' }, 'Kf1').asks).toHaveLength(1);
    // The first time white may still castle, so the third look-alike is only the second of its kind.
    const step = played({ fen: 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1' }, 'Kf1 Kf8 Ke1 Ke8 Kf1 Kf8 Ke1 Ke8');
    expect(step.asks).toHaveLength(1);
  });

  it('reject a move that leaves the king in check, and forfeit after the last try', () => {
    const task = chess.task({ fen: 'k3r3/8/8/8/8/8/4B3/4K3 w - - 0 1', retries: 0 });
    const { state } = chess.start(task, rng(1));
    expect(chess.step(state, { white: { text: '[Bd3]' } }, rng(1)).rewards).toEqual({ white: -1, black: 1 });
  });
});

describe('chess endgames', () => {
  it.each([
    ['kqk', 144508, 10, 5.616658, 364, 872, 9],
    ['krk', 175168, 16, 9.864838, 216, 68, 15],
  ] as const)('%s matches the exact numbers of endgame tables', (name, legal, longest, mean, mates, stalemates, corner) => {
    const table = endgameTable(name);
    const won = table.white.filter((moves) => moves > 0);
    expect(won).toHaveLength(legal);
    expect(won.reduce((most, moves) => Math.max(most, moves), 0)).toBe(longest);
    expect(won.reduce((sum, moves) => sum + moves, 0) / legal).toBeCloseTo(mean, 6);
    expect([table.mates, table.stalemates]).toEqual([mates, stalemates]);
    expect(table.black.filter((moves) => moves !== -2)).toHaveLength(223944);
    expect(table.white[endgameIndex(squareOf('a1'), squareOf('b1'), squareOf('e5'))]).toBe(corner);
  });

  it('are won from random positions in exactly the number of moves in the table', async () => {
    for (const opening of ['kqk', 'krk'] as const)
      for (let seed = 0; seed < 12; seed++) {
        const task = { opening, plies: 40, split: seed % 2 === 0 ? 'train' : 'held-out' };
        const { state } = chess.start(chess.task(task), rng(seed, 'start'));
        const { fen } = state as { fen: string };
        expect(isHeldOut(fen)).toBe(seed % 2 === 1);
        const at = (piece: number) => ChessPosition.from(fen).board.indexOf(piece);
        const moves = endgameTable(opening).white[endgameIndex(at(6), at(opening === 'kqk' ? 5 : 4), at(-6))]!;
        const perfect = scriptedPolicy('tablebase', chess.scripts?.['tablebase'] as Script);
        const [log] = await rollout(chess, { white: perfect, black: perfect }, { seeds: [seed], task });
        expect(log?.at(-1)).toMatchObject({ turns: 2 * moves - 1, returns: { white: 1, black: -1 } });
      }
  });
});

describe('chess players', () => {
  it('search beats random play, and random play rarely ends a game', async () => {
    const search = scriptedPolicy('alpha-beta', chess.scripts?.['alpha-beta'] as Script);
    const random = scriptedPolicy('random', ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices as readonly string[]) }));
    const seeds = [0, 1, 2];
    const [asWhite, asBlack] = await Promise.all([
      rollout(chess, { white: search, black: random }, { seeds }),
      rollout(chess, { white: random, black: search }, { seeds }),
    ]);
    const sum = (logs: typeof asWhite, seat: string) => logs.reduce((all, log) => all + (log.at(-1) as EndEvent).returns[seat]!, 0);
    expect(sum(asWhite, 'white') + sum(asBlack, 'black')).toBeGreaterThanOrEqual(5);
  });
});
