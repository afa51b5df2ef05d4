/** @file The stock of a commons over its rounds, with what each seat has taken in all. */

import type { Picture } from '@ludus-agents/servers/internal/studio/api';

const [width, height, left, bottom] = [300, 130, 30, 18] as const;

export function Stock({ picture: { stock, capacity, takes } }: { readonly picture: Extract<Picture, { kind: 'stock' }> }) {
  const wide = (width - left - 6) / Math.max(12, stock.length);
  const tall = (amount: number) => (amount / capacity) * (height - bottom - 8);
  return (
    <div className="stock">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`The stock round by round: ${stock.join(', ')} of ${capacity}.`}>
        <text x="0" y="12">
          {capacity}
        </text>
        <text x="0" y={height - bottom}>
          0
        </text>
        <line x1={left} x2={width} y1={height - bottom} y2={height - bottom} />
        {stock.map((amount, i) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: rounds are numbered.
            key={i}
            className={i === stock.length - 1 ? 'now' : ''}
            x={left + i * wide + 1}
            y={height - bottom - tall(amount)}
            width={Math.max(1, wide - 2)}
            height={tall(amount)}
          />
        ))}
        <text x={left} y={height - 4}>
          round {stock.length} · {stock.at(-1)} left
        </text>
      </svg>
      <ul>
        {Object.entries(takes).map(([seat, amounts]) => (
          <li key={seat}>
            <strong>{seat}</strong> <span className="number">{amounts.reduce((sum, amount) => sum + amount, 0)}</span>{' '}
            <span className="muted small">last {amounts.at(-1) ?? '–'}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
