/** @file The lorebook of a conversation: entries and their triggers, edited next to the chat; changes apply to the next answer. */

import type { ChatShown, Persona } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { useApi } from '../client.ts';
import { When } from '../parts/states.tsx';
import { LorebookPart } from '../persona/lorebook.tsx';
import type { Talking } from './talking.ts';
import { useWho, Who } from './who.tsx';

interface LoreProps {
  readonly chat: ChatShown;
  readonly talking: Talking;
}

export function Lore({ chat, talking }: LoreProps) {
  const [open, setOpen] = useState(false);
  const [seat, choose] = useWho(chat);
  const { loaded, reload } = useApi('/api/chats/:id/people', open ? { param: { id: chat.id } } : null);
  return (
    <details className="card lore" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Lorebook</h2>
      </summary>
      {open ? (
        <>
          <Who chat={chat} seat={seat} choose={choose} />
          <When loaded={loaded} what="lorebook" retry={reload}>
            {(people) => {
              const persona = people[seat];
              return persona === undefined ? null : <Book key={seat} {...{ persona, seat, talking }} />;
            }}
          </When>
        </>
      ) : null}
    </details>
  );
}

interface BookProps {
  readonly persona: Persona;
  readonly seat: string;
  readonly talking: Talking;
}

function Book({ persona, seat, talking }: BookProps) {
  const [savedPersona, setSavedPersona] = useState(persona);
  const [now, setNow] = useState(persona);
  const hold = () => {
    talking.change({ lore: { [seat]: now.lore } });
    setSavedPersona(now);
  };
  return (
    <>
      <LorebookPart persona={now} change={setNow} />
      <button type="button" disabled={now === savedPersona} onClick={hold}>
        Apply the lorebook
      </button>
      <p className="muted small">For this conversation only. The card is not changed.</p>
    </>
  );
}
