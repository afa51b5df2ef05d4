/**
 * @file Authored rules of a character, as part of its document: the meaning of events, its reactions, and the states of a dialogue.
 * They run without a model (after FAtiMA).
 */

import type { Shape } from '@ludus-agents/kernel/internal/core/shape';
import { list, number, object, one, optional, record, required, text, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';

/** A bounded number of the character's state: "mood", "affinity" (to the speaker), a goal as "goal:ID", or an emotion by name. */
export type RuleCondition = { readonly what: string; readonly above?: number; readonly below?: number };

/** Matches a message and appraises it. All matching rules write one frame; the last write of a variable wins. */
export type AppraisalRule = {
  readonly id: string;
  /** Words of which the message must contain one; "*" matches anything. */
  readonly on: readonly string[];
  readonly by?: string;
  readonly when: readonly RuleCondition[];
  /** −10 to 10: how good it is for the character itself. */
  readonly desirability?: number;
  /** How good it is for other people concerned. */
  readonly forOther?: number;
  /** How praiseworthy the action is, and whose it is. */
  readonly praise?: number;
  readonly target: 'self' | 'speaker';
  readonly like?: number;
  /** The change of a goal's probability. */
  readonly goal?: { readonly id: string; readonly by: number; readonly significance: number };
  /** The change of affinity to the speaker. */
  readonly affinity?: number;
};

/** A possible action in a state; the highest utility takes precedence. */
export type DecisionRule = {
  readonly id: string;
  readonly on: readonly string[];
  readonly when: readonly RuleCondition[];
  readonly utility: number;
  readonly says: string;
};

/** A line that leads from one state of the dialogue to another. It is said if a message contains its words, or if it has none. */
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
  /** The line if no rule applies. */
  readonly otherwise: string;
  /** How fast emotions fade, and their threshold, by name; 1 and 0 unless set. */
  readonly decay: Readonly<Record<string, number>>;
  readonly thresholds: Readonly<Record<string, number>>;
  /** Initial probabilities of goals, by id. */
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
