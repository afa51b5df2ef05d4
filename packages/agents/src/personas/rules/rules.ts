/**
 * @file Authored rules of a character, as part of its document: the meaning of events, its reactions, and the states of a dialogue.
 * They run without a model (after FAtiMA).
 */

import {
  list,
  number,
  object,
  one,
  optional,
  record,
  required,
  type Shape,
  text,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';

/** A number of the character's state within bounds: "mood", "affinity" (to who spoke), a goal as "goal:ID", or an emotion by name. */
export type RuleCondition = { readonly what: string; readonly above?: number; readonly below?: number };

/** What was said, and what that is to the character. All that match write one frame, the last write of a variable wins. */
export type AppraisalRule = {
  readonly id: string;
  /** Words one of which must have been said; "*" is anything. */
  readonly on: readonly string[];
  readonly by?: string;
  readonly when: readonly RuleCondition[];
  /** −10 to 10: how good it is for the character itself. */
  readonly desirability?: number;
  /** How good it is for anyone who else is concerned. */
  readonly forOther?: number;
  /** How praiseworthy the deed is, and whose it is. */
  readonly praise?: number;
  readonly target: 'self' | 'speaker';
  readonly like?: number;
  /** The chance of a goal moves by so much. */
  readonly goal?: { readonly id: string; readonly by: number; readonly significance: number };
  /** Affinity to the speaker moves by so much. */
  readonly affinity?: number;
};

/** What the character may do in a state; the highest utility goes first. */
export type DecisionRule = {
  readonly id: string;
  readonly on: readonly string[];
  readonly when: readonly RuleCondition[];
  readonly utility: number;
  readonly says: string;
};

/** A line that leads from one state of the dialogue to another. It is said where its words were said, or where it has none. */
export type DialogueRule = {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly on: readonly string[];
  readonly when: readonly RuleCondition[];
  readonly says: string;
};

export type AuthoredRules = {
  readonly appraisal: readonly AppraisalRule[];
  readonly decisions: readonly DecisionRule[];
  readonly dialogue: readonly DialogueRule[];
  /** What is said where no rule applies. */
  readonly otherwise: string;
  /** How fast emotions fade, and how strong they must be, by name; 1 and 0 unless set. */
  readonly decay: Readonly<Record<string, number>>;
  readonly thresholds: Readonly<Record<string, number>>;
  /** Chances of goals to begin with, by id. */
  readonly goals: Readonly<Record<string, number>>;
};

const ten = number(-10, 10);
const condition = object<RuleCondition>({ what: required(words), above: optional(ten), below: optional(ten) });
const field = withDefault(list(words), []);
const conditions = withDefault(list(condition), []);

const appraisal = object<AppraisalRule>({
  id: required(words),
  on: required(list(words, { from: 1 })),
  by: optional(words),
  when: conditions,
  desirability: optional(ten),
  forOther: optional(ten),
  praise: optional(ten),
  target: withDefault(one('self', 'speaker'), 'speaker'),
  like: optional(ten),
  goal: optional(
    object<NonNullable<AppraisalRule['goal']>>({ id: required(words), by: required(number(-1, 1)), significance: required(number(0, 10)) }),
  ),
  affinity: optional(number(-1, 1)),
});

const decision = object<DecisionRule>({
  id: required(words),
  on: field,
  when: conditions,
  utility: withDefault(number(), 1),
  says: required(words),
});
const dialogue = object<DialogueRule>({
  id: required(words),
  from: withDefault(words, 'Start'),
  to: withDefault(words, 'End'),
  on: field,
  when: conditions,
  says: required(words),
});

export const authoredRules: Shape<AuthoredRules> = object<AuthoredRules>({
  appraisal: withDefault(list(appraisal), []),
  decisions: withDefault(list(decision), []),
  dialogue: withDefault(list(dialogue), []),
  otherwise: withDefault(text, '…'),
  decay: withDefault(record(number(0, 100)), {}),
  thresholds: withDefault(record(number(0, 10)), {}),
  goals: withDefault(record(number(0, 1)), {}),
});
