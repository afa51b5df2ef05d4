/**
 * @file Rewards for how a turn is made, independent of its outcome: its form, its tools (ARTIST, 2505.01441), and whether an expert would
 * have taken the same action (Mobile-R1, 2506.20332).
 */

import type { EpisodeEvent, Json, Script } from '@ludus-agents/kernel/internal/core/index';
import type { EpisodeJudge } from './judging.ts';
import { turnsInLog } from './log-turns.ts';
import type { EpisodeSample } from './samples.ts';

/** A tool call as stored in an agent's mind. */
type ToolUse = {
  readonly tool: string;
  readonly ok: boolean;
};

/** The tool calls behind an action. */
export function toolUses(event: EpisodeEvent | undefined): readonly ToolUse[] {
  if (event?.kind !== 'action') return [];
  const { uses } = (event.mind ?? {}) as { readonly uses?: Json };
  return (uses ?? []) as readonly ToolUse[];
}

/** One reward for each event of the seat, paid to its last call: a turn with tools has several. */
export function payByEvent({ turns }: Pick<EpisodeSample, 'turns'>, pay: (at: number) => number): readonly number[] {
  return turns.map(({ at }, i) => (turns[i + 1]?.at === at ? 0 : pay(at)));
}

/** Pays 1 over the number of turns for each turn that breaks no rule and whose tool calls all succeeded; a perfect episode sums to 1. */
export const wellFormed: EpisodeJudge = ({ log, seat, sample }) => {
  const turns = turnsInLog(log, [seat]);
  const fined = new Set(turns.flatMap(({ at, penalty }) => (penalty > 0 ? [at] : [])));
  return payByEvent(sample, (at) => (!fined.has(at) && toolUses(log[at]).every(({ ok }) => ok) ? 1 / turns.length : 0));
};

/** The share of a turn's tool calls that succeeded; 0 without calls. */
export const toolSuccess: EpisodeJudge = ({ log, sample }) =>
  payByEvent(sample, (at) => {
    const uses = toolUses(log[at]);
    return uses.length === 0 ? 0 : uses.filter(({ ok }) => ok).length / uses.length;
  });

/** The number of tool calls of a turn; with a negative weight, their cost. */
export const toolCount: EpisodeJudge = ({ log, sample }) => payByEvent(sample, (at) => toolUses(log[at]).length);

/** Pays 1 over the number of turns for each turn with the expert's action, so that longer episodes earn no more. */
export function actionMatch(expert: Script): EpisodeJudge {
  return ({ log, seat, sample }) => {
    const turns = turnsInLog(log, [seat]);
    const right = new Map(
      turns.map(({ at, turn, action }) => {
        const answer = expert(turn);
        return [at, ('action' in answer ? answer.action : answer).text === action.text ? 1 / turns.length : 0] as const;
      }),
    );
    return payByEvent(sample, (at) => right.get(at) ?? 0);
  };
}
