/** @file A board of X and O. Cells that may be played are buttons; with gravity, a column is one move. */

import type { GridPicture } from '../../../../src/servers/studio/api.ts';

interface GridProps {
  readonly picture: GridPicture;
  readonly last: number;
  readonly choices: readonly string[];
  readonly choose: ((move: string) => void) | undefined;
}

export function Grid({ picture, last, choices, choose }: GridProps) {
  const { columns, rows, cells, gravity, won } = picture;
  const moveAt = (cell: number) => `[${gravity ? cell % columns : cell}]`;
  return (
    <div
      className={`grid ${gravity ? 'falling' : ''}`}
      style={{ gridTemplateColumns: `repeat(${columns}, 1fr)`, fontSize: `min(2.5rem, ${Math.round(150 / columns)}px)` }}
    >
      <p className="hidden">
        A board of {columns} columns and {rows} rows: {spellCells(cells, columns)}.
      </p>
      {[...cells].map((mark, cell) => {
        const key = `${cell}`;
        const look = `cell ${mark === 'X' ? 'x' : mark === 'O' ? 'o' : ''} ${cell === last ? 'last' : ''} ${won.includes(cell) ? 'won' : ''}`;
        const move = moveAt(cell);
        const where = gravity ? `column ${(cell % columns) + 1}` : `row ${Math.floor(cell / columns) + 1}, column ${(cell % columns) + 1}`;
        return choose !== undefined && mark === '.' && choices.includes(move) ? (
          <button key={key} type="button" className={look} aria-label={`Play ${where}`} onClick={() => choose(move)} />
        ) : (
          <span key={key} className={look} aria-hidden="true">
            {mark === '.' ? '' : mark}
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
