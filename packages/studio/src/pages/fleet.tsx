/** @file The fleet: workers on this store, the remaining work of each run, speed, and cost. */

import type { FleetView } from '@ludus-agents/servers/internal/studio/api';
import { useApi } from '../client.ts';
import { formatGrouped, money } from '../format.ts';
import { Scroll } from '../parts/scroll.tsx';
import { Empty, When } from '../parts/states.tsx';
import { link } from '../router.ts';
import '../house.css';

export function FleetPage() {
  const { loaded, reload } = useApi('/api/fleet', {}, 3000);
  return (
    <div className="page house">
      <header>
        <h1>Workers</h1>
      </header>
      <When loaded={loaded} what="fleet" retry={reload}>
        {({ fleet }) =>
          fleet === null || (fleet.workers.length === 0 && fleet.runs.length === 0) ? (
            <Empty title="No workers and no queued jobs">
              <p>
                <code>ludus run PLAN --workers 4</code> plays a plan with four workers here; <code>ludus fleet worker</code> starts one
                anywhere.
              </p>
            </Empty>
          ) : (
            <Fleet fleet={fleet} />
          )
        }
      </When>
    </div>
  );
}

function Fleet({ fleet }: { readonly fleet: FleetView }) {
  const { workers, runs, unserved, waiting, leased } = fleet;
  const living = workers.some(({ state, lost }) => state === 'working' && !lost);
  return (
    <>
      {waiting > 0 && leased === 0 && !living ? (
        <p className="offline">Jobs are queued, but no worker is running. Start one with “ludus fleet worker”.</p>
      ) : null}
      {unserved.length > 0 ? <p className="offline">Jobs need Ludus {unserved.join(', ')}, but no worker has this version.</p> : null}
      <Workers workers={workers} />
      <Runs runs={runs} />
    </>
  );
}

function Workers({ workers }: { readonly workers: FleetView['workers'] }) {
  return (
    <section aria-label="Workers">
      <h2>Workers</h2>
      {workers.length === 0 ? <p className="muted">No worker has been seen in the last hour.</p> : null}
      <Scroll label="Workers by name">
        <table>
          <thead>
            <tr>
              <th scope="col">worker</th>
              <th scope="col">state</th>
              <th scope="col" className="number">
                running
              </th>
              <th scope="col" className="number">
                finished
              </th>
              <th scope="col" className="number">
                failed
              </th>
              <th scope="col" className="number">
                seen
              </th>
            </tr>
          </thead>
          <tbody>
            {workers.map(({ id, state, lost, running, concurrency, finished, failed, silent }) => (
              <tr key={id}>
                <th scope="row" className="text">
                  {id}
                </th>
                <td>
                  <span className={`badge ${lost ? 'bad' : state === 'working' ? 'good' : ''}`}>{lost ? 'lost' : state}</span>
                </td>
                <td className="number">
                  {running} of {concurrency}
                </td>
                <td className="number">{formatGrouped(finished)}</td>
                <td className="number">{formatGrouped(failed)}</td>
                <td className="number">{Math.round(silent / 1000)} s ago</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function Runs({ runs }: { readonly runs: FleetView['runs'] }) {
  return (
    <section aria-label="Runs">
      <h2>Runs</h2>
      {runs.length === 0 ? <p className="muted">No jobs.</p> : null}
      <Scroll label="Runs by name">
        <table>
          <thead>
            <tr>
              <th scope="col">run</th>
              {['waiting', 'taken', 'done', 'failed', 'dead', 'per second', 'left', 'spent'].map((name) => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {runs.map(({ run, waiting, leased, done, failed, dead, perSecond, eta, spent, stopped }) => (
              <tr key={run}>
                <th scope="row">
                  <a href={link('run', run)}>{run}</a> {stopped === null ? null : <span className="badge warn">{stopped} spent</span>}
                </th>
                <td className="number">{formatGrouped(waiting)}</td>
                <td className="number">{formatGrouped(leased)}</td>
                <td className="number">{formatGrouped(done)}</td>
                <td className="number">{formatGrouped(failed)}</td>
                <td className="number">{formatGrouped(dead)}</td>
                <td className="number">{perSecond.toFixed(1)}</td>
                <td className="number">{eta === null ? '–' : `${Math.ceil(eta)} s`}</td>
                <td className="number">{money(spent.unpriced > 0 ? null : spent.money)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
