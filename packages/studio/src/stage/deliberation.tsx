/** @file A scene within a scene: what a team said among itself before its seat answered. */

import type { DiscussionShown } from '@ludus-agents/servers/internal/studio/api';
import { colourOf } from '../colours.ts';
import { count } from '../format.ts';
import { Avatar } from '../parts/avatar.tsx';
import './inside.css';

export function Deliberation({ discussion: { protocol, members, lines, answer } }: { readonly discussion: DiscussionShown }) {
  return (
    <section className="inner-scene" aria-label="Team discussion">
      <p className="small muted">
        {members.join(', ')} talk{protocol === '' ? '' : ` under “${protocol}”`}: {count(lines.length, 'speech', 'speeches')}.
      </p>
      <ol className="plain-list">
        {lines.map(({ seat, text }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: speeches are numbered.
          <li key={i} className={`speech edge-${colourOf(seat)}`}>
            <Avatar name={seat} size="small" />
            <div>
              <strong>{seat}</strong>
              <p className="text">{text}</p>
            </div>
          </li>
        ))}
      </ol>
      <p>
        Team answer: <strong className="text">{answer === '' ? 'no answer' : answer}</strong>
      </p>
    </section>
  );
}
