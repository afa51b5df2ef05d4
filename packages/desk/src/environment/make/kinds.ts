/** @file The case generators of a desk, by name. */

export const makeKinds = ['rules', 'compose', 'chain', 'hidden', 'switch', 'ambiguous', 'watch', 'knowledge', 'intent', 'quality'] as const;
export type MakeKind = (typeof makeKinds)[number];
