/** @file What the characters of a conversation remember, each memory to be rewritten, taken back, or added; changes apply to the next answer. */

import type { ChatShown, MemoryEdits, MemoryShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { useApi } from '../client.ts';
import { link } from '../router.ts';
import { BeliefGraph } from '../stage/belief-graph.tsx';
import { MemoryGraph } from '../stage/memory-graph.tsx';
import type { Talking } from './talking.ts';
import { useWho, Who } from './who.tsx';

interface RememberedProps {
  readonly chat: ChatShown;
  readonly talking: Talking;
}

export function Remembered({ chat, talking }: RememberedProps) {
  const [seat, choose] = useWho(chat);
  return (
    <section className="card remembered" aria-label="Memories">
      <h2>Memories</h2>
      <Who chat={chat} seat={seat} choose={choose} />
      {chat.model === null ? (
        <p className="muted small">Scripted replies don’t use memory.</p>
      ) : (
        <Mind key={seat} chat={chat} seat={seat} talking={talking} />
      )}
      <a className="small" href={link('e', chat.id)}>
        Open full trace
      </a>
    </section>
  );
}

/** The mind after the last answer, with later changes. */
function Mind({ chat, seat, talking }: RememberedProps & { readonly seat: string }) {
  const at = chat.lines.findLast((line) => line.seat === seat && line.event !== null)?.event ?? null;
  const { loaded } = useApi('/api/episodes/:id/events/:index', at === null ? null : { param: { id: chat.id, index: String(at) } });
  const inside = loaded.state === 'ready' && at !== null ? loaded.data.inside : null;
  const edits = chat.memories[seat] ?? {};
  const edit = (id: string, text: string | null) => talking.change({ memories: { ...chat.memories, [seat]: { ...edits, [id]: text } } });
  const memories = withEdits(inside?.memories ?? [], edits);
  const [more, setMore] = useState('');
  return (
    <>
      {inside === null || inside.memo === '' ? null : <p className="text small">{inside.memo}</p>}
      <BeliefGraph memories={memories} />
      {memories.some(({ evidence }) => evidence.length > 0) ? (
        <details>
          <summary>Sources as a graph</summary>
          <MemoryGraph memories={memories} />
        </details>
      ) : null}
      {memories.length === 0 ? <p className="muted small">Nothing yet.</p> : null}
      <ul className="memories">
        {memories.map((memory) => (
          <Kept key={memory.id} memory={memory} edit={edit} isChanged={edits[memory.id] !== undefined} />
        ))}
      </ul>
      {at === null ? null : (
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            if (more.trim() !== '') edit(newId(memories), more.trim());
            setMore('');
          }}
        >
          <label className="grow">
            <span className="hidden">Add a memory</span>
            <input value={more} maxLength={8000} placeholder="Add a memory" onChange={(event) => setMore(event.target.value)} />
          </label>
          <button type="submit" disabled={more.trim() === ''}>
            Remember
          </button>
        </form>
      )}
    </>
  );
}

interface KeptProps {
  readonly memory: MemoryShown;
  readonly edit: (id: string, text: string | null) => void;
  readonly isChanged: boolean;
}

function Kept({ memory: { id, kind, text, used, gone }, edit, isChanged }: KeptProps) {
  const [draft, setDraft] = useState<string | null>(null);
  if (draft !== null)
    return (
      <li>
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            if (draft.trim() !== '' && draft !== text) edit(id, draft.trim());
            setDraft(null);
          }}
        >
          <label className="grow">
            <span className="hidden">Memory {id}</span>
            <input value={draft} maxLength={8000} onChange={(event) => setDraft(event.target.value)} />
          </label>
          <button type="submit">Save</button>
        </form>
      </li>
    );
  return (
    <li className="small">
      <span className="badge">{kind}</span> {gone ? <s className="text">{text}</s> : <span className="text">{text}</span>}{' '}
      {used ? <span className="badge good">in the last prompt</span> : null}
      {isChanged ? <span className="badge warn">starting with the next answer</span> : null}
      {gone ? null : (
        <>
          <button type="button" className="plain deed" aria-label={`Rewrite memory ${id}`} title="Rewrite" onClick={() => setDraft(text)}>
            ✎
          </button>
          <button type="button" className="plain deed" aria-label={`Remove memory ${id}`} title="Remove" onClick={() => edit(id, null)}>
            ✕
          </button>
        </>
      )}
    </li>
  );
}

/** As it will be for the next answer. */
function withEdits(memories: readonly MemoryShown[], edits: MemoryEdits): readonly MemoryShown[] {
  const changed = memories.map((memory) => {
    const text = edits[memory.id];
    return text === undefined ? memory : text === null ? { ...memory, gone: true } : { ...memory, text };
  });
  const added = Object.entries(edits).flatMap(([id, text]): readonly MemoryShown[] =>
    text === null || memories.some((memory) => memory.id === id)
      ? []
      : [{ id, kind: 'fact', text, used: false, evidence: [], gone: false }],
  );
  return [...changed, ...added];
}

function newId(memories: readonly MemoryShown[]): string {
  let number = 1;
  while (memories.some(({ id }) => id === `you${number}`)) number++;
  return `you${number}`;
}
