/** @file Types of publish.mjs, for its test. */

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export function publishOrder<T extends Manifest>(manifests: readonly T[]): readonly T[];
