/**
 * @file Rewards for how a turn is made and not for what it comes to: its form, its tools (ARTIST, 2505.01441), and whether it is the action that an
 * expert would have taken (Mobile-R1, 2506.20332).
 */

import type { EpisodeEvent, Json, Script } from '@ludus-agents/kernel/internal/core/index';
import type { EpisodeJudge } from './judging.ts';
import { turnsInLog } from './log-turns.ts';
import type { EpisodeSample } from './samples.ts';

/** A call of a tool as the mind of an agent keeps it. */
type ToolUse = {
  readonly tool: string;
  readonly ok: boolean;
};

/** The tools that were called for an action. */
export function toolUses(event: EpisodeEvent | undefined): readonly ToolUse[] {
  if (event?.kind !== 'action') return [];
  const { uses } = (event.mind ?? {}) as { readonly uses?: Json };
  return (uses ?? []) as readonly ToolUse[];
}

/** One number for each event of the seat, paid to its last call: a turn with tools has several. */
export function payByEvent({ turns }: Pick<EpisodeSample, 'turns'>, pay: (at: number) => number): readonly number[] {
  return turns.map(({ at }, i) => (turns[i + 1]?.at === at ? 0 : pay(at)));
}

/** For a turn that breaks no rule and whose tools all worked, 1 over the number of turns: all of them well formed are worth 1. */
export const wellFormed: EpisodeJudge = ({ log, seat, sample }) => {
  const turns = turnsInLog(log, [seat]);
  const fined = new Set(turns.flatMap(({ at, penalty }) => (penalty > 0 ? [at] : [])));
  return payByEvent(sample, (at) => (!fined.has(at) && toolUses(log[at]).every(({ ok }) => ok) ? 1 / turns.length : 0));
};

/** The share of a turn's calls of tools that worked; 0 where it called none. */
export const toolSuccess: EpisodeJudge = ({ log, sample }) =>
  payByEvent(sample, (at) => {
    const uses = toolUses(log[at]);
    return uses.length === 0 ? 0 : uses.filter(({ ok }) => ok).length / uses.length;
  });

/** How many calls of tools a turn made: with a weight below 0, what they cost. */
export const toolCount: EpisodeJudge = ({ log, sample }) => payByEvent(sample, (at) => toolUses(log[at]).length);

/** For a turn whose action is the one that an expert takes there, 1 over the number of turns: to go on for longer is worth nothing. */
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
