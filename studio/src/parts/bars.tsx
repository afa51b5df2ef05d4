/** @file How numbers are spread: bars over values or bins, drawn small, with the same numbers for who cannot see them. */

import type { Bar } from '../../../src/servers/studio/api.ts';
import { formatGrouped } from '../format.ts';

interface BarsProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly colour?: number;
}

const [wide, tall] = [320, 110];

export function Bars({ label, bars, colour = 1 }: BarsProps) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const each = Math.min(48, (wide - 20) / Math.max(1, bars.length));
  const first = (wide - each * bars.length) / 2;
  const number = (value: number) => String(Number(value.toPrecision(3))).replace('-', '−');
  const barName = ({ from, to }: Bar) => (from === to ? number(from) : `${number(from)} to ${number(to)}`);
  const marked = bars.length <= 7 ? bars.map((_, i) => i) : [0, Math.floor(bars.length / 2), bars.length - 1];
  return (
    <figure className="bars">
      <figcaption>{label}</figcaption>
      <svg
        viewBox={`0 0 ${wide} ${tall + 22}`}
        role="img"
        aria-label={`${label}: ${bars.map((bar) => `${barName(bar)} ${bar.count} times`).join(', ')}`}
      >
        <line className="axis" x1="10" x2={wide - 10} y1={tall} y2={tall} />
        {bars.map((bar, i) => {
          const high = bar.count === 0 ? 0 : Math.max(2, (bar.count / most) * (tall - 16));
          return (
            <rect
              key={`${bar.from} ${bar.to}`}
              className={`curve-${colour}`}
              x={first + i * each + 1}
              width={Math.max(1, each - 2)}
              y={tall - high}
              height={high}
              rx="2"
            >
              <title>{`${barName(bar)}: ${formatGrouped(bar.count)}`}</title>
            </rect>
          );
        })}
        {marked.map((i) => (
          <text key={i} x={first + (i + 0.5) * each} y={tall + 15} textAnchor="middle">
            {number((bars[i]!.from + bars[i]!.to) / 2)}
          </text>
        ))}
      </svg>
    </figure>
  );
}
