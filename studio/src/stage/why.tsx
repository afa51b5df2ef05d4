/** @file Why an agent did what it did, by trying: it is asked again with parts of its view left out, and other moves are played on. */

import { useState } from 'react';
import { post, useAction } from '../client.ts';
import { Problem } from '../parts/states.tsx';
import type { Answer } from '../requests.ts';

type Explanation = Answer<'POST', '/api/episodes/:id/explain'>;

export function Why({ episode, at }: { readonly episode: string; readonly at: number }) {
  const [found, setFound] = useState<Explanation | null>(null);
  const { busy, error, run } = useAction();
  const ask = () => run(async () => setFound(await post('/api/episodes/:id/explain', { param: { id: episode }, json: { at } })));
  return (
    <section className="why" aria-label="Why it did that">
      <h3>Why?</h3>
      {found === null ? (
        <p className="row">
          <button type="button" onClick={ask} disabled={busy}>
            {busy ? 'Asking again …' : 'Find out by asking again'}
          </button>
          <span className="small muted">A language agent is called up to 128 times; what an agent says of itself is no evidence.</span>
        </p>
      ) : (
        <Found found={found} />
      )}
      <Problem error={error} />
    </section>
  );
}

function Found({ found: { again, paid, rewards, parts, moves, members, memories, standIns } }: { readonly found: Explanation }) {
  const people = Object.entries(standIns ?? {});
  return (
    <>
      <p className="small">
        Asked again it does the same {Math.round(again * 100)} times of 100. It was paid {number(paid)} after that
        {rewards.length === 0
          ? ''
          : ` (${rewards.map(({ event, reward, penalty }) => `event ${event}: ${number(reward - penalty)}`).join('; ')})`}
        .
      </p>
      <Table
        title="What it saw"
        head={['part', 'share', 'changes without it', 'with that of another deal']}
        rows={parts.map(({ part, share, without, swapped }) => [
          part,
          number(share),
          number(without.difference),
          swapped === undefined ? '' : number(swapped.difference),
        ])}
      />
      <Table
        title="What moves came to, played on from here"
        head={['move', 'mean', '95 %', 'episodes']}
        rows={moves.map(({ move, made, mean, low, high, games }) => [
          made ? `${move} (made)` : move,
          number(mean),
          `${number(low)} to ${number(high)}`,
          String(games),
        ])}
      />
      <Table
        title="Members"
        head={['member', 'changes without it', 'rated by the others']}
        rows={members.map(({ member, difference, importance }) => [
          member,
          difference === undefined ? 'unknown' : number(difference),
          importance === undefined ? '' : number(importance),
        ])}
      />
      <Table
        title="Memories"
        head={['memory', 'changes without it']}
        rows={memories.map(({ text, difference }) => [text, number(difference)])}
      />
      {people.length === 0 ? null : (
        <p className="small muted">
          Where moves are played on, people are stood in for: {people.map(([seat, name]) => `${seat} by ${name}`).join(', ')}.
        </p>
      )}
    </>
  );
}

const number = (value: number) => value.toFixed(2).replace('-', '−');

interface TableProps {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function Table({ title, head, rows }: TableProps) {
  if (rows.length === 0) return null;
  return (
    <table>
      <caption className="small">{title}</caption>
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are never moved.
          <tr key={i}>
            {cells.map((cell, j) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells are never moved.
              <td key={j}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
