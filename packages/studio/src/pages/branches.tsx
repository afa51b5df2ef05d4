/** @file Two branches side by side, aligned where they part: one scroll for both, what differs is marked, and the tree they belong to. */

import type { EndEvent } from '@ludus-agents/kernel/internal/core/index';
import type { EpisodeShown } from '@ludus-agents/servers/internal/studio/api';
import { useMemo } from 'react';
import { useApi } from '../client.ts';
import { count, episodeTitle, formatSigned, toTitle } from '../format.ts';
import type { PageProps } from '../pages.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { List } from '../parts/list.tsx';
import { Loading, When } from '../parts/states.tsx';
import { go, link } from '../router.ts';
import { Board } from '../stage/boards/index.tsx';
import { type Followed, useEpisode } from '../stage/episode.ts';
import { endOf, pictureAt, type Row, rowsOf, totalsAt } from '../stage/fold.ts';
import { EventRow } from '../stage/row.tsx';
import { Standing, Status } from '../stage/standing.tsx';
import '../stage/stage.css';

export function BranchesPage({ params }: PageProps) {
  const [left, right] = [params['left']!, params['right']!];
  const [first, other] = [useEpisode(left, null), useEpisode(right, null)];
  return (
    <div className="page stage">
      <When loaded={first.episode.loaded} what="the episode" retry={first.episode.reload}>
        {(before) => (
          <When loaded={other.episode.loaded} what="its branch" retry={other.episode.reload}>
            {(branch) =>
              first.items.length === 0 || other.items.length === 0 ? (
                <Loading what="both logs" />
              ) : (
                <Both left={{ episode: before, followed: first }} right={{ episode: branch, followed: other }} />
              )
            }
          </When>
        )}
      </When>
    </div>
  );
}

interface Side {
  readonly episode: EpisodeShown;
  readonly followed: Followed;
}

function Both({ left, right }: { readonly left: Side; readonly right: Side }) {
  // Two agents on the same task are read side by side, too.
  const isBranch = right.episode.fork !== null;
  const at = right.episode.fork?.at ?? 0;
  const pairs = usePairs(left.followed, right.followed, at);
  const changed = pairs.filter(({ differs }) => differs).length;
  return (
    <>
      <header>
        <div className="grow">
          <Crumbs
            of={[
              ['Runs', '#/runs'],
              [episodeTitle(left.episode), link('e', left.episode.id)],
            ]}
          />
          <h1>{isBranch ? `${toTitle(left.episode.environment)}: two branches` : `Two episodes of ${episodeTitle(left.episode)}`}</h1>
        </div>
        <span className="badge">{at === 0 ? 'from the start' : `the first ${count(at, 'event')} are shared`}</span>
        <span className="badge">{changed === 0 ? 'nothing differs' : `${changed} of ${count(pairs.length, 'line')} differ`}</span>
      </header>
      <Returns left={left} right={right} />
      <div className="branches">
        <Head side={left} from={at} title={isBranch ? 'Original' : 'A'} />
        <Head side={right} from={at} title={isBranch ? 'Branch' : 'B'} />
      </div>
      <div className="card transcript paired">
        <List
          label={isBranch ? 'Original and branch, side by side' : 'A and B, side by side'}
          items={pairs}
          keyOf={({ place }) => place}
          row={({ one, other, differs }) => (
            <div className={`pair ${differs ? 'differs' : ''}`}>
              <Cell row={one} side={left} differs={differs} />
              <Cell row={other} side={right} differs={differs} />
            </div>
          )}
        />
      </div>
      <Tree left={left.episode} right={right.episode} />
    </>
  );
}

interface Pair {
  readonly place: number;
  readonly one: Row | null;
  readonly other: Row | null;
  readonly differs: boolean;
}

/** Line by line from the event before which they part. */
function usePairs({ items: left }: Followed, { items: right }: Followed, at: number): readonly Pair[] {
  return useMemo(() => {
    const [ones = [], others = []] = [left, right].map((items) => rowsOf(items, { notes: false }).filter(({ item }) => item.index >= at));
    return Array.from({ length: Math.max(ones.length, others.length) }, (_, place): Pair => {
      const [first, other] = [ones[place] ?? null, others[place] ?? null];
      return { place, one: first, other, differs: wordsOf(first) !== wordsOf(other) };
    });
  }, [left, right, at]);
}

/** What a line says, without what every branch has of its own. */
function wordsOf(row: Row | null): string {
  if (row === null) return '';
  const { event } = row.item;
  if (event.kind === 'message') return JSON.stringify([event.from, event.to, event.text]);
  if (event.kind === 'action') return JSON.stringify([event.seat, event.action]);
  if (event.kind === 'reward') return JSON.stringify([event.rewards, event.penalties]);
  return event.kind === 'end' ? JSON.stringify([event.reason, event.returns, event.turns]) : event.kind;
}

function Cell({ row, side: { episode }, differs }: { readonly row: Row | null; readonly side: Side; readonly differs: boolean }) {
  return (
    <div className="side">
      {differs ? <span className="hidden">Differs: </span> : null}
      {row === null ? (
        <p className="muted small">No event</p>
      ) : (
        <EventRow row={row} episode={episode} choose={(event) => go(link('e', episode.id, event))} />
      )}
    </div>
  );
}

/** Who got more, and who less, by going the other way. */
function Returns({ left, right }: { readonly left: Side; readonly right: Side }) {
  const [before, after] = [endOf(left.followed.items), endOf(right.followed.items)];
  if (before === null || after === null) return null;
  return (
    <ul className="row changes" aria-label="Change of returns">
      {left.episode.seats.map((seat) => {
        const [was, is] = [returnOf(before, seat), returnOf(after, seat)];
        return (
          <li key={seat} className={`badge ${is > was ? 'good' : is < was ? 'bad' : ''}`}>
            {seat} {formatSigned(was)} → {formatSigned(is)} ({is === was ? 'the same' : formatSigned(is - was)})
          </li>
        );
      })}
    </ul>
  );
}

function returnOf({ returns }: EndEvent, seat: string): number {
  return returns[seat] ?? 0;
}

function Head({ side: { episode, followed }, from, title }: { readonly side: Side; readonly from: number; readonly title: string }) {
  const { items, line } = followed;
  const last = items.at(-1)?.index ?? 0;
  const { now, before } = pictureAt(items, last);
  return (
    <section className="card" aria-label={title}>
      <header className="row">
        <h2>
          {title} <a href={link('e', episode.id, Math.min(from, last))}>{title === 'Branch' ? 'Open branch' : 'Open episode'}</a>
        </h2>
        <Status episode={episode} line={line} />
        {episode.live && episode.people[0] !== undefined ? (
          <a className="button primary" href={link('seat', episode.id, episode.people[0])}>
            Play
          </a>
        ) : null}
      </header>
      {now === null ? <p className="small muted">{toTitle(episode.environment)}</p> : <Board picture={now} before={before} />}
      <Standing episode={episode} totals={totalsAt(items, last)} />
    </section>
  );
}

/** Every branch of the episode on the left, with the branches of each; the one that is shown is marked. */
function Tree({ left, right }: { readonly left: EpisodeShown; readonly right: EpisodeShown }) {
  const others = left.branches;
  if (others.length + right.branches.length < 2 && left.fork === null) return null;
  return (
    <nav className="card tree" aria-label="Tree of branches">
      <h2>Tree of branches</h2>
      {left.fork?.episode === undefined ? null : (
        <p className="small">
          The original is itself a branch, taken before event {left.fork.at}.{' '}
          <a href={link('branches', left.fork.episode, left.id)}>Compare it with its original</a>
        </p>
      )}
      <ul>
        <li>
          <a href={link('e', left.id)}>Original</a>
          <ul>
            {others.map(({ id, at }) => (
              <Twig key={id} parent={left.id} id={id} at={at} shown={right.id} />
            ))}
          </ul>
        </li>
      </ul>
    </nav>
  );
}

interface TwigProps {
  readonly parent: string;
  readonly id: string;
  readonly at: number;
  readonly shown: string;
}

function Twig({ parent, id, at, shown }: TwigProps) {
  const { loaded } = useApi('/api/episodes/:id', { param: { id } });
  const branchData = loaded.state === 'ready' ? loaded.data : null;
  const returns = Object.entries(branchData?.returns ?? {}).map(([seat, amount]) => `${seat} ${formatSigned(amount)}`);
  return (
    <li>
      <a href={link('branches', parent, id)} aria-current={id === shown ? 'page' : undefined}>
        Branch before event {at}
      </a>
      <span className="muted small">{returns.length === 0 ? '' : `: ${returns.join(', ')}`}</span>
      {branchData === null || branchData.branches.length === 0 ? null : (
        <ul>
          {branchData.branches.map((branch) => (
            <Twig key={branch.id} parent={id} id={branch.id} at={branch.at} shown={shown} />
          ))}
        </ul>
      )}
    </li>
  );
}
