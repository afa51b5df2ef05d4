/** @file A character that acts by its authored rules: it hears, feels, decides, and says a line of its dialogue. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { type AppraisalFrame, type Feelings, fadeFeelings, feel, noFeelings } from './appraise.ts';
import { clamp } from './clamp.ts';
import type { AppraisalRule, AuthoredRules, RuleCondition } from './rules.ts';

/** A character's state between turns and conversations: plain data. */
export type AuthoredState = Feelings & {
  readonly state: string;
  /** Its attitude toward each speaker, from −1 to 1. */
  readonly affinity: Readonly<Record<string, number>>;
  readonly goals: Readonly<Record<string, number>>;
};

export interface HeardWords {
  readonly speaker: string;
  readonly text: string;
}

export interface AuthoredAnswer {
  readonly says: string;
  readonly state: AuthoredState;
  /** Rules that applied, by id. */
  readonly by: readonly string[];
}

export function firstState(rules: AuthoredRules, affinity: Readonly<Record<string, number>> = {}): AuthoredState {
  return { ...noFeelings, state: 'Start', affinity, goals: rules.goals };
}

/** The state at the start of a new conversation: the dialogue starts over, feelings have faded, relations and goals stay. */
export function betweenTalks(rules: AuthoredRules, last: AuthoredState, turns: number): AuthoredState {
  return { ...last, ...fadeFeelings(last, turns, rules.decay), state: 'Start' };
}

function matches(on: readonly string[], text: string): boolean {
  const spokenText = text.toLowerCase();
  return on.some(
    (word) =>
      word === '*' ||
      new RegExp(`(?<![\\p{L}\\p{N}])${word.toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'u').test(spokenText),
  );
}

function holds(when: readonly RuleCondition[], state: AuthoredState, speaker: string): boolean {
  return when.every(({ what, above, below }) => {
    const value = stateValue(what, state, speaker);
    return (above === undefined || value > above) && (below === undefined || value < below);
  });
}

function stateValue(what: string, state: AuthoredState, speaker: string): number {
  if (what === 'mood') return state.mood;
  if (what === 'affinity') return state.affinity[speaker] ?? 0;
  return what.startsWith('goal:') ? (state.goals[what.slice('goal:'.length)] ?? 0) : (state.felt[what] ?? 0);
}

/** One turn: appraise messages, decide on an action, else continue the dialogue, else say a default line. */
export function actByRules(rules: AuthoredRules, before: AuthoredState, heardWords: readonly HeardWords[], dice: Rng): AuthoredAnswer {
  const by: string[] = [];
  let state: AuthoredState = { ...before, ...fadeFeelings(before, 1, rules.decay) };
  for (const otherHeardWords of heardWords) state = appraiseWords(rules, state, otherHeardWords, by);
  const speaker = heardWords.at(-1)?.speaker ?? '';
  const heardText = heardWords.map(({ text }) => text).join('\n');
  const open = <T extends { readonly on: readonly string[]; readonly when: readonly RuleCondition[] }>(list: readonly T[]) =>
    list.filter(({ on, when }) => (on.length === 0 || matches(on, heardText)) && holds(when, state, speaker));
  const decided = bestOf(open(rules.decisions), ({ utility }) => utility, dice);
  if (decided !== undefined) return { says: decided.says, state, by: [...by, decided.id] };
  // A line that matches the message takes precedence over a line that matches anything.
  const line = bestOf(open(rules.dialogue.filter(({ from }) => from === state.state)), ({ on }) => (on.length > 0 ? 1 : 0), dice);
  if (line !== undefined) return { says: line.says, state: { ...state, state: line.to }, by: [...by, line.id] };
  return { says: rules.otherwise, state, by };
}

/** The best by a number; ties are broken at random, so that the order of a file does not matter. */
function bestOf<T>(list: readonly T[], worth: (item: T) => number, dice: Rng): T | undefined {
  const most = Math.max(...list.map(worth));
  const best = list.filter((item) => worth(item) === most);
  return best.length <= 1 ? best[0] : dice.pick(best);
}

function appraiseWords(rules: AuthoredRules, state: AuthoredState, { speaker, text }: HeardWords, by: string[]): AuthoredState {
  const appraisalRules = rules.appraisal.filter(
    (rule) => (rule.by === undefined || rule.by === speaker) && matches(rule.on, text) && holds(rule.when, state, speaker),
  );
  if (appraisalRules.length === 0) return state;
  by.push(...appraisalRules.map(({ id }) => id));
  const frame: AppraisalRule = Object.assign({}, ...appraisalRules);
  const goal =
    frame.goal === undefined
      ? undefined
      : { before: state.goals[frame.goal.id] ?? 0.5, by: frame.goal.by, significance: frame.goal.significance };
  const { desirability, forOther, praise, target, like } = frame;
  const appraisalFrame: AppraisalFrame = { desirability, forOther, praise, target, like, goal };
  const feelings = feel(state, appraisalFrame, rules.thresholds);
  const moved = clamp((state.affinity[speaker] ?? 0) + (frame.affinity ?? 0), -1, 1);
  return {
    ...state,
    ...feelings,
    affinity: frame.affinity === undefined ? state.affinity : { ...state.affinity, [speaker]: Math.round(1e6 * moved) / 1e6 },
    goals: goal === undefined ? state.goals : { ...state.goals, [frame.goal!.id]: clamp(goal.before + goal.by, 0, 1) },
  };
}
