/** @file The runs of a store as a table: search, filters, sorting by any column, and what can be done with those that are selected. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { RunSummary } from '@ludus-agents/servers/internal/studio/api';
import { useMemo, useState } from 'react';
import { post, useAction } from '../client.ts';
import { count, formatGrouped, formatSigned, money, runTitle, toTitle } from '../format.ts';
import { link, settle, withQuery } from '../router.ts';
import { useAgentTitles } from './agent-name.tsx';
import { Ends } from './episodes.tsx';
import { SavedViews } from './saved-views.tsx';
import { Scroll } from './scroll.tsx';
import { Problem } from './states.tsx';
import { duration, Time } from './when.tsx';

/** Rows that a table opens with, and how many more a press adds. */
const [shownFirst, shownMore] = [50, 100];

type Column = 'name' | 'created' | 'duration' | 'environment' | 'agents' | 'score' | 'cost' | 'episodes';

const columns: readonly (readonly [Column, string, (run: RunSummary) => string | number | null])[] = [
  ['name', 'Run', (run) => titleOf(run).toLowerCase()],
  ['score', 'Score', ({ figures: { score } }) => score?.value ?? null],
  ['created', 'Created', ({ created }) => created],
  ['duration', 'Duration', spanOf],
  ['environment', 'Environment', ({ environments }) => environments[0] ?? null],
  ['agents', 'Agents', ({ agents }) => agents[0] ?? null],
  ['cost', 'Cost', ({ figures: { cost } }) => cost],
  ['episodes', 'Episodes', ({ ends }) => sumOf(ends)],
];

const numeric: ReadonlySet<Column> = new Set(['duration', 'score', 'cost']);

function titleOf({ id, environments, marks }: RunSummary): string {
  return runTitle({ id, environments, name: marks.name });
}

/** From the first stored episode to the last; null where there are not two. */
function spanOf({ created, last }: RunSummary): number | null {
  return created === null || last === null || last <= created ? null : last - created;
}

interface RunTableProps {
  readonly runs: readonly RunSummary[];
  readonly query: URLSearchParams;
  readonly reload: () => void;
}

export function RunTable({ runs, query, reload }: RunTableProps) {
  const [most, setMost] = useState(shownFirst);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const set = (part: Readonly<Record<string, string>>) => settle(withQuery('#/runs', { ...Object.fromEntries(query), ...part }));
  const matching = useMemo(() => sortRuns(filterRuns(runs, query), query), [runs, query]);
  const visibleRuns = matching.slice(0, most);
  const toggle = (id: string, on: boolean) => setSelected(new Set(on ? [...selected, id] : [...selected].filter((run) => run !== id)));
  // In the order in which they were selected: the first is side A of a comparison.
  const byId = useMemo(() => new Map(runs.map((run) => [run.id, run])), [runs]);
  const selectedRuns = [...selected].flatMap((id) => byId.get(id) ?? []);
  return (
    <section aria-label="All runs">
      <SavedViews query={query} />
      <Filters runs={runs} query={query} set={set} />
      <Actions chosen={selectedRuns} clear={() => setSelected(new Set())} reload={reload} />
      {matching.length === 0 ? <p className="muted">No runs match these filters.</p> : null}
      {matching.length === 0 ? null : (
        <Scroll label="Runs">
          <table className="runs">
            <thead>
              <tr>
                <th scope="col">
                  <input
                    type="checkbox"
                    aria-label={`Select all ${count(matching.length, 'run')}`}
                    checked={matching.every(({ id }) => selected.has(id))}
                    onChange={(event) => setSelected(new Set(event.target.checked ? matching.map(({ id }) => id) : []))}
                  />
                </th>
                {columns.map(([column, label]) => (
                  <Head key={column} column={column} label={label} query={query} set={set} />
                ))}
              </tr>
            </thead>
            <tbody>
              {visibleRuns.map((run) => (
                <Row key={run.id} run={run} isSelected={selected.has(run.id)} toggle={(on) => toggle(run.id, on)} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {matching.length > most ? (
        <button type="button" className="plain" onClick={() => setMost(most + shownMore)}>
          Show {Math.min(shownMore, matching.length - most)} more of {formatGrouped(matching.length)}
        </button>
      ) : null}
    </section>
  );
}

function filterRuns(runs: readonly RunSummary[], query: URLSearchParams): readonly RunSummary[] {
  const [text, type, days] = [query.get('find')?.toLowerCase() ?? '', query.get('type') ?? '', Number(query.get('days') ?? 0)];
  const isArchived = query.get('archived') === '1';
  const since = days === 0 ? 0 : Date.now() - days * 86_400_000;
  return runs.filter((run) => {
    const { id, kind, environments, agents, marks, created, last } = run;
    const searchable = [id, titleOf(run), ...environments, ...environments.map(toTitle), ...agents, ...(marks.tags ?? [])]
      .join(' ')
      .toLowerCase();
    const isRecent = since === 0 || (last ?? created ?? 0) >= since;
    const isType = type === '' || (kind ?? linear(/^(arena|attack|probe|survey|chat)-/).exec(id)?.[1] ?? 'play') === type;
    return (marks.archived === true) === isArchived && isRecent && isType && searchable.includes(text);
  });
}

function sortRuns(runs: readonly RunSummary[], query: URLSearchParams): readonly RunSummary[] {
  const [column, down] = [query.get('by'), query.get('order') !== 'up'];
  const sortKey = columns.find(([name]) => name === column)?.[2];
  if (sortKey === undefined) return runs;
  // What has no value stands last either way.
  return runs.toSorted((a, b) => {
    const [x, y] = [sortKey(a), sortKey(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    const order = x < y ? -1 : x > y ? 1 : 0;
    return down ? -order : order;
  });
}

interface HeadProps {
  readonly column: Column;
  readonly label: string;
  readonly query: URLSearchParams;
  readonly set: (part: Readonly<Record<string, string>>) => void;
}

function Head({ column, label, query, set }: HeadProps) {
  const isSorted = query.get('by') === column;
  const isUp = query.get('order') === 'up';
  return (
    <th
      scope="col"
      className={numeric.has(column) ? 'number' : undefined}
      aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : 'none'}
    >
      <button
        type="button"
        className="plain sort"
        title={column === 'duration' ? 'Time from the start of the run to its last stored episode' : undefined}
        onClick={() => set({ by: column, order: isSorted && !isUp ? 'up' : '' })}
      >
        {label}
        {isSorted ? (isUp ? ' ↑' : ' ↓') : ''}
      </button>
    </th>
  );
}

function Filters({ runs, query, set }: { readonly runs: readonly RunSummary[] } & Pick<HeadProps, 'query' | 'set'>) {
  const archived = runs.filter(({ marks }) => marks.archived === true).length;
  return (
    <form className="fields filters" aria-label="Filter runs" onSubmit={(event) => event.preventDefault()}>
      <label className="field">
        <span>Search runs</span>
        <input
          type="search"
          placeholder="Name, agent, or tag"
          value={query.get('find') ?? ''}
          onChange={(event) => set({ find: event.target.value })}
        />
      </label>
      <label className="field">
        <span>Type</span>
        <select value={query.get('type') ?? ''} onChange={(event) => set({ type: event.target.value })}>
          <option value="">All</option>
          <option value="play">Runs and evaluations</option>
          <option value="train">Training</option>
          <option value="improve">Prompt optimization</option>
          <option value="arena">Tournaments</option>
          <option value="attack">Attacks</option>
          <option value="probe">Character probes</option>
          <option value="survey">Surveys</option>
          <option value="import">Imports</option>
          <option value="chat">Chats</option>
        </select>
      </label>
      <label className="field">
        <span>Created</span>
        <select value={query.get('days') ?? ''} onChange={(event) => set({ days: event.target.value })}>
          <option value="">Any time</option>
          <option value="1">Last 24 hours</option>
          <option value="2">Last 2 days</option>
          <option value="7">Last 7 days</option>
          <option value="30">Last 30 days</option>
        </select>
      </label>
      {archived === 0 && query.get('archived') !== '1' ? null : (
        <label className="row">
          <input
            type="checkbox"
            checked={query.get('archived') === '1'}
            onChange={(event) => set({ archived: event.target.checked ? '1' : '' })}
          />{' '}
          Archived ({archived})
        </label>
      )}
    </form>
  );
}

interface ActionsProps {
  readonly chosen: readonly RunSummary[];
  readonly clear: () => void;
  readonly reload: () => void;
}

/** Runs of one request. */
const mostInRequest = 1000;

function Actions({ chosen, clear, reload }: ActionsProps) {
  const { busy, error, run } = useAction();
  const [asking, setAsking] = useState(false);
  if (chosen.length === 0) return <p className="muted small">Select runs to compare, archive, or delete them.</p>;
  const [a, b] = chosen;
  const trainings = chosen.every(({ kind }) => kind === 'train');
  const isArchived = chosen.every(({ marks }) => marks.archived === true);
  const finish = () => {
    setAsking(false);
    clear();
    reload();
  };
  const inParts = async (change: (runs: readonly string[]) => Promise<unknown>) => {
    const ids = chosen.map(({ id }) => id);
    for (let from = 0; from < ids.length; from += mostInRequest) await change(ids.slice(from, from + mostInRequest));
  };
  const archive = () =>
    run(async () => {
      await inParts((runs) => post('/api/runs/archive', { json: { runs, archived: !isArchived } }));
      finish();
    });
  const remove = () =>
    run(async () => {
      await inParts((runs) => post('/api/runs/delete', { json: { runs } }));
      finish();
    });
  const compare = trainings
    ? withQuery('#/trainings', { runs: JSON.stringify(chosen.map(({ id }) => id)) })
    : withQuery('#/compare', { a: a?.id, b: b?.id });
  return (
    <section className="row selection" aria-label="Selected runs">
      <strong>{count(chosen.length, 'run')} selected</strong>
      {chosen.length === 2 || (trainings && chosen.length > 1) ? (
        <a className="button primary" href={compare}>
          Compare
        </a>
      ) : (
        <span className="muted small">Select two to compare.</span>
      )}
      <button type="button" disabled={busy} onClick={archive}>
        {isArchived ? 'Restore' : 'Archive'}
      </button>
      {asking ? (
        <>
          <button type="button" className="danger" disabled={busy} onClick={remove}>
            Delete {count(chosen.length, 'run')} and their episodes
          </button>
          <button type="button" onClick={() => setAsking(false)}>
            Keep
          </button>
        </>
      ) : (
        <button type="button" disabled={busy} onClick={() => setAsking(true)}>
          Delete …
        </button>
      )}
      <button type="button" className="plain" onClick={clear}>
        Clear
      </button>
      <Problem error={error} />
    </section>
  );
}

interface RowProps {
  readonly run: RunSummary;
  readonly isSelected: boolean;
  readonly toggle: (on: boolean) => void;
}

function Row({ run, isSelected, toggle }: RowProps) {
  const title = titleOf(run);
  const { id, kind, planned, ends, environments, agents, marks, created, figures } = run;
  const span = spanOf(run);
  const agentTitle = useAgentTitles(id);
  return (
    <tr>
      <td>
        <input type="checkbox" aria-label={`Select ${title}`} checked={isSelected} onChange={(event) => toggle(event.target.checked)} />
      </td>
      <th scope="row" title={id}>
        <a href={link(kind === 'train' ? 'training' : kind === 'improve' ? 'improving' : 'run', id)}>{title}</a>{' '}
        {kind === 'train' || kind === 'improve' ? <span className="badge">{kind === 'train' ? 'training' : 'optimization'}</span> : null}
        {(marks.tags ?? []).map((tag) => (
          <span key={tag} className="badge">
            {tag}
          </span>
        ))}
        <div className="narrow muted small">
          <Time at={created} />
        </div>
      </th>
      <td className="number" title={figures.score === null ? undefined : `${figures.score.name} of ${agentTitle(figures.score.agent)}`}>
        <ScoreText figures={figures} agent={agents.length > 1 && figures.score !== null ? agentTitle(figures.score.agent) : null} />
      </td>
      <td>
        <Time at={created} />
      </td>
      <td className="number">{span === null ? <span className="muted">–</span> : duration(span)}</td>
      <td>{kind === 'import' ? 'Imported' : few([...new Set(environments.map(toTitle))], 2)}</td>
      <td className="text" title={agents.slice(0, 20).join(', ')}>
        {id.startsWith('survey-') ? count(agents.length, 'person', 'people') : few(nameAgents(agents, kind).map(agentTitle), 3)}
      </td>
      <td className="number">
        <CostText figures={figures} kind={kind} />
      </td>
      <td>
        {id.startsWith('chat-') ? null : <Ends ends={ends} />}
        {planned > sumOf(ends) ? <span className="muted small"> of {formatGrouped(planned)}</span> : null}
      </td>
    </tr>
  );
}

function ScoreText({ figures: { score, isRead }, agent }: Pick<RunSummary, 'figures'> & { readonly agent: string | null }) {
  if (score === null) return <span className="muted">{isRead ? '–' : '…'}</span>;
  return (
    <>
      {score.points ? (100 * score.value).toFixed(1) : formatSigned(score.value)}
      {agent === null ? null : <div className="small muted number">{agent}</div>}
    </>
  );
}

function CostText({ figures: { cost, isCostRead }, kind }: Pick<RunSummary, 'figures' | 'kind'>) {
  if (cost !== null && kind !== 'train') return money(cost);
  return <span className="muted">{isCostRead && kind !== 'train' ? 'unknown' : '–'}</span>;
}

/** Candidates of an optimization run are versions of one agent: their number says enough. */
function nameAgents(agents: readonly string[], kind: RunSummary['kind']): readonly string[] {
  if (kind !== 'improve') return agents;
  const versions = Map.groupBy(agents, (agent) => agent.split('@', 1)[0]!);
  return [...versions].map(([name, all]) => (all.length === 1 ? name : `${name} (${count(all.length, 'candidate')})`));
}

function few(names: readonly string[], most: number): string {
  const tested = names.filter((name) => !name.startsWith('house:'));
  const listed = tested.length === 0 ? names : tested;
  return listed.length <= most ? listed.join(', ') : `${listed.slice(0, most).join(', ')}, and ${listed.length - most}\u00a0more`;
}

/** A tournament that continues under the same name may have ended more than was planned at first. */
function sumOf(ends: RunSummary['ends']): number {
  return Object.values(ends).reduce((sum, times) => sum + times, 0);
}
