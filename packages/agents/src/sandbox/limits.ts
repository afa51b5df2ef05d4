/** @file Limits of a sandbox and their defaults. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

export interface SandboxLimits {
  /** Processor time of the code. */
  readonly milliseconds?: number;
  /**
   * Wall-clock time, including tool calls; by default five times the processor time and at least a minute, so that a run waiting on a busy
   * machine is not stopped.
   */
  readonly wallMilliseconds?: number;
  /** Memory of the code's values. */
  readonly megabytes?: number;
  /** Of printed lines and of the result together. */
  readonly characters?: number;
  /** The most tool calls. */
  readonly calls?: number;
  /** All files together. */
  readonly fileCharacters?: number;
}

export type FullLimits = Required<SandboxLimits>;

const defaults = { milliseconds: 2_000, megabytes: 64, characters: 20_000, calls: 100, fileCharacters: 1_000_000 };

/** The smallest and largest sensible values: an engine needs 17 MB to start, and a limit that cannot be reached is useless. */
const ranges: Readonly<Record<keyof FullLimits, readonly [number, number]>> = {
  milliseconds: [1, 600_000],
  wallMilliseconds: [1, 3_600_000],
  megabytes: [17, 2_048],
  characters: [1, 10_000_000],
  calls: [0, 100_000],
  fileCharacters: [0, 16_000_000],
};

export const limitNames = Object.keys(ranges) as readonly (keyof FullLimits)[];

export function withDefaults(sandboxLimits: SandboxLimits = {}): FullLimits {
  const { milliseconds = defaults.milliseconds } = sandboxLimits;
  const full = { ...defaults, wallMilliseconds: Math.max(60_000, 5 * milliseconds), ...definedLimits(sandboxLimits) };
  for (const name of limitNames) {
    const [least, most] = ranges[name];
    if (!Number.isInteger(full[name]) || full[name] < least || full[name] > most)
      throw new Fault('input', `The sandbox limit "${name}" must be an integer from ${least} to ${most}, but got ${full[name]}.`);
  }
  return full;
}

function definedLimits(sandboxLimits: SandboxLimits): SandboxLimits {
  return Object.fromEntries(Object.entries(sandboxLimits).filter(([, value]) => value !== undefined));
}
