/** @file What a search tried before it moved, as a tree from left to right: a line is as thick as a move was tried often, and what it is worth stands beside it. */

import type { SearchShown } from '@ludus-agents/servers/internal/studio/api';
import { formatGrouped, formatSigned } from '../format.ts';
import './inside.css';

type Tried = SearchShown['moves'][number];

interface Spot {
  readonly tried: Tried;
  readonly x: number;
  readonly y: number;
  readonly from: { readonly x: number; readonly y: number };
  readonly isMade: boolean;
}

const [across, down, left, letters] = [150, 24, 18, 12] as const;
/** Moves of the first step that are drawn; all of them stand in the table. */
const most = 8;

export function SearchTree({ search }: { readonly search: SearchShown }) {
  const { strategy, exact, moves, made } = search;
  const total = moves.reduce((sum, { visits }) => sum + visits, 0);
  const visibleMoves = moves.filter(({ move }, i) => i < most || move === made);
  const { spots, height, deep } = layOut(visibleMoves, made);
  const thick = (visits: number) => 1 + 7 * (visits / Math.max(1, ...moves.map((move) => move.visits)));
  const summary = visibleMoves
    .map(({ move, visits, value }) => `${move} worth ${formatSigned(value, 2)}, tried ${visits} times`)
    .join('; ');
  return (
    <figure className="search-tree">
      <svg
        viewBox={`0 0 ${left + across * (deep + 1)} ${height + 8}`}
        role="img"
        aria-label={`What ${strategy} tried before ${made}: ${summary}.`}
      >
        <circle cx={left - 8} cy={height / 2} r="4" />
        {spots.map(({ tried, x, y, from, isMade }) => (
          <g key={`${x} ${y}`} className={isMade ? 'made' : ''}>
            <path
              d={`M ${from.x} ${from.y} C ${from.x + 24} ${from.y}, ${x - 32} ${y}, ${x - 6} ${y}`}
              strokeWidth={thick(tried.visits)}
              fill="none"
            />
            <text x={x} y={y + 4}>
              {tried.move.length > letters ? `${tried.move.slice(0, letters - 1)}…` : tried.move} {formatSigned(tried.value, 2)}
              <title>{titleOf(tried)}</title>
            </text>
          </g>
        ))}
      </svg>
      <figcaption className="small muted">
        {strategy}, {formatGrouped(total)} tries {exact ? 'of the exact position' : 'of positions that are possible'}. Thicker lines were
        tried more often. The number next to an action is its value for the seat.
      </figcaption>
      <details>
        <summary>Show as table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">move</th>
              <th scope="col">tried</th>
              <th scope="col">worth</th>
            </tr>
          </thead>
          <tbody>
            {moves.map(({ move, visits, value }) => (
              <tr key={move} className={move === made ? 'chosen' : ''}>
                <th scope="row">{move}</th>
                <td className="number">{formatGrouped(visits)}</td>
                <td className="number">{formatSigned(value, 3)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function titleOf({ move, value, visits, by, words }: Tried): string {
  const whose = by === undefined ? '' : ` by ${by}`;
  return `${move}${whose}: worth ${formatSigned(value, 3)}, tried ${formatGrouped(visits)} times${words === undefined ? '' : `. ${words}`}`;
}

/** As much of a tree as can be read: what was tried most, two replies deep. */
function often({ next = [] }: Tried, depth: number): readonly Tried[] {
  return depth > 1 ? [] : next.slice(0, 3);
}

/** Leaves stand below each other; a move stands in the middle of those that follow it. */
function layOut(moves: readonly Tried[], chosenMove: string): { spots: readonly Spot[]; height: number; deep: number } {
  const spots: Spot[] = [];
  let [rows, deep] = [0, 0];
  const place = (tried: Tried, depth: number, isMade: boolean): number => {
    deep = Math.max(deep, depth);
    const next = often(tried, depth);
    const below = next.map((child) => place(child, depth + 1, false));
    const y = below.length === 0 ? (rows++ + 0.5) * down : (below[0]! + below.at(-1)!) / 2;
    const x = left + 28 + depth * across;
    for (const [i, spot] of spots.entries())
      if (next.includes(spot.tried) && spot.x === x + across) spots[i] = { ...spot, from: { x: x + 96, y } };
    spots.push({ tried, x, y, from: { x: 0, y: 0 }, isMade });
    return y;
  };
  for (const tried of moves) place(tried, 0, tried.move === chosenMove);
  const height = Math.max(1, rows) * down;
  const root = { x: left - 4, y: height / 2 };
  return { spots: spots.map((spot) => (spot.x === left + 28 ? { ...spot, from: root } : spot)), height, deep };
}
