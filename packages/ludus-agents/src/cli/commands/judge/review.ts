/** @file `ludus judge review`: what people say about episodes. The next to look at, labels with reasons, blind pairs, and how far all agree. */

import { userInfo } from 'node:os';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type JudgeReview, review as reviewEpisodes } from '../../../library/judge.ts';
import { type CommandRun, exits } from '../../command.ts';
import { print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly label?: string;
  readonly against?: string;
  readonly reason?: string;
  readonly by?: string;
  readonly pairs?: boolean;
  readonly agreement?: boolean;
  readonly limit: number;
  readonly json?: boolean;
}

export const review: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const { label, against, reason, by = userInfo().username, limit, store, readOnly } = options;
    const what = options.agreement === true ? 'agreement' : options.pairs === true ? 'pairs' : 'queue';
    const answer = await reviewEpisodes({ of: args[0], label, against, reason, by, what, limit, store, readOnly }, terminal);
    if (options.json === true) printJson(terminal, answer.stored ?? answer);
    else print(terminal, ...linesOf(answer));
    return exits.fine;
  },
};

function linesOf({ stored, queue = [], pairs, agreement }: JudgeReview): readonly string[] {
  if (stored !== undefined) return [`✓ ${stored.episode.slice(0, 8)}: ${printable(stored.label)}, says ${printable(stored.by)}`];
  if (agreement !== undefined) return agreementLines(agreement);
  if (pairs !== undefined) return pairLines(pairs);
  if (queue.length === 0) return ['Nothing is left to label in this run.'];
  return queue.map(({ episode, disagreement, failed }) => {
    const short = episode.slice(0, 8);
    return `${short}  verdicts differ by ${disagreement.toFixed(2)}${failed === null ? '' : `, failed: ${printable(failed)}`}  (ludus show ${short})`;
  });
}

function agreementLines(agreement: NonNullable<JudgeReview['agreement']>): readonly string[] {
  if (agreement.length === 0) return ['No episode of this run has two labels, or a label and a score.'];
  return agreement.map(({ with: who, episodes, raw, alpha, interval }) => {
    const ends = interval === null ? '' : ` (${interval.map((end) => end.toFixed(2)).join(' to ')})`;
    return `${printable(who)}: ${alpha === null ? 'alpha is undefined because all labels are the same' : `alpha ${alpha.toFixed(2)}${ends}`}, ${(100 * raw).toFixed(0)}% agreement over ${episodes} episodes`;
  });
}

function pairLines(pairs: NonNullable<JudgeReview['pairs']>): readonly string[] {
  if (pairs.length === 0) return ['No pair is left to compare.'];
  return pairs.flatMap(({ episode, against, words }, i) => [
    ...(i === 0 ? (['episode', 'against'] as const).flatMap((side) => [`── ${side}`, ...words[side].map(printable), '']) : []),
    `ludus judge review ${episode.slice(0, 8)} --against ${against.slice(0, 8)} --label episode|against|tie`,
  ]);
}
