/** @file How an episode stands: each seat with its face and what it has got so far, what it has cost, and whether it goes on. */

import type { EpisodeShown } from '@ludus-agents/servers/internal/studio/api';
import { count, formatGrouped, formatSigned, money } from '../format.ts';
import { Breakable } from '../parts/agent-name.tsx';
import { Avatar } from '../parts/avatar.tsx';
import type { Line } from '../stream.ts';
import { hueIn, seatName, type Totals } from './fold.ts';

const states = { running: 'running', over: 'finished', limit: 'truncated', error: 'failed', abort: 'canceled' } as const;

export function Status({ episode, line }: { readonly episode: EpisodeShown; readonly line: Line }) {
  if (line === 'lost') return <span className="badge warn">connection lost, reconnecting…</span>;
  if (episode.status === 'running') return <span className="badge live">● {episode.live ? 'live' : 'unfinished'}</span>;
  return <span className={`badge ${episode.status === 'over' ? 'good' : 'warn'}`}>{states[episode.status]}</span>;
}

export function Standing({ episode, totals }: { readonly episode: EpisodeShown; readonly totals: Totals }) {
  return (
    <div className="standing">
      <ul>
        {episode.seats.map((seat) => {
          const face = episode.faces[seat] ?? { name: seat, character: false, picture: undefined };
          const seatReturn = totals.returns[seat] ?? 0;
          return (
            <li key={seat}>
              <Avatar name={seatName(episode, seat)} hue={hueIn(episode, seat)} picture={face.picture} size="small" />
              <span className="names">
                <strong>{seat}</strong>{' '}
                <span className="muted small">
                  <Breakable name={face.name} />
                </span>
              </span>
              <span className={`number ${seatReturn > 0 ? 'up' : seatReturn < 0 ? 'down' : ''}`}>{formatSigned(seatReturn)}</span>
            </li>
          );
        })}
      </ul>
      <p className="small muted">
        {count(totals.turns, 'turn')}
        {totals.calls === 0
          ? ' · no model calls'
          : ` · ${count(totals.calls, 'model call')} · ${formatGrouped(totals.tokens)} tokens · ${money(totals.cost)}`}
      </p>
    </div>
  );
}
