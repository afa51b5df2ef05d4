/** @file A strategy as a table: for every decision the chance of each choice, beside the solution's. */

import type { PolicyTable } from '../../../src/servers/studio/api.ts';
import { Scroll } from '../parts/scroll.tsx';

type Row = PolicyTable['rows'][number];

export function Policy({ table }: { readonly table: PolicyTable }) {
  const rows = [...table.rows].sort((a, b) => order(a.seat, b.seat) || order(a.known, b.known));
  return (
    <Scroll label="Strategy by decision">
      <table className="policy">
        <thead>
          <tr>
            <th scope="col">seat</th>
            <th scope="col">what it knows</th>
            <th scope="col">what it does</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.seat} ${row.known}`}>
              <td>{row.seat}</td>
              <td className="text small">{row.known === '' ? 'the beginning' : row.known}</td>
              <td>
                <Mix row={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Mix({ row: { choices, policy, exact } }: { readonly row: Row }) {
  const percent = (chance: number | undefined) => `${((chance ?? 0) * 100).toFixed(0)} %`;
  return (
    <ul className="mix">
      {choices.map((choice, i) => (
        <li key={choice}>
          <span className="choice-name">{choice}</span>
          <meter min={0} max={1} value={policy[i] ?? 0} aria-label={`${choice}, the policy`}>
            {percent(policy[i])}
          </meter>
          <span className="number">{percent(policy[i])}</span>
          {exact === null ? null : <span className="muted small number">solution {percent(exact[i])}</span>}
        </li>
      ))}
    </ul>
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
