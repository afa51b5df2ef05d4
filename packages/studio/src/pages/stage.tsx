/** @file The stage: an episode, live or stored, as all seats or one seat see it; scrub, inspect, fork. */

import type { EpisodeShown, EventShown } from '@ludus-agents/servers/internal/studio/api';
import { useCallback, useMemo, useState } from 'react';
import { toTitle } from '../format.ts';
import { isGuest } from '../guest.ts';
import type { PageProps } from '../pages.ts';
import { List } from '../parts/list.tsx';
import { Loading, When } from '../parts/states.tsx';
import { link, settle, withQuery } from '../router.ts';
import { Board } from '../stage/boards/index.tsx';
import { Controls, useKeys, WorldSteps } from '../stage/controls.tsx';
import { useCursor } from '../stage/cursor.ts';
import { Detail } from '../stage/detail.tsx';
import { type Followed, useEpisode } from '../stage/episode.ts';
import { forkableAt, pictureAt, type Row, rowAt, rowsOf, totalsAt } from '../stage/fold.ts';
import { ForkDialog } from '../stage/fork.tsx';
import { Head } from '../stage/head.tsx';
import { Overview } from '../stage/overview.tsx';
import { EventRow } from '../stage/row.tsx';
import { ReadAloud } from '../stage/speech.tsx';
import { Standing } from '../stage/standing.tsx';
import { useTitle } from '../title.ts';
import '../stage/stage.css';

export function StagePage({ params, query }: PageProps) {
  const id = params['id']!;
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
  useTitle(toTitle(episode.environment));
  const [notes, setNotes] = useState(false);
  const [forking, setForking] = useState<EventShown | null>(null);
  const rows = useMemo(() => rowsOf(items, { notes, also: at }), [items, notes, at]);
  const choose = useCallback((event: number) => settle(address(episode.id, event, seat)), [episode.id, seat]);
  const { cursor, replaying, showAll } = useCursor(rows, at, choose);
  const event = at ?? items.at(-1)?.index ?? 0;
  const selectedItem = at === null ? undefined : (items.find(({ index }) => index === event) ?? items.at(-1));
  const { now, before, back, on } = pictureAt(items, event);
  useKeys({
    ArrowLeft: () => cursor.move(cursor.place - 1),
    ArrowRight: () => cursor.move(cursor.place + 1),
    Home: () => cursor.move(0),
    End: showAll,
    ' ': () => cursor.play(!cursor.playing),
    f: () => (isGuest ? undefined : setForking(forkableAt(items, event))),
  });
  return (
    <div className="page stage">
      <Head episode={episode} line={line} seat={seat} notes={notes} setNotes={setNotes} reload={followed.episode.reload} />
      {items.length === 0 ? (
        <Loading what="events" />
      ) : (
        <div className="stage-grid">
          <aside className="card board" aria-label="The world">
            {now === null ? null : <Board picture={now} before={before} />}
            <WorldSteps back={back} on={on} choose={choose} />
            <Standing episode={episode} totals={totalsAt(items, event)} />
            <details className="small muted about">
              <summary>Rules</summary>
              <p>{episode.summary}</p>
            </details>
          </aside>
          <div className="card transcript">
            <Controls cursor={cursor}>
              <ReadAloud rows={rows} place={cursor.place} choose={choose} />
            </Controls>
            <Transcript
              episode={episode}
              rows={replaying ? rows.slice(0, cursor.place + 1) : rows}
              at={selectedItem?.index ?? null}
              choose={choose}
            />
            {replaying || at !== null ? (
              <button type="button" className="plain" onClick={showAll}>
                Go to the end
              </button>
            ) : null}
          </div>
          <aside className="card" aria-label="Closer look">
            {selectedItem === undefined ? (
              <Overview episode={episode} items={items} reload={followed.episode.reload} />
            ) : (
              <Detail key={selectedItem.index} item={selectedItem} items={items} episode={episode} fork={() => setForking(selectedItem)} />
            )}
          </aside>
        </div>
      )}
      {forking === null ? null : <ForkDialog episode={episode} item={forking} close={() => setForking(null)} />}
    </div>
  );
}

interface TranscriptProps {
  readonly episode: EpisodeShown;
  readonly rows: readonly Row[];
  /** The event that is looked at; null follows the end. */
  readonly at: number | null;
  readonly choose: (event: number) => void;
}

function Transcript({ episode, rows, at, choose }: TranscriptProps) {
  const isAt = (row: Row) => at !== null && (row.index === at || row.answer?.index === at);
  return (
    <List
      label="Events"
      items={rows}
      keyOf={({ index }) => index}
      at={at === null ? undefined : rowAt(rows, at)}
      follow={at === null}
      row={(row) => <EventRow row={row} episode={episode} chosen={isAt(row)} choose={choose} />}
    />
  );
}

function address(id: string, event: number, seat: string | null): string {
  return withQuery(link('e', id, event), { seat: seat ?? undefined });
}

function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
