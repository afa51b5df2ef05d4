/** @file An episode as a whole, where no event is looked at: its scores with the moments they rest on, and the keys. */

import type { EpisodeShown, EventShown, ScoreShown } from '@ludus-agents/servers/internal/studio/api';
import { Fragment } from 'react';
import { count } from '../format.ts';
import { isGuest } from '../guest.ts';
import { Comments } from '../parts/comments.tsx';
import { Grade } from '../parts/grade.tsx';
import { Star, Tags } from '../parts/marks.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { link } from '../router.ts';
import { isLeak } from './fold.ts';
import { Waterfall } from './waterfall.tsx';

interface OverviewProps {
  readonly episode: EpisodeShown;
  readonly items: readonly EventShown[];
  readonly reload: () => void;
}

export function Overview({ episode, items, reload }: OverviewProps) {
  return (
    <section className="detail" aria-label="The whole episode">
      <div className="row">
        <Star id={episode.id} marks={episode.marks} />
        {isGuest ? null : <Tags id={episode.id} marks={episode.marks} reload={reload} />}
      </div>
      <h2>Scores</h2>
      <Failed scores={episode.scores} />
      {episode.scores.length === 0 ? (
        <p className="muted">
          {episode.status === 'running'
            ? 'Episodes are scored when they end.'
            : isGuest
              ? 'Not scored.'
              : 'Not scored yet. Click “Score” to score it with rules; no model is needed.'}
        </p>
      ) : (
        <ScoreTable scores={episode.scores} episode={episode} items={items} />
      )}
      <Waterfall items={items} episode={episode.id} />
      <h2>Inspect</h2>
      <p className="small muted">Select an event number to see thoughts, memories, mood, tools, prompt, and cost.</p>
      <dl className="keys small">
        <dt>← →</dt>
        <dd>previous, next event</dd>
        <dt>Space</dt>
        <dd>play, pause</dd>
        <dt>Home, End</dt>
        <dd>first, latest</dd>
        <dt data-owner="">f</dt>
        <dd data-owner="">fork at this event</dd>
      </dl>
      <Comments of="episode" id={episode.id} />
    </section>
  );
}

/** How many scores are missing because something went wrong; the sentences stand beside them. */
function Failed({ scores }: { readonly scores: readonly ScoreShown[] }) {
  const failed = scores.filter(({ reason, value }) => value === null && reason !== undefined).length;
  return failed === 0 ? null : (
    <p className="problem small">{count(failed, 'score')} could not be computed, and count as missing, not as 0.</p>
  );
}

/** One row for each score, one column for each seat that has one; what is of no seat stands under "all". */
function ScoreTable({ scores, episode, items }: Pick<OverviewProps, 'episode' | 'items'> & { readonly scores: readonly ScoreShown[] }) {
  const rows = Map.groupBy(scores, ({ name }) => name);
  const scoredSeats = new Set(scores.map(({ seat = '' }) => seat));
  const columns = [...episode.seats.filter((seat) => scoredSeats.has(seat)), ...(scoredSeats.has('') ? [''] : [])];
  // Scores that rest on others have the same reasons: each is shown once, under the first.
  const firstWith = new Map(scores.toReversed().flatMap(({ name, reason }) => (reason === undefined ? [] : [[reason, name] as const])));
  const newReasons = (name: string) => [...firstWith].flatMap(([reason, first]) => (first === name ? [reason] : [])).toReversed();
  return (
    <Scroll label="Scores by seat">
      <table>
        <thead>
          <tr>
            <th scope="col">Score</th>
            {columns.map((seat) => (
              <th key={seat} scope="col" className="number">
                {seat === '' ? 'all' : seat}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...rows].map(([name, of]) => (
            <Fragment key={name}>
              <tr>
                <th scope="row">
                  <ScoreName name={name} of={of} episode={episode.id} items={items} />
                </th>
                {columns.map((seat) => (
                  <td key={seat} className="number">
                    {of
                      .filter((score) => (score.seat ?? '') === seat)
                      .map((score, i) => (
                        // biome-ignore lint/suspicious/noArrayIndexKey: scores have no other order than this.
                        <Value key={i} score={score} />
                      ))}
                  </td>
                ))}
              </tr>
              {newReasons(name).map((reason) => (
                <tr key={reason} className="reason">
                  <td colSpan={columns.length + 1} className="small text">
                    {reason}
                  </td>
                </tr>
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

interface ScoreNameProps {
  readonly name: string;
  readonly of: readonly ScoreShown[];
  readonly episode: string;
  readonly items: readonly EventShown[];
}

/** The turn that evidence is about: a note for scorers comes after what it judges. */
function turnOf(items: readonly EventShown[], event: number, seat: string | undefined): number {
  const { kind, to } = (items.find(({ index }) => index === event)?.event ?? {}) as { readonly kind?: string; readonly to?: unknown };
  if (kind !== 'message' || !Array.isArray(to) || to.length > 0) return event;
  const before = items.findLast(
    ({ index, event: candidate }) => index < event && candidate.kind === 'action' && (seat === undefined || candidate.seat === seat),
  );
  return before?.index ?? event;
}

function ScoreName({ name, of, episode, items }: ScoreNameProps) {
  const grade = of.find((score) => score.grade !== undefined)?.grade;
  return (
    <>
      <span className={of.some(isLeak) ? 'leak' : ''}>{name}</span> {grade === undefined ? null : <Grade grade={grade} />}
      <div className="row small">
        {[...new Set(of.flatMap(({ evidence, seat }) => evidence.map(({ event }) => turnOf(items, event, seat))))]
          .slice(0, 6)
          .map((event, i) => (
            <a key={event} href={link('e', episode, event)} aria-label={`event ${event}`}>
              {i === 0 ? `event ${event}` : event}
            </a>
          ))}
      </div>
    </>
  );
}

function Value({ score: { value, status, interval } }: { readonly score: ScoreShown }) {
  return (
    <>
      {value === null ? <span className="muted">{status}</span> : String(Number(value.toFixed(3))).replace('-', '−')}
      {interval === undefined ? null : <div className="small muted">{interval.map((bound) => bound.toFixed(2)).join(' to ')}</div>}
    </>
  );
}
