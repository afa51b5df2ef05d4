/** @file Types of version.mjs, for its test. */

export function filesWithVersion(): ReadonlyMap<string, RegExp>;

export function readChangeset(text: string): { readonly sentence: string; readonly packages: readonly (readonly [string, string])[] };

export function withChange(changelog: string, size: string, sentence: string): string;
