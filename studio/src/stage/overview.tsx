/** @file An episode as a whole, where no event is looked at: its scores with the moments they rest on, and the keys. */

import type { EpisodeShown, ScoreShown } from '../../../src/servers/studio/api.ts';
import { count } from '../format.ts';
import { Grade } from '../parts/grade.tsx';
import { link } from '../router.ts';
import { isLeak } from './fold.ts';

export function Overview({ episode }: { readonly episode: EpisodeShown }) {
  return (
    <section className="detail" aria-label="The whole episode">
      <h2>Scores</h2>
      <Failed scores={episode.scores} />
      {episode.scores.length === 0 ? (
        <p className="muted">
          {episode.status === 'running'
            ? 'An episode is scored once it has ended.'
            : 'Not scored yet: “Score it” above does, by rules alone.'}
        </p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Score</th>
              <th scope="col">Seat</th>
              <th scope="col" className="number">
                Value
              </th>
            </tr>
          </thead>
          <tbody>
            {episode.scores.map((score, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: scores have no other order than this.
              <ScoreRow key={i} score={score} episode={episode.id} />
            ))}
          </tbody>
        </table>
      )}
      <h2>Look closer</h2>
      <p className="small muted">Choose the number of an event to see what was behind it: thoughts, memories, mood, tools, prompt, cost.</p>
      <dl className="keys small">
        <dt>← →</dt>
        <dd>one step back, on</dd>
        <dt>Space</dt>
        <dd>play, pause</dd>
        <dt>Home, End</dt>
        <dd>first, latest</dd>
        <dt>f</dt>
        <dd>fork at the event you look at</dd>
      </dl>
    </section>
  );
}

/** How many scores are missing because something went wrong; the sentences stand beside them. */
function Failed({ scores }: { readonly scores: readonly ScoreShown[] }) {
  const failed = scores.filter(({ reason, value }) => value === null && reason !== undefined).length;
  return failed === 0 ? null : (
    <p className="problem small">{count(failed, 'score')} could not be given, and count as missing, not as 0.</p>
  );
}

function ScoreRow({ score, episode }: { readonly score: ScoreShown; readonly episode: string }) {
  const { name, seat = '', value, status, reason, interval, evidence, grade } = score;
  return (
    <tr>
      <th scope="row">
        <span className={isLeak(score) ? 'leak' : ''}>{name}</span> {grade === undefined ? null : <Grade grade={grade} />}
        <div className="row small">
          {[...new Set(evidence.map(({ event }) => event))].slice(0, 6).map((event) => (
            <a key={event} href={link('e', episode, event)}>
              event {event}
            </a>
          ))}
        </div>
        {reason === undefined ? null : <p className="small text">{reason}</p>}
      </th>
      <td>{seat}</td>
      <td className="number">
        {value === null ? <span className="muted">{status}</span> : Number(value.toFixed(3))}
        {interval === undefined ? null : <div className="small muted">{interval.map((one) => one.toFixed(2)).join(' to ')}</div>}
      </td>
    </tr>
  );
}
