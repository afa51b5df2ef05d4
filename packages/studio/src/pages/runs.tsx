/** @file Runs: what was run and what came of it, and every episode under filters, however many there are. */

import type { RunLine } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { useApi } from '../client.ts';
import { brief, formatGrouped, toTitle } from '../format.ts';
import type { PageProps } from '../pages.ts';
import { Damaged } from '../parts/damaged.tsx';
import { Ends, Episodes } from '../parts/episodes.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { Empty, When } from '../parts/states.tsx';
import { link } from '../router.ts';
import '../house.css';

export function RunsPage({ query }: PageProps) {
  const { loaded, reload } = useApi('/api/runs', {}, 4000);
  return (
    <div className="page house">
      <header>
        <h1>Runs</h1>
        <a className="button" href="#/compare">
          Compare two
        </a>
      </header>
      <When loaded={loaded} what="runs" retry={reload}>
        {(all) => {
          // What is played on the page is a run too, from the moment the page is opened.
          const runs = all.filter(({ id, ends }) => id !== 'studio' || sumOf(ends) > 0);
          return runs.length === 0 ? (
            <Empty title="Nothing has been run yet">
              <p>
                Start something on <a href="#/">the first page</a>, or with <code>ludus run</code>.
              </p>
            </Empty>
          ) : (
            <RunTable runs={runs} />
          );
        }}
      </When>
      <Damaged />
      <Episodes query={query} />
    </div>
  );
}

const shownFirst = 12;

function RunTable({ runs }: { readonly runs: readonly RunLine[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? runs : runs.slice(0, shownFirst);
  return (
    <section aria-label="All runs">
      <Scroll label="Runs">
        <table>
          <thead>
            <tr>
              <th scope="col">run</th>
              <th scope="col">world</th>
              <th scope="col">agents</th>
              <th scope="col" className="number">
                planned
              </th>
              <th scope="col">ended</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ id, kind, planned, ends, environments, agents }) => (
              <tr key={id}>
                <th scope="row">
                  <a href={link('run', id)}>{brief(id)}</a> {kind === null ? null : <span className="badge">{kind}</span>}
                </th>
                <td>{[...new Set(environments.map(toTitle))].slice(0, 3).join(', ')}</td>
                <td className="text">{few(agents)}</td>
                <td className="number">{planned === 0 ? '–' : formatGrouped(Math.max(planned, sumOf(ends)))}</td>
                <td>
                  <Ends ends={ends} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {runs.length > shownFirst ? (
        <button type="button" className="plain" onClick={() => setAll(!all)}>
          {all ? 'Show the latest only' : `Show all ${formatGrouped(runs.length)}`}
        </button>
      ) : null}
    </section>
  );
}

function few(names: readonly string[]): string {
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`;
}

/** An arena that is held again under the same name goes on, so more may have ended than was planned at last. */
function sumOf(ends: RunLine['ends']): number {
  return Object.values(ends).reduce((sum, one) => sum + one, 0);
}
