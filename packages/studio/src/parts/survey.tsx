/** @file The answers to a survey: shares of all people with their intervals, and crosstabs by attribute. */

import type { ReportShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { formatGrouped, toTitle } from '../format.ts';
import { Forest } from './forest.tsx';
import { Scroll } from './scroll.tsx';

type SurveyShown = NonNullable<ReportShown['survey']>;
type Table = SurveyShown['tables'][number];

export function Survey({ survey }: { readonly survey: SurveyShown }) {
  const { instrument, people, missing, tables, crosstabs } = survey;
  const [by, setBy] = useState(crosstabs[0]?.by ?? '');
  const groups = crosstabs.find((table) => table.by === by);
  return (
    <>
      <section aria-label="Answers">
        <h2>{instrument.name}</h2>
        <p className="muted small">
          {formatGrouped(people)} synthetic people, {formatGrouped(instrument.items.length)} items, {formatGrouped(missing)} answers
          missing.{tables.some(({ n }) => n < people) ? ' People who declined to answer or were not asked are not counted.' : ''} To check
          them against real people, use <code>ludus survey compare</code>.
        </p>
        <div className="plots halved">
          {tables
            .filter(({ shares }) => shares.length > 0)
            .map((table) => (
              <div key={nameOf(table)}>
                <p className="text">{questionOf(survey, table)}</p>
                <Forest
                  label={`${nameOf(table)}: % of ${formatGrouped(table.n)} people (95% CI)`}
                  points
                  halved
                  marks={table.shares.map(({ label, value, interval }) => ({ label, agent: 'survey', value, interval }))}
                />
              </div>
            ))}
        </div>
      </section>
      {groups === undefined ? null : (
        <section aria-label="Crosstabs">
          <div className="row">
            <h2 className="grow">By groups</h2>
            <label className="row small">
              <span>People by</span>
              <select value={by} onChange={(event) => setBy(event.target.value)}>
                {crosstabs.map((table) => (
                  <option key={table.by} value={table.by}>
                    {toTitle(table.by)}
                  </option>
                ))}
              </select>
            </label>
          </div>
          {[...Map.groupBy(groups.tables, nameOf)].map(([name, tables]) => (
            <Crosstab key={name} name={name} by={by} tables={tables} />
          ))}
          <p className="muted small">Groups with fewer than ten people are left out.</p>
        </section>
      )}
    </>
  );
}

/** One item: a row for each group, a column for each answer; the bar under a number is as long as the share. */
function Crosstab({ name, by, tables }: { readonly name: string; readonly by: string; readonly tables: readonly Table[] }) {
  const labels = tables.find(({ shares }) => shares.length > 0)?.shares.map(({ label }) => label) ?? [];
  if (labels.length === 0) return null;
  return (
    <Scroll label={`${name} by ${toTitle(by)}`}>
      <table className="crosstab">
        <caption className="text">{name}</caption>
        <thead>
          <tr>
            <th scope="col">{toTitle(by)}</th>
            {labels.map((label) => (
              <th key={label} scope="col" className="number">
                {label}
              </th>
            ))}
            <th scope="col" className="number">
              People
            </th>
          </tr>
        </thead>
        <tbody>
          {tables.map(({ group, n, shares }) => (
            <tr key={group}>
              <th scope="row">{group}</th>
              {shares.length === 0 ? (
                <td colSpan={labels.length} className="muted">
                  too few to say
                </td>
              ) : (
                shares.map(({ label, value, interval: [low, high] }) => (
                  <td key={label} className="number" title={`95% from ${percent(low)} to ${percent(high)}`}>
                    {percent(value)}
                    <meter value={value} max={1} aria-hidden="true" />
                  </td>
                ))
              )}
              <td className="number">{formatGrouped(n)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function nameOf({ item, wave }: Table): string {
  return wave === null ? item : `${item}, ${wave}`;
}

function questionOf({ instrument }: SurveyShown, { item }: Table): string {
  const question = instrument.items.find(({ id }) => id === item);
  return question === undefined ? '' : question.text || (Object.values(question.versions)[0] ?? '');
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`;
}
