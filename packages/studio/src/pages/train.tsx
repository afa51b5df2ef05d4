/** @file One training: curves as they grow, league, checkpoints to sit down against, and how it plays beside the exact solution. */

import { tooIllegalText } from '@ludus-agents/kernel/internal/core/legal-words';
import type { PolicyShown, TrainingDetail, TrainingProgress } from '@ludus-agents/servers/internal/studio/api';
import { useEffect, useMemo, useState } from 'react';
import { address as fileOf, post, useAction, useApi } from '../client.ts';
import { count, formatGrouped, formatSigned, toTitle } from '../format.ts';
import { isGuest } from '../guest.ts';
import { useKept } from '../kept.ts';
import type { PageProps } from '../pages.ts';
import { Comments } from '../parts/comments.tsx';
import { Crumbs } from '../parts/crumbs.tsx';
import { RunMarks } from '../parts/marks.tsx';
import { NotifyButton } from '../parts/notices.tsx';
import { Plot } from '../parts/plot.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { Share } from '../parts/share.tsx';
import { Failed, Loading, Offline, Problem } from '../parts/states.tsx';
import { Time } from '../parts/when.tsx';
import { link, withQuery } from '../router.ts';
import { useTitle } from '../title.ts';
import { boundsOf, smoothValues, usualSmoothing } from '../training/curves.ts';
import { Policy } from '../training/policy.tsx';
import { useTraining } from '../training/progress.ts';
import '../house.css';

export function TrainPage({ params }: PageProps) {
  const { run = '' } = params;
  useTitle(run);
  const { detail, metrics, failure } = useTraining(run);
  if (detail === null) return failure === null ? <Loading what="training" /> : <Failed error={failure.message} status={failure.status} />;
  return (
    <div className="page house">
      {failure === null ? null : <Offline />}
      <Head detail={detail} />
      {detail.failed === null ? null : <Problem error={detail.failed} />}
      <Mechanism metrics={metrics} />
      <Curves metrics={metrics} />
      <div className="halves">
        <Checkpoints detail={detail} />
        <League league={detail.league} />
      </div>
      <PolicyView key={detail.checkpoints.length > 0 ? 'there' : 'none'} detail={detail} />
      {isGuest ? null : <RunMarks key={JSON.stringify(detail.marks)} id={detail.id} marks={detail.marks} reload={() => {}} />}
      <Comments of="run" id={detail.id} />
    </div>
  );
}

function Head({
  detail: { id, created, marks, recipe, method, seed, environments, last, going, checkpoints },
}: {
  readonly detail: TrainingDetail;
}) {
  const { busy, error, run } = useAction();
  const unfinished = last === null || last.update < last.updates;
  const ask = (what: 'stop' | 'resume') => run(() => post(`/api/training/of/:run/${what}`, { param: { run: id } }));
  return (
    <header>
      <div className="grow">
        <Crumbs of={[['Training', '#/training']]} />
        <h1 className="text">{marks.name === undefined || marks.name === '' ? id : marks.name}</h1>
        <p className="muted small">
          {created === null ? null : (
            <>
              <Time at={created} /> ·{' '}
            </>
          )}
          {recipe}, {method} · {environments.map(toTitle).join(', ')} · seed {seed}
        </p>
        {last === null ? (
          <p role="status">{going ? 'Training started. Waiting for the first metrics…' : 'No metrics yet.'}</p>
        ) : (
          <p>
            {formatGrouped(last.games)} games, update {formatGrouped(last.update)} of {formatGrouped(last.updates)},{' '}
            {last.seconds.toFixed(1)} s{last.invalid === 0 ? '; no illegal moves' : ''}
          </p>
        )}
        <Problem error={error} />
      </div>
      <a className="button" data-owner="" href={link('lesson', id)}>
        Summary
      </a>
      <Share title={id} shows={{ of: 'run', id }} />
      {going && !isGuest ? <NotifyButton /> : null}
      {going ? (
        <>
          <span className="badge live">training</span>
          <button type="button" data-owner="" disabled={busy} onClick={() => ask('stop')}>
            Stop
          </button>
        </>
      ) : unfinished && checkpoints.length > 0 ? (
        <button type="button" data-owner="" disabled={busy} onClick={() => ask('resume')}>
          Resume
        </button>
      ) : null}
    </header>
  );
}

const curves: readonly (readonly [keyof TrainingProgress, string])[] = [
  ['exploitability', 'Exploitability'],
  ['returned', 'Return'],
  ['won', 'Win rate'],
  ['legal', 'Probability of legal moves'],
  ['entropy', 'Entropy'],
  ['kl', 'KL from the reference'],
  ['clipped', 'Clipped tokens (share)'],
  ['invalid', 'Invalid moves (share)'],
  ['tokensPerSecond', 'Tokens per second'],
];

/** How often the parts of the method acted: one that never did is said to have done nothing. */
function Mechanism({ metrics }: { readonly metrics: readonly TrainingProgress[] }) {
  const acts = metrics.findLast((at) => at.acts !== undefined)?.acts ?? {};
  const mechanism = metrics.findLast((at) => at.mechanism !== undefined)?.mechanism ?? {};
  const counters = [...Object.entries(acts), ...Object.entries(mechanism)];
  if (counters.length === 0) return null;
  return (
    <section aria-label="Mechanism">
      <h2>Mechanism</h2>
      <dl className="facts">
        {counters.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value === 0 ? '0 (never acted)' : Number(value.toPrecision(4)).toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Curves({ metrics }: { readonly metrics: readonly TrainingProgress[] }) {
  const [weight, setWeight] = useKept('training smoothing', usualSmoothing);
  const games = useMemo(() => metrics.map((at) => at.games), [metrics]);
  const visibleCurves = useMemo(
    () =>
      curves.flatMap(([key, name]) => {
        const values = metrics.map((at) => (at[key] ?? null) as number | null);
        const isMeasured = values.some((value) => value !== null && value !== 0);
        return isMeasured ? [{ key, name, series: [{ name: name.toLowerCase(), values: smoothValues(values, weight) }] }] : [];
      }),
    [metrics, weight],
  );
  if (metrics.length < 2) return <p className="muted">Curves appear after the second measurement.</p>;
  return (
    <>
      <label className="row small smoothing">
        <span>Smoothing {weight.toFixed(2)}</span>
        <input type="range" min="0" max="0.99" step="0.01" value={weight} onChange={(event) => setWeight(Number(event.target.value))} />
        <span className="muted">The number in each title is the end of the curve.</span>
      </label>
      <section aria-label="Curves" className="plots">
        {visibleCurves.map(({ key, name, series }) => (
          <Plot key={name} label={name} x={games} xName="games" curves={series} height={180} bounds={boundsOf(key)} />
        ))}
      </section>
    </>
  );
}

/** Each checkpoint is an agent by name; in a world for several, one may sit down against it. */
function Checkpoints({ detail: { id, checkpoints, name, environments, seats, stranger } }: { readonly detail: TrainingDetail }) {
  const address = (at: string) => {
    const [mine, ...others] = seats;
    const query = Object.fromEntries(others.map((seat) => [seat, `local/${name}@${at}`]));
    return withQuery('#/play', { world: environments[0], seat: mine, ...query });
  };
  const item = ({ name: at, update }: TrainingDetail['checkpoints'][number]) => (
    <li key={at}>
      <code>
        local/{name}@{at}
      </code>
      <span className="muted small checkpoint">update {formatGrouped(update)}</span>
      <a
        className="button small"
        data-owner=""
        href={fileOf('/api/training/of/:run/checkpoint', { param: { run: id }, query: { at } })}
        download
      >
        Download
      </a>
      {seats.length > 1 ? (
        <a className="button small" data-owner="" href={address(at)} aria-label={`Play against it: ${at}`}>
          Play against it
        </a>
      ) : null}
    </li>
  );
  const steps = checkpoints.filter(({ name: at }) => at.startsWith('step-'));
  return (
    <section className="card" aria-label="Checkpoints">
      <div className="row">
        <h2 className="grow">Checkpoints</h2>
        <a className="button small" data-owner="" href={fileOf('/api/training/of/:run/metrics', { param: { run: id } })} download>
          Metrics as CSV
        </a>
      </div>
      {checkpoints.length === 0 ? <p className="muted">{stranger ?? 'No checkpoints in this folder yet.'}</p> : null}
      <ul className="reach">{checkpoints.filter((checkpoint) => !steps.includes(checkpoint)).map(item)}</ul>
      {steps.length === 0 ? null : (
        <details>
          <summary>Earlier checkpoints ({steps.length})</summary>
          <ul className="reach">{steps.map(item)}</ul>
        </details>
      )}
    </section>
  );
}

function League({ league }: { readonly league: TrainingDetail['league'] }) {
  if (league === null) return null;
  return (
    <section className="card" aria-label="League">
      <h2>League</h2>
      <Scroll label="Ratings in the league">
        <table>
          <thead>
            <tr>
              <th scope="col">Member</th>
              <th scope="col" className="number">
                Rating
              </th>
            </tr>
          </thead>
          <tbody>
            {league.map(({ name, rating }) => (
              <tr key={name}>
                <th scope="row">{name === 'self' ? 'the learner' : name}</th>
                <td className="number">{rating.toFixed(0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

/** The strategy of a checkpoint, read again when that checkpoint has been written again. */
function PolicyView({ detail: { id, checkpoints } }: { readonly detail: TrainingDetail }) {
  const [at, setAt] = useState('best');
  const there = checkpoints.map(({ name }) => name);
  const selectedPoint = there.includes(at) ? at : there[0];
  const wanted = selectedPoint === undefined ? null : { param: { run: id }, query: { at: selectedPoint } };
  const { loaded, reload } = useApi('/api/training/of/:run/policy', wanted);
  const written = checkpoints.find(({ name }) => name === selectedPoint)?.update ?? 0;
  const read = loaded.state === 'ready' ? loaded.data.update : written;
  useEffect(() => {
    if (read < written) reload();
  }, [read, written, reload]);
  if (selectedPoint === undefined) return null;
  return (
    <section aria-label="Policy">
      <div className="row">
        <h2 className="grow">Policy</h2>
        <label className="row">
          Checkpoint
          <select value={selectedPoint} onChange={(event) => setAt(event.target.value)}>
            {checkpoints.map(({ name, update }) => (
              <option key={name} value={name}>
                {name} (update {formatGrouped(update)})
              </option>
            ))}
          </select>
        </label>
      </div>
      {loaded.state === 'loading' ? <Loading what="policy" /> : null}
      {loaded.state === 'failed' ? <p className="muted">{loaded.error}</p> : null}
      {loaded.state === 'ready' ? <Told table={loaded.data} /> : null}
    </section>
  );
}

function Told({ table }: { readonly table: PolicyShown }) {
  const { value, exploitability, legal, random, at, update } = table;
  return (
    <>
      <p>
        The checkpoint <strong>{at}</strong>, as it was after update {formatGrouped(update)}. {count(table.rows.length, 'decision')}.
        {value === null ? '' : ` Under best play the first seat gets ${formatSigned(value, 4)}.`}
        {exploitability !== null
          ? ` Exploitability ${exploitability.toFixed(4)} per game; ${(100 * legal).toFixed(1)}% of its answers are legal.`
          : random === null
            ? ''
            : ` ${tooIllegalText(legal)}`}{' '}
        {value === null ? '' : 'A game may have several solutions; one of them is shown for comparison.'}
      </p>
      <Policy table={table} />
    </>
  );
}
