/** @file Why an agent did what it did, by trying: it is asked again with parts of its view left out, and other moves are played on. */

import { useState } from 'react';
import { post, useAction } from '../client.ts';
import { Problem } from '../parts/states.tsx';
import type { Answer } from '../requests.ts';

type Explanation = Answer<'POST', '/api/episodes/:id/explain'>;

export function Why({ episode, at }: { readonly episode: string; readonly at: number }) {
  const [explanation, setExplanation] = useState<Explanation | null>(null);
  const { busy, error, run } = useAction();
  const ask = () => run(async () => setExplanation(await post('/api/episodes/:id/explain', { param: { id: episode }, json: { at } })));
  return (
    <section className="why" aria-label="Why it did that">
      <h3>Why?</h3>
      {explanation === null ? (
        <p className="row">
          <button type="button" onClick={ask} disabled={busy}>
            {busy ? 'Asking again …' : 'Explain (up to 128 model calls)'}
          </button>
          <span className="small muted">Calls a language agent up to 128 times. An agent’s explanation of itself is not evidence.</span>
        </p>
      ) : (
        <Found found={explanation} />
      )}
      <Problem error={error} />
    </section>
  );
}

function Found({
  found: { again, againInterval, samples, paid, rewards, parts, moves, members, memories, standIns },
}: {
  readonly found: Explanation;
}) {
  const people = Object.entries(standIns ?? {});
  return (
    <>
      <p className="small">
        Asked again it does the same {Math.round(again * 100)} times of 100
        {againInterval === null ? '' : ` (95% ${Math.round(againInterval[0] * 100)} to ${Math.round(againInterval[1] * 100)})`}, from{' '}
        {samples} answers. It was paid {number(paid)} after that
        {rewards.length === 0
          ? ''
          : ` (${rewards.map(({ event, reward, penalty }) => `event ${event}: ${number(reward - penalty)}`).join('; ')})`}
        .
      </p>
      <Lines
        title="What it saw"
        rows={parts.map(({ part, share, without, swapped }) => [
          part,
          `share ${number(share)} · changes ${number(without.difference)} without it${swapped === undefined ? '' : `, ${number(swapped.difference)} with that of another deal`}`,
        ])}
      />
      <Lines
        title="Simulated outcome of each move"
        rows={moves.map(({ move, made, mean, interval, games }) => [
          made ? `${move} (made)` : move,
          `${number(mean)}${interval === null ? ' (no interval)' : ` (95% ${number(interval[0])} to ${number(interval[1])})`} in ${games} episodes`,
        ])}
      />
      <Lines
        title="Members"
        rows={members.map(({ member, difference, importance }) => [
          member,
          `changes ${difference === undefined ? 'unknown' : number(difference)} without it${importance === undefined ? '' : ` · rated ${number(importance)} by the others`}`,
        ])}
      />
      <Lines title="Memories" rows={memories.map(({ text, difference }) => [text, `changes ${number(difference)} without it`])} />
      {people.length === 0 ? null : (
        <p className="small muted">
          Where moves are played on, people are stood in for: {people.map(([seat, name]) => `${seat} by ${name}`).join(', ')}.
        </p>
      )}
    </>
  );
}

const number = (value: number) => value.toFixed(2).replace('-', '−');

interface LinesProps {
  readonly title: string;
  /** What was changed, and what came of it. */
  readonly rows: readonly (readonly [string, string])[];
}

function Lines({ title, rows }: LinesProps) {
  if (rows.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ul className="plain-list">
        {rows.map(([what, came], i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are never moved.
          <li key={i}>
            {what.length > longest ? `${what.slice(0, longest)} …` : what} <span className="small muted">{came}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Characters of a part that are shown: it stands whole in the log beside it. */
const longest = 90;
