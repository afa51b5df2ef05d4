/** @file An episode as a reviewer reads it: who said what, without names, and the labels of single turns. */

import type { BlindText } from '@ludus-agents/servers/internal/studio/api';
import { useEffect, useRef } from 'react';
import { useApi } from '../client.ts';
import { toTitle } from '../format.ts';
import { When } from '../parts/states.tsx';
import { Spoken } from '../stage/text.tsx';

interface TranscriptProps {
  readonly id: string;
  readonly title?: string;
  /** The turn that labels are about; null for the whole episode. */
  readonly turn?: number | null;
  readonly choose?: (event: number | null) => void;
  readonly by?: string;
  /** Another number is another state of the same labels. */
  readonly revision?: number;
  /** Told which turns there are. */
  readonly found?: (events: readonly number[]) => void;
}

export function Transcript({ id, title, turn = null, choose, by, revision = 0, found }: TranscriptProps) {
  const { loaded, reload } = useApi('/api/reviews/text/:id', { param: { id } });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another revision is another state of the same labels.
  useEffect(() => {
    if (revision > 0) reload();
  }, [revision]);
  const text = loaded.state === 'ready' ? loaded.data : null;
  useEffect(() => {
    if (text !== null) found?.(text.lines.filter(({ who }) => who !== '').map(({ event }) => event));
  }, [text, found]);
  return (
    <When loaded={loaded} what="episode" retry={reload}>
      {({ environment, lines, turns }: BlindText) => (
        <div>
          <h2>{title ?? toTitle(environment)}</h2>
          <Instructions lines={lines.slice(0, firstSpokenLine(lines))} />
          <ol className="script" aria-label={title === undefined ? 'Transcript' : `Transcript of ${title}`}>
            {lines.slice(firstSpokenLine(lines)).map(({ who, to, text, event }) => (
              <Line
                key={event}
                isChosen={event === turn}
                choose={who === '' || choose === undefined ? undefined : () => choose(event === turn ? null : event)}
              >
                {who === '' ? null : <strong>{who}: </strong>}
                {to.length === 0 ? null : <span className="badge">to {to.join(', ')}</span>}{' '}
                {who === '' ? <Spoken text={text} /> : <span className="text">{text}</span>}
                {/* Blind means blind: what others said of a turn is not shown. */}
                {turns
                  .filter((label) => label.event === event && label.by === by)
                  .map(({ label }) => (
                    <span key={label} className="badge">
                      {label}
                    </span>
                  ))}
              </Line>
            ))}
          </ol>
        </div>
      )}
    </When>
  );
}

/** The first turn of the first player; an episode without turns is shown completely. */
function firstSpokenLine(lines: BlindText['lines']): number {
  return Math.max(
    0,
    lines.findIndex(({ who }) => who !== ''),
  );
}

/** What the players were told before the first of them spoke: rules and tools, the same in every episode. */
function Instructions({ lines }: { readonly lines: BlindText['lines'] }) {
  if (lines.length === 0) return null;
  return (
    <details className="small">
      <summary>Instructions to the players</summary>
      {lines.map(({ to, text, event }) => (
        <p key={event} className="text" dir="auto">
          {to.length === 0 ? null : <span className="badge">to {to.join(', ')}</span>} {text}
        </p>
      ))}
    </details>
  );
}

interface LineProps {
  readonly isChosen: boolean;
  readonly choose: (() => void) | undefined;
  readonly children: React.ReactNode;
}

function Line({ isChosen, choose, children }: LineProps) {
  const line = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys do the same.
    <li ref={line} className="script-line" dir="auto" aria-current={isChosen ? 'true' : undefined} onClick={choose}>
      {children}
    </li>
  );
}
