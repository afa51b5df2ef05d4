/** @file Home: what runs now, what ran lately and what came of it, and something to start. */

import { exploitabilityText } from '@ludus-agents/kernel/internal/core/legal-words';
import type { DemoShown, HomeShown, RunningShown, RunShown, TrainingDetail, TrainingLine } from '@ludus-agents/servers/internal/studio/api';
import { post, useAction, useApi } from '../client.ts';
import { count, episodeTitle, formatGrouped, formatSigned, money, runTitle, toTitle } from '../format.ts';
import { useAgentTitles } from '../parts/agent-name.tsx';
import { endWords } from '../parts/episodes.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { Empty, Problem, When } from '../parts/states.tsx';
import { Time } from '../parts/when.tsx';
import { go, link } from '../router.ts';
import { SitDown } from '../training/sit-down.tsx';

export function HomePage() {
  const { loaded, reload } = useApi('/api/home', {}, 2500);
  const training = useApi('/api/training', {}, 2500).loaded;
  const trained = training.state === 'ready' ? training.data.runs : [];
  const learning = trained.filter(({ going }) => going);
  const pupil = trained.find(({ going, last }) => !going && last !== null);
  const detail = useApi(
    '/api/training/of/:run',
    pupil === undefined ? null : { param: { run: pupil.id }, query: { from: String(2 ** 29) } },
  );
  // All of it is shown at once: the first card would push the others away.
  const isWaiting = training.state === 'loading' || (pupil !== undefined && detail.loaded.state === 'loading');
  return (
    <div className="page">
      <header>
        <h1>Run, watch, and compare agents</h1>
        <a className="button primary" href="#/play">
          Play
        </a>
      </header>
      <When loaded={isWaiting && loaded.state === 'ready' ? { state: 'loading' } : loaded} what="home" retry={reload}>
        {({ running, runs, episodes, demos }) => {
          const start = (
            <section aria-labelledby="start">
              <h2 id="start">Get started</h2>
              {runs.length === 0 ? <p className="muted">These examples don’t need an API key.</p> : null}
              <ul className="cards">
                {demos.map((demo) => (
                  <Demo key={demo.id} demo={demo} />
                ))}
              </ul>
            </section>
          );
          return (
            <>
              {pupil === undefined || detail.loaded.state !== 'ready' ? null : <Pupil one={pupil} detail={detail.loaded.data} />}
              <Running running={running} learning={learning} />
              {runs.length === 0 ? start : null}
              <section aria-labelledby="runs">
                <h2 id="runs">Recent runs</h2>
                <Runs runs={runs} />
              </section>
              <section aria-labelledby="episodes">
                <h2 id="episodes">Recent episodes</h2>
                <Episodes episodes={episodes} />
              </section>
              {runs.length === 0 ? null : start}
            </>
          );
        }}
      </When>
    </div>
  );
}

function Running({ running, learning }: { readonly running: readonly RunningShown[]; readonly learning: readonly TrainingLine[] }) {
  // A training is described by how it learns, not by how much was played for it.
  const others = running.filter(({ run }) => !learning.some(({ id }) => id === run));
  if (others.length + learning.length === 0) return null;
  return (
    <section aria-labelledby="running">
      <h2 id="running">Running now</h2>
      <ul className="cards">
        {learning.map((run) => (
          <Learning key={run.id} one={run} />
        ))}
        {others.map((item) => (
          <li key={item.episode ?? item.run} className="card">
            <div className="row">
              <strong>{toTitle(item.title)}</strong>
              <span className="badge live">
                ● {item.planned === null ? count(item.done, 'event') : `${formatGrouped(item.done)} of ${formatGrouped(item.planned)}`}
              </span>
            </div>
            <p className="small muted">{[...new Set(item.cast)].join(' · ')}</p>
            {item.planned === null ? null : (
              <progress max={item.planned} value={item.done} aria-label={`${item.title}: ${item.done} of ${item.planned}`} />
            )}
            <div className="row">
              {item.waiting.map((seat) => (
                <a key={seat} className="button primary" href={link('seat', item.episode as string, seat)}>
                  Your turn on {seat}
                </a>
              ))}
              {item.episode === undefined ? (
                <a className="button" href={link('run', item.run as string)}>
                  Open
                </a>
              ) : (
                <a className="button" href={link('e', item.episode)}>
                  Watch
                </a>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Anyone who was trained last, and a chair at its table. */
function Pupil({ one, detail }: { readonly one: TrainingLine; readonly detail: TrainingDetail }) {
  if (detail.checkpoints.length === 0 || detail.seats.length < 2) return null;
  return (
    <section className="card pupil" aria-label="Your trained agent">
      <div className="row">
        <div className="grow">
          <h2>Your agent has learned {one.environments.map(toTitle).join(', ')}</h2>
          <p className="small muted">
            {one.name}: {formatGrouped(one.last?.games ?? 0)} games against itself. <a href={link('lesson', one.id)}>View training</a>
          </p>
        </div>
        <SitDown detail={detail} />
      </div>
    </section>
  );
}

function Learning({ one: { id, name, method, last } }: { readonly one: TrainingLine }) {
  const measured = last === null ? null : exploitabilityText(last, 3);
  return (
    <li className="card">
      <div className="row">
        <strong>{name}</strong>
        <span className="badge live">
          ● {last === null ? 'learning' : `${formatGrouped(last.update)} of ${formatGrouped(last.updates)}`}
        </span>
      </div>
      <p className="small muted">{method}</p>
      {last === null ? null : <progress max={last.updates} value={last.update} aria-label={`${name}: ${last.update} of ${last.updates}`} />}
      <div className="row">
        <a className="button" href={link('lesson', id)}>
          Watch it learn
        </a>
        {measured === null ? null : <span className="small">exploitability {measured}</span>}
      </div>
    </li>
  );
}

function Demo({ demo }: { readonly demo: DemoShown }) {
  const { busy, error, run } = useAction();
  const begin = () =>
    run(async () => {
      const begun = await post('/api/demos/:id', { param: { id: demo.id } });
      go(begun.episode === undefined ? link('run', begun.run as string) : link('e', begun.episode));
    });
  return (
    <li className="card demo">
      <h3>{demo.title}</h3>
      <p className="small">{demo.about}</p>
      <Problem error={error} />
      <div className="row">
        <button type="button" disabled={busy} onClick={begin} aria-label={`Start: ${demo.title}`}>
          {busy ? 'Starting …' : 'Start'}
        </button>
      </div>
    </li>
  );
}

function Runs({ runs }: { readonly runs: readonly RunShown[] }) {
  const title = useAgentTitles();
  if (runs.length === 0)
    return (
      <Empty title="No runs yet">
        <p>Start one of the examples above, or set up your own.</p>
        <a className="button" href="#/launch">
          New run
        </a>
      </Empty>
    );
  return (
    <div className="scroll">
      <table className="recent">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col" className="number">
              Episodes
            </th>
            <th scope="col">Recent returns</th>
            <th scope="col" className="number">
              Cost
            </th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <th scope="row" className="run-name">
                <a href={link(run.kind === 'train' ? 'training' : run.kind === 'improve' ? 'improving' : 'run', run.id)}>
                  {runTitle({ id: run.id, environments: run.title === '' ? [] : run.title.split(', '), name: run.name })}
                </a>
                <div className="small muted">
                  {run.title === '' ? null : `${run.title.split(', ').map(toTitle).join(', ')} · `}
                  <Time at={run.last} />
                </div>
              </th>
              <td className="number">
                {run.kind === 'train' && run.ended === 0 ? '–' : formatGrouped(run.ended)}
                {run.ended < run.planned ? <span className="muted"> of {formatGrouped(run.planned)}</span> : null}
              </td>
              <td>
                <Sparkline
                  values={run.returns.every((value) => value === run.returns[0]) ? [] : run.returns}
                  label={`Returns of the latest ${run.returns.length} episodes`}
                />
              </td>
              <td className="number">
                {run.cost !== null && run.kind !== 'train' ? (
                  money(run.cost)
                ) : (
                  <span className="muted">{run.kind === 'train' ? '–' : 'unknown'}</span>
                )}
                {run.cost !== null && run.costOf > 0 && run.costOf < run.ended ? (
                  <div className="small muted">of the newest {run.costOf}</div>
                ) : null}
              </td>
              <td className="sentence">{title(run.verdict)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Episodes({ episodes }: { readonly episodes: HomeShown['episodes'] }) {
  if (episodes.length === 0) return <p className="muted quiet">Episodes you play in the studio appear here.</p>;
  return (
    <ul className="cards">
      {episodes.map(({ id, environment, seed, title, cast, status, turns, returns }) => (
        <li key={id} className="card">
          <div className="row">
            <a href={link('e', id)} title={id}>
              {episodeTitle({ environment, seed, title })}
            </a>
            <span className={`badge ${status === 'over' ? 'good' : status === 'running' ? 'live' : 'warn'}`}>{endWords[status]}</span>
          </div>
          <p className="small muted">
            {count(turns, 'turn')} ·{' '}
            {Object.entries(cast)
              .map(([seat, agent]) => `${seat}: ${agent}${returns === null ? '' : ` ${formatSigned(returns[seat] ?? 0)}`}`)
              .join(' · ')}
          </p>
        </li>
      ))}
    </ul>
  );
}
