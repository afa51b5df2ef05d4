/** @file The matrix of a game for two, the cell that was played last marked, and every round below. */

import type { Picture } from '@ludus-agents/servers/internal/studio/api';

export function Matrix({ picture: { moves, cells, seats, played } }: { readonly picture: Extract<Picture, { kind: 'matrix' }> }) {
  const last = played.at(-1);
  return (
    <div className="matrix">
      <table>
        <caption className="small muted">
          {seats[0]} chooses the row, {seats[1]} the column
        </caption>
        <thead>
          <tr>
            <td />
            {moves.map((move) => (
              <th key={move} scope="col">
                {move}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {moves.map((row, i) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              {moves.map((column, j) => {
                const now = last?.[0] === row && last[1] === column;
                return (
                  <td key={column} className={now ? 'now' : ''} aria-current={now ? 'true' : undefined}>
                    {cells[i]?.[j]?.join(' / ')}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <ol className="rounds" aria-label="Rounds so far">
        {played.map((round, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rounds are numbered.
          <li key={i} className={round[0] === round[1] ? 'same' : ''}>
            {round.join('')}
          </li>
        ))}
      </ol>
    </div>
  );
}
