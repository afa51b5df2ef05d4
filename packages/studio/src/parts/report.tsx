/** @file What a run says about its agents: standings with intervals and floor, the order, comparisons in words, every score with its judge's grade. */

import type { Comparison, Ranking, ReportShown } from '@ludus-agents/servers/internal/studio/api';
import { count, formatGrouped, formatSigned } from '../format.ts';
import { link, settle, withQuery } from '../router.ts';
import { AgentName, useAgentTitles } from './agent-name.tsx';
import { Forest } from './forest.tsx';
import { Grade } from './grade.tsx';
import { Scroll } from './scroll.tsx';

/** Shows names of agents in a text as people read them. */
interface Titled {
  readonly title: (text: string) => string;
}

type Standing = ReportShown['standings']['agents'][number];

interface ReportProps {
  readonly report: ReportShown;
  readonly query: URLSearchParams;
}

export function Report({ report, query }: ReportProps) {
  const { standings } = report;
  const valued = standings.agents.filter(({ value }) => value !== null);
  const title = useAgentTitles(report.of.id);
  const isEmpty = valued.length === 0 && report.failed.length === 0 && !isMissing(standings.agents);
  return (
    <>
      {isEmpty ? null : <Standings {...{ report, query, valued }} />}
      {report.ranking === null ? null : <Order ranking={report.ranking} run={report.of.id} />}
      {report.won.length === 0 ? null : (
        <section aria-label="Exploitability">
          <h2>Exploitability</h2>
          {report.won.map((sentence) => (
            <p key={sentence}>{title(sentence)}</p>
          ))}
        </section>
      )}
      <Words comparisons={rankedComparisons(report)} title={title} />
      <Risks report={report} />
      <Lines report={report} />
      <Moments report={report} />
    </>
  );
}

function Standings({ report, query, valued }: ReportProps & { readonly valued: readonly Standing[] }) {
  const { standings, points, grades, score, about } = report;
  const floor = standings.agents[0]?.floor ?? undefined;
  const grade = grades[score];
  const title = useAgentTitles(report.of.id);
  return (
    <section aria-label="Standings">
      <h2 className="row">
        Standings by {score} {grade === undefined ? null : <Grade grade={grade} />}
      </h2>
      {about === '' ? null : <p className="muted">{about}</p>}
      {valued.length === 0 ? null : (
        <Forest
          label={`${points ? 'Score (0–100, 95% CI)' : 'Mean with 95% interval'}${floor === undefined ? '' : '. The line is the baseline.'}`}
          points={points}
          line={floor}
          marks={valued.map(({ agent, value, interval }) => ({ label: title(agent), agent, value: value as number, interval }))}
        />
      )}
      {valued.length === 0 ? null : (
        <div className="row">
          <p className="muted small">Intervals are about {report.scope}.</p>
          <OverField query={query} />
        </div>
      )}
      <Missing agents={standings.agents} title={title} />
      <Failures report={report} />
    </section>
  );
}

/** What intervals shall speak about; the choice stands in the address. */
export function OverField({ query }: { readonly query: URLSearchParams }) {
  const choose = (over: string) => settle(withQuery(location.hash.split('?', 1)[0] ?? '', { ...Object.fromEntries(query), over }));
  return (
    <label className="row small">
      <span>Confidence intervals for</span>
      <select value={query.get('over') ?? ''} onChange={(event) => choose(event.target.value)}>
        <option value="">Default</option>
        <option value="seeds">New seeds of these tasks</option>
        <option value="tasks">New tasks</option>
      </select>
    </label>
  );
}

/** Whether a score is missing that the episodes could have: those that do not apply are not missed. */
function isMissing(agents: readonly Standing[]): boolean {
  return agents.some(({ reasons }) => Object.keys(reasons).some((why) => why !== 'not-applicable'));
}

function Missing({ agents, title }: { readonly agents: readonly Standing[] } & Titled) {
  const reasonLines = agents.flatMap(({ agent, reasons }) =>
    Object.entries(reasons).map(([why, times]) => `${title(agent)} ${times} ${why}`),
  );
  return reasonLines.length === 0 ? null : <p className="muted small">Missing, and not counted as 0: {reasonLines.join(', ')}.</p>;
}

/** What failed, in the sentences in which it did. */
function Failures({ report: { failed } }: { readonly report: ReportShown }) {
  if (failed.length === 0) return null;
  return (
    <ul className="small" aria-label="Failures">
      {failed.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** Who is stronger, where agents met: ratings with intervals and places that may be shared. */
function Order({ ranking, run }: { readonly ranking: Ranking; readonly run: string }) {
  const title = useAgentTitles(run);
  return (
    <section aria-label="Order">
      <h2>Ranking</h2>
      <p>{title(ranking.separation.words)}</p>
      <Forest
        label="Rating (Bradley–Terry) with 95% interval"
        marks={ranking.agents.map(({ agent, rating, interval }) => ({ label: title(agent), agent, value: rating, interval }))}
      />
      <Scroll label="Ratings">
        <table>
          <thead>
            <tr>
              <th scope="col">place</th>
              <th scope="col">agent</th>
              <th scope="col" className="number">
                rating
              </th>
              <th scope="col" className="number">
                Elo
              </th>
              <th scope="col" className="number">
                TrueSkill
              </th>
              <th scope="col" className="number">
                won–tied–lost
              </th>
            </tr>
          </thead>
          <tbody>
            {ranking.agents.map(({ agent, places: [from, to], rating, elo, skill, wins, draws, losses }) => (
              <tr key={agent}>
                <td>{from === to ? from : `${from}–${to}`}</td>
                <th scope="row" className="text">
                  <AgentName name={agent} run={run} />
                </th>
                <td className="number">{rating.toFixed(0)}</td>
                <td className="number">{elo.toFixed(0)}</td>
                <td className="number">{skill.toFixed(1)}</td>
                <td className="number">
                  {formatGrouped(wins)}–{formatGrouped(draws)}–{formatGrouped(losses)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

/** Agents under test with each other, then with baselines, then baselines. */
export function rankedComparisons({ comparisons, standings }: Pick<ReportShown, 'comparisons' | 'standings'>): readonly Comparison[] {
  const baselines = new Set(standings.agents.flatMap(({ agent, isNull }) => (isNull ? [agent] : [])));
  const baselinesIn = ({ a, b }: Comparison) => Number(baselines.has(a)) + Number(baselines.has(b));
  return comparisons.toSorted((x, y) => baselinesIn(x) - baselinesIn(y));
}

/** Comparisons that a page opens with. */
const mostWords = 5;

function Words({ comparisons, title }: { readonly comparisons: readonly Comparison[] } & Titled) {
  if (comparisons.length === 0) return null;
  const sentences = (listed: readonly Comparison[]) => (
    <ul className="sentences">
      {listed.map(({ a, b, words }) => (
        <li key={`${a} ${b}`} className="text">
          {title(words)}
        </li>
      ))}
    </ul>
  );
  const others = comparisons.slice(mostWords);
  return (
    <section aria-label="Comparisons">
      <h2>Summary</h2>
      {sentences(comparisons.slice(0, mostWords))}
      {others.length === 0 ? null : (
        <details>
          <summary>{count(others.length, 'more comparison')}</summary>
          {sentences(others)}
        </details>
      )}
    </section>
  );
}

/** Rubrics whose axes are reported separately, by the intent of the user. */
function Risks({
  report: {
    risks,
    grades,
    of: { id: run },
  },
}: {
  readonly report: ReportShown;
}) {
  return risks.map(({ name, axes, rows, note }) => (
    <section key={name} aria-label="Risks">
      <h2 className="row">
        Risks by {name} {grades[name] === undefined ? null : <Grade grade={grades[name]} />}
      </h2>
      <p className="muted small">{note}</p>
      <Scroll label="Risks by agent and intent">
        <table>
          <thead>
            <tr>
              <th scope="col">agent</th>
              <th scope="col">user</th>
              {['any risk', ...axes].map((axis) => (
                <th key={axis} scope="col" className="number">
                  {axis}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ agent, intent, any, axes: results }) => (
              <tr key={`${agent} ${intent}`}>
                <th scope="row">
                  <AgentName name={agent} run={run} />
                </th>
                <td>{intent}</td>
                <td className="number">
                  {any.hits} of {any.n}{' '}
                  <span className="muted small">{any.interval.map((bound) => `${(100 * bound).toFixed(0)}%`).join(' to ')}</span>
                </td>
                {axes.map((axis) => {
                  const result = results.find((candidate) => candidate.axis === axis);
                  return (
                    <td key={axis} className="number">
                      {result === undefined ? '–' : number(result.mean)}
                      {result?.risky ? (
                        <span className="muted small">
                          {' '}
                          {result.risky.hits} of {result.risky.n}
                        </span>
                      ) : null}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  ));
}

/** Every other score, agent by agent; a judged one stands beside its judge's grade. */
function Lines({
  report: {
    lines,
    standings,
    grades,
    of: { id: run },
  },
}: {
  readonly report: ReportShown;
}) {
  if (lines.length === 0) return null;
  const agents = standings.agents.map(({ agent }) => agent).slice(0, 8);
  return (
    <section aria-label="Scores">
      <h2>All metrics</h2>
      <Scroll label="Scores by agent">
        <table>
          <thead>
            <tr>
              <th scope="col">score</th>
              {agents.map((agent) => (
                <th key={agent} scope="col" className="number text">
                  <AgentName name={agent} run={run} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map(({ name, lowerIsBetter, agents: cells }) => (
              <tr key={name}>
                <th scope="row">
                  {name} {lowerIsBetter ? <span className="muted small">Lower is better</span> : null}{' '}
                  {grades[name] === undefined ? null : <Grade grade={grades[name]} />}
                </th>
                {agents.map((agent) => {
                  const cell = cells[agent] ?? null;
                  return (
                    <td key={agent} className="number">
                      {cell === null || cell.value === null ? '–' : number(cell.value)}
                      {cell?.interval ? (
                        <span className="muted small"> {`${number(cell.interval[0])} to ${number(cell.interval[1])}`}</span>
                      ) : null}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function Moments({
  report: {
    moments,
    of: { id: run },
  },
}: {
  readonly report: ReportShown;
}) {
  if (moments.length === 0) return null;
  return (
    <section aria-label="Highlights">
      <h2>Highlights</h2>
      <ul className="cards">
        {moments.slice(0, 12).map(({ kind, agent, episode, scene, seat, value, quote }) => (
          <li key={`${kind} ${agent} ${episode} ${seat}`} className="card">
            <p className="row">
              <span className={`badge ${kind === 'best' ? 'good' : 'bad'}`}>{kind}</span>{' '}
              <span className="clip">
                <AgentName name={agent} run={run} />
              </span>
              <span className="muted small">
                {scene}, {formatSigned(value, 3)}
              </span>
            </p>
            {quote === null ? null : (
              <blockquote className="text">{quote.text.length > 240 ? `${quote.text.slice(0, 240)}…` : quote.text}</blockquote>
            )}
            <a href={quote === null ? link('e', episode) : link('e', episode, quote.event)}>Open episode</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function number(value: number): string {
  return String(Number(value.toPrecision(3))).replace('-', '−');
}
