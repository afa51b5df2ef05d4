/** @file An episode on the page: what is known about it, and its events as they come. */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import type { EpisodeShown, EventShown } from '@ludus-agents/servers/internal/studio/api';
import { useEffect, useMemo } from 'react';
import { address, type Loading, useApi } from '../client.ts';
import { type Line, useStream } from '../stream.ts';

export interface Followed {
  readonly episode: Loading<EpisodeShown>;
  readonly items: readonly EventShown[];
  readonly line: Line;
}

const isEnd = ({ event }: EventShown) => event.kind === 'end';

/** Follows an episode from the view of all seats, or of one seat. */
export function useEpisode(id: string, seat: Seat | null): Followed {
  const episode = useApi('/api/episodes/:id', { param: { id } });
  const isReady = episode.loaded.state === 'ready';
  const { items, line } = useStream<EventShown>(
    isReady ? address('/api/episodes/:id/stream', { param: { id }, query: seat === null ? {} : { seat } }) : null,
    isEnd,
  );
  const ended = line === 'done';
  const running = episode.loaded.state === 'ready' && episode.loaded.data.status === 'running';
  const { reload } = episode;
  useEffect(() => {
    if (ended && running) reload();
  }, [ended, running, reload]);
  return useMemo(() => ({ episode, items, line }), [episode, items, line]);
}
