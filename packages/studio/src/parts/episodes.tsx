/** @file All episodes with filters, however many there are: pages are loaded on scrolling, and only visible rows exist. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { EpisodeLine, EpisodesShown, RunLine } from '@ludus-agents/servers/internal/studio/api';
import { useCallback, useEffect, useRef, useState } from 'react';
import { getOnceBack, useApi, useLeaving } from '../client.ts';
import { count, episodeTitle, formatGrouped, formatSigned } from '../format.ts';
import { isGuest } from '../guest.ts';
import { link, settle, withQuery } from '../router.ts';
import { useAgentTitles } from './agent-name.tsx';
import { List } from './list.tsx';
import { Star } from './marks.tsx';
import { Failed } from './states.tsx';
import { Time } from './when.tsx';

export const endWords = { over: 'finished', limit: 'truncated', error: 'failed', abort: 'canceled', running: 'running' } as const;

export function Ends({ ends }: { readonly ends: RunLine['ends'] }) {
  if (Object.keys(ends).length === 0) return null;
  return (
    <span className="row">
      {(Object.keys(endWords) as (keyof typeof endWords)[]).map((end) =>
        ends[end] === undefined ? null : (
          <span key={end} className={`badge ${end === 'error' ? 'bad' : end === 'running' ? 'live' : ''}`}>
            {formatGrouped(ends[end])} {endWords[end]}
          </span>
        ),
      )}
    </span>
  );
}

const filters = [
  'run',
  'environment',
  'agent',
  'status',
  'search',
  'sort',
  'least',
  'most',
  'score',
  'since',
  'until',
  'tag',
  'star',
] as const;

const sorts = {
  newest: 'newest first',
  oldest: 'oldest first',
  best: 'best return first',
  worst: 'worst return first',
  longest: 'longest first',
} as const;

interface EpisodesProps {
  readonly query: URLSearchParams;
  readonly fixed?: { readonly run: string };
  /** The newest episode to list: what stands beside the list knows of no later one. */
  readonly upTo?: number;
  /** Another number is another state of the same episodes. */
  readonly revision?: number;
}

/** The table of episodes. Filters are stored in the URL, so a view can be shared. */
export function Episodes({ query, fixed, upTo, revision = 0 }: EpisodesProps) {
  const here = location.hash.split('?', 1)[0] ?? '#/runs';
  const wanted = Object.fromEntries(
    filters.map((name) => [name, fixed !== undefined && name === 'run' ? fixed.run : (query.get(name) ?? '')]),
  );
  const { loaded } = useApi('/api/runs/agents', isGuest ? null : {});
  const filterNames = loaded.state === 'ready' ? loaded.data : { agents: [], environments: [] };
  const set = (name: string, value: string) => {
    const { run, ...others } = { ...wanted, [name]: value };
    settle(withQuery(here, { ...Object.fromEntries(query), ...(fixed === undefined ? { run, ...others } : others) }));
  };
  return (
    <section aria-label="Episodes">
      <h2>Episodes</h2>
      <form className="fields filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        {fixed === undefined ? <Filter label="Run" value={wanted['run'] ?? ''} set={(value) => set('run', value)} /> : null}
        <Filter
          label="Environment"
          value={wanted['environment'] ?? ''}
          set={(value) => set('environment', value)}
          of={filterNames.environments}
        />
        <Filter label="Agent" value={wanted['agent'] ?? ''} set={(value) => set('agent', value)} of={filterNames.agents} />
        <label className="field">
          <span>Status</span>
          <select value={wanted['status']} onChange={(event) => set('status', event.target.value)}>
            <option value="">Any</option>
            {(Object.keys(endWords) as (keyof typeof endWords)[]).map((end) => (
              <option key={end} value={end}>
                {endWords[end]}
              </option>
            ))}
          </select>
        </label>
        {isGuest ? null : <Filter label="Text contains" live value={wanted['search'] ?? ''} set={(value) => set('search', value)} />}
        <label className="field">
          <span>Sort by</span>
          <select
            value={wanted['sort'] === '' ? 'newest' : wanted['sort']}
            onChange={(event) => set('sort', event.target.value === 'newest' ? '' : event.target.value)}
          >
            {Object.entries(sorts).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <More wanted={wanted} set={set} />
      </form>
      <Rows key={JSON.stringify(wanted)} asked={wanted} upTo={upTo} revision={revision} />
    </section>
  );
}

const day = 86_400_000;

/** Filters that are reached for now and then. */
function More({
  wanted,
  set,
}: {
  readonly wanted: Readonly<Record<string, string | undefined>>;
  readonly set: (name: string, value: string) => void;
}) {
  const date = (name: string, later: number) => {
    const at = Number(wanted[name] ?? '');
    return at === 0 ? '' : new Date(at - later).toISOString().slice(0, 10);
  };
  const hasFilters = ['least', 'most', 'score', 'since', 'until', 'tag', 'star'].some((name) => (wanted[name] ?? '') !== '');
  return (
    <details open={hasFilters} className="more">
      <summary>More filters</summary>
      <div className="fields">
        <Filter label="Minimum return" value={wanted['least'] ?? ''} set={(value) => set('least', value)} />
        <Filter label="Maximum return" value={wanted['most'] ?? ''} set={(value) => set('most', value)} />
        <Filter label="Score filter, e.g. privacy>=0.5" value={wanted['score'] ?? ''} set={(value) => set('score', value)} />
        {isGuest ? null : <Filter label="Tag" value={wanted['tag'] ?? ''} set={(value) => set('tag', value)} />}
        {(
          [
            ['since', 'From', 0],
            ['until', 'To the day', day],
          ] as const
        ).map(([name, label, later]) => (
          <label key={name} className="field">
            <span>{label}</span>
            <input
              type="date"
              value={date(name, later)}
              onChange={(event) => set(name, event.target.value === '' ? '' : String(Date.parse(event.target.value) + later))}
            />
          </label>
        ))}
        <label className="row" data-owner="">
          <input type="checkbox" checked={wanted['star'] === '1'} onChange={(event) => set('star', event.target.checked ? '1' : '')} /> With
          a star
        </label>
      </div>
    </details>
  );
}

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly of?: readonly string[];
  /** Whether it counts while it is typed. */
  readonly live?: boolean;
}

/** Milliseconds without a key after which what was typed is looked for. */
const pause = 500;

/** Applies on Enter and when the field loses focus, because half a name matches nothing. Full-text search applies while typing. */
function Filter({ label, value, set, of, live = false }: FilterProps) {
  const [typed, setTyped] = useState(value);
  // Another address is another filter, whatever stood in the field.
  const [lastValue, setLastValue] = useState(value);
  if (lastValue !== value) {
    setLastValue(value);
    setTyped(value);
  }
  const isWaiting = live && typed !== value;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => set(typed), pause);
    return () => clearTimeout(timer);
  }, [isWaiting, typed, set]);
  const id = `known-${label}`;
  return (
    <label className="field">
      <span>{label}</span>
      <input
        value={typed}
        list={of === undefined ? undefined : id}
        placeholder="any"
        onChange={(event) => {
          setTyped(event.target.value);
          if (event.target.value === '' || of?.includes(event.target.value)) set(event.target.value);
        }}
        onBlur={() => typed !== value && set(typed)}
        onKeyDown={(event) => event.key === 'Enter' && set(typed)}
      />
      {of === undefined ? null : (
        <datalist id={id}>
          {of.slice(0, 500).map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </label>
  );
}

interface RowsProps {
  readonly asked: Readonly<Record<string, string>>;
  readonly upTo: number | undefined;
  readonly revision: number;
}

/** Pages are loaded on scrolling; only visible rows exist. A new revision reloads the newest page and keeps the others. */
function Rows({ asked, upTo, revision }: RowsProps) {
  // Other filters are other rows, by their key.
  const [wanted] = useState(asked);
  const [rows, setRows] = useState<readonly EpisodeLine[]>([]);
  const [state, setState] = useState<'reading' | 'more' | 'all' | { readonly status: number; readonly error: string }>('reading');
  const [progress, setProgress] = useState<Pick<EpisodesShown, 'looked' | 'all' | 'pending'>>({});
  const busy = useRef<Promise<void>>(Promise.resolve());
  const waits = useRef(0);
  const leave = useLeaving();
  const first = upTo === undefined ? undefined : upTo + 1;
  const reads = useRef<(before: number | undefined, isFirst: boolean) => void>(() => {});
  const read = useCallback(
    (before: number | undefined, isFirst: boolean) => {
      const page = async () => {
        const { signal } = leave.current;
        setState('reading');
        try {
          const query = { ...wanted, limit: '200', ...(before === undefined ? {} : { before: String(before) }) };
          const episodePage = await getOnceBack('/api/runs/episodes', { query }, signal, ({ status, message }) =>
            setState({ status, error: message }),
          );
          setRows((loadedRows) => {
            if (!isFirst) return [...loadedRows, ...episodePage.rows];
            const last = episodePage.rows.at(-1)?.order ?? 0;
            return episodePage.more ? [...episodePage.rows, ...loadedRows.filter(({ order }) => order < last)] : episodePage.rows;
          });
          setState(episodePage.more ? 'more' : 'all');
          setProgress(episodePage);
          // What is not read for searching yet is read by asking again.
          if ((episodePage.pending ?? 0) > 0 && !signal.aborted) reads.current(first, true);
        } catch (thrown) {
          const { status = 0, message } = thrown as { status?: number; message: string };
          if (!signal.aborted) setState({ status, error: message });
        }
      };
      // One page at a time, in the order in which they were asked for.
      waits.current++;
      busy.current = busy.current.then(page).finally(() => waits.current--);
    },
    [wanted, leave, first],
  );
  reads.current = read;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another revision is another state of the same rows.
  useEffect(() => read(first, true), [read, first, revision]);
  if (typeof state === 'object') {
    const retry = state.status === 0 ? {} : { retry: () => read(rows.at(-1)?.order ?? first, rows.length === 0) };
    return <Failed {...state} level={2} {...retry} />;
  }
  if (rows.length === 0)
    return (
      <p className={`muted ${state === 'reading' ? 'reading' : ''}`} role="status">
        {state === 'reading' ? 'Loading …' : 'No episodes match these filters.'}
      </p>
    );
  const more = () => {
    if (state === 'more' && waits.current === 0) read(rows.at(-1)?.order, false);
  };
  return (
    <>
      <List
        className="episodes"
        label="Episodes, newest first"
        items={rows}
        keyOf={({ id }) => id}
        height={44}
        row={(row, index) => {
          if (index > rows.length - 50) queueMicrotask(more);
          return <Row one={row} />;
        }}
      />
      <p className="muted small" role="status">
        {count(rows.length, 'episode')} {progress.looked === undefined ? 'loaded' : 'found'}
        {state === 'all' ? '' : state === 'reading' ? '; loading more…' : '; scroll for more'}.
        {progress.all === false ? ` Only the newest ${formatGrouped(progress.looked ?? 0)} were searched.` : ''}
        {(progress.pending ?? 0) > 0 ? ` ${formatGrouped(progress.pending ?? 0)} are not searched yet; indexing…` : ''}
      </p>
    </>
  );
}

function Row({ one }: { readonly one: EpisodeLine }) {
  const title = useAgentTitles(one.run);
  const { id, cast, status, turns, returns, marks, excerpt } = one;
  // Conversations pay nobody, and the file that one was read from says nothing in it.
  const isUnpaid =
    linear(/^(?:relay|chat|survey|social-scene)@/).test(one.environment) && Object.values(returns ?? {}).every((amount) => amount === 0);
  const who = Object.entries(cast).flatMap(([seat, agent]) => {
    if (agent.startsWith('import:')) return [];
    const reward = isUnpaid || returns?.[seat] === undefined || status === 'error' ? '' : ` ${formatSigned(returns[seat])}`;
    return [`${title(agent).replace(/^house:/, '')}${reward}`];
  });
  return (
    <div className="episode">
      <Star key={String(marks.star)} id={id} marks={marks} />
      <a href={link('e', id)} title={id}>
        {episodeTitle(one)}
      </a>
      <span className="grow clip">
        {excerpt === undefined ? who.join(' · ') : <q>{excerpt}</q>}
        {(marks.tags ?? []).map((tag) => (
          <span key={tag} className="badge">
            {tag}
          </span>
        ))}
      </span>
      {one.created == null ? null : (
        <span className="muted small">
          <Time at={one.created} />
        </span>
      )}
      <span className="muted small number">{count(turns, 'turn')}</span>
      <span className={`badge ${status === 'error' ? 'bad' : status === 'running' ? 'live' : ''}`}>{endWords[status]}</span>
    </div>
  );
}
