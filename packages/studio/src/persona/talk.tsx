/** @file The test chat beside the editor: talk with the draft as it stands, and ask each answer why. It is a conversation like any other, and kept. */

import type { ChatShown, Persona } from '@ludus-agents/servers/internal/studio/api';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Lines } from '../chat/lines.tsx';
import { Say } from '../chat/say.tsx';
import { NoModel } from '../chat/settings.tsx';
import { useTalking } from '../chat/talking.ts';
import { get, getOnceBack, post, put, useAction } from '../client.ts';
import { useKept } from '../kept.ts';
import { ModelField } from '../parts/model.tsx';
import { Problem } from '../parts/states.tsx';
import { link } from '../router.ts';
import '../chat/chat.css';

/** `name` keeps the conversations of one document apart from those of others. */
export function Talk({ persona, name }: { readonly persona: Persona; readonly name: string }) {
  const [savedChat, keep] = useKept<string | null>(`talk ${name}`, null);
  const [model, setModel] = useKept('chat model', '');
  const [chat, setChat] = useState<ChatShown | null>(null);
  const { busy, error, run } = useAction();
  const waiting = useRef<string | null>(null);
  const lastPersona = useRef('');
  const personaJson = JSON.stringify(persona);
  const went = useCallback(
    (next: ChatShown) => {
      setChat(next);
      keep(next.id);
    },
    [keep],
  );
  const talking = useTalking(chat, went);
  // What was said here before is still here.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read once.
  useEffect(() => {
    if (savedChat === null) return;
    const leave = new AbortController();
    getOnceBack('/api/chats/:id', { param: { id: savedChat } }, leave.signal, () => {}).then(setChat, () => {
      if (!leave.signal.aborted) keep(null);
    });
    return () => leave.abort();
  }, []);
  const begin = () =>
    run(async () => {
      lastPersona.current = personaJson;
      went(await post('/api/chats', { json: { persona, ...(model === '' ? {} : { model }) } }));
    });
  const say = (text: string) => {
    if (chat === null || chat.over) {
      waiting.current = text;
      begin();
      return;
    }
    run(async () => {
      // The draft and the model may have changed since the last word.
      if (lastPersona.current !== personaJson || (chat.model ?? '') !== model)
        await put('/api/chats/:id', { param: { id: chat.id }, json: { persona, model: model === '' ? 'none' : model } });
      lastPersona.current = personaJson;
      talking.say(text);
    });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: words that waited for the beginning are said once there is one.
  useEffect(() => {
    if (chat === null || waiting.current === null) return;
    const text = waiting.current;
    waiting.current = null;
    talking.say(text);
  }, [chat]);
  return (
    <section className="card talk" aria-label="Test chat">
      <header className="row">
        <h2>Talk with {persona.name || 'it'}</h2>
        <button type="button" className="small" disabled={busy} onClick={begin}>
          {chat === null ? 'Start' : 'Start over'}
        </button>
      </header>
      <ModelField label="Model" none="Scripted replies (no model)" value={model} change={(name) => setModel(name === '' ? null : name)} />
      {model === '' ? <NoModel name={persona.name} /> : null}
      {chat === null ? null : (
        <Lines chat={chat} talking={talking} open={(id) => run(async () => went(await get('/api/chats/:id', { param: { id } })))} />
      )}
      <Problem error={error ?? talking.error} />
      <Say name={`beside ${name}`} talking={{ ...talking, say }} over={false} />
      {chat === null ? null : (
        <div className="row small">
          <a href={link('chat', chat.id)}>Continue in the chat</a>
          <a href={link('e', chat.id)}>Open episode</a>
        </div>
      )}
    </section>
  );
}
