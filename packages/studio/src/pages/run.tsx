/** @file One run: what it came to, how returns are spread, its standings and comparisons in words, and its episodes. */

import type { ReportShown, RunDetail, RunNow } from '@ludus-agents/servers/internal/studio/api';
import { useEffect, useRef, useState } from 'react';
import { getOnceBack, post, useAction, useApi, useLeaving } from '../client.ts';
import { lookOf } from '../colours.ts';
import { count, formatGrouped, formatSigned, runTitle, toTitle } from '../format.ts';
import { isGuest } from '../guest.ts';
import type { PageProps } from '../pages.ts';
import { AgentName, useAgentTitles } from '../parts/agent-name.tsx';
import { Attack } from '../parts/attack.tsx';
import { Bars } from '../parts/bars.tsx';
import { Changes } from '../parts/changes.tsx';
import { Comments } from '../parts/comments.tsx';
import { Crumbs } from '../parts/crumbs.tsx';
import { Ends, Episodes } from '../parts/episodes.tsx';
import { Forest } from '../parts/forest.tsx';
import { Gate } from '../parts/gate.tsx';
import { RunMarks } from '../parts/marks.tsx';
import { Matrix } from '../parts/matrix.tsx';
import { NotifyButton } from '../parts/notices.tsx';
import { OverField, Report, rankedComparisons } from '../parts/report.tsx';
import { ReportCard } from '../parts/report-card.tsx';
import { Share } from '../parts/share.tsx';
import { Loading, Problem, When } from '../parts/states.tsx';
import { Survey } from '../parts/survey.tsx';
import { Time } from '../parts/when.tsx';
import { link, withQuery } from '../router.ts';
import { useTitle } from '../title.ts';
import '../house.css';

/** How often a run that goes on is looked at. */
const every = 2000;

export function RunPage({ params, query }: PageProps) {
  const { id = '' } = params;
  useTitle(id);
  const { loaded, reload } = useApi('/api/runs/of/:run', { param: { run: id } }, every);
  return (
    <When loaded={loaded} what="run" retry={reload}>
      {(run) => <Whole now={run} query={query} reload={reload} />}
    </When>
  );
}

/** Everything below speaks about the same episodes: those that the report has read, once there is one. */
function Whole({ now, query, reload }: { readonly now: RunNow; readonly query: URLSearchParams; readonly reload: () => void }) {
  const over = query.get('over') ?? '';
  const { report, error } = useReport(now, over);
  const run = report?.of ?? now;
  const title = runTitle({ ...run, name: now.marks.name });
  const tested = run.agents.filter((agent) => !agent.startsWith('house:'));
  const isMixed = isCollection(run);
  const behind = countEnded(now) - countEnded(run);
  // Most trainings store curves and checkpoints, and no episodes.
  const isTraining = run.kind === 'train' && Object.keys(run.ends).length === 0;
  // Who answers a survey is paid nothing: there is nothing to show before its report.
  const isSurvey = run.environments.length > 0 && run.environments.every((name) => /^survey(?:@|$)/.test(name));
  return (
    <div className="page house">
      <header>
        <div className="grow">
          <Crumbs of={[['Runs', '#/runs']]} />
          <h1 className="text" title={run.id}>
            {title}
          </h1>
          <p className="muted small">
            {now.created === null ? null : <Time at={now.created} />}
            {run.environments.length === 0 ? '' : ` · ${[...new Set(run.environments.map(toTitle))].join(', ')}`}
            {now.going && now.planned > countEnded(run) ? ` · ${formatGrouped(now.planned)} planned` : ''}
            {behind > 0 ? ` · ${formatGrouped(behind)} more have ended and are loading` : ''}
          </p>
        </div>
        {run.id.startsWith('chat-') ? null : <Ends ends={run.ends} />}
        {now.going && run.kind !== 'train' && !isGuest ? <Stop run={run.id} /> : null}
        {run.kind === 'train' ? (
          <a className="button" href={link('training', run.id)}>
            Training
          </a>
        ) : null}
        {run.kind === 'improve' ? (
          <a className="button" data-owner="" href={link('improving', run.id)}>
            Candidates
          </a>
        ) : null}
        {tested.length > 1 && countEnded(now) > 1 && !isSurvey && !isMixed && now.card === null && now.attack === null ? (
          <a className="button" data-owner="" href={withQuery('#/compare', { a: tested[0], b: tested[1], run: run.id })}>
            Compare agents
          </a>
        ) : null}
        {now.going && !isGuest ? <NotifyButton /> : null}
        <Share title={title} shows={{ of: 'run', id: run.id }} />
      </header>
      <Changes changes={now.changes} />
      {now.going ? null : <Problem error={now.failure} />}
      {now.attack === null ? null : <Attack attack={now.attack} />}
      {now.gate === null ? null : <Gate gates={now.gate} run={now.id} />}
      {now.card === null ? null : <ReportCard card={now.card} />}
      {now.card !== null || isMixed ? null : report?.survey == null ? (
        <>
          {report === null || now.gate !== null ? null : <Verdict report={report} />}
          {report?.matrix == null ? null : <Matrix matrix={report.matrix} run={run.id} />}
          {report === null ? (
            <Deciding now={now} error={error} query={query} isSurvey={isSurvey} />
          ) : (
            <Report report={report} query={query} />
          )}
          {isTraining ? <TrainingOnly id={run.id} /> : isSurvey || now.attack !== null ? null : <Results run={run} report={report} />}
        </>
      ) : (
        <Survey survey={report.survey} />
      )}
      {isTraining ? null : (
        <Episodes query={query} fixed={{ run: run.id }} {...(report === null ? {} : { upTo: report.newest, revision: countEnded(run) })} />
      )}
      <RunMarks key={JSON.stringify(now.marks)} id={run.id} marks={now.marks} reload={reload} />
      <Comments of="run" id={run.id} />
      <details className="card" data-owner="">
        <summary>Plan</summary>
        <pre>{JSON.stringify(run.plan, null, 2).slice(0, 20_000)}</pre>
      </details>
    </div>
  );
}

/** Games and chats of people, which no plan made comparable. */
function isCollection({ id, kind }: Pick<RunDetail, 'id' | 'kind'>): boolean {
  return kind === 'studio' || id.startsWith('chat-');
}

/** The answer in one sentence: who is better, else how the only agent did. */
function Verdict({ report }: { readonly report: ReportShown }) {
  const { standings, points, score, of } = report;
  const title = useAgentTitles(of.id);
  const [first] = rankedComparisons(report);
  if (first !== undefined) return <p className="verdict text">{title(first.words)}</p>;
  const tested = standings.agents.filter(({ agent }) => !agent.startsWith('house:'));
  const [only] = tested;
  if (tested.length !== 1 || only?.value == null) return null;
  const formatValue = (value: number) => (points ? (100 * value).toFixed(1) : formatSigned(value, 3));
  const interval = only.interval === null ? '' : ` (95% CI ${only.interval.map(formatValue).join(' to ')})`;
  return (
    <p className="verdict text">
      {title(only.agent)}: {points ? `${formatValue(only.value)} of 100 points` : `a mean ${score} of ${formatValue(only.value)}`}
      {interval}.
    </p>
  );
}

/** Begun again with the same form, it goes on with what is missing. */
function Stop({ run: id }: { readonly run: string }) {
  const { busy, error, run } = useAction();
  return (
    <>
      <button type="button" disabled={busy} onClick={() => run(() => post('/api/runs/of/:run/stop', { param: { run: id } }))}>
        Stop
      </button>
      <Problem error={error} />
    </>
  );
}

function countEnded({ ends }: Pick<RunDetail, 'ends'>): number {
  return Object.entries(ends).reduce((sum, [status, count]) => (status === 'running' ? sum : sum + count), 0);
}

/** The report, asked for again when more episodes have ended than it has read; meanwhile the last one stays. */
function useReport(now: RunDetail, over: string): { readonly report: ReportShown | null; readonly error: string | null } {
  const [latest, setLatest] = useState<{ readonly of: string; readonly report: ReportShown | null; readonly error: string | null } | null>(
    null,
  );
  const busy = useRef<string | null>(null);
  // A report that is still behind is asked for once for each look at the run: the server gives the same one until it makes another.
  const requestedFor = useRef<RunDetail | null>(null);
  const leave = useLeaving();
  const of = `${now.id} ${over}`;
  const currentReport = latest?.of === of ? latest : null;
  useEffect(() => {
    const ended = (now.ends.over ?? 0) + (now.ends.limit ?? 0);
    const isRead = currentReport !== null && (currentReport.report === null || countEnded(currentReport.report.of) >= countEnded(now));
    if (ended < 2 || isCollection(now) || isRead || busy.current === of || (currentReport !== null && requestedFor.current === now)) return;
    busy.current = of;
    requestedFor.current = now;
    const say = (report: ReportShown | null, error: string | null) => {
      if (busy.current !== of) return;
      busy.current = null;
      setLatest({ of, report, error });
    };
    // A server that is gone is the page's to say; the report comes once it is back.
    getOnceBack('/api/runs/of/:run/report', { param: { run: now.id }, query: { over } }, leave.current.signal, () => {}).then(
      (report) => say(report, null),
      (thrown: Error) => say(currentReport?.report ?? null, thrown.message),
    );
  }, [now, over, of, currentReport, leave]);
  return { report: currentReport?.report ?? null, error: currentReport?.error ?? null };
}

function TrainingOnly({ id }: { readonly id: string }) {
  return (
    <p className="muted">
      This training run stores metrics and checkpoints, not episodes. <a href={link('training', id)}>Open its curves</a>
    </p>
  );
}

/** How returns are spread, at once; means and their intervals once the report is there. */
function Results({ run: { id, spreads, ends }, report }: { readonly run: RunDetail; readonly report: ReportShown | null }) {
  const title = useAgentTitles(id);
  const [isWhole, setWhole] = useState(false);
  // A single episode has no distribution: its row below says what everyone got.
  if (Object.values(ends).reduce((sum, times) => sum + times, 0) < 2) return null;
  const tested = spreads.filter(({ agent }) => !agent.startsWith('house:'));
  const visible = isWhole || tested.length === 0 ? spreads : tested.slice(0, mostSpreads);
  if (spreads.length === 0 && (ends.error ?? 0) > 0)
    return <p className="muted">No finished episodes: {count(ends.error ?? 0, 'episode')} failed. Open one to see the reason.</p>;
  if (spreads.length === 0) return <p className="muted">No finished episodes yet.</p>;
  // Conversations are not paid: a bar at 0 would say nothing.
  if (report?.standings.agents.every(({ value }) => value === null) && spreads.every(({ bars }) => bars.every(({ to }) => to === 0)))
    return (
      <p className="muted">
        These episodes have no scores yet. Label them in <a href={withQuery('#/review', { run: id })}>Review</a>, or run{' '}
        <code>ludus score {id} --scorers NAME</code>.
      </p>
    );
  return (
    <section aria-label="Returns" className="plots">
      {report === null ? null : <SeatMeans report={report} />}
      {visible.map(({ agent, bars }) => (
        <Bars key={agent} label={`Return per episode: ${title(agent)}`} bars={bars} colour={lookOf(agent).colour} counts="episodes" />
      ))}
      {visible.length < spreads.length ? (
        <button type="button" className="plain" onClick={() => setWhole(true)}>
          Show all {spreads.length} agents, with the suite’s opponents
        </button>
      ) : null}
    </section>
  );
}

/** Drawings that a page opens with; the rest are one click away. */
const [mostSpreads, mostMeans] = [8, 24];

/** The mean of each agent on each seat, with the interval of the report. */
function SeatMeans({ report: { seats, points, score, scope, of } }: { readonly report: ReportShown }) {
  const title = useAgentTitles(of.id);
  const [isWhole, setWhole] = useState(false);
  if (seats.length === 0) return null;
  // What is the same in every line says nothing.
  const several = (part: (one: (typeof seats)[number]) => string) => new Set(seats.map(part)).size > 1;
  const marks = (isWhole ? seats : seats.slice(0, mostMeans)).map(({ scene, agent, seat, value, interval }) => ({
    label:
      [
        ...(several(({ seat }) => seat) ? [seat] : []),
        ...(several((row) => row.agent) ? [title(agent)] : []),
        ...(several(({ scene }) => scene) ? [toTitle(scene)] : []),
      ].join(' · ') || title(agent),
    ...{ agent, value, interval },
  }));
  const formatValue = (value: number) => (points ? (100 * value).toFixed(1) : formatSigned(value, 4));
  return (
    <>
      <Forest label={`Mean ${score} by agent and seat (95% CI, ${scope})`} marks={marks} points={points} {...(points ? {} : { line: 0 })} />
      {seats.length > mostMeans && !isWhole ? (
        <button type="button" className="plain" onClick={() => setWhole(true)}>
          Show all {seats.length} means
        </button>
      ) : null}
      <details>
        <summary>Show as table</summary>
        <table>
          <thead>
            <tr>
              {['Scene', 'Agent', 'Seat', 'Tasks', 'Episodes', 'Mean', '95% CI'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {seats.map(({ scene, agent, seat, tasks, episodes, value, interval }) => (
              <tr key={`${scene} ${agent} ${seat}`}>
                <td>{toTitle(scene)}</td>
                <td className="text">
                  <AgentName name={agent} run={of.id} />
                </td>
                <td>{seat}</td>
                <td className="number">{formatGrouped(tasks)}</td>
                <td className="number">{formatGrouped(episodes)}</td>
                <td className="number">{formatValue(value)}</td>
                <td className="number">{interval === null ? '–' : `${formatValue(interval[0])} to ${formatValue(interval[1])}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

interface DecidingProps {
  readonly now: RunNow;
  readonly error: string | null;
  readonly query: URLSearchParams;
  readonly isSurvey: boolean;
}

/** Standings and comparisons read every episode, so they come when the rest is there; what is too large says so. */
function Deciding({ now, error, query, isSurvey }: DecidingProps) {
  if ((now.ends.over ?? 0) + (now.ends.limit ?? 0) < 2) return null;
  // An attack shows its own result, and has nothing to wait for.
  if (error === null) return now.attack === null ? <Loading what="report" tall={!isSurvey} /> : null;
  return (
    <>
      <p className="muted">{error}</p>
      {query.get('over') === null ? null : <OverField query={query} />}
    </>
  );
}
