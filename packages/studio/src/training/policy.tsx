/**
 * @file A strategy as a table: for every decision the chance of each choice, beside the solution's. A long table is searched, ordered and shown
 * piece by piece.
 */

import type { PolicyTable } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { count } from '../format.ts';
import { SelectField, TextField } from '../parts/form.tsx';
import { Scroll } from '../parts/scroll.tsx';

type Row = PolicyTable['rows'][number];

/** Decisions that are shown at once; as many more come with each press. */
const pageSize = 12;

export function Policy({ table }: { readonly table: PolicyTable }) {
  const [search, setSearch] = useState('');
  const [seat, setSeat] = useState('');
  const [order, setOrder] = useState<Order>('known');
  const [most, setMost] = useState(pageSize);
  const wanted = search.trim().toLowerCase();
  const matchingRows = table.rows
    .filter((row) => (seat === '' || row.seat === seat) && (wanted === '' || textOf(row).toLowerCase().includes(wanted)))
    .sort((a, b) => (order === 'far' ? farOff(b) - farOff(a) : 0) || compare(a.seat, b.seat) || compare(a.known, b.known));
  const seats = [...new Set(table.rows.map((row) => row.seat))].sort();
  const isLong = table.rows.length > pageSize;
  const left = matchingRows.length - most;
  return (
    <>
      {isLong ? (
        <div className="fields">
          <TextField
            label="Filter"
            value={search}
            placeholder="text of the observation"
            change={(text) => {
              setSearch(text);
              setMost(pageSize);
            }}
          />
          {seats.length < 2 ? null : (
            <SelectField label="Seat" value={seat} of={[['', 'all'], ...seats.map((name) => [name, name] as const)]} change={setSeat} />
          )}
          {table.rows.some(({ exact }) => exact !== null) ? (
            <SelectField label="Order" value={order} of={orders} change={setOrder} />
          ) : null}
        </div>
      ) : null}
      <Scroll label="Strategy by decision">
        <table className="policy">
          <thead>
            <tr>
              <th scope="col">seat</th>
              <th scope="col">Information set</th>
              <th scope="col">Action probabilities</th>
            </tr>
          </thead>
          <tbody>
            {matchingRows.slice(0, most).map((row) => (
              <tr key={`${row.seat} ${row.known}`}>
                <td>{row.seat}</td>
                <td className="text small">
                  <Known text={row.known} wanted={wanted} />
                </td>
                <td>
                  <Mix row={row} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {isLong ? (
        <div className="row">
          <p className="muted small" role="status">
            {matchingRows.length === 0
              ? 'No decision matches these words. Try others.'
              : `${Math.min(most, matchingRows.length)} of ${count(matchingRows.length, 'decision')}`}
          </p>
          {left > 0 ? (
            <>
              <button type="button" className="small" onClick={() => setMost(most + pageSize)}>
                Show {Math.min(pageSize, left)} more
              </button>
              <button type="button" className="small" onClick={() => setMost(matchingRows.length)}>
                Show all
              </button>
            </>
          ) : null}
        </div>
      ) : null}
    </>
  );
}

type Order = 'known' | 'far';

const orders: readonly (readonly [Order, string])[] = [
  ['known', 'by information set'],
  ['far', 'furthest from the solution first'],
];

/** Lines that stay in sight: what is known last tells most decisions apart. */
const lastLines = 3;

function Known({ text, wanted }: { readonly text: string; readonly wanted: string }) {
  if (text === '') return 'the beginning';
  const lines = text.split('\n');
  if (lines.length <= lastLines + 1) return text;
  const [before, after] = [lines.slice(0, -lastLines).join('\n'), lines.slice(-lastLines).join('\n')];
  const isHit = wanted !== '' && before.toLowerCase().includes(wanted);
  return (
    <>
      <details key={String(isHit)} open={isHit}>
        <summary>{lines.length - lastLines} lines before</summary>
        {before}
      </details>
      {after}
    </>
  );
}

const textOf = ({ seat, known }: Row) => `${seat}\n${known === '' ? 'the beginning' : known}`;

/** The share of its moves that the solution makes otherwise. */
function farOff({ policy, exact }: Row): number {
  return exact === null ? 0 : policy.reduce((sum, chance, i) => sum + Math.abs(chance - (exact[i] ?? 0)), 0) / 2;
}

function Mix({ row: { choices, policy, exact } }: { readonly row: Row }) {
  const percent = (chance: number | undefined) => `${((chance ?? 0) * 100).toFixed(0)}%`;
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

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
