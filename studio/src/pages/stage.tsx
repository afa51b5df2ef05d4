/** @file The stage: an episode live or again, with everybody's eyes or one seat's; scrub, look closer, fork. */

import { useCallback, useEffect, useMemo, useState } from 'react';
import type { EpisodeShown, Shown } from '../../../src/servers/studio/wire.ts';
import { post, useAction } from '../client.ts';
import { brief, titled } from '../format.ts';
import type { PageProps } from '../pages.ts';
import { List } from '../parts/list.tsx';
import { Loading, Problem, When } from '../parts/states.tsx';
import { go, link, settle, withQuery } from '../router.ts';
import { Board } from '../stage/boards/index.tsx';
import { Controls, type Cursor, useKeys } from '../stage/controls.tsx';
import { Detail } from '../stage/detail.tsx';
import { type Followed, useEpisode } from '../stage/episode.ts';
import { isDrawn, pictureAt, type Row, rowAt, rowsOf, totalsAt } from '../stage/fold.ts';
import { ForkDialog } from '../stage/fork.tsx';
import { Overview } from '../stage/overview.tsx';
import { EventRow } from '../stage/row.tsx';
import { Standing, Status } from '../stage/standing.tsx';
import '../stage/stage.css';

export function StagePage({ params, query }: PageProps) {
  const id = params['id'] as string;
  const seat = query.get('seat');
  const followed = useEpisode(id, seat);
  return (
    <When loaded={followed.episode.loaded} what="the episode" retry={followed.episode.reload}>
      {(episode) => <Theatre key={`${episode.id} ${seat}`} episode={episode} followed={followed} at={numberIn(params['at'])} seat={seat} />}
    </When>
  );
}

interface TheatreProps {
  readonly episode: EpisodeShown;
  readonly followed: Followed;
  readonly at: number | null;
  readonly seat: string | null;
}

function Theatre({ episode, followed, at, seat }: TheatreProps) {
  const { items, line } = followed;
  const [notes, setNotes] = useState(false);
  const [forking, setForking] = useState<Shown | null>(null);
  const rows = useMemo(() => rowsOf(items, { notes }), [items, notes]);
  const choose = useCallback((event: number) => settle(address(episode.id, event, seat)), [episode.id, seat]);
  const { cursor, replaying, showAll } = useCursor(rows, at, choose);
  const event = at ?? items.at(-1)?.index ?? 0;
  const chosen = items.find(({ index }) => index === event) ?? items.at(-1);
  const { now, before } = pictureAt(items, event);
  const shown = replaying ? rows.slice(0, cursor.place + 1) : rows;
  useKeys({
    ArrowLeft: () => cursor.move(cursor.place - 1),
    ArrowRight: () => cursor.move(cursor.place + 1),
    Home: () => cursor.move(0),
    End: showAll,
    ' ': () => cursor.play(!cursor.playing),
    f: () => setForking(chosen ?? null),
  });
  return (
    <div className="page stage">
      <Head episode={episode} line={line} seat={seat} notes={notes} setNotes={setNotes} reload={followed.episode.reload} />
      {items.length === 0 ? (
        <Loading what="events" />
      ) : (
        <div className={`stage-grid ${isDrawn(items) ? '' : 'undrawn'}`}>
          <aside className="card board" aria-label="The world">
            {now === null ? null : <Board picture={now} before={before} />}
            <Standing episode={episode} totals={totalsAt(items, event)} />
            <p className="small muted about">{episode.summary}</p>
          </aside>
          <div className="card transcript">
            <Controls cursor={cursor} />
            <List
              label="Events"
              items={shown}
              keyOf={({ index }) => index}
              at={at === null ? undefined : rowAt(rows, at)}
              follow={at === null}
              row={(row) => (
                <EventRow
                  row={row}
                  episode={episode}
                  chosen={at !== null && chosen !== undefined && isAt(row, chosen.index)}
                  choose={choose}
                />
              )}
            />
            {replaying || at !== null ? (
              <button type="button" className="plain" onClick={showAll}>
                Go to the end
              </button>
            ) : null}
          </div>
          <aside className="card" aria-label="Closer look">
            {at === null || chosen === undefined ? (
              <Overview episode={episode} />
            ) : (
              <Detail key={chosen.index} item={chosen} items={items} episode={episode} fork={() => setForking(chosen)} />
            )}
          </aside>
        </div>
      )}
      {forking === null ? null : <ForkDialog episode={episode} item={forking} close={() => setForking(null)} />}
    </div>
  );
}

function isAt(row: Row, event: number): boolean {
  return row.index === event || row.answer?.index === event;
}

/** The place among the rows. While it plays, what comes later is not shown. */
function useCursor(
  rows: readonly Row[],
  at: number | null,
  choose: (event: number) => void,
): { readonly cursor: Cursor; readonly replaying: boolean; readonly showAll: () => void } {
  const [playing, setPlaying] = useState(false);
  const [replaying, setReplaying] = useState(false);
  const [speed, setSpeed] = useState(2);
  const last = rows.length - 1;
  const place = at === null ? last : Math.max(0, rowAt(rows, at));
  const move = (to: number) => {
    const row = rows[Math.max(0, Math.min(last, to))];
    if (row !== undefined) choose(row.answer?.index ?? row.index);
  };
  const play = (wanted: boolean) => {
    if (wanted && place >= last) move(0);
    setReplaying(wanted || replaying);
    setPlaying(wanted);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new place is a new wait.
  useEffect(() => {
    if (!playing) return;
    if (place >= last) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => move(place + 1), 1000 / speed);
    return () => clearTimeout(timer);
  }, [playing, place, last, speed]);
  const showAll = () => {
    setPlaying(false);
    setReplaying(false);
    const { hash } = location;
    settle(hash.replace(/^(#\/e\/[^/?]+)\/\d+/, '$1'));
  };
  return { cursor: { place, last, playing, speed, move, play, pace: setSpeed }, replaying, showAll };
}

interface HeadProps {
  readonly episode: EpisodeShown;
  readonly line: Followed['line'];
  readonly seat: string | null;
  readonly notes: boolean;
  readonly setNotes: (notes: boolean) => void;
  readonly reload: () => void;
}

function Head({ episode, line, seat, notes, setNotes, reload }: HeadProps) {
  const { busy, error, run } = useAction();
  const { id, people, fork, branches, live, status } = episode;
  const act = (what: string) =>
    run(async () => {
      await post(`/api/episodes/${id}/${what}`);
      reload();
    });
  return (
    <>
      <header>
        <h1>
          {titled(episode.environment)} <span className="muted mono">{brief(id)}</span>
        </h1>
        <Status episode={episode} line={line} />
        {live && people.length > 0
          ? people.map((one) => (
              <a key={one} className="button primary" href={link('seat', id, one)}>
                Sit down on {one}
              </a>
            ))
          : null}
        <label className="row">
          <span>See as</span>
          <select value={seat ?? ''} onChange={(event) => go(withQuery(link('e', id), { seat: event.target.value }))}>
            <option value="">everybody</option>
            {episode.seats.map((one) => (
              <option key={one} value={one}>
                {one} only
              </option>
            ))}
          </select>
        </label>
        <label className="row">
          <input type="checkbox" checked={notes} onChange={(event) => setNotes(event.target.checked)} /> Notes
        </label>
        {status === 'running' ? (
          live ? (
            <button type="button" disabled={busy} onClick={() => act('stop')}>
              Call off
            </button>
          ) : null
        ) : (
          <button type="button" disabled={busy} onClick={() => act('score')}>
            {episode.scores.length === 0 ? 'Score it' : 'Score again'}
          </button>
        )}
      </header>
      <Problem error={error} />
      {fork?.episode === undefined && branches.length === 0 ? null : (
        <nav className="row small" aria-label="Branches">
          {fork?.episode === undefined ? null : <a href={link('branches', fork.episode, id)}>Beside the episode it branched off from</a>}
          {branches.map((branch) => (
            <a key={branch.id} href={link('branches', id, branch.id)}>
              Branch at {branch.at}: {brief(branch.id)}
            </a>
          ))}
        </nav>
      )}
    </>
  );
}

function address(id: string, event: number, seat: string | null): string {
  return withQuery(link('e', id, event), { seat: seat ?? undefined });
}

function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
