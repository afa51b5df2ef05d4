/** @file A sweep: what differed between trainings and what each came to, as a table that sorts and as parallel coordinates. */

import type { ComparedTraining } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { lookOf } from '../colours.ts';
import { Scroll } from '../parts/scroll.tsx';
import { link } from '../router.ts';
import { differences } from './curves.ts';
import './sweep.css';

interface SweepProps {
  readonly runs: readonly ComparedTraining[];
  readonly nameOf: (run: ComparedTraining) => string;
}

/** A column: a setting that differs, or a measurement at the end. */
interface Column {
  readonly name: string;
  readonly isResult: boolean;
  readonly values: readonly (number | string | null)[];
}

const results = [
  ['exploitability', 'Exploitability'],
  ['returned', 'Return'],
  ['won', 'Win rate'],
] as const;

function columnsOf(runs: readonly ComparedTraining[]): readonly Column[] {
  const settings = differences(runs).map(([name, values]): Column => ({ name, isResult: false, values: values.map(readValue) }));
  const ends = results.flatMap(([metric, name]): readonly Column[] => {
    const values = runs.map(({ metrics }) => metrics.findLast((at) => at[metric] !== null)?.[metric] ?? null);
    return values.every((value) => value === null) ? [] : [{ name, isResult: true, values }];
  });
  return [...settings, ...ends];
}

function readValue(text: string | undefined): number | string | null {
  if (text === undefined) return null;
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

export function Sweep({ runs, nameOf }: SweepProps) {
  const [by, setBy] = useState<{ readonly name: string; readonly up: boolean } | null>(null);
  const columns = columnsOf(runs);
  if (columns.length === 0 || runs.length < 2) return null;
  const sorting = columns.find(({ name }) => name === by?.name);
  const order = runs.map((_, i) => i);
  if (sorting !== undefined)
    order.sort((a, b) => compareValues(sorting.values[a] ?? null, sorting.values[b] ?? null) * (by?.up === false ? -1 : 1));
  return (
    <section aria-label="Settings and results">
      <h2>Settings and results</h2>
      {columns.length < 2 ? null : <Parallel runs={runs} columns={columns} nameOf={nameOf} />}
      <Scroll label="Settings that differ">
        <table>
          <thead>
            <tr>
              <th scope="col">Run</th>
              {columns.map(({ name, isResult }) => (
                <th
                  key={name}
                  scope="col"
                  className={isResult ? 'number' : undefined}
                  aria-sort={by?.name === name ? (by.up ? 'ascending' : 'descending') : 'none'}
                >
                  <button type="button" className="plain sort" onClick={() => setBy({ name, up: by?.name === name ? !by.up : true })}>
                    {name}
                    {by?.name === name ? (by.up ? ' ↑' : ' ↓') : ''}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {order.map((i) => (
              <tr key={runs[i]!.id}>
                <th scope="row">
                  <span className={`dot curve-${lookOf(runs[i]!.id).colour}`} aria-hidden="true" />{' '}
                  <a href={link('training', runs[i]!.id)}>{nameOf(runs[i]!)}</a>
                </th>
                {columns.map(({ name, values, isResult }) => (
                  <td
                    key={name}
                    className={
                      isResult ? `number ${isBest(name, values, i) ? 'best' : ''}` : `text ${isUsual(values, i) ? 'muted' : 'differs'}`
                    }
                  >
                    {formatCell(values[i] ?? null)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function compareValues(a: number | string | null, b: number | string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/** Lower is better for exploitability, higher for everything else. */
function isBest(name: string, values: Column['values'], i: number): boolean {
  const numbers = values.filter((value): value is number => typeof value === 'number');
  const best = name === 'Exploitability' ? Math.min(...numbers) : Math.max(...numbers);
  return values[i] === best;
}

/** Whether most have the same: what differs from it is marked. */
function isUsual(values: Column['values'], i: number): boolean {
  const counts = Map.groupBy(values, (value) => value);
  const [usual] = [...counts].sort(([, a], [, b]) => b.length - a.length);
  return usual !== undefined && usual[1].length > 1 && usual[0] === values[i];
}

function formatCell(value: number | string | null): string {
  if (value === null) return '–';
  return typeof value === 'number'
    ? Number(value.toPrecision(4)).toLocaleString('en', { maximumSignificantDigits: 4 }).replace('-', '−')
    : value;
}

const [height, top, bottom, gap] = [220, 40, 24, 150];

/** One axis for each column, one line for each run. Names of settings are shortened to their last part. */
function Parallel({ runs, columns, nameOf }: SweepProps & { readonly columns: readonly Column[] }) {
  // Letters keep their size: the drawing is as wide as its place.
  const wide = Math.max(innerWidth < 640 ? 420 : 1100, gap * columns.length);
  const x = (at: number) => 60 + (at * (wide - 120)) / Math.max(1, columns.length - 1);
  const scales = columns.map(({ values }) => scaleOf(values));
  const y = (at: number, value: number | string | null) => top + (1 - scales[at]!.place(value)) * (height - top - bottom);
  const descriptions = runs.map(
    (run, i) => `${nameOf(run)}: ${columns.map(({ name, values }) => `${name} ${formatCell(values[i] ?? null)}`).join(', ')}`,
  );
  return (
    <figure className="parallel">
      <figcaption>Each line is one run, from its settings to its results</figcaption>
      <svg viewBox={`0 0 ${wide} ${height}`} role="img" aria-label={`Parallel coordinates. ${descriptions.join('; ')}`}>
        {columns.map(({ name, isResult }, at) => (
          <g key={name}>
            <line className="axis" x1={x(at)} x2={x(at)} y1={top} y2={height - bottom} />
            <text className={isResult ? 'name result' : 'name'} x={x(at)} y={16} textAnchor="middle">
              {name.split('.').at(-1)}
            </text>
            <text className="tick" x={x(at)} y={top - 6} textAnchor="middle">
              {scales[at]!.high}
            </text>
            <text className="tick" x={x(at)} y={height - 8} textAnchor="middle">
              {scales[at]!.low}
            </text>
          </g>
        ))}
        {runs.map((run, i) => (
          <polyline
            key={run.id}
            className={`curve-${lookOf(run.id).colour}`}
            points={columns.map(({ values }, at) => `${x(at)},${y(at, values[i] ?? null)}`).join(' ')}
          >
            <title>{descriptions[i]}</title>
          </polyline>
        ))}
      </svg>
    </figure>
  );
}

interface Scale {
  readonly low: string;
  readonly high: string;
  /** From 0 at the bottom to 1. */
  place(value: number | string | null): number;
}

/** Numbers by their size, on a logarithm where they span more than two orders; words by their order. */
function scaleOf(values: Column['values']): Scale {
  const numbers = values.filter((value): value is number => typeof value === 'number');
  if (numbers.length === values.filter((value) => value !== null).length && numbers.length > 0) {
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const isLog = low > 0 && high / low > 100;
    const fit = (value: number) => (isLog ? Math.log(value) : value);
    const span = fit(high) - fit(low);
    return {
      low: formatCell(low),
      high: formatCell(high),
      place: (value) => (typeof value !== 'number' || span === 0 ? 0.5 : (fit(value) - fit(low)) / span),
    };
  }
  const names = [...new Set(values.map(String))].sort();
  return {
    low: names[0] ?? '',
    high: names.at(-1) ?? '',
    place: (value) => (names.length < 2 ? 0.5 : names.indexOf(String(value)) / (names.length - 1)),
  };
}
