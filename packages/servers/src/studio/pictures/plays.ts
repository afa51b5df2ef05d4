/** @file Moves on boards: the cells to select for a move, and the key for it. Derived from the seat's legal moves. */

import { readMove } from '@ludus-agents/environments/internal/chess/notation';
import { ChessPosition, fromOf, toOf } from '@ludus-agents/environments/internal/chess/position';
import { gridDirections, neighbour } from '@ludus-agents/environments/internal/grid';
import type { Unit } from '@ludus-agents/environments/internal/skirmish/rules';
import type { PlayPicture } from '../api.ts';

const arrows = ['ArrowLeft', 'ArrowDown', 'ArrowRight', 'ArrowUp'] as const;

export interface BoardPlace {
  /** The seat's cell, or null if it has several. */
  readonly at: number | null;
  readonly columns: number;
  readonly rows: number;
  /** The cell that an interaction affects. */
  readonly facing?: number;
}

/** Steps: an adjacent cell or an arrow moves; the own cell or a dot stays; the faced cell or e interacts. */
export function stepPlays(choices: readonly string[], { at, columns, rows, facing = -1 }: BoardPlace): readonly PlayPicture[] {
  return choices.flatMap((move): readonly PlayPicture[] => {
    const [, word = ''] = /^\[(?:all )?(\w+)\]$/.exec(move) ?? [];
    const direction = (gridDirections as readonly string[]).indexOf(word);
    if (direction >= 0) {
      const next = at === null ? -1 : neighbour(at, direction, columns, rows);
      return [{ move, cells: next < 0 || next === facing ? [] : [next], key: arrows[direction]! }];
    }
    if (word === 'stay' || word === 'stop') return [{ move, cells: at === null ? [] : [at], key: '.' }];
    return word === 'interact' ? [{ move, cells: facing < 0 ? [] : [facing], key: 'e' }] : [];
  });
}

/** Moves with a row and a column, the first move of a cell by a click and the second by a right click or f. */
export function cellPlays(choices: readonly string[], columns: number): readonly PlayPicture[] {
  return choices.flatMap((move) => {
    const [, row, column] = /^\[\w+ (\d+) (\d+)\]$/.exec(move) ?? [];
    return row === undefined ? [] : [{ move, cells: [Number(row) * columns + Number(column)] }];
  });
}

/** From one square to another; of several promotions, the first legal one. */
export function chessPlays(choices: readonly string[], fen: string): readonly PlayPicture[] {
  if (choices.length === 0) return [];
  const position = ChessPosition.from(fen);
  const moves = position.moves();
  return choices.flatMap((move) => {
    const read = readMove(position, moves, move.slice(1, -1));
    return read === null ? [] : [{ move, cells: [fromOf(read), toOf(read)] }];
  });
}

/** All units by arrows, or a target for all by one click; a single unit by its cell and then its destination or target. */
export function unitPlays(choices: readonly string[], units: readonly Unit[], side: number, size: number): readonly PlayPicture[] {
  if (choices.length === 0) return [];
  const cellsOf = (value: number) => units.filter((unit) => unit.side === value).map(({ at, hp }) => (hp > 0 ? at : -1));
  const [ownItems, foes] = [cellsOf(side), cellsOf(1 - side)];
  const standing = ownItems.filter((at) => at >= 0);
  const alone = standing.length === 1 ? standing[0]! : null;
  const playPictures = stepPlays(choices, { at: alone, columns: size, rows: size });
  const targets = foes.flatMap((at, i) => {
    const move = `[all attack ${i + 1}]`;
    return at >= 0 && choices.includes(move) ? [{ move, cells: [at] }] : [];
  });
  if (alone !== null) return [...playPictures, ...targets];
  const single = ownItems.flatMap((at, i) => {
    if (at < 0) return [];
    const steps = gridDirections.flatMap((direction, k) => {
      const next = neighbour(at, k, size, size);
      return next < 0 || standing.includes(next) ? [] : [{ move: `[${i + 1} ${direction}]`, cells: [at, next] }];
    });
    const attacks = foes.flatMap((foe, j) => (foe < 0 ? [] : [{ move: `[${i + 1} attack ${j + 1}]`, cells: [at, foe] }]));
    // Cells with an enemy can't be entered, so a click on one is an attack.
    return [...steps.filter(({ cells }) => !foes.includes(cells[1]!)), ...attacks];
  });
  return [...playPictures, ...targets, ...single];
}
