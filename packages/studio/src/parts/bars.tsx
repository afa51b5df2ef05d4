/** @file How numbers are spread: bars over values or bins, drawn small, with the same numbers for who cannot see them. */

import type { Bar } from '@ludus-agents/servers/internal/studio/api';
import { formatGrouped } from '../format.ts';

interface BarsProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly colour?: number;
  /** What is counted. */
  readonly counts: string;
}

const [wide, tall] = [320, 110];

export function Bars({ label, bars, colour = 1, counts }: BarsProps) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const each = Math.min(48, (wide - 20) / Math.max(1, bars.length));
  const first = (wide - each * bars.length) / 2;
  const heightOf = ({ count }: Bar) => (count === 0 ? 0 : Math.max(2, (count / most) * (tall - 18)));
  const number = (value: number) => String(Number(value.toPrecision(3))).replace('-', '−');
  const barName = ({ from, to }: Bar) => (from === to ? number(from) : `${number(from)} to ${number(to)}`);
  const left = (i: number) => first + i * each;
  // A bar of one value stands over it; bins stand between the values where they begin and end.
  const marks = bars.every(({ from, to }) => from === to)
    ? bars.map(({ from }, i) => ({ value: from, x: left(i + 0.5) }))
    : [...bars.map(({ from }, i) => ({ value: from, x: left(i) })), { value: bars.at(-1)?.to ?? 0, x: left(bars.length) }];
  const labels = marks.length <= 7 ? marks : [marks[0]!, marks[Math.floor(marks.length / 2)]!, marks.at(-1)!];
  const highest = bars.findIndex(({ count }) => count === most);
  const isCounted = bars.length <= 7;
  return (
    <figure className="bars">
      <figcaption>
        {label} <span className="muted">({counts} on the y-axis)</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${wide} ${tall + 22}`}
        role="img"
        aria-label={`${label}: ${bars.map((bar) => `${barName(bar)} ${bar.count} times`).join(', ')}`}
      >
        <line className="axis" x1="10" x2={wide - 10} y1={tall} y2={tall} />
        {bars.map((bar, i) => {
          const high = heightOf(bar);
          return (
            <rect
              key={`${bar.from} ${bar.to}`}
              className={`curve-${colour}`}
              x={left(i) + 1}
              width={Math.max(1, each - 2)}
              y={tall - high}
              height={high}
              rx="2"
            >
              <title>{`${barName(bar)}: ${formatGrouped(bar.count)}`}</title>
            </rect>
          );
        })}
        {bars.map((bar, i) =>
          isCounted || i === highest ? (
            <text key={`${bar.from} ${bar.to}`} x={left(i + 0.5)} y={tall - heightOf(bar) - 4} textAnchor="middle">
              {formatGrouped(bar.count)}
            </text>
          ) : null,
        )}
        {labels.map(({ value, x }) => (
          <text key={value} x={x} y={tall + 15} textAnchor={x < 24 ? 'start' : x > wide - 24 ? 'end' : 'middle'}>
            {number(value)}
          </text>
        ))}
      </svg>
    </figure>
  );
}
