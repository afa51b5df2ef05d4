/** @file The answers to a survey: shares of all people with their intervals, and crosstabs by attribute. */

import type { ReportShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { count, formatGrouped, toTitle } from '../format.ts';
import { Forest } from './forest.tsx';
import { Scroll } from './scroll.tsx';

type SurveyShown = NonNullable<ReportShown['survey']>;
type Table = SurveyShown['tables'][number];

export function Survey({ survey }: { readonly survey: SurveyShown }) {
  const { instrument, people, missing, tables, open, crosstabs } = survey;
  const [by, setBy] = useState(crosstabs[0]?.by ?? '');
  const groups = crosstabs.find((table) => table.by === by);
  return (
    <>
      <section aria-label="Answers">
        <h2>Answers</h2>
        <p className="muted small">
          {count(people, 'synthetic person', 'synthetic people')}, {count(instrument.items.length, 'item')},{' '}
          {count(missing, 'missing answer')}.
          {tables.some(({ n }) => n < people) ? ' People who declined to answer or were not asked are not counted.' : ''} To check them
          against real people, use <code>ludus survey compare</code>.
        </p>
        <div className="plots halved">
          {tables
            .filter(({ shares }) => shares.length > 0)
            .map((table) => (
              <div key={nameOf(table)}>
                <h3 className="text">{questionOf(survey, table.item) || nameOf(table)}</h3>
                <Forest
                  label={`${nameOf(table)}: % of ${count(table.n, 'person', 'people')} (95% CI)`}
                  points
                  halved
                  marks={table.shares.map(({ label, value, interval }) => ({ label, agent: 'survey', value, interval }))}
                />
              </div>
            ))}
        </div>
        {open.map(({ item, texts, count: total }) => (
          <details key={item} className="card part" open={texts.length > 0}>
            <summary>
              <h3 className="text">
                {questionOf(survey, item) || item} <span className="muted small">{count(total, 'answer')}</span>
              </h3>
            </summary>
            <ul className="sentences">
              {texts.map((text, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: answers have no other name than their place.
                <li key={i} className="text">
                  {text}
                </li>
              ))}
            </ul>
            {texts.length < total ? <p className="muted small">The first {texts.length} are shown.</p> : null}
          </details>
        ))}
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
            <Crosstab key={name} name={name} question={questionOf(survey, tables[0]!.item)} by={by} tables={tables} />
          ))}
          <p className="muted small">
            {groups.tables.every(({ shares }) => shares.length === 0)
              ? 'No group has ten people or more, so no shares are shown.'
              : 'Shares with 95% intervals. Groups with fewer than ten people are left out.'}
          </p>
        </section>
      )}
    </>
  );
}

interface CrosstabProps {
  readonly name: string;
  readonly question: string;
  readonly by: string;
  readonly tables: readonly Table[];
}

/** One item: a row for each group, a column for each answer; the bar under a number is as long as the share. */
function Crosstab({ name, question, by, tables }: CrosstabProps) {
  const labels = tables.find(({ shares }) => shares.length > 0)?.shares.map(({ label }) => label) ?? [];
  if (labels.length === 0) return null;
  return (
    <Scroll label={`${name} by ${toTitle(by)}`}>
      <table className="crosstab">
        <caption className="text">
          {question || name} {question === '' ? null : <span className="muted small">{name}</span>}
        </caption>
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
                  too few people
                </td>
              ) : (
                shares.map(({ label, value, interval: [low, high] }) => (
                  <td key={label} className="number" title="share with its 95% interval">
                    {percent(value)}
                    <div className="muted small">
                      {percent(low)} to {percent(high)}
                    </div>
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

function questionOf({ instrument }: SurveyShown, item: string): string {
  const question = instrument.items.find(({ id }) => id === item);
  return question === undefined ? '' : question.text || (Object.values(question.versions)[0] ?? '');
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`;
}
