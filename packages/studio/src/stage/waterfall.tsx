/** @file The calls of an episode one below the other, each as long as it took: where the time went. */

import type { EventShown } from '@ludus-agents/servers/internal/studio/api';
import { count, formatGrouped } from '../format.ts';
import { link } from '../router.ts';

interface Bar {
  readonly event: number;
  readonly seat: string;
  readonly model: string;
  readonly from: number;
  readonly took: number;
}

/** Longer lists are shown by their slowest. */
const most = 60;

export function Waterfall({ items, episode }: { readonly items: readonly EventShown[]; readonly episode: string }) {
  const bars: Bar[] = [];
  let clock = 0;
  for (const { index, event } of items)
    if (event.kind === 'action')
      for (const { milliseconds, model } of event.calls ?? []) {
        if (milliseconds === undefined) continue;
        bars.push({ event: index, seat: event.seat, model, from: clock, took: milliseconds });
        clock += milliseconds;
      }
  if (bars.length === 0) return null;
  const least = bars.map(({ took }) => took).sort((a, b) => b - a)[most - 1] ?? 0;
  const visibleBars = bars.filter(({ took }) => bars.length <= most || took >= least).slice(0, most);
  const whole = Math.max(1, clock);
  return (
    <section aria-label="Calls by time">
      <h2>Latency</h2>
      <p className="small muted">
        {count(bars.length, 'call')}, {(clock / 1000).toFixed(1)} s of waiting for models
        {visibleBars.length < bars.length ? '; the slowest are shown' : ''}.
      </p>
      <ol className="waterfall">
        {visibleBars.map(({ event, seat, model, from, took }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: calls are numbered.
          <li key={i}>
            <a href={link('e', episode, event)} title={model}>
              {event} {seat}
            </a>
            <span className="track" role="img" aria-label={`${model}: ${took} ms, after ${from} ms`}>
              <span className="took" style={{ marginLeft: `${(100 * from) / whole}%`, width: `${Math.max(0.5, (100 * took) / whole)}%` }} />
            </span>
            <span className="number small">{formatGrouped(took)} ms</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
