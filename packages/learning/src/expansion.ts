/**
 * @file Learns which passages of a long result to show in full (after REFRAG, arXiv 2509.01092): a logistic policy over a passage's fit by
 * words and by meaning, from questions with known answers. Its threshold uses as many tokens as the rule does. Differs: passages are texts,
 * and the policy is fitted to which passages contain the answer instead of to rewards of a language model.
 */

import type { RecallEncoder } from '@ludus-agents/agents/internal/mind/relevance';
import type { Expansion, FittedPassage } from '@ludus-agents/agents/internal/tools/digests';
import { digestText, fitPassages, passageFeatures, passagesOf, scoreOf, wordsAlone } from '@ludus-agents/agents/internal/tools/digests';
import { logistic } from '@ludus-agents/evaluation/internal/scoring/statistics/logistic';
import { mean } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { pairedDifference } from '@ludus-agents/evaluation/internal/scoring/statistics/paired';
import { Fault, rng } from '@ludus-agents/kernel/internal/core/index';
import { object, required, type ShapeValue, words } from '@ludus-agents/kernel/internal/core/shape';

export const expansionCaseShape = object({
  question: required(words, 'what was asked'),
  result: required(words, 'the long result of a tool'),
  answer: required(words, 'the words of the result that answer the question'),
});

/** A question, a long result of a tool, and the part of it that answers the question. */
export type ExpansionCase = ShapeValue<typeof expansionCaseShape>;

/** The learned policy, and its performance on held-out cases. */
export interface LearnedExpansion {
  readonly expansion: Expansion;
  readonly cases: number;
  readonly tested: number;
  /** The share of held-out cases whose answer is shown, and the characters of a digest. */
  readonly learned: DigestFigures;
  readonly rule: DigestFigures;
  readonly difference: { readonly value: number; readonly interval: readonly [number, number] };
}

export interface DigestFigures {
  readonly shown: number;
  readonly characters: number;
}

/** The minimum number of cases: a third is held out. */
const fewestCases = 30;
/** The ridge penalty, which also bounds the weights if words or meaning separate all passages. */
const pull = 0.1;

/** Learns a policy from two thirds of the cases, and tests it on the rest. */
export async function learnExpansion(cases: readonly ExpansionCase[], encoder?: RecallEncoder, seed = 1): Promise<LearnedExpansion> {
  const usable = cases.filter(({ result, answer }) => passagesOf(result).length > 2 && result.includes(answer));
  if (usable.length < fewestCases)
    throw new Fault(
      'input',
      `A policy needs at least ${fewestCases} cases whose "result" has three passages or more and contains the "answer", but ${usable.length} of ${cases.length} do.`,
      { code: 'E_EXPANSION_CASES', details: { usable: usable.length, fewest: fewestCases } },
    );
  const read = [];
  for (const { question, result, answer } of rng(seed, 'expansion').shuffle(usable))
    read.push({ answer, passages: await fitPassages(passagesOf(result), question, encoder) });
  const training = read.slice(0, Math.ceil((2 * read.length) / 3));
  const unseen = read.slice(training.length);
  const expansion = fitExpansion(training, encoder?.name ?? wordsAlone);
  const [learned, rule] = [unseen.map((item) => figuresOf(item, expansion)), unseen.map((item) => figuresOf(item))];
  const { value, interval } = pairedDifference(learned.map(({ shown }, i) => ({ a: shown, b: rule[i].shown })));
  return {
    expansion,
    ...{ cases: training.length, tested: unseen.length },
    ...{ learned: average(learned), rule: average(rule), difference: { value, interval } },
  };
}

/** The features of a question's passages, and the answer that one of them contains. */
export interface FittedCase {
  readonly answer: string;
  readonly passages: readonly FittedPassage[];
}

/** The weights that maximize the likelihood of the passages with answers, and the threshold at which digests are as long as by the rule. */
export function fitExpansion(cases: readonly FittedCase[], encoder: string): Expansion {
  const rows = cases.flatMap(({ passages }) => passages.map(({ features }) => [...features, 1]));
  const holds = cases.flatMap(({ answer, passages }) => passages.map(({ text }) => Number(text.includes(answer))));
  const { coefficients } = logistic(
    rows,
    holds,
    rows[0].map(() => pull),
  );
  const weights = Object.fromEntries(passageFeatures.map((name, i) => [name, coefficients[i]]));
  const policy = { encoder, weights, intercept: coefficients.at(-1) ?? 0 };
  const budget = mean(cases.map(({ passages }) => digestText(passages).length));
  const isWithin = (threshold: number) =>
    mean(cases.map(({ passages }) => digestText(passages, { ...policy, threshold }).length)) <= budget;
  // A higher threshold never shows more, so binary search finds the lowest one within the budget.
  const scores = cases.flatMap(({ passages }) => passages.map(({ features }) => scoreOf(features, policy))).sort((a, b) => a - b);
  let [low, high] = [0, scores.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isWithin(scores[middle])) high = middle;
    else low = middle + 1;
  }
  return { ...policy, threshold: scores[high] };
}

/** Whether the answer is in the digest, and the length of the digest. */
function figuresOf({ answer, passages }: FittedCase, expansion?: Expansion): DigestFigures {
  const text = digestText(passages, expansion);
  return { shown: Number(text.includes(answer)), characters: text.length };
}

function average(figures: readonly DigestFigures[]): DigestFigures {
  return { shown: mean(figures.map(({ shown }) => shown)), characters: mean(figures.map(({ characters }) => characters)) };
}
