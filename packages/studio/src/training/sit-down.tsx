/** @file A chair at the table of a pupil: one press, and the first hand is dealt. Who sits down is the last checkpoint, the one whose numbers are shown. */

import type { TrainingDetail } from '@ludus-agents/servers/internal/studio/api';
import { post, useAction } from '../client.ts';
import { Problem } from '../parts/states.tsx';
import { go, link } from '../router.ts';

interface SitDownProps {
  readonly detail: Pick<TrainingDetail, 'name' | 'environments' | 'seats' | 'checkpoints'>;
}

export function SitDown({ detail: { name, environments, seats, checkpoints } }: SitDownProps) {
  const { busy, error, run } = useAction();
  const [mine, ...others] = seats;
  const [environment] = environments;
  if (
    environment === undefined ||
    mine === undefined ||
    others.length === 0 ||
    checkpoints.every((checkpoint) => checkpoint.name !== 'last')
  )
    return null;
  const sit = () =>
    run(async () => {
      const cast = Object.fromEntries([[mine, 'human'], ...others.map((seat) => [seat, `local/${name}@last`])]) as Record<string, string>;
      const { episode } = await post('/api/play', { json: { environment, cast, pace: 350 } });
      go(link('seat', episode, mine));
    });
  return (
    <>
      <button type="button" className="primary large" disabled={busy} onClick={sit}>
        {busy ? 'Dealing …' : 'Play against your agent'}
      </button>
      <Problem error={error} />
    </>
  );
}
