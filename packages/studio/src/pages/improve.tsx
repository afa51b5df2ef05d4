/** @file One improvement: the tree of its candidates, what each changed and how the gate judged it, spend, report, and the way back. */

import type { FourCells, ImproveDetail } from '@ludus-agents/servers/internal/studio/api';
import { useApi } from '../client.ts';
import { count, formatGrouped, money, runTitle } from '../format.ts';
import { Candidate } from '../improving/candidate.tsx';
import { Tree } from '../improving/tree.tsx';
import type { PageProps } from '../pages.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { Forest } from '../parts/forest.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { When } from '../parts/states.tsx';
import { link } from '../router.ts';
import { useTitle } from '../title.ts';
import '../house.css';

export function ImprovePage({ params, query }: PageProps) {
  const { run = '' } = params;
  useTitle(run);
  const { loaded, reload } = useApi('/api/improving/of/:run', { param: { run } }, 1500);
  return (
    <When loaded={loaded} what="improvement" retry={reload}>
      {(detail) => <Improvement detail={detail} query={query} reload={reload} />}
    </When>
  );
}

interface ImprovementProps {
  readonly detail: ImproveDetail;
  readonly query: URLSearchParams;
  readonly reload: () => void;
}

function Improvement({ detail, query, reload }: ImprovementProps) {
  const { id: run, candidates, head, report } = detail;
  const engine = query.get('engine') ?? detail.engine;
  const engineCandidates = candidates.filter((candidate) => candidate.engine === engine);
  const selectedId = query.get('c') ?? head?.id ?? engineCandidates[0]?.id ?? null;
  const address = (id: string) => `${link('improving', run)}?${new URLSearchParams({ engine, c: id })}`;
  return (
    <div className="page house">
      <header>
        <div className="grow">
          <Crumbs of={[['Optimize', '#/improving']]} />
          <h1 className="text">{runTitle({ id: run, environments: [] })}</h1>
          <p className="muted small">
            {detail.engine} on {detail.recipe}, seed {detail.seed}
            {detail.model === null ? '' : ` with ${detail.model}`}
          </p>
        </div>
        {detail.going ? <span className="badge live">running</span> : null}
        {head === null ? null : <span className="badge good">Current: {head.words}</span>}
      </header>
      {report === null ? null : <Report report={report} />}
      {detail.cells === null ? null : <Cells cells={detail.cells} />}
      <Engines detail={detail} engine={engine} />
      <div className="beside wide">
        <Tree candidates={engineCandidates} head={head?.id ?? null} chosen={selectedId} address={address} />
        {selectedId === null ? (
          <p className="muted">No candidate yet.</p>
        ) : (
          <Candidate
            key={selectedId}
            {...{ run, id: selectedId, isHead: head?.id === selectedId, reload }}
            line={candidates.find(({ id }) => id === selectedId) ?? null}
          />
        )}
      </div>
    </div>
  );
}

/** Whose candidates are shown: the engine's, or those of the baselines beside it. */
function Engines({ detail: { id, candidates }, engine }: { readonly detail: ImproveDetail; readonly engine: string }) {
  return (
    <nav className="row" aria-label="Whose candidates">
      {[...Map.groupBy(candidates, (candidate) => candidate.engine)].map(([name, engineCandidates]) => (
        <a
          key={name}
          className={`button${name === engine ? ' primary' : ''}`}
          aria-current={name === engine}
          href={`${link('improving', id)}?engine=${encodeURIComponent(name)}`}
        >
          {name} ({formatGrouped(engineCandidates.length)})
        </a>
      ))}
    </nav>
  );
}

/** Who earned what where weights and texts were both changed. */
function Cells({ cells: { cells, words } }: { readonly cells: FourCells }) {
  const formatFigure = ({ mean, low, high }: FourCells['weights']) =>
    low === null || high === null ? mean.toFixed(3) : `${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
  return (
    <section className="card" aria-label="Four cells">
      <h2>Weights and texts</h2>
      <Scroll label="Four cells on the same tasks">
        <table>
          <thead>
            <tr>
              <th scope="col">weights</th>
              <th scope="col">old texts</th>
              <th scope="col">new texts</th>
            </tr>
          </thead>
          <tbody>
            {(['base', 'trained'] as const).map((weights) => (
              <tr key={weights}>
                <th scope="row">{weights}</th>
                <td>{formatFigure(cells[weights].old)}</td>
                <td>{formatFigure(cells[weights].new)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <ul className="sentences">
        {words.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

/** Start, best and both baselines on tasks that the proposer did not see, what the run has spent, and what each engine was charged. */
function Report({ report }: { readonly report: NonNullable<ImproveDetail['report']> }) {
  const { start, best, baselines, words, spent, total, candidates } = report;
  const mark = (label: string, { report: value, low, high }: typeof start) => ({
    label,
    value,
    interval: [low ?? value, high ?? value] as const,
  });
  return (
    <section className="card" aria-label="Report">
      <h2>Report</h2>
      <ul className="sentences">
        {words.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <Forest
        label="Mean score on held-out tasks (95% CI over tasks). The line is the start."
        line={start.report}
        marks={[mark('start', start), mark('best', best), mark('random edits', baselines.random), mark('resampling', baselines.resample)]}
      />
      <p className="small">
        {count(candidates.made, 'candidate')} made, {formatGrouped(candidates.accepted)} accepted, {formatGrouped(candidates.rejected)}{' '}
        rejected.
      </p>
      <p className="small">Episodes that several engines use are counted for each of them. The last row is the actual total.</p>
      <Scroll label="Spend by engine">
        <table>
          <thead>
            <tr>
              <th scope="col">engine</th>
              {['episodes', 'proposals', 'model calls', 'tokens', 'cost'].map((name) => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Object.entries(spent).map(([engine, cost]) => (
              <tr key={engine}>
                <th scope="row">{engine}</th>
                <td className="number">{formatGrouped(cost.calls)}</td>
                <td className="number">{formatGrouped(cost.proposals)}</td>
                <td className="number">{formatGrouped(cost.modelCalls)}</td>
                <td className="number">{formatGrouped(cost.tokens)}</td>
                <td className="number">{money(cost.money)}</td>
              </tr>
            ))}
            <tr>
              <th scope="row">total</th>
              <td />
              <td />
              <td className="number">{formatGrouped(total.calls)}</td>
              <td className="number">
                {total.uncounted === undefined ? '' : 'at most '}
                {formatGrouped(total.tokens)}
              </td>
              <td className="number">{money(total.money)}</td>
            </tr>
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
