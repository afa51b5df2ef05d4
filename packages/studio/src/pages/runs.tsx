/** @file Runs: all of them in a table, and every episode under filters, however many there are. */

import { useApi } from '../client.ts';
import type { PageProps } from '../pages.ts';
import { Damaged } from '../parts/damaged.tsx';
import { Episodes } from '../parts/episodes.tsx';
import { RunTable } from '../parts/run-table.tsx';
import { Empty, When } from '../parts/states.tsx';
import '../house.css';

export function RunsPage({ query }: PageProps) {
  const { loaded, reload } = useApi('/api/runs', {}, 4000);
  return (
    <div className="page house">
      <header>
        <h1>Runs</h1>
        <a className="button primary" href="#/launch">
          New run
        </a>
      </header>
      <When loaded={loaded} what="runs" retry={reload}>
        {(all) => {
          // What is played on the page is a run too, from the moment the page is opened.
          const runs = all.filter(({ id, ends }) => id !== 'studio' || Object.keys(ends).length > 0);
          return runs.length === 0 ? (
            <Empty title="No runs yet">
              <p>
                A run is a set of episodes: agents, tasks, and seeds. Runs of <code>ludus run</code> and <code>ludus eval</code> in this
                folder appear here too.
              </p>
              <a className="button primary" href="#/launch?what=eval&suite=games-core">
                Evaluate two agents on eight games
              </a>
            </Empty>
          ) : (
            <RunTable runs={runs} query={query} reload={reload} />
          );
        }}
      </When>
      <Damaged />
      <Episodes query={query} />
    </div>
  );
}
