/** @file Fork here: change a seat, an answer or the dice, and play on from before an event. */

import type { EpisodeShown, EventShown, ForkRequest } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { post, useAction, useApi } from '../client.ts';
import { AgentField } from '../parts/agent-field.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { DiceField, diceIn } from '../parts/dice-field.tsx';
import { Problem } from '../parts/states.tsx';
import { go, link } from '../router.ts';

interface ForkProps {
  readonly episode: EpisodeShown;
  readonly item: EventShown;
  readonly close: () => void;
}

export function ForkDialog({ episode, item: { event, index }, close }: ForkProps) {
  const action = event.kind === 'action' ? event : null;
  const [cast, setCast] = useState<Readonly<Record<string, string>>>({});
  const [answer, setAnswer] = useState(action?.action.text ?? '');
  const [dice, setDice] = useState('');
  const { loaded } = useApi('/api/environments', {});
  const { busy, error, run } = useAction();
  const changed = Object.fromEntries(Object.entries(cast).filter(([, agent]) => agent !== ''));
  // An agent that takes over the seat gives its own answer, so the old one is not offered.
  const isTaken = action !== null && changed[action.seat] !== undefined;
  const other = action !== null && !isTaken && answer !== action.action.text && answer.trim() !== '';
  const submit = () =>
    run(async () => {
      const wanted: ForkRequest = { at: index, cast: changed, ...diceIn(dice), ...(other ? { answer } : {}) };
      const { episode: branch } = await post('/api/episodes/:id/fork', { param: { id: episode.id }, json: wanted });
      close();
      const [seat] = Object.entries(changed).find(([, agent]) => agent === 'human') ?? [];
      go(seat === undefined ? link('branches', episode.id, branch) : link('seat', branch, seat));
    });
  return (
    <Dialog title={`Fork before event ${index}`} close={close}>
      <form className="fork" action={submit}>
        <p className="muted small">Everything before this event stays the same. The branch is a new episode.</p>
        {action === null || isTaken ? null : (
          <label className="field">
            <span>{action.seat} answers instead</span>
            <textarea rows={3} value={answer} onChange={(change) => setAnswer(change.target.value)} />
          </label>
        )}
        <div className="fields">
          {episode.seats.map((seat) => (
            <AgentField
              key={seat}
              seat={seat}
              castable={episode.castable}
              characters={loaded.state === 'ready' ? loaded.data.characters : []}
              value={cast[seat] ?? ''}
              otherwise={`as before (${episode.cast[seat]})`}
              choose={(agent) => setCast((before) => ({ ...before, [seat]: agent }))}
            />
          ))}
          <DiceField label="Seed" otherwise="as before" value={dice} set={setDice} />
        </div>
        <Problem error={error} />
        <div className="row">
          <button type="submit" className="primary" disabled={busy}>
            {busy ? 'Forking …' : 'Fork and continue'}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
