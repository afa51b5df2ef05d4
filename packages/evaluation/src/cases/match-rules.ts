/** @file How an answer is compared with the expected one. It loads nothing, so that help texts can list the rules. */

export const matchRules = ['same', 'strict', 'contains', 'number', 'json', 'meaning'] as const;
export type MatchRule = (typeof matchRules)[number];
