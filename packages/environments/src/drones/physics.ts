/**
 * @file Small quadcopters (cf2x, constants as in gym-pybullet-drones): four rotors, drag, downwash from above, and ground effect.
 *
 * Without rotors or drag a step is exact, z + v dt − g dt²/2, so energy is conserved in free fall.
 */

export const g = 9.8;
const [mass, arm] = [0.027, 0.0397];
const [liftOf, twistOf] = [3.16e-10, 7.94e-12];
const inertia = [1.4e-5, 1.4e-5, 2.17e-5] as const;
const rotor = 0.0231348;
const drag = [9.1785e-7, 9.1785e-7, 1.0311e-6] as const;
export const weight = mass * g;
export const hoverRpm = Math.sqrt(weight / (4 * liftOf));
export const mostRpm = Math.sqrt((2.25 * weight) / (4 * liftOf));
/** Below this height, the ground-effect formula would diverge. */
export const leastHeight = 0.037763713;

/** Position, velocity, roll-pitch-yaw, and angular rates, three numbers each. */
export type Drone = readonly number[];

/** Converts an action to rotor speed: −1 stops a rotor, 0 hovers, 1 is the maximum. */
export function rpmOf(action: number): number {
  return action <= 0 ? (action + 1) * hoverRpm : hoverRpm + action * (mostRpm - hoverRpm);
}

/** Returns the downward force, in newtons, on a drone at this distance below and beside another. */
export function downwash(below: number, aside: number): number {
  if (below <= 0) return 0;
  const strength = 2267.18 * (rotor / (4 * below)) ** 2;
  const width = 0.16 * below - 0.11;
  // The width is zero at 0.6875 m, where only a drone on the axis is affected.
  if (Math.abs(width) < 1e-9) return aside === 0 ? strength : 0;
  return strength * Math.exp(-0.5 * (aside / width) ** 2);
}

/** Returns the share of additional lift near the ground. */
export function groundEffect(height: number): number {
  return 11.36859 * (rotor / (4 * Math.max(height, leastHeight))) ** 2;
}

/** Advances one drone by one step under four rotor speeds, with a downward force from drones above. */
export function flown(drone: Drone, rpms: readonly number[], down: number, dt: number): Drone {
  const [x, y, z, vx, vy, vz, roll, pitch, yaw, p, q, r] = drone as readonly [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [rpm0, rpm1, rpm2, rpm3] = rpms as readonly [number, number, number, number];
  const raised = 1 + groundEffect(z);
  const [l0, l1] = [liftOf * rpm0 * rpm0 * raised, liftOf * rpm1 * rpm1 * raised];
  const [l2, l3] = [liftOf * rpm2 * rpm2 * raised, liftOf * rpm3 * rpm3 * raised];
  const lift = l0 + l1 + l2 + l3;
  const turns = 2 * Math.PI;
  const spin = (turns * rpm0) / 60 + (turns * rpm1) / 60 + (turns * rpm2) / 60 + (turns * rpm3) / 60;
  const [cr, sr, cp, sp, cy, sy] = [Math.cos(roll), Math.sin(roll), Math.cos(pitch), Math.sin(pitch), Math.cos(yaw), Math.sin(yaw)];
  const up = lift / mass;
  const ax = (cy * sp * cr + sy * sr) * up - (drag[0] * spin * vx) / mass;
  const ay = (sy * sp * cr - cy * sr) * up - (drag[1] * spin * vy) / mass;
  const az = cp * cr * up - (drag[2] * spin * vz) / mass - down / mass - g;
  const side = arm / Math.SQRT2;
  const turnX = (l0 + l1 - l2 - l3) * side;
  const turnY = (-l0 + l1 + l2 - l3) * side;
  const turnZ = twistOf * (-(rpm0 ** 2) + rpm1 ** 2 - rpm2 ** 2 + rpm3 ** 2);
  const [ix, iy, iz] = inertia;
  const dp = (turnX - (iz - iy) * q * r) / ix;
  const dq = (turnY - (ix - iz) * p * r) / iy;
  const dr = (turnZ - (iy - ix) * p * q) / iz;
  const [p1, q1, r1] = [p + dp * dt, q + dq * dt, r + dr * dt];
  const half = (dt * dt) / 2;
  // biome-ignore format: three to a line
  return [
    x + vx * dt + ax * half, y + vy * dt + ay * half, z + vz * dt + az * half,
    vx + ax * dt, vy + ay * dt, vz + az * dt,
    roll + p1 * dt, pitch + q1 * dt, yaw + r1 * dt,
    p1, q1, r1,
  ];
}

/** Advances all drones by one step, each in the downwash of those above it. */
export function flownTogether(drones: readonly Drone[], rpms: readonly (readonly number[])[], dt: number, wash: boolean): readonly Drone[] {
  return drones.map((drone, i) => {
    let down = 0;
    if (wash)
      for (let j = 0; j < drones.length; j++)
        if (j !== i) down += downwash(drones[j][2] - drone[2], Math.hypot(drones[j][0] - drone[0], drones[j][1] - drone[1]));
    return flown(drone, rpms[i], down, dt);
  });
}
