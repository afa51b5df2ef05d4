/** @file The flight of a ball in closed form, on a court seen from the side: the net at 0, the hitter's own half below it. */

const g = 9.8;
const netHeight = 2.43;
export const halfCourt = 6;

/** When a ball that leaves at a height comes to the ground. */
export function airTime(height: number, vz: number): number {
  return (vz + Math.sqrt(vz * vz + 2 * g * height)) / g;
}

interface Flight {
  readonly lands: number;
  readonly seconds: number;
  readonly fate: 'own' | 'over' | 'net' | 'out';
}

export function flight(x: number, height: number, vx: number, vz: number): Flight {
  const seconds = airTime(height, vz);
  const lands = x + vx * seconds;
  if (lands < 0) return { lands, seconds, fate: lands < -halfCourt ? 'out' : 'own' };
  const atNet = -x / vx;
  const over = height + vz * atNet - (g * atNet * atNet) / 2;
  return { lands, seconds, fate: over < netHeight ? 'net' : lands > halfCourt ? 'out' : 'over' };
}

/** The velocity that lands a ball at a place, with a given speed up. */
export function aimBall(x: number, height: number, target: number, vz: number): readonly [number, number] {
  return [(target - x) / airTime(height, vz), vz];
}
