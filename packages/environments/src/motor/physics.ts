/**
 * @file A permanently excited DC motor: L di/dt = u − R i − ψ ω, J dω/dt = ψ i − load. A step under constant voltage and load is exact, by
 * the matrix exponential. Constants as in gym-electric-motor.
 */

export const motorConstants = { resistance: 0.016, inductance: 19e-6, flux: 0.165, inertia: 0.025 } as const;
const { resistance: R, inductance: L, flux: psi, inertia: J } = motorConstants;

/** How a step maps current, speed, voltage and load to current and speed: two rows of four. */
type MotorStep = readonly (readonly number[])[];

type Matrix = readonly (readonly number[])[];

const times = (a: Matrix, b: Matrix): Matrix => a.map((row) => b[0].map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0)));

/** e^A by its series on A / 2^n, squared n times. */
function exponential(matrix: Matrix): Matrix {
  const norm = Math.max(...matrix.map((row) => row.reduce((sum, value) => sum + Math.abs(value), 0)));
  const halvings = Math.max(0, Math.ceil(Math.log2(norm)) + 4);
  const scaled = matrix.map((row) => row.map((value) => value / 2 ** halvings));
  const unit = matrix.map((row, i) => row.map((_, j) => (i === j ? 1 : 0)));
  let [sum, term]: [Matrix, Matrix] = [unit, unit];
  for (let n = 1; n <= 14; n++) {
    term = times(term, scaled).map((row) => row.map((value) => value / n));
    sum = sum.map((row, i) => row.map((value, j) => value + term[i][j]));
  }
  for (let n = 0; n < halvings; n++) sum = times(sum, sum);
  return sum;
}

const steps = new Map<string, MotorStep>();

/** The exact step of so many seconds; with a locked rotor the speed stays. */
export function motorStep(seconds: number, locked: boolean): MotorStep {
  const key = `${seconds} ${locked}`;
  const before = steps.get(key);
  if (before !== undefined) return before;
  const rates: Matrix = [[-R / L, -psi / L, 1 / L, 0], locked ? [0, 0, 0, 0] : [psi / J, 0, 0, -1 / J], [0, 0, 0, 0], [0, 0, 0, 0]];
  const results = exponential(rates.map((row) => row.map((value) => value * seconds))).slice(0, 2);
  if (steps.size < 1000) steps.set(key, results);
  return results;
}

export function stepMotor([i, w]: MotorStep, current: number, speed: number, voltage: number, load: number): readonly [number, number] {
  const along = (row: readonly number[]) => row[0] * current + row[1] * speed + row[2] * voltage + row[3] * load;
  return [along(i), along(w)];
}
