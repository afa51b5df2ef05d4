/** @file Measures how well a learner fits stored episodes: the perplexity of their answers, and which of two answers it finds likelier. */

import type { Learner, TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { bestOf, type KeptEpisode, keptRows, returnOf } from '../rl/kept-lessons.ts';
import { comparableGroups } from '../rl/kept-pairs.ts';

/** One measurement on stored episodes. */
type Look = {
  /** exp of the mean negative log-probability of a token. */
  readonly perplexity: number;
  /** The share of pairs whose better answer is likelier per token; null if nothing is compared. */
  readonly ranked: number | null;
};

/** Measures the fit with the current weights. */
export interface KeptLook {
  readonly answers: number;
  look(): Promise<Look>;
}

/** Stored answers before and after training. */
export type KeptFit = { readonly answers: number; readonly before: Look; readonly after: Look };

/** The maximum number of answers in a measurement. */
const mostRows = 256;

/** Undefined if the learner cannot read any answer. */
export function keptLook(learner: Learner, episodes: readonly KeptEpisode[], compares: boolean): KeptLook | undefined {
  const groups = compares ? comparableGroups(episodes).slice(0, mostRows / 2) : [];
  const good = compares ? groups.flatMap((group) => bestOf(group, 1 / group.length)) : episodes;
  const bad = groups.flatMap((group) => group.toSorted((a, b) => returnOf(a) - returnOf(b)).slice(0, 1));
  const rowsOf = (list: readonly KeptEpisode[]) => list.map((episode) => keptRows(learner, [episode]).rows);
  const [better, worse] = [rowsOf(good), rowsOf(bad)];
  const answers = Math.min(mostRows, better.flat().length);
  if (answers === 0) return undefined;
  const surprise = async (rows: readonly TokenRow[]) => {
    const logprobs = await learner.logprobs(rows);
    const values = rows.flatMap(({ mask }, i) => Array.from(mask).flatMap((bit, at) => (bit > 0 ? [logprobs[i]![at]!] : [])));
    return values.reduce((sum, value) => sum - value, 0) / Math.max(1, values.length);
  };
  return {
    answers,
    async look() {
      const perplexity = Math.exp(await surprise(better.flat().slice(0, mostRows)));
      if (!compares) return { perplexity, ranked: null };
      let right = 0;
      for (const [i, rows] of better.entries()) if ((await surprise(rows)) < (await surprise(worse[i]!))) right++;
      return { perplexity, ranked: right / better.length };
    },
  };
}

/** Both measurements as a sentence. */
export function fitText({ answers, before, after }: KeptFit): string {
  const ranks =
    after.ranked === null || before.ranked === null
      ? ''
      : ` It finds the better of two likelier in ${(100 * after.ranked).toFixed(0)}% of the pairs, before training in ${(100 * before.ranked).toFixed(0)}%.`;
  return `Perplexity of ${answers} stored answers: ${after.perplexity.toFixed(2)}, before training ${before.perplexity.toFixed(2)}.${ranks}`;
}
