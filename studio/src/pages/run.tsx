/** @file One run: what it came to, how returns are spread, its standings and comparisons in words, and its episodes. */

import type { RunDetail } from '../../../src/servers/studio/api.ts';
import { useApi } from '../client.ts';
import { brief, grouped, signed, titled } from '../format.ts';
import type { PageProps } from '../pages.ts';
import { Bars } from '../parts/bars.tsx';
import { Ends, Episodes } from '../parts/episodes.tsx';
import { Forest } from '../parts/forest.tsx';
import { OverField, Report } from '../parts/report.tsx';
import { Loading, When } from '../parts/states.tsx';
import { link, withQuery } from '../router.ts';
import { useTitle } from '../title.ts';
import '../house.css';

export function RunPage({ params, query }: PageProps) {
  const { id = '' } = params;
  useTitle(id);
  const { loaded, reload } = useApi('/api/runs/of/:run', { param: { run: id } }, 4000);
  return (
    <When loaded={loaded} what="run" retry={reload}>
      {(run) => (
        <div className="page house">
          <header>
            <div className="grow">
              <h1 className="text">{brief(run.id)}</h1>
              <p className="muted small">
                {[...new Set(run.environments.map(titled))].join(', ')} · {grouped(run.planned)} planned
              </p>
            </div>
            <Ends ends={run.ends} />
            {run.kind === 'train' ? (
              <a className="button" href={link('training', run.id)}>
                Its training
              </a>
            ) : null}
            {run.kind === 'improve' ? (
              <a className="button" href={link('improving', run.id)}>
                Its candidates
              </a>
            ) : null}
            {run.agents.length > 1 ? (
              <a className="button" href={withQuery('#/compare', { a: run.agents[0], b: run.agents[1], run: run.id })}>
                Compare agents
              </a>
            ) : null}
          </header>
          <Results run={run} />
          <Deciding run={run} query={query} />
          <Episodes query={query} fixed={{ run: run.id }} />
          <details className="card part">
            <summary>
              <h2>The plan</h2>
            </summary>
            <pre>{JSON.stringify(run.plan, null, 2).slice(0, 20_000)}</pre>
          </details>
        </div>
      )}
    </When>
  );
}

function Results({ run: { results, spreads } }: { readonly run: RunDetail }) {
  if (results.length === 0) return <p className="muted">No episode has ended yet.</p>;
  const worlds = new Set(results.map(({ environment }) => environment));
  const marks = results.slice(0, 24).map(({ environment, agent, seat, mean, error }) => ({
    label: `${seat} · ${agent}${worlds.size > 1 ? ` · ${titled(environment)}` : ''}`,
    value: mean,
    interval: error === null ? null : ([mean - 1.96 * error, mean + 1.96 * error] as const),
  }));
  return (
    <section aria-label="Returns" className="plots">
      <Forest label="Mean return of each agent on each seat, with its 95 % interval" marks={marks} line={0} />
      {spreads.slice(0, 8).map(({ agent, bars }, i) => (
        <Bars key={agent} label={`Returns of ${agent}`} bars={bars} colour={(i % 6) + 1} />
      ))}
      <details>
        <summary>As numbers</summary>
        <table>
          <thead>
            <tr>
              {['world', 'agent', 'seat', 'episodes', 'mean', 'error'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {results.map(({ environment, agent, seat, episodes, mean, error }) => (
              <tr key={`${environment} ${agent} ${seat}`}>
                <td>{titled(environment)}</td>
                <td className="text">{agent}</td>
                <td>{seat}</td>
                <td className="number">{grouped(episodes)}</td>
                <td className="number">{signed(mean, 4)}</td>
                <td className="number">{error === null ? '–' : error.toFixed(4)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

/** Standings and comparisons read every episode, so they come when the rest is there; what is too large says so. */
function Deciding({ run, query }: { readonly run: RunDetail; readonly query: URLSearchParams }) {
  const ended = (run.ends.over ?? 0) + (run.ends.limit ?? 0);
  const over = query.get('over') ?? '';
  const { loaded } = useApi('/api/runs/of/:run/report', ended > 1 ? { param: { run: run.id }, query: { over } } : null);
  if (ended <= 1) return null;
  if (loaded.state === 'loading') return <Loading what="report" />;
  if (loaded.state === 'failed')
    return (
      <>
        <p className="muted">{loaded.error}</p>
        {over === '' ? null : <OverField query={query} />}
      </>
    );
  return <Report report={loaded.data} query={query} />;
}
