/** @file The kinds of cases that a model can write for a desk, by name. */

export const writeKinds = ['task', 'refusal', 'event', 'parallel', 'sequential', 'staged', 'question', 'article', 'threat'] as const;
export type WriteKind = (typeof writeKinds)[number];
