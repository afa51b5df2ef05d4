/** @file The message box. Text stays in this browser until it is sent. Enter sends it, Shift+Enter starts a new line, and Escape stops an answer. */

import { useEffect, useRef, useState } from 'react';
import { useKept } from '../kept.ts';
import type { Talking } from './talking.ts';

interface SayProps {
  /** Whose words are kept apart. */
  readonly name: string;
  readonly talking: Talking;
  readonly over: boolean;
  readonly left?: boolean;
  /** Words that the server could not answer: they are offered again where nothing else is typed. */
  readonly failed?: string | null;
  /** A model can write in the person's place. */
  readonly hasModel?: boolean;
}

export function Say({ name, talking, over, left = false, failed = null, hasModel = false }: SayProps) {
  const [typed, keep] = useKept(`say ${name}`, '');
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each failure, not whenever the field is emptied.
  useEffect(() => {
    if (failed !== null && typed === '') keep(failed);
  }, [failed]);
  const busy = talking.now !== null;
  const lastSent = useRef<string | null>(null);
  const { error } = talking;
  // Words that could not be answered were not said: they are put back.
  useEffect(() => {
    if (busy || lastSent.current === null) return;
    if (error !== null) keep(lastSent.current);
    lastSent.current = null;
  });
  const say = () => {
    const text = typed.trim();
    if (text === '' || busy || over) return;
    lastSent.current = text;
    keep(null);
    talking.say(text);
  };
  // Enter during an answer is kept, so that words typed as it ends are not left behind.
  const [waits, setWaits] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once when the answer ends.
  useEffect(() => {
    if (busy || !waits) return;
    setWaits(false);
    if (error === null) say();
  }, [busy, waits]);
  const write = () => void talking.draft().then((text) => (text === null ? undefined : keep(text)));
  return (
    <form
      className="say"
      onSubmit={(event) => {
        event.preventDefault();
        say();
      }}
    >
      <label>
        <span className="hidden">What you say</span>
        <textarea
          rows={Math.min(8, typed.split('\n').length + 1)}
          value={typed}
          maxLength={8000}
          disabled={over}
          placeholder={over ? 'This conversation is over.' : left ? 'Write a message to continue' : 'Say something'}
          onChange={(event) => {
            setWaits(false);
            keep(event.target.value === '' ? null : event.target.value);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') {
              setWaits(false);
              if (busy) talking.stop();
            }
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            if (busy) setWaits(typed.trim() !== '');
            else say();
          }}
        />
      </label>
      <div className="row">
        {waits ? <span className="muted small">Will be sent after this answer</span> : null}
        {busy ? (
          <button type="button" onClick={talking.stop} title="Escape">
            Stop
          </button>
        ) : (
          <>
            {typed.trim() === '' && !over ? (
              <>
                {hasModel ? (
                  <button type="button" title="Let the model write your next message; you can edit it before you send it" onClick={write}>
                    Write for me
                  </button>
                ) : null}
                <button type="button" title="Let the character continue without a message from you" onClick={() => talking.say('')}>
                  Continue
                </button>
              </>
            ) : null}
            <button type="submit" className="primary" disabled={typed.trim() === '' || over}>
              Send
            </button>
          </>
        )}
      </div>
    </form>
  );
}
