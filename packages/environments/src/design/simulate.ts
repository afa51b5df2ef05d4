/** @file A memory controller as a formula: five parameters with four values each determine power and latency. */

/** The parameters with their possible values. */
export const parameters = {
  page: ['open', 'closed', 'adaptive', 'timeout'],
  schedule: ['fifo', 'row-first', 'batch', 'priority'],
  refresh: ['single', 'double', 'fine', 'late'],
  queue: ['4', '8', '16', '32'],
  sleep: ['never', 'light', 'deep', 'self'],
} as const;

export type DesignParameter = keyof typeof parameters;
export const parameterNames = Object.keys(parameters) as readonly DesignParameter[];

/** One value index for each parameter. */
export type Design = readonly number[];

export interface DesignFigures {
  /** In milliwatts. */
  readonly power: number;
  /** In nanoseconds. */
  readonly latency: number;
}

/** The contribution of each value alone, in milliwatts and nanoseconds. */
const shares: readonly (readonly (readonly [number, number])[])[] = [
  [
    [34, 6],
    [22, 19],
    [30, 9],
    [26, 13],
  ],
  [
    [10, 24],
    [19, 8],
    [16, 12],
    [14, 17],
  ],
  [
    [18, 10],
    [26, 6],
    [22, 8],
    [12, 16],
  ],
  [
    [6, 21],
    [9, 15],
    [14, 11],
    [23, 9],
  ],
  [
    [40, 2],
    [27, 7],
    [16, 16],
    [9, 27],
  ],
];

/**
 * Simulates a design. A closed page and deep sleep both save power, but less when combined. A long queue helps a scheduler that reorders,
 * but makes other requests wait.
 */
export function simulate(design: Design): DesignFigures {
  let [power, latency] = [60, 20];
  design.forEach((value, i) => {
    power += shares[i][value][0];
    latency += shares[i][value][1];
  });
  const [page, schedule, , queue, sleep] = design as readonly [number, number, number, number, number];
  if (page === 1 && sleep >= 2) power += 7;
  if (schedule === 1 || schedule === 2) latency -= queue * 2;
  else latency += queue * 1.5;
  if (sleep === 3 && queue < 2) latency += 6;
  return { power, latency };
}

/** All 1,024 designs, the last parameter changing fastest. */
export const designs: readonly Design[] = Array.from({ length: 4 ** 5 }, (_, n) =>
  [4, 3, 2, 1, 0].map((place) => Math.floor(n / 4 ** place) % 4),
);

/** Returns how close a value is to a target: the target divided by the distance, capped at 100, as a share of 100. */
export function closeness(value: number, target: number): number {
  const distance = Math.abs(target - value);
  return distance * 100 <= target ? 1 : target / distance / 100;
}
