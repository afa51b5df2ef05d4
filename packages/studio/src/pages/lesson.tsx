/** @file The lesson: one large curve of how a player learns, in plain words, and a chair at its table. The terms of the field are one click away. */

import { exploitabilityText, tooIllegalText } from '@ludus-agents/kernel/internal/core/legal-words';
import type { PolicyShown, TrainingDetail } from '@ludus-agents/servers/internal/studio/api';
import { useEffect, useMemo } from 'react';
import { useApi } from '../client.ts';
import { formatGrouped, toTitle } from '../format.ts';
import type { PageProps } from '../pages.ts';
import { type Level, Plot } from '../parts/plot.tsx';
import { Empty, Failed, Loading, Offline, Problem } from '../parts/states.tsx';
import { link } from '../router.ts';
import { useTitle } from '../title.ts';
import { Policy } from '../training/policy.tsx';
import { type Training, useTraining } from '../training/progress.ts';
import { SitDown } from '../training/sit-down.tsx';
import '../house.css';

export function LessonPage({ params }: PageProps) {
  const { run } = params;
  useTitle('Training progress');
  return run === undefined ? <Newest /> : <Lesson run={run} />;
}

/** The training that was begun last. One that has only just been asked for is waited for. */
function Newest() {
  const { loaded } = useApi('/api/training', {}, 1000);
  if (loaded.state === 'failed') return <Failed error={loaded.error} status={loaded.status} />;
  const newest = loaded.state === 'ready' ? loaded.data.runs[0] : undefined;
  if (newest !== undefined) return <Lesson run={newest.id} />;
  return loaded.state === 'loading' ? (
    <Loading what="lesson" />
  ) : (
    <Empty title="No training runs yet">
      <p>
        <a href="#/launch?what=train&recipe=kuhn-tabular">Start a training run</a>: an agent learns Kuhn poker in seconds.
      </p>
    </Empty>
  );
}

function Lesson({ run }: { readonly run: string }) {
  const training = useTraining(run);
  const { detail, failure } = training;
  if (detail === null) return failure === null ? <Loading what="lesson" /> : <Failed error={failure.message} status={failure.status} />;
  return <Told detail={detail} training={training} />;
}

function Told({ detail, training: { metrics, failure } }: { readonly detail: TrainingDetail; readonly training: Training }) {
  const policy = usePolicy(detail);
  // A training that has ended is shown at once, with its curve and its policy.
  if (!detail.going && (policy === 'waiting' || (metrics.length === 0 && detail.last !== null))) return <Loading what="lesson" />;
  return <Whole detail={detail} metrics={metrics} failure={failure} policy={policy === 'waiting' ? null : policy} />;
}

interface WholeProps extends Pick<Training, 'metrics' | 'failure'> {
  readonly detail: TrainingDetail;
  readonly policy: PolicyShown | null;
}

function Whole({ detail, metrics, failure, policy }: WholeProps) {
  const { last, going, name, environments } = detail;
  const environment = toTitle(environments[0] ?? '');
  const measured = last === null ? null : exploitabilityText(last);
  return (
    <div className="page house lesson">
      {failure === null ? null : <Offline />}
      <header>
        <div className="grow">
          <h1>{going ? `An agent is learning ${environment}` : `Your agent has learned ${environment}`}</h1>
          <p className="plain-words" role="status">
            {wordsFor(detail, policy)}
          </p>
        </div>
        {going ? <span className="badge live">learning</span> : null}
        <SitDown detail={detail} />
      </header>
      <Problem error={detail.failed} />
      <Curve metrics={metrics} policy={policy} />
      {policy === null ? null : (
        <section aria-label="Current policy">
          <h2>Current policy</h2>
          <Policy table={policy} />
        </section>
      )}
      <details className="card">
        <summary>Technical details</summary>
        <p>
          {name} is trained by {detail.method} in self-play, with the recipe {detail.recipe}, seed {String(detail.seed)}.
          {measured === null ? '' : ` Its exploitability is ${measured}: the average win per game of a best response, over all seats.`}
          {last === null ? '' : ` Update ${formatGrouped(last.update)} of ${formatGrouped(last.updates)}, ${last.seconds.toFixed(1)} s.`}
        </p>
        <p>
          <a href={link('training', detail.id)}>All curves, checkpoints, and the league</a>
        </p>
      </details>
    </div>
  );
}

/** How far it is, without a term: between chance and what cannot be beaten. */
function wordsFor({ last, going }: TrainingDetail, policy: PolicyShown | null): string {
  if (last === null) return going ? 'It has never seen a card. The first games are being played.' : 'No output yet.';
  const games = `It has played ${formatGrouped(last.games)} games against itself`;
  const { exploitability: far } = last;
  if (far === null) return last.legal == null ? `${games}.` : `${games}. ${tooIllegalText(last.legal)}`;
  const chance = policy?.random ?? null;
  const left = `a perfect opponent still wins ${far.toFixed(3)} per game`;
  return chance === null || chance <= 0
    ? `${games}; ${left}.`
    : `${games}; ${left}. Random play loses ${chance.toFixed(3)}; 0 cannot be beaten.`;
}

/** The strategy of the last checkpoint, read again as it is written again. */
function usePolicy({ id, checkpoints }: TrainingDetail): PolicyShown | null | 'waiting' {
  const written = checkpoints.find(({ name }) => name === 'last')?.update ?? null;
  const { loaded, reload } = useApi(
    '/api/training/of/:run/policy',
    written === null ? null : { param: { run: id }, query: { at: 'last' } },
  );
  const read = loaded.state === 'ready' ? loaded.data.update : null;
  useEffect(() => {
    if (read !== null && written !== null && read < written) reload();
  }, [read, written, reload]);
  return loaded.state === 'ready' ? loaded.data : written !== null && loaded.state === 'loading' ? 'waiting' : null;
}

function Curve({ metrics, policy }: { readonly metrics: Training['metrics']; readonly policy: PolicyShown | null }) {
  const isSolved = metrics.some(({ exploitability, legal }) => exploitability !== null || legal != null);
  const games = useMemo(() => metrics.map((row) => row.games), [metrics]);
  const curves = useMemo(() => {
    const values = metrics.map(({ exploitability, returned }) => (isSolved ? exploitability : returned));
    return [{ name: isSolved ? 'your agent' : 'return per game', values }];
  }, [metrics, isSolved]);
  const random = policy?.random ?? null;
  const levels = useMemo(
    (): readonly Level[] =>
      !isSolved || random === null
        ? []
        : [
            { name: 'plays at random', value: random },
            { name: 'cannot be beaten', value: 0 },
          ],
    [isSolved, random],
  );
  if (metrics.length < 2) return <p className="muted lesson-wait">The curve appears after the second measurement.</p>;
  return (
    <section aria-label="How it learns" className="plots wide">
      <Plot
        label={isSolved ? 'Exploitability per game (lower is better)' : 'Return per game'}
        {...{ x: games, xName: 'games', curves, levels }}
        height={340}
      />
    </section>
  );
}
