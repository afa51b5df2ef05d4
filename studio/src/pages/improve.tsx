/** @file One improvement: the tree of its candidates, what each changed and how the gate judged it, spend, report, and the way back. */

import type { ImproveDetail } from '../../../src/servers/studio/wire.ts';
import { useApi } from '../client.ts';
import { count, grouped, money } from '../format.ts';
import { Candidate } from '../improving/candidate.tsx';
import { Tree } from '../improving/tree.tsx';
import type { PageProps } from '../pages.ts';
import { Forest } from '../parts/forest.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { When } from '../parts/states.tsx';
import { link } from '../router.ts';
import '../house.css';

export function ImprovePage({ params, query }: PageProps) {
  const { run = '' } = params;
  const { loaded, reload } = useApi<ImproveDetail>(`/api/improving/of/${encodeURIComponent(run)}`, 1500);
  return (
    <When loaded={loaded} what="improvement" retry={reload}>
      {(detail) => {
        const engine = query.get('engine') ?? detail.engine;
        const engines = [...new Set(detail.candidates.map((one) => one.engine))];
        const shown = detail.candidates.filter((one) => one.engine === engine);
        const chosen = query.get('c') ?? detail.head?.id ?? shown[0]?.id ?? null;
        return (
          <div className="page house">
            <header>
              <div className="grow">
                <h1 className="text">{detail.id}</h1>
                <p className="muted small">
                  {detail.engine} on {detail.recipe}, seed {detail.seed}
                  {detail.model === null ? '' : ` with ${detail.model}`}
                </p>
              </div>
              {detail.going ? <span className="badge live">going on</span> : null}
              {detail.head === null ? null : (
                <span className="badge good">
                  stands at {detail.head.id.slice(0, 8)} ({detail.head.words})
                </span>
              )}
            </header>
            {detail.report === null ? null : <Report report={detail.report} />}
            <nav className="row" aria-label="Whose candidates">
              {engines.map((name) => (
                <a
                  key={name}
                  className={`button${name === engine ? ' primary' : ''}`}
                  aria-current={name === engine}
                  href={`${link('improving', detail.id)}?engine=${encodeURIComponent(name)}`}
                >
                  {name} ({grouped(detail.candidates.filter((one) => one.engine === name).length)})
                </a>
              ))}
            </nav>
            <div className="beside wide">
              <Tree
                candidates={shown}
                head={detail.head?.id ?? null}
                chosen={chosen}
                address={(id) => `${link('improving', detail.id)}?${new URLSearchParams({ engine, c: id })}`}
              />
              {chosen === null ? (
                <p className="muted">No candidate yet.</p>
              ) : (
                <Candidate
                  key={chosen}
                  run={detail.id}
                  id={chosen}
                  isHead={detail.head?.id === chosen}
                  line={detail.candidates.find(({ id }) => id === chosen) ?? null}
                  reload={reload}
                />
              )}
            </div>
          </div>
        );
      }}
    </When>
  );
}

/** Start, best and both baselines on tasks that nobody was chosen by, and what each engine has spent. */
function Report({ report }: { readonly report: NonNullable<ImproveDetail['report']> }) {
  const { start, best, baselines, words, spent, candidates } = report;
  const mark = (label: string, { report: value, error }: { readonly report: number; readonly error: number }) => ({
    label,
    value,
    interval: [value - 1.96 * error, value + 1.96 * error] as const,
  });
  return (
    <section className="card" aria-label="Report">
      <h2>Report on fresh tasks</h2>
      <ul className="sentences">
        {words.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <Forest
        label="Mean score on fresh tasks, with its 95 % interval; the line is the start"
        line={start.report}
        marks={[mark('start', start), mark('best', best), mark('random edits', baselines.random), mark('resampling', baselines.resample)]}
      />
      <p className="small">
        {count(candidates.made, 'candidate')} made, {grouped(candidates.accepted)} accepted, {grouped(candidates.rejected)} rejected.
      </p>
      <Scroll label="Spend by engine">
        <table>
          <thead>
            <tr>
              <th scope="col">engine</th>
              {['calls', 'proposals', 'model calls', 'tokens', 'money'].map((name) => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Object.entries(spent).map(([engine, one]) => (
              <tr key={engine}>
                <th scope="row">{engine}</th>
                <td className="number">{grouped(one.calls)}</td>
                <td className="number">{grouped(one.proposals)}</td>
                <td className="number">{grouped(one.modelCalls)}</td>
                <td className="number">{grouped(one.tokens)}</td>
                <td className="number">{one.unpriced > 0 ? `${money(one.money)} and ${one.unpriced} unpriced` : money(one.money)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
