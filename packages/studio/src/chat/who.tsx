/** @file Whose memory or lorebook is shown, where several take part in a conversation. */

import type { ChatShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';

/** The seat that is looked at: the first of them until another is chosen. */
export function useWho({ people }: Pick<ChatShown, 'people'>): readonly [string, (seat: string) => void] {
  const [chosen, setChosen] = useState('');
  return [people.find((one) => one.seat === chosen)?.seat ?? people[0]?.seat ?? '', setChosen];
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
        {people.map((one) => (
          <option key={one.seat} value={one.seat}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  );
}
