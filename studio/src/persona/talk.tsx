/** @file The test chat beside the editor: talk with the draft as it stands, and ask each answer why. */

import { useEffect, useRef, useState } from 'react';
import type { Because, Persona, TalkShown } from '../../../src/servers/studio/api.ts';
import { post, useAction } from '../client.ts';
import { Avatar } from '../parts/avatar.tsx';
import { ModelField } from '../parts/model.tsx';
import { Problem } from '../parts/states.tsx';
import { link } from '../router.ts';

export function Talk({ persona }: { readonly persona: Persona }) {
  const [talk, setTalk] = useState<{ readonly shown: TalkShown; readonly hash: string } | null>(null);
  const [typed, setTyped] = useState('');
  const [model, setModel] = useState('');
  const { busy, error, run } = useAction();
  const drawn = JSON.stringify(persona);
  const lines = talk?.shown.lines ?? [];
  const ask = (body: object) =>
    run(async () => {
      const shown = await post('/api/personas/chat', { json: { persona, ...(model === '' ? {} : { model }), ...body } });
      setTalk((before) => ({ shown, hash: before === null || before.shown.episode !== shown.episode ? drawn : before.hash }));
      setTyped('');
    });
  const say = () => {
    const text = typed.trim();
    if (text !== '') ask(talk === null || talk.shown.over ? { text } : { text, episode: talk.shown.episode });
  };
  return (
    <section className="card talk" aria-label="Test chat">
      <header className="row">
        <h2>Talk with {persona.name || 'it'}</h2>
        <button type="button" className="small" disabled={busy} onClick={() => ask({})}>
          {talk === null ? 'Begin' : 'Begin again'}
        </button>
      </header>
      <ModelField label="Played by" none="the lines on the card" value={model} change={setModel} />
      {talk !== null && talk.hash !== drawn ? (
        <p className="muted small">The draft has changed since this talk began; without a model, begin again to hear it.</p>
      ) : null}
      <Said lines={lines} name={persona.name} />
      <Problem error={error} />
      <form
        className="row say"
        onSubmit={(event) => {
          event.preventDefault();
          say();
        }}
      >
        <label className="grow">
          <span className="hidden">What you say</span>
          <input value={typed} onChange={(event) => setTyped(event.target.value)} placeholder="Say something" maxLength={8000} />
        </label>
        <button type="submit" className="primary" disabled={busy || typed.trim() === ''}>
          {busy ? '…' : 'Say'}
        </button>
      </form>
      {talk === null ? null : (
        <a className="small" href={link('e', talk.shown.episode)}>
          See it on the stage
        </a>
      )}
    </section>
  );
}

function Said({ lines, name }: { readonly lines: TalkShown['lines']; readonly name: string }) {
  const end = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (lines.length > 1) end.current?.scrollIntoView({ block: 'nearest' });
  }, [lines.length]);
  return (
    <ol className="said" aria-live="polite">
      {lines.map(({ who, text, at, why }) => (
        <li key={at} className={who}>
          {who === 'character' ? <Avatar name={name} size="small" /> : null}
          <div className="bubble">
            <p className="text">
              <span className="hidden">{who === 'character' ? name : 'You'}: </span>
              {text}
            </p>
            {why === null ? null : <Why why={why} />}
          </div>
        </li>
      ))}
      <li ref={end} className="end" aria-hidden="true" />
    </ol>
  );
}

/** Statements, memories, lore, mood and thought behind an answer. */
function Why({ why }: { readonly why: Because }) {
  const parts: readonly (readonly [string, readonly { readonly id: string; readonly text: string }[]])[] = [
    ['Rests on', why.statements],
    ['Remembers', why.memories],
    ['Lore', why.lore],
    ['Thought', why.thought === '' ? [] : [{ id: '', text: why.thought }]],
    ['Feels', why.mood === '' ? [] : [{ id: '', text: why.mood }]],
  ];
  const known = parts.filter(([, items]) => items.length > 0);
  return (
    <details className="why">
      <summary className="ask">Why did it say that?</summary>
      {known.length === 0 ? <p className="muted small">Nothing in particular: no line of the card was near.</p> : null}
      <dl>
        {known.map(([label, items]) => (
          <div key={label}>
            <dt>{label}</dt>
            {items.map(({ id, text }) => (
              <dd key={`${id} ${text}`}>
                {id === '' ? null : <code>{id}</code>} <span className="text">{text}</span>
              </dd>
            ))}
          </div>
        ))}
      </dl>
      {why.prompt === null ? null : (
        <p className="muted small">
          {why.prompt.tokens} tokens, {why.prompt.stable} of them as in the prompt before.
        </p>
      )}
    </details>
  );
}
