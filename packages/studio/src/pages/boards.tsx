/** @file Leaderboards and trust cards: who is better at what, and how far each judge can be relied on. */

import type { RunSummary, TrustCard, TrustShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { post, useAction, useApi } from '../client.ts';
import { count, formatSigned, runTitle } from '../format.ts';
import type { PageProps } from '../pages.ts';
import { Changes } from '../parts/changes.tsx';
import { Crumbs } from '../parts/crumbs.tsx';
import { SelectField, TextField } from '../parts/form.tsx';
import { Grade } from '../parts/grade.tsx';
import { OverField, Report } from '../parts/report.tsx';
import { Empty, Problem, When } from '../parts/states.tsx';
import { Time } from '../parts/when.tsx';
import { link } from '../router.ts';
import { useTitle } from '../title.ts';
import '../house.css';

export function BoardsPage() {
  const { loaded, reload } = useApi('/api/boards', {});
  const { loaded: runs } = useApi('/api/runs', {});
  const summaries = new Map(runs.state === 'ready' ? runs.data.map((run) => [run.id, run]) : []);
  return (
    <div className="page house">
      <header>
        <h1>Leaderboards</h1>
      </header>
      <When loaded={loaded} what="leaderboards" retry={reload}>
        {(boards) =>
          boards.length === 0 ? (
            <Empty title="No rankings yet">
              <p>
                A tournament ranks agents by playing them against each other. <code>ludus arena</code> adds to this list too.
              </p>
              <a className="button primary" href="#/launch?what=arena">
                Start a tournament
              </a>
            </Empty>
          ) : (
            <ul className="cards">
              {boards.map(({ run, kind, title, about, episodes }) => (
                <li key={run} className="card">
                  <p>
                    <span className="badge">{kind}</span>
                  </p>
                  <h2>
                    <a href={link('board', run)}>{runTitle({ id: run, environments: [title] })}</a>
                  </h2>
                  <Leader run={summaries.get(run)} />
                  <p className="muted small grow">{about}</p>
                  <p className="muted small">
                    {count(episodes, 'episode')} · <Time at={summaries.get(run)?.last ?? null} />
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </When>
      <Trust />
    </div>
  );
}

function Leader({ run }: { readonly run: RunSummary | undefined }) {
  const score = run?.figures.score ?? null;
  if (score === null) return null;
  return (
    <p>
      {score.tied > 1 ? `${score.tied} agents tie` : <strong className="text">{score.agent}</strong>}
      {score.points ? ` ${score.tied > 1 ? 'at' : 'leads with'} ${(100 * score.value).toFixed(1)} of 100` : null}
      {score.points ? null : `${score.tied > 1 ? ' at the' : ' has the'} highest mean return, ${formatSigned(score.value)}`}
    </p>
  );
}

export function BoardPage({ params, query }: PageProps) {
  const { run = '' } = params;
  useTitle(run);
  const { loaded, reload } = useApi('/api/runs/of/:run/report', { param: { run }, query: { over: query.get('over') ?? '' } });
  return (
    <div className="page house">
      <header>
        <div className="grow">
          <Crumbs of={[['Leaderboards', '#/boards']]} />
          <h1 className="text" title={run}>
            {runTitle({ id: run, environments: [] })}
          </h1>
        </div>
        <a className="button" href={link('run', run)}>
          Episodes
        </a>
      </header>
      <When loaded={loaded} what="leaderboard" retry={reload}>
        {(report) => (
          <>
            <Changes changes={report.of.changes} />
            <Report report={report} query={query} />
          </>
        )}
      </When>
      {loaded.state === 'failed' && query.has('over') ? <OverField query={query} /> : null}
    </div>
  );
}

function Trust() {
  const { loaded, reload } = useApi('/api/boards/trust', {});
  return (
    <section aria-label="Judge reliability">
      <h2>Judge reliability</h2>
      <p className="muted">
        A judge is measured on planted flaws first. Only a judge with an A may rank or train, and the judge used for training never reports.
      </p>
      <When loaded={loaded} what="trust cards" retry={reload}>
        {(trust) => (
          <>
            <ul className="cards">
              {trust.cards.map((card) => (
                <Card key={`${card.rubric} ${card.judge}`} card={card} />
              ))}
            </ul>
            {trust.cards.length === 0 ? <p className="muted">No judges tested yet.</p> : null}
            <Examine trust={trust} reload={reload} />
          </>
        )}
      </When>
    </section>
  );
}

function Card({ card }: { readonly card: TrustCard }) {
  const { rubric, judge, grade, reasons, measures, found } = card;
  const share = ({ hits, n }: { readonly hits: number; readonly n: number }) => (n === 0 ? '–' : `${hits} of ${n}`);
  const facts: readonly (readonly [string, string])[] = [
    ['Planted flaws found', `${share(measures.found)} (95% ${(100 * found[0]).toFixed(0)} to ${(100 * found[1]).toFixed(0)}%)`],
    ['Same verdict in the other order', share(measures.consistent)],
    ['Fooled by padding', share(measures.padded)],
    ['Followed instructions in the episode', share(measures.obeyed)],
    ['Agreement (alpha)', measures.alpha === null ? '–' : `${measures.alpha.toFixed(2)} with the ${measures.anchor}`],
  ];
  return (
    <li className="card trust">
      <p className="row">
        <Grade grade={grade} /> <strong className="text">{judge}</strong>
      </p>
      <p className="muted small">under {rubric}</p>
      <ul className="sentences small">
        {reasons.slice(0, 4).map((reason) => (
          <li key={reason} className="text">
            {reason}
          </li>
        ))}
      </ul>
      <dl className="facts small">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

function Examine({ trust: { rubrics, controls }, reload }: { readonly trust: TrustShown; readonly reload: () => void }) {
  const [rubric, setRubric] = useState(rubrics[0] ?? '');
  const [judge, setJudge] = useState('fake:honest');
  const { busy, error, run } = useAction();
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        run(async () => {
          await post('/api/boards/trust', { json: { rubric, judge } });
          reload();
        });
      }}
    >
      <h3>Test a judge</h3>
      <div className="fields">
        <SelectField label="Rubric" value={rubric} of={rubrics} change={setRubric} />
        <TextField label="Judge" about="a model, or a control with known quality" list="controls" value={judge} change={setJudge} />
      </div>
      <datalist id="controls">
        {controls.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Problem error={error} />
      <div className="row">
        <button type="submit" disabled={busy || judge === ''}>
          {busy ? 'Testing …' : 'Test'}
        </button>
        {judge.startsWith('fake:') ? null : (
          <span className="muted small">A model judge is called a few hundred times, within the budget.</span>
        )}
      </div>
    </form>
  );
}
