/** @file Tables of what is known; a cell with a move is a button. */

import type { SheetPicture } from '@ludus-agents/servers/internal/studio/api';

interface SheetProps {
  readonly picture: SheetPicture;
  readonly choose: ((move: string) => void) | undefined;
}

export function Sheet({ picture: { note, tables }, choose }: SheetProps) {
  return (
    <div className="sheet">
      {tables.map(({ title, head, rows }) => (
        <section key={title}>
          <h2>{title}</h2>
          {head.length === 0 ? (
            rows.map(({ name, cells }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have places.
              <p key={i} className="row">
                {name === '' ? null : <strong>{name}</strong>}
                {cells.map((cell) => (
                  <Cell key={cell.move ?? cell.text} {...cell} row={name} choose={choose} />
                ))}
              </p>
            ))
          ) : (
            <div className="scroll">
              <table>
                <thead>
                  <tr>
                    <th aria-label="of" />
                    {head.map((cell) => (
                      <th key={cell} scope="col">
                        {cell}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {rows.map(({ name, cells }, i) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: rows have places.
                    <tr key={i}>
                      <th scope="row">{name}</th>
                      {cells.map((cell, k) => (
                        // biome-ignore lint/suspicious/noArrayIndexKey: columns have places.
                        <td key={k}>
                          <Cell {...cell} row={name} choose={choose} />
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </section>
      ))}
      {note === '' ? null : <p className="small muted">{note}</p>}
    </div>
  );
}

interface CellProps {
  readonly text: string;
  readonly move?: string;
  readonly row: string;
  readonly choose: ((move: string) => void) | undefined;
}

/** If no seat may choose now, an action is not a button. */
function Cell({ text, move, row, choose }: CellProps) {
  if (move === undefined) return <span>{text}</span>;
  return (
    <button type="button" disabled={choose === undefined} aria-label={`${row} ${text}`.trim()} onClick={() => choose?.(move)}>
      {text}
    </button>
  );
}
