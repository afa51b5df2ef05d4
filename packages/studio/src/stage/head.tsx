/** @file The head of a stage: what is played, how it stands, whose eyes, and what can be done with it. */

import type { EpisodeShown } from '@ludus-agents/servers/internal/studio/api';
import { post, useAction } from '../client.ts';
import { episodeTitle, isDrawn, runTitle, toTitle } from '../format.ts';
import { isGuest } from '../guest.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { Share } from '../parts/share.tsx';
import { Problem } from '../parts/states.tsx';
import { go, link, withQuery } from '../router.ts';
import type { Line } from '../stream.ts';
import { Status } from './standing.tsx';

interface HeadProps {
  readonly episode: EpisodeShown;
  readonly line: Line;
  readonly seat: string | null;
  readonly notes: boolean;
  readonly setNotes: (notes: boolean) => void;
  readonly reload: () => void;
}

export function Head({ episode, line, seat, notes, setNotes, reload }: HeadProps) {
  const { id, people, live } = episode;
  return (
    <>
      <header>
        <div className="grow">
          <Crumbs
            of={[
              ['Runs', '#/runs'],
              ...(episode.run === null || episode.run === 'studio'
                ? []
                : [[runTitle({ id: episode.run, environments: [episode.environment] }), link('run', episode.run)] as const]),
            ]}
          />
          <h1 title={id}>
            {toTitle(episode.environment)}
            {episode.title === null ? '' : `: ${episode.title}`}{' '}
            {isDrawn(episode.seed) ? null : <span className="muted small">seed {episode.seed}</span>}
          </h1>
        </div>
        <Status episode={episode} line={line} />
        {(live ? people : []).map((person) => (
          <a key={person} className="button primary" href={link('seat', id, person)}>
            Play as {person}
          </a>
        ))}
        <label className="row">
          <span>View as</span>
          <select value={seat ?? ''} onChange={(event) => go(withQuery(link('e', id), { seat: event.target.value }))}>
            <option value="">All seats</option>
            {episode.seats.map((name) => (
              <option key={name} value={name}>
                {name} only
              </option>
            ))}
          </select>
        </label>
        <label className="row">
          <input type="checkbox" checked={notes} onChange={(event) => setNotes(event.target.checked)} /> Notes
        </label>
        <a className="button" href={link('trace', id)}>
          Trace
        </a>
        <Share title={episodeTitle(episode)} shows={{ of: 'episode', id }} />
        <Deeds episode={episode} reload={reload} />
      </header>
      <Branches episode={episode} />
    </>
  );
}

/** Calls it off while it runs, scores it once it has ended. */
function Deeds({ episode: { id, status, live, scores }, reload }: Pick<HeadProps, 'episode' | 'reload'>) {
  const { busy, error, run } = useAction();
  const act = (what: 'score' | 'stop') =>
    run(async () => {
      await post(`/api/episodes/:id/${what}`, { param: { id } });
      reload();
    });
  const deed = status !== 'running' ? 'score' : live ? 'stop' : null;
  if (deed === null || isGuest) return null;
  return (
    <>
      <button type="button" disabled={busy} onClick={() => act(deed)}>
        {deed === 'stop' ? 'Cancel' : scores.length === 0 ? 'Score' : 'Score again'}
      </button>
      <Problem error={error} />
    </>
  );
}

function Branches({ episode: { id, fork, branches } }: Pick<HeadProps, 'episode'>) {
  const parent = fork?.episode;
  if (parent === undefined && branches.length === 0) return null;
  return (
    <nav className="row small" aria-label="Branches">
      {parent === undefined ? null : <a href={link('branches', parent, id)}>Compare with the original episode</a>}
      {branches.map((branch) => (
        <a key={branch.id} href={link('branches', id, branch.id)}>
          Branch at event {branch.at}
        </a>
      ))}
    </nav>
  );
}
