/** @file Types of version.mjs, for its test. */

export function filesWithVersion(): ReadonlyMap<string, RegExp>;
