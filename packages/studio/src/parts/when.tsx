/** @file Times and durations as people read them: how long ago, with the whole date behind it. */

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export function relativeTime(time: number, now = Date.now()): string {
  const span = now - time;
  if (span > 14 * 86_400_000) return new Date(time).toLocaleDateString('en', { year: 'numeric', month: 'short', day: 'numeric' });
  const [unit, size] = units.find(([, size]) => span >= size) ?? [];
  return unit === undefined || size === undefined ? 'just now' : relative.format(-Math.floor(span / size), unit);
}

/** Null is a time that is unknown. */
export function Time({ at }: { readonly at: number | null }) {
  if (at === null || at === 0) return <span className="muted">–</span>;
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {relativeTime(at)}
    </time>
  );
}

export function duration(milliseconds: number): string {
  if (milliseconds > 0 && milliseconds < 500) return '< 1 s';
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
