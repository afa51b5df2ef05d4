/** @file Two agents, or two runs, held against each other: the paired difference, its interval and a verdict in words. */

import type { CaseChangeShown, CompareShown, RunSummary } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { useApi } from '../client.ts';
import { count, formatGrouped, runTitle } from '../format.ts';
import { isGuest } from '../guest.ts';
import type { PageProps } from '../pages.ts';
import { Bars } from '../parts/bars.tsx';
import { Comments } from '../parts/comments.tsx';
import { Forest } from '../parts/forest.tsx';
import { SelectField, TextField } from '../parts/form.tsx';
import { OverField } from '../parts/report.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { Share } from '../parts/share.tsx';
import { Empty, When } from '../parts/states.tsx';
import { settle, withQuery } from '../router.ts';
import { useTitle } from '../title.ts';
import '../house.css';

export function ComparePage({ query }: PageProps) {
  const [a, b, run, score] = ['a', 'b', 'run', 'score'].map((name) => query.get(name) ?? '') as [string, string, string, string];
  const over = query.get('over') ?? '';
  useTitle(a === '' || b === '' ? null : `${sideTitle(a)} and ${sideTitle(b)}`);
  const wanted = a === '' || b === '' ? null : { query: { a, b, run, score, over } };
  const { loaded, reload } = useApi('/api/runs/compare', wanted);
  const { loaded: runs } = useApi('/api/runs', loaded.state === 'failed' && !isGuest ? {} : null);
  const pair = runs.state === 'ready' ? [a, b].flatMap((side) => runs.data.find(({ id }) => id === side) ?? []) : [];
  return (
    <div className="page house">
      <header>
        <h1 className="grow text">
          {wanted === null
            ? 'Compare'
            : [`${sideTitle(a)} and ${sideTitle(b)}`, run === '' ? '' : sideTitle(run)].filter(Boolean).join(', in ')}
        </h1>
        {wanted === null ? null : <Share title={`${sideTitle(a)} and ${sideTitle(b)}`} shows={{ of: 'comparison', a, b, run, score }} />}
      </header>
      {wanted === null ? (
        <>
          <Sides {...{ a, b, run, score }} />
          <Empty title="Choose two agents or runs">
            <p>Agents that have played the same tasks and seeds, or two runs of the same plan.</p>
          </Empty>
        </>
      ) : (
        <>
          {pair.length === 2 ? (
            <ChooseAgents runs={pair} />
          ) : (
            <When loaded={loaded} what="comparison" retry={reload}>
              {(comparison) => <Found found={comparison} />}
            </When>
          )}
          {loaded.state === 'failed' ? null : <OverField query={query} />}
          <ChangedCases before={a} after={b} />
          {loaded.state === 'ready' ? <Comments of="comparison" id={JSON.stringify([a, b, run])} /> : null}
          {isGuest ? null : <Sides key={`${a} ${b} ${run} ${score}`} {...{ a, b, run, score }} />}
        </>
      )}
    </div>
  );
}

/** A run by its display name; an agent has its own name. */
function sideTitle(name: string): string {
  return runTitle({ id: name, environments: [] });
}

/** Runs of several agents have no mean to compare, but each agent of one can be compared with each of the other. */
function ChooseAgents({ runs }: { readonly runs: readonly RunSummary[] }) {
  const lists = runs.map(({ agents }) => agents.filter((agent) => !agent.startsWith('house:')));
  // The store compares agents by name: an agent of both runs is offered once, with one that only the other run has.
  const [first = ''] = lists[0] ?? [];
  const [pair, setPair] = useState([
    first,
    lists[1]?.find((agent) => !lists[0]?.includes(agent)) ?? lists[1]?.find((agent) => agent !== first) ?? '',
  ]);
  const [a = '', b = ''] = pair;
  return (
    <form
      className="card"
      aria-label="Choose agents"
      onSubmit={(event) => {
        event.preventDefault();
        settle(withQuery('#/compare', { a, b }));
      }}
    >
      <h2>Choose two agents</h2>
      <p>These runs tested different agents, so their means cannot be compared.</p>
      <div className="fields">
        {runs.map(({ id }, i) => (
          <SelectField
            key={id}
            label={`From ${sideTitle(id)}`}
            value={pair[i] ?? ''}
            of={(lists[i] ?? []).map((agent) => [agent, agent] as const)}
            change={(agent) => setPair(pair.with(i, agent))}
          />
        ))}
      </div>
      <div className="row">
        <button type="submit" className="primary" disabled={a === b}>
          Compare agents
        </button>
      </div>
    </form>
  );
}

interface SidesProps {
  readonly a: string;
  readonly b: string;
  readonly run: string;
  readonly score: string;
}

function Sides(initial: SidesProps) {
  const [wanted, setWanted] = useState(initial);
  const { loaded: agents } = useApi('/api/runs/agents', {});
  const { loaded: runs } = useApi('/api/runs', {});
  const suggestions = [
    ...(agents.state === 'ready' ? agents.data.agents : []),
    ...(runs.state === 'ready' ? runs.data.map(({ id }) => id) : []),
  ];
  const set = (name: keyof SidesProps) => (value: string) => setWanted({ ...wanted, [name]: value });
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        settle(withQuery('#/compare', { ...wanted }));
      }}
    >
      <div className="fields">
        <TextField label="A" about="an agent or a run" list="sides" value={wanted.a} change={set('a')} />
        <TextField label="B" about="an agent or a run" list="sides" value={wanted.b} change={set('b')} />
        <TextField label="Run" about="empty for all" value={wanted.run} change={set('run')} />
        <TextField label="Metric" about="Default: the suite score, or the return" value={wanted.score} change={set('score')} />
      </div>
      <datalist id="sides">
        {suggestions.slice(0, 500).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div className="row">
        <button type="submit" className="primary" disabled={wanted.a === '' || wanted.b === ''}>
          Compare
        </button>
      </div>
    </form>
  );
}

function Found({ found }: { readonly found: CompareShown }) {
  const { sides, difference, interval, points, differences, p, missing, unpaired, better, score } = found;
  const [a, b] = [sideTitle(found.a), sideTitle(found.b)];
  // One unit on the whole page: means, verdict and axes.
  const scale = points ? 100 : 1;
  const bars = differences.map(({ from, to, count: times }) => ({ from: scale * from, to: scale * to, count: times }));
  return (
    <>
      <p className={`verdict text ${better === null ? '' : 'good'}`}>{found.words.replaceAll(found.a, a).replaceAll(found.b, b)}</p>
      <div className="plots">
        <Forest
          label={`${a} − ${b}${points ? ', in points' : ''} (95% CI); left of 0, ${b} is ahead`}
          marks={[
            {
              label: 'difference',
              value: scale * difference,
              interval: interval === null ? null : [scale * interval[0], scale * interval[1]],
            },
          ]}
          line={0}
        />
        {differences.length === 0 ? null : <Bars label="Paired differences by task and seed" bars={bars} counts="pairs" />}
      </div>
      <Scroll label="Means">
        <table>
          <thead>
            <tr>
              <th scope="col">Agent or run</th>
              {['Mean', '95% CI', 'Tasks', 'Episodes'].map((name) => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(
              [
                [a, sides.a],
                [b, sides.b],
              ] as const
            ).map(([name, { value, interval, tasks, episodes }]) => (
              <tr key={name}>
                <th scope="row" className="text">
                  {name}
                </th>
                <td className="number">{number(value, points)}</td>
                <td className="number">{interval === null ? '–' : interval.map((end) => number(end, points)).join(' to ')}</td>
                <td className="number">{formatGrouped(tasks)}</td>
                <td className="number">{formatGrouped(episodes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <dl className="facts">
        <div>
          <dt>Metric</dt>
          <dd>{score}</dd>
        </div>
        <div>
          <dt>p</dt>
          <dd>{p < 0.0001 ? '< 0.0001' : p.toPrecision(2)}</dd>
        </div>
        <div>
          <dt>Missing</dt>
          <dd>{formatGrouped(missing)}</dd>
        </div>
        <div>
          <dt>Unpaired</dt>
          <dd>{formatGrouped(unpaired)}</dd>
        </div>
      </dl>
    </>
  );
}

/** Changed cases that the page opens with. */
const mostCases = 10;

/** Two runs of a suite: the cases that one passes and the other does not, with both conversations. Nothing for games and for agents. */
function ChangedCases({ before, after }: { readonly before: string; readonly after: string }) {
  const [isWhole, setWhole] = useState(false);
  const { loaded } = useApi('/api/runs/cases', { query: { before, after } });
  if (loaded.state !== 'ready' || loaded.data.summary === null) return null;
  const { summary, changes, more } = loaded.data;
  const visible = isWhole ? changes : changes.slice(0, mostCases);
  return (
    <section aria-label="Changed cases">
      <h2>Changed cases</h2>
      <p>{summary}</p>
      {visible.map((change) => (
        <ChangedCase key={change.after.episode} {...change} />
      ))}
      {visible.length < changes.length ? (
        <button type="button" className="plain" onClick={() => setWhole(true)}>
          Show {count(changes.length - visible.length, 'more case')}
        </button>
      ) : more === 0 ? null : (
        <p className="muted">{`${count(more, 'more case')}: ludus compare ${before} ${after} --cases --html cases.html`}</p>
      )}
    </section>
  );
}

function ChangedCase({ name, agent, seed, change, before, after, pairs }: CaseChangeShown) {
  return (
    <details className="card" open={change === 'broken'}>
      <summary>
        <b>{change}</b> {name}, seed {seed} <span className="muted">{agent}</span>
      </summary>
      <table className="side-by-side">
        <thead>
          <tr>
            {[before, after].map(({ episode, passed, reason }) => (
              <th key={episode} scope="col" className="compared-line">
                {isGuest ? (
                  <span>{passed ? '✓ passed' : '✗ not passed'}</span>
                ) : (
                  <a href={`#/e/${encodeURIComponent(episode)}`}>{passed ? '✓ passed' : '✗ not passed'}</a>
                )}
                {reason === '' ? '' : `: ${reason}`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pairs.map(([was, is], i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name than their place.
            <tr key={i}>
              {[was, is].map((spoken, side) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the two sides keep their places.
                <td key={side} className={was?.text === is?.text ? 'compared-line' : 'compared-line changed'}>
                  {spoken === null ? '' : `${spoken.by}: ${spoken.text}`}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function number(value: number, points: boolean): string {
  return (points ? (100 * value).toFixed(1) : String(Number(value.toPrecision(4)))).replace('-', '−');
}
