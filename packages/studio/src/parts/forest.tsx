/** @file Means with their intervals on one axis: a dot and a bar for each line, and the floor where there is one. */

import { lookOf } from '../colours.ts';
import { formatSigned, roundTicks } from '../format.ts';

export interface Mark {
  readonly label: string;
  /** Whose it is, where the label says more: each agent has its look. */
  readonly agent?: string;
  readonly value: number;
  readonly interval: readonly [number, number] | null;
}

interface ForestProps {
  readonly label: string;
  readonly marks: readonly Mark[];
  /** A line to compare with, like 0 or the floor. */
  readonly line?: number | undefined;
  /** Values from 0 to 1, written as points of a hundred. */
  readonly points?: boolean;
  /** Two drawings share a line, so each has half of the room. */
  readonly halved?: boolean;
}

export function Forest({ label, marks, line, points = false, halved = false }: ForestProps) {
  // Letters keep their size on a phone, so there the drawing has fewer of them. Names that are too long for the left side stand above their bars.
  const [wide, side, fewLetters, mostLetters] =
    innerWidth < 640 ? [360, 150, 20, 48] : innerWidth < 1000 || halved ? [640, 190, 24, 88] : [1180, 340, 46, 160];
  const isStacked = marks.some((mark) => mark.label.length > fewLetters);
  const [left, row, letters] = isStacked ? [0, 46, mostLetters] : [side, 30, fewLetters];
  const ends = marks.flatMap(({ value, interval }) => [value, ...(interval ?? [])]);
  const [lowest, highest] = points ? [0, 1] : [Math.min(...ends, line ?? Infinity), Math.max(...ends, line ?? -Infinity)];
  // Where all values are the same, they stand in the middle of an axis that has some length.
  const ticks = lowest === highest ? roundTicks(lowest - 1, highest + 1) : roundTicks(lowest, highest);
  const [low, high] = [ticks[0]!, ticks.at(-1)!];
  const span = high - low;
  const x = (value: number) => left + 10 + ((Math.min(high, Math.max(low, value)) - low) / span) * (wide - left - 30);
  const plain = (value: number) => String(Number(value.toPrecision(4))).replace('-', '−');
  const formatValue = (value: number) => (points ? (100 * value).toFixed(1) : line === 0 ? formatSigned(value, 3) : plain(value));
  const formatTick = (tick: number) => (points ? String(Math.round(100 * tick)) : line === 0 ? formatSigned(tick, 6) : plain(tick));
  const labelOf = ({ label: name, value, interval }: Mark) =>
    `${name}: ${formatValue(value)}${interval === null ? '' : `, 95% CI ${formatValue(interval[0])} to ${formatValue(interval[1])}`}`;
  const height = marks.length * row + 30;
  return (
    <figure className="forest">
      <figcaption>{label}</figcaption>
      <svg viewBox={`0 0 ${wide} ${height}`} role="img" aria-label={`${label}. ${marks.map(labelOf).join('; ')}`}>
        <line className="axis" x1={left + 10} x2={wide - 20} y1={height - 24} y2={height - 24} />
        {line === undefined ? null : <line className="floor" x1={x(line)} x2={x(line)} y1="2" y2={height - 24} />}
        {ticks
          .filter((tick, i) => wide > 400 || ticks.length < 5 || i % 2 === 0 || tick === line)
          .map((tick) => (
            <text
              key={tick}
              className="tick"
              x={x(tick)}
              y={height - 8}
              textAnchor={tick === low ? 'start' : tick === high ? 'end' : 'middle'}
            >
              {formatTick(tick)}
            </text>
          ))}
        {marks.map((mark, i) => {
          const y = i * row + (isStacked ? 32 : row / 2);
          const { colour, kind } = lookOf(mark.agent ?? mark.label);
          return (
            <g key={mark.label} className={`curve-${colour}`}>
              <title>{labelOf(mark)}</title>
              <text className="name" x={isStacked ? 10 : left} y={isStacked ? y - 14 : y + 4} textAnchor={isStacked ? 'start' : 'end'}>
                {mark.label.length > letters ? `${mark.label.slice(0, letters - 1)}…` : mark.label}
              </text>
              {mark.interval === null ? null : <line className="bar" x1={x(mark.interval[0])} x2={x(mark.interval[1])} y1={y} y2={y} />}
              <path className="dot-mark" d={shapes[kind % shapes.length]} transform={`translate(${x(mark.value)} ${y})`} />
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

/** Marks of the same colour: round, square, a diamond, a triangle. */
const shapes = [
  'M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0z',
  'M-5 -5h10v10h-10z',
  'M0 -7l7 7l-7 7l-7 -7z',
  'M0 -6.5l6.5 11.5h-13z',
] as const;
