/** @file Worlds of numbers as they are drawn: what a motor does against what it should, drones from the side, the ball over the net. */

import type { GridPicture, Picture } from '../api.ts';

interface Motor {
  readonly task: { readonly control: 'current' | 'speed' };
  readonly current: number;
  readonly speed: number;
  readonly reference: number;
}

const markedGrid = (columns: number, rows: number, marks: readonly (readonly [number, number, string])[]): GridPicture => {
  const cells: string[] = new Array(columns * rows).fill('.');
  for (const [x, y, mark] of marks) {
    const column = Math.max(0, Math.min(columns - 1, Math.round(x)));
    const row = Math.max(0, Math.min(rows - 1, Math.round(y)));
    cells[row * columns + column] = mark;
  }
  return { kind: 'grid', columns, rows, cells: cells.join(''), gravity: false, won: [] };
};

/** A scale from the lower limit to the upper: the reference above, the value below. */
export function drawMotor({ task, current, speed, reference }: Motor): Picture {
  const [value, limit] = task.control === 'current' ? [current, 210] : [speed, 400];
  const at = (one: number) => 10 + (one / limit) * 10;
  return markedGrid(21, 3, [
    [10, 1, '|'],
    [at(reference), 0, 'V'],
    [at(value), 2, 'A'],
  ]);
}

/** From the side: 1.5 m to each side and 2 m up, the place to hover at as +. */
export function drawDrones({ drones }: { readonly drones: readonly (readonly number[])[] }): Picture {
  return markedGrid(16, 11, [
    [7.5, 5, '+'],
    ...drones.map((drone, i) => [7.5 + drone[0]! * 5, 10 - drone[2]! * 5, String(i + 1)] as const),
  ]);
}

interface Volleyball {
  readonly hitter: number;
  readonly hit: number;
  readonly x: number;
}

/** The court from the side, home at the left: the net as |, the ball as o at the height at which it is hit. */
export function drawVolleyball({ hitter, hit, x }: Volleyball): Picture {
  const side = hitter === 0 ? x : -x;
  return markedGrid(13, 4, [
    [6, 1, '|'],
    [6, 2, '|'],
    [6, 3, '|'],
    [6 + side, 3 - [1, 2, 3, 2][hit]!, 'o'],
  ]);
}
