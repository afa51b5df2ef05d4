/**
 * @file A board of cells. What the picture says can be played is played by the mouse (a cell, or one and then another; the second move of a
 * cell by a right click), and by the keyboard: keys of the picture, or arrows from cell to cell, Enter, and f for the second move.
 */

import type { GridPicture, PlayPicture } from '@ludus-agents/servers/internal/studio/api';
import { useRef, useState } from 'react';
import { useKeys } from '../controls.tsx';

interface GridProps {
  readonly picture: GridPicture;
  readonly last: number;
  readonly choose: ((move: string) => void) | undefined;
}

const none: readonly PlayPicture[] = [];
const lookOf: Readonly<Record<string, string>> = {
  g: 'fits',
  y: 'elsewhere',
  b: 'nowhere',
  w: 'wall',
  l: 'square pale',
  d: 'square deep',
};
/** As text, and not as the coloured pictures that some systems draw. */
const pieces = Object.fromEntries([...'KQRBNPkqrbnp'].map((piece, i) => [piece, `${String.fromCharCode(0x2654 + i)}\uFE0E`]));

export function Grid({ picture, last, choose }: GridProps) {
  const { columns, rows, cells, gravity, won, looks = '' } = picture;
  const plays = choose === undefined ? none : (picture.plays ?? none);
  const [begun, setBegun] = useState<number | null>(null);
  const board = useRef<HTMLDivElement>(null);
  // A board that has changed, or a cell that leads nowhere now, begins anew.
  const from = begun !== null && plays.some((play) => play.cells.length === 2 && play.cells[0] === begun) ? begun : null;
  const movesAt = (cell: number): readonly string[] => {
    const ends = plays.filter((play) => play.cells.length === 2 && play.cells[0] === from && play.cells[1] === cell);
    const single = plays.filter((play) => play.cells.length === 1 && play.cells[0] === cell);
    return [...ends, ...single].map(({ move }) => move);
  };
  const begins = (cell: number) => plays.some((play) => play.cells.length === 2 && play.cells[0] === cell);
  const press = (cell: number) => {
    const [move] = movesAt(cell);
    setBegun(move === undefined && cell !== from ? cell : null);
    if (move !== undefined) choose?.(move);
  };
  const second = (cell: number) => {
    const move = movesAt(cell)[1];
    if (move !== undefined) choose?.(move);
  };
  const keyed = plays.flatMap(({ key, move }) => (key === undefined ? [] : [[key, () => choose?.(move)] as const]));
  useKeys(Object.fromEntries(keyed));
  const walk = (cell: number, key: string) => {
    const by = keyed.length > 0 ? undefined : { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key];
    for (let to = cell + (by ?? 0); by !== undefined && to >= 0 && to < cells.length; to += by) {
      const button = board.current?.querySelector<HTMLElement>(`[data-cell="${to}"]`);
      if (button === null || button === undefined) continue;
      button.focus();
      return true;
    }
    return false;
  };
  const where = (cell: number) =>
    gravity ? `column ${(cell % columns) + 1}` : `row ${Math.floor(cell / columns) + 1}, column ${(cell % columns) + 1}`;
  const label = (cell: number, mark: string, moves: readonly string[]) => {
    if (moves.length === 0) return `${mark} on ${where(cell)}: choose it`;
    return /^\[\d+\]$/.test(moves[0]!) ? `Play ${where(cell)}` : `${moves[0]!.slice(1, -1)}: ${where(cell)}`;
  };
  return (
    <div
      ref={board}
      className={`grid ${gravity ? 'falling' : ''}`}
      style={{ gridTemplateColumns: `repeat(${columns}, 1fr)`, fontSize: `min(2.5rem, ${Math.round(150 / columns)}px)` }}
    >
      <p className="hidden">
        A board of {columns} columns and {rows} rows: {spellCells(cells, columns)}.
      </p>
      {[...cells].map((mark, cell) => {
        const key = `${cell}`;
        const fit = lookOf[looks[cell] ?? ''] ?? '';
        // X and O are players only where marks have no other meaning.
        const player = looks !== '' ? '' : ({ X: 'x', O: 'o' }[mark] ?? '');
        const look = `cell ${player} ${cell === last ? 'last' : ''} ${won.includes(cell) ? 'won' : ''} ${fit}`;
        const cellText = mark === '.' || fit === 'wall' ? '' : fit.startsWith('square') ? pieces[mark] : mark;
        const moves = movesAt(cell);
        return moves.length > 0 || begins(cell) ? (
          <button
            key={key}
            type="button"
            data-cell={cell}
            className={look}
            aria-label={label(cell, mark, moves)}
            aria-pressed={begins(cell) ? cell === from : undefined}
            onClick={() => press(cell)}
            onContextMenu={(event) => {
              if (moves.length < 2) return;
              event.preventDefault();
              second(cell);
            }}
            onKeyDown={(event) => {
              if (event.key === 'f') second(cell);
              if (walk(cell, event.key)) event.preventDefault();
            }}
          >
            {cellText}
          </button>
        ) : (
          <span key={key} className={look} aria-hidden="true">
            {cellText}
          </span>
        );
      })}
    </div>
  );
}

function spellCells(cells: string, columns: number): string {
  const rows = cells.match(new RegExp(`.{${columns}}`, 'g')) ?? [];
  return rows.map((row) => [...row].map((cell) => (cell === '.' ? 'free' : cell)).join(' ')).join('; ');
}
