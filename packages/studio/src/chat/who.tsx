/** @file Whose memory or lorebook is shown, where several take part in a conversation. */

import type { ChatShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';

/** The seat that is looked at: the first of them until another is chosen. */
export function useWho({ people }: Pick<ChatShown, 'people'>): readonly [string, (seat: string) => void] {
  const [chosenSeat, setChosenSeat] = useState('');
  return [people.find((person) => person.seat === chosenSeat)?.seat ?? people[0]?.seat ?? '', setChosenSeat];
}

interface WhoProps {
  readonly chat: Pick<ChatShown, 'people'>;
  readonly seat: string;
  readonly choose: (seat: string) => void;
}

export function Who({ chat: { people }, seat, choose }: WhoProps) {
  if (people.length < 2) return null;
  return (
    <label className="row small">
      <span>Who</span>
      <select value={seat} onChange={(event) => choose(event.target.value)}>
        {people.map((person) => (
          <option key={person.seat} value={person.seat}>
            {person.name}
          </option>
        ))}
      </select>
    </label>
  );
}
