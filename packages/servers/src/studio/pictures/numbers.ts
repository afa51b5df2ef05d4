/** @file Numeric environments as drawn: actual and target values of a motor, drones from the side, the ball over the net. */

import type { GridPicture, Picture, PlayPicture } from '../api.ts';
import type { Eyes } from './index.ts';

interface Motor {
  readonly task: { readonly control: 'current' | 'speed' };
  readonly current: number;
  readonly speed: number;
  readonly reference: number;
}

const markedGrid = (
  columns: number,
  rows: number,
  marks: readonly (readonly [number, number, string])[],
  plays: readonly PlayPicture[],
): GridPicture => {
  const cells: string[] = new Array(columns * rows).fill('.');
  for (const [x, y, mark] of marks) {
    const column = Math.max(0, Math.min(columns - 1, Math.round(x)));
    const row = Math.max(0, Math.min(rows - 1, Math.round(y)));
    cells[row * columns + column] = mark;
  }
  return { kind: 'grid', columns, rows, cells: cells.join(''), gravity: false, won: [], plays };
};

/** A scale from the lower to the upper limit: the reference above, the value below, and the selectable voltage in between. */
export function drawMotor({ task, current, speed, reference }: Motor, { choices }: Pick<Eyes, 'choices'>): Picture {
  const [value, limit] = task.control === 'current' ? [current, 210] : [speed, 400];
  const at = (value: number) => 10 + (value / limit) * 10;
  const keys: Readonly<Record<number, string>> = { 5: 'ArrowLeft', 10: 'ArrowDown', 15: 'ArrowRight' };
  const plays =
    choices.length === 0
      ? []
      : Array.from({ length: 21 }, (_, i) => ({
          move: `[${(i - 10) / 10}]`,
          cells: [21 + i],
          ...(keys[i] === undefined ? {} : { key: keys[i] }),
        }));
  const marks = [
    [10, 1, '|'],
    [at(reference), 0, 'V'],
    [at(value), 2, 'A'],
  ] as const;
  return markedGrid(21, 3, marks, plays);
}

const [sideColumns, sideRows] = [16, 11] as const;
/** More or less lift, and tilts along x, in small steps; for the adversary, the wind along x. */
const rotorKeys = [
  ['ArrowUp', '[0.1 0.1 0.1 0.1]', -sideColumns],
  ['ArrowDown', '[-0.1 -0.1 -0.1 -0.1]', sideColumns],
  ['ArrowLeft', '[0.02 -0.02 -0.02 0.02]', -1],
  ['ArrowRight', '[-0.02 0.02 0.02 -0.02]', 1],
] as const;
const windKeys = [
  ['ArrowLeft', '[-1 0]', -1],
  ['ArrowRight', '[1 0]', 1],
] as const;

/** Side view: 1.5 m to each side and 2 m up, with the target as +. Cells next to the own drone push it there. */
export function drawDrones(
  { drones }: { readonly drones: readonly (readonly number[])[] },
  { seat, seats, choices }: Pick<Eyes, 'seat' | 'seats' | 'choices'>,
): Picture {
  const places = drones.map((drone) => [7.5 + drone[0]! * 5, 10 - drone[2]! * 5] as const);
  const isPilot = seat?.startsWith('pilot') === true;
  const place = places[isPilot ? seats.indexOf(seat) : 0] ?? [7.5, 5];
  const column = Math.max(1, Math.min(sideColumns - 2, Math.round(place[0])));
  const row = Math.max(1, Math.min(sideRows - 2, Math.round(place[1])));
  const plays = (choices.length === 0 ? [] : isPilot ? rotorKeys : windKeys).map(([key, move, by]) => ({
    move,
    cells: [row * sideColumns + column + by],
    key,
  }));
  const marks = [[7.5, 5, '+'] as const, ...places.map(([x, z], i) => [x, z, String(i + 1)] as const)];
  return markedGrid(sideColumns, sideRows, marks, plays);
}

interface Volleyball {
  readonly hitter: number;
  readonly hit: number;
  readonly x: number;
}

/** The targets of skills and the positions of stances, in meters beyond the net from the hitters' view. */
const landings: Readonly<Record<string, number>> = {
  ...{ serve: 4.5, 'short serve': 2, pass: -2, set: -1, 'attack deep': 5.3, 'attack short': 2, tip: 0.8, lob: 5 },
  ...{ front: 1.5, middle: 3.5, back: 5.2 },
};

/** The court in side view, home at the left: the net as |, the ball as o at hitting height. A skill is selected by its target cell. */
export function drawVolleyball({ hitter, hit, x }: Volleyball, { choices }: Pick<Eyes, 'choices'>): Picture {
  const columnOf = (place: number) => 6 + (hitter === 0 ? place : -place);
  const plays = choices.flatMap((move, i) => {
    const place = landings[move.slice(1, -1)];
    // Two skills with the same target are shown one above the other.
    return place === undefined ? [] : [{ move, cells: [(3 - (i % 4)) * 13 + Math.round(columnOf(place))] }];
  });
  const marks = [
    [6, 1, '|'],
    [6, 2, '|'],
    [6, 3, '|'],
    [columnOf(x), 3 - [1, 2, 3, 2][hit]!, 'o'],
  ] as const;
  return markedGrid(13, 4, marks, plays);
}
