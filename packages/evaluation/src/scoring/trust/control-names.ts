/** @file The control judges by name. */

export const controlNames = ['honest', 'constant', 'random', 'longest', 'first'] as const;
export type Control = (typeof controlNames)[number];
