/** @file Two branches side by side: what they share is folded away, what differs stands next to each other. */

import { useMemo } from 'react';
import type { EpisodeShown } from '../../../src/servers/studio/api.ts';
import { brief, count, signed, titled } from '../format.ts';
import type { PageProps } from '../pages.ts';
import { List } from '../parts/list.tsx';
import { When } from '../parts/states.tsx';
import { go, link } from '../router.ts';
import { Board } from '../stage/boards/index.tsx';
import { useEpisode } from '../stage/episode.ts';
import { endOf, pictureAt, rowsOf, totalsAt } from '../stage/fold.ts';
import { EventRow } from '../stage/row.tsx';
import { Standing, Status } from '../stage/standing.tsx';
import '../stage/stage.css';

export function BranchesPage({ params }: PageProps) {
  const [left, right] = [params['left']!, params['right']!];
  const branch = useEpisode(right, null);
  const at = branch.episode.loaded.state === 'ready' ? (branch.episode.loaded.data.fork?.at ?? 0) : 0;
  return (
    <div className="page stage">
      <header>
        <h1>Two branches</h1>
        <span className="badge">{at === 0 ? 'from the start' : `the first ${count(at, 'event')} are shared`}</span>
      </header>
      <div className="branches">
        <Branch id={left} from={at} title="As it was" />
        <Branch id={right} from={at} title="The branch" />
      </div>
    </div>
  );
}

function Branch({ id, from, title }: { readonly id: string; readonly from: number; readonly title: string }) {
  const followed = useEpisode(id, null);
  return (
    <section className="card transcript" aria-label={title}>
      <When loaded={followed.episode.loaded} what={title} retry={followed.episode.reload}>
        {(episode) => <Column episode={episode} followed={followed} from={from} title={title} />}
      </When>
    </section>
  );
}

interface ColumnProps {
  readonly episode: EpisodeShown;
  readonly followed: ReturnType<typeof useEpisode>;
  readonly from: number;
  readonly title: string;
}

function Column({ episode, followed: { items, line }, from, title }: ColumnProps) {
  const rows = useMemo(() => rowsOf(items, { notes: false }).filter(({ index }) => index >= from), [items, from]);
  const last = items.at(-1)?.index ?? 0;
  const { now, before } = pictureAt(items, last);
  const end = endOf(items);
  return (
    <>
      <header className="row">
        <h2>
          {title} <a href={link('e', episode.id, Math.min(from, last))}>{brief(episode.id)}</a>
        </h2>
        <Status episode={episode} line={line} />
        {episode.live && episode.people[0] !== undefined ? (
          <a className="button primary" href={link('seat', episode.id, episode.people[0])}>
            Sit down
          </a>
        ) : null}
      </header>
      {now === null ? <p className="small muted">{titled(episode.environment)}</p> : <Board picture={now} before={before} />}
      <Standing episode={episode} totals={totalsAt(items, last)} />
      <List
        label={`${title}: events`}
        items={rows}
        keyOf={({ index }) => index}
        follow
        row={(row) => <EventRow row={row} episode={episode} chosen={false} choose={(event) => go(link('e', episode.id, event))} />}
      />
      {end === null ? null : (
        <p>
          <strong>Returns:</strong>{' '}
          {Object.entries(end.returns)
            .map(([seat, amount]) => `${seat} ${signed(amount)}`)
            .join(', ')}
        </p>
      )}
    </>
  );
}
