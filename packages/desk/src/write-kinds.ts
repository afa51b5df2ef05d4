/** @file The kinds of desk cases that a model can write, by name. */

export const writeKinds = ['task', 'refusal', 'event', 'parallel', 'sequential', 'staged', 'question', 'article', 'threat'] as const;
export type WriteKind = (typeof writeKinds)[number];
