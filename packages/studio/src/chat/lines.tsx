/** @file The messages of a conversation with their actions: regenerate, edit, branch, and explain. */

import type { Because, ChatSaid, ChatShown } from '@ludus-agents/servers/internal/studio/api';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { address } from '../client.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Markdown } from './markdown.tsx';
import type { Talking } from './talking.ts';

interface LinesProps {
  readonly chat: ChatShown;
  readonly talking: Talking;
  /** Shows another conversation of the family. */
  readonly open: (id: string) => void;
}

export function Lines({ chat, talking, open }: LinesProps) {
  const { now } = talking;
  const end = useRef<HTMLLIElement>(null);
  const lines = now === null ? chat.lines : chat.lines.filter(({ at, event }) => (event ?? at) < now.from);
  useEffect(() => {
    if (lines.length > 1 || now !== null) end.current?.scrollIntoView({ block: 'nearest' });
  }, [lines.length, now]);
  return (
    <ol className="said" aria-live="polite" aria-label="Messages">
      {lines.map((line, i) => (
        <Line key={line.at} line={line} chat={chat} talking={talking} open={open} isLast={i === lines.length - 1} />
      ))}
      {now?.text == null ? null : (
        <li className="user">
          <div className="utterance">
            <Markdown text={now.text} />
          </div>
        </li>
      )}
      {now === null
        ? null
        : (now.answers.length === 0 ? [{ seat: '', soFar: '' }] : now.answers).map(({ seat, soFar }) => (
            <li key={seat} className="character">
              <Face chat={chat} seat={seat} />
              <div className="utterance">
                <Speaker chat={chat} seat={seat} />
                {soFar === '' ? <p className="muted">Thinking …</p> : <Markdown text={soFar} />}
              </div>
            </li>
          ))}
      <li ref={end} className="end" aria-hidden="true" />
    </ol>
  );
}

interface SpeakerProps {
  readonly chat: ChatShown;
  readonly seat: string;
}

/** The current speaker; before the first message, the first speaker. */
function personOn({ people, name }: ChatShown, seat: string): ChatShown['people'][number] {
  return people.find((person) => person.seat === seat) ?? people[0] ?? { seat, name, portrait: null };
}

/** In a group it is said who speaks. */
function Speaker({ chat, seat }: SpeakerProps) {
  return chat.people.length < 2 || seat === '' ? null : <strong className="speaker small text">{personOn(chat, seat).name}</strong>;
}

function Face({ chat, seat }: SpeakerProps) {
  const { name, portrait } = personOn(chat, seat);
  const picture = portrait === null ? undefined : address('/api/personas/own/:key/portrait', { param: { key: portrait } });
  return <Avatar name={name} size="small" {...(picture === undefined ? {} : { picture })} />;
}

interface LineProps extends LinesProps {
  readonly line: ChatSaid;
  readonly isLast: boolean;
}

function Line({ line, chat, talking, open, isLast }: LineProps) {
  const [editing, setEditing] = useState(false);
  const { who, seat, text, event, why, edited, ways } = line;
  const busy = talking.now !== null;
  const mine = who === 'user';
  const save = (draft: string) => {
    setEditing(false);
    if (event !== null && draft.trim() !== '' && draft !== text) talking.fork(event, draft, mine);
  };
  return (
    <li className={who}>
      {mine ? null : <Face chat={chat} seat={seat} />}
      <div className="utterance">
        <span className="hidden">{mine ? 'You' : personOn(chat, seat).name}: </span>
        {mine ? null : <Speaker chat={chat} seat={seat} />}
        {editing ? <Editing text={text} save={save} leave={() => setEditing(false)} /> : <Markdown text={text} />}
        {edited ? <span className="badge warn">edited by you</span> : null}
        {event === null || editing ? null : (
          <div className="row deeds">
            {ways === null ? null : <Ways ways={ways} open={open} />}
            {mine ? null : (
              <Deed label={isLast ? 'Regenerate' : 'Regenerate from here'} busy={busy} act={() => talking.fork(event)}>
                ↻
              </Deed>
            )}
            <Deed label={mine ? 'Edit message' : 'Edit this answer'} busy={busy} act={() => setEditing(true)}>
              ✎
            </Deed>
            {mine ? (
              <Deed label="Delete from here" busy={busy} act={() => talking.fork(event)}>
                ✕
              </Deed>
            ) : null}
          </div>
        )}
        {why === null ? null : <Why why={why} />}
      </div>
    </li>
  );
}

function Deed({
  label,
  busy,
  act,
  children,
}: {
  readonly label: string;
  readonly busy: boolean;
  readonly act: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button type="button" className="plain deed" aria-label={label} title={label} disabled={busy} onClick={act}>
      {children}
    </button>
  );
}

/** The other ways that the conversation went here. */
function Ways({ ways: { at, of }, open }: { readonly ways: NonNullable<ChatSaid['ways']>; readonly open: (id: string) => void }) {
  const to = (step: number) => open(of[(at + step + of.length) % of.length]!);
  return (
    <span className="ways">
      <button type="button" className="plain deed" aria-label="Previous version" onClick={() => to(-1)}>
        ‹
      </button>
      <span className="small number">
        {at + 1} / {of.length}
      </span>
      <button type="button" className="plain deed" aria-label="Next version" onClick={() => to(1)}>
        ›
      </button>
    </span>
  );
}

function Editing({ text, save, leave }: { readonly text: string; readonly save: (words: string) => void; readonly leave: () => void }) {
  const [draft, setDraft] = useState(text.replace(/\n {2}/g, '\n'));
  return (
    <form
      className="editing"
      onSubmit={(event) => {
        event.preventDefault();
        save(draft);
      }}
    >
      <label>
        <span className="hidden">New text</span>
        <textarea
          rows={3}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') leave();
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            save(draft);
          }}
        />
      </label>
      <div className="row">
        <button type="submit" className="primary">
          Save and continue
        </button>
        <button type="button" onClick={leave}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** Statements, memories, lore, mood and thought behind an answer. */
function Why({ why }: { readonly why: Because }) {
  const parts: readonly (readonly [string, readonly { readonly id: string; readonly text: string; readonly key?: string }[]])[] = [
    ['Based on', why.statements],
    ['Remembers', why.memories],
    ['Active lore', why.lore],
    ['Thought', why.thought === '' ? [] : [{ id: '', text: why.thought }]],
    ['Feels', why.mood === '' ? [] : [{ id: '', text: why.mood }]],
  ];
  const filledParts = parts.filter(([, items]) => items.length > 0);
  return (
    <details
      className="why"
      // What was asked for is not left below the fold.
      onToggle={({ currentTarget }) => currentTarget.open && currentTarget.scrollIntoView({ block: 'nearest' })}
    >
      <summary className="ask">Why did it say that?</summary>
      {filledParts.length === 0 ? <p className="muted small">No specific source: no line of the card matched.</p> : null}
      <dl>
        {filledParts.map(([label, items]) => (
          <div key={label}>
            <dt>{label}</dt>
            {items.map(({ id, text, key }) => (
              <dd key={`${id} ${text}`}>
                {id === '' ? null : <code>{id}</code>} {key === undefined ? null : <span className="badge">the key “{key}”</span>}{' '}
                <span className="text">{text}</span>
              </dd>
            ))}
          </div>
        ))}
      </dl>
      {why.prompt === null ? null : (
        <p className="muted small">
          {why.prompt.tokens} tokens, {why.prompt.stable} of them unchanged since the previous prompt.
        </p>
      )}
    </details>
  );
}
