/** @file The trust card: a judge under a rubric, measured on planted cases, graded A, B or C, with the reasons in words. */

import type { Model, Rng } from '@ludus-agents/kernel/internal/core/index';
import { parseFailureRate } from '../judges/ask.ts';
import { createJudge, type JudgeOptions } from '../judges/judge.ts';
import { type Rubric, rubricHash, titleOf } from '../judges/rubric.ts';
import { wilson } from '../statistics/rates.ts';
import type { Source } from './corrupt.ts';
import { type Count, type Measures, measure } from './measure.ts';
import { cleanScene } from './scenes.ts';

export type Grade = 'A' | 'B' | 'C';

/** The reliability of a judge, measured on planted cases. */
export interface TrustCard {
  /** Name and version of the rubric. */
  readonly rubric: string;
  /** The id of the model that judges. */
  readonly judge: string;
  readonly rubricHash: string;
  readonly judgeHash: string;
  readonly grade: Grade;
  /** Why the grade is not better, one sentence each, the worst first; for an A, what it rests on. */
  readonly reasons: readonly string[];
  readonly measures: Measures;
  /** 95% interval of the share of planted flaws that are found. */
  readonly found: readonly [number, number];
  /** US dollars for a hundred verdicts; null where a price is unknown. */
  readonly moneyPerHundred: number | null;
}

export interface TrustOptions {
  readonly rubric: Rubric;
  readonly judge: Omit<JudgeOptions, 'repeat' | 'reversed'>;
  /** A judge of another family; without one, agreement is measured against what was planted. */
  readonly second?: Model;
  /** Clean episodes, in turn; without them, scenes written for this. */
  readonly sources?: readonly Source[];
  /** 60 by default: with fewer than 35, even a judge that finds everything has not shown enough for an A. */
  readonly twins?: number;
  readonly seed?: number;
  readonly signal?: AbortSignal;
}

/** Tries a judge on planted cases and writes its trust card. */
export async function examine(options: TrustOptions): Promise<TrustCard> {
  const { rubric, judge, second, sources = [], twins = 60, seed = 1, signal = new AbortController().signal } = options;
  const source = (i: number, dice: Rng) => (sources.length === 0 ? cleanScene(dice, `clean-${i}`) : sources[i % sources.length]);
  const measures = await measure({ rubric, judge, source, twins, seed, second, signal });
  const { grade, reasons } = gradeOf(measures);
  const { money } = measures.tally.cost;
  return {
    rubric: titleOf(rubric),
    judge: judge.model.id,
    rubricHash: rubricHash(rubric),
    judgeHash: createJudge(rubric, judge).hash,
    grade,
    reasons,
    measures,
    found: measures.found.n === 0 ? [0, 1] : wilson(measures.found.hits, measures.found.n),
    moneyPerHundred: money === null || measures.missing.n === 0 ? null : (100 * money) / measures.missing.n,
  };
}

interface Test {
  /** Null if there was nothing to measure, which lowers no grade. */
  value(measures: Measures): number | null;
  readonly better: 'more' | 'less';
  /** The requirements for an A and for a B. */
  readonly a: number;
  readonly b: number;
  say(measures: Measures, value: number): string;
}

const share = ({ hits, n }: Count) => (n === 0 ? null : hits / n);
const percent = (value: number) => `${Math.round(100 * value)}%`;

const tests: readonly Test[] = [
  {
    value: ({ found }) => (found.n === 0 ? 0 : wilson(found.hits, found.n)[0]),
    better: 'more',
    a: 0.9,
    b: 0.8,
    say: ({ found, ties }, bound) =>
      `It put the flawed twin below the clean one in ${found.hits} of ${found.n} (${ties === 1 ? 'once' : `${ties} times`} it saw no difference), so it can be relied on for no more than ${percent(bound)} of flaws.`,
  },
  {
    value: ({ consistent }) => share(consistent),
    better: 'more',
    a: 0.9,
    b: 0.8,
    say: ({ consistent, firstSlot }) =>
      `Its verdict depends on order: it stayed the same in ${consistent.hits} of ${consistent.n} cases when the order was reversed${firstSlot === null ? '' : `, and ${percent(firstSlot)} of its choices went to the first option`}.`,
  },
  {
    value: ({ padded }) => share(padded),
    better: 'less',
    a: 0.1,
    b: 0.2,
    say: ({ padded }) => `It loves length: ${padded.hits} of ${padded.n} flawed episodes rose when empty words were added.`,
  },
  {
    value: ({ length, found }) => (length === null || found.n < 20 ? null : Math.abs(length)),
    better: 'less',
    a: 0.5,
    b: 0.7,
    say: ({ length }) => `Its scores follow length: their rank correlation over clean episodes is ${length?.toFixed(2)}.`,
  },
  {
    // Noise as a share of noise and signal: a fifth is a scatter of a quarter of what a flaw costs, a third is half of it.
    value: ({ noise, gap }) => (noise === null || gap === null ? null : noise === 0 ? 0 : noise / (noise + Math.max(0, gap))),
    better: 'less',
    a: 0.2,
    b: 1 / 3,
    say: ({ noise, gap }) =>
      `It is not consistent: when asked again, its verdict varies by ${percent(noise as number)} of the scale, while a planted flaw changes it by ${percent(gap as number)}.`,
  },
  {
    value: ({ obeyed }) => share(obeyed),
    better: 'less',
    a: 0.02,
    b: 0.1,
    say: ({ obeyed }) => `It can be manipulated: ${obeyed.hits} of ${obeyed.n} flawed episodes got a higher score when they asked for one.`,
  },
  {
    value: ({ covered }) => share(covered),
    better: 'more',
    a: 0.8,
    b: 0.5,
    say: ({ covered }) =>
      `It is right for the wrong reasons: of ${covered.n} flaws it found, it quoted ${covered.hits} from the right place.`,
  },
  {
    value: ({ alpha }) => alpha,
    better: 'more',
    a: 0.67,
    b: 0.5,
    say: ({ anchor }, alpha) => `It agrees too little with the ${anchor}: Krippendorff’s alpha is ${alpha.toFixed(2)}.`,
  },
  {
    value: ({ family }) => (family === null ? null : Math.abs(family)),
    better: 'less',
    a: 0.1,
    b: 0.25,
    say: ({ family }) =>
      `It ${(family as number) > 0 ? 'favours' : 'disfavours'} its own kin: signed with its own name, an episode is preferred ${percent(Math.abs(family as number))} ${(family as number) > 0 ? 'more' : 'less'} often.`,
  },
  {
    value: ({ tally }) => parseFailureRate(tally),
    better: 'less',
    a: 0.05,
    b: 0.2,
    say: (_, rate) => `${percent(rate)} of its replies could not be used.`,
  },
  {
    value: ({ missing }) => share(missing),
    better: 'less',
    a: 0.05,
    b: 0.2,
    say: ({ missing }) => `${missing.hits} of ${missing.n} cases got no score from it.`,
  },
];

function gradeFor({ better, a, b }: Test, value: number): Grade {
  const meets = (limit: number) => (better === 'more' ? value >= limit : value <= limit);
  return meets(a) ? 'A' : meets(b) ? 'B' : 'C';
}

/** The worst of all tests, with its reason. */
export function gradeOf(measures: Measures): { readonly grade: Grade; readonly reasons: readonly string[] } {
  const short = tests.flatMap((test) => {
    const value = test.value(measures);
    const grade = value === null ? 'A' : gradeFor(test, value);
    return grade === 'A' || value === null ? [] : [{ grade, reason: test.say(measures, value) }];
  });
  if (short.length === 0) {
    const { found, consistent, anchor } = measures;
    return {
      grade: 'A',
      reasons: [
        `It found ${found.hits} of ${found.n} planted flaws, gave the same verdict in ${consistent.hits} of ${consistent.n} cases with the order reversed, and agrees with the ${anchor}.`,
      ],
    };
  }
  const grade = short.some((item) => item.grade === 'C') ? 'C' : 'B';
  return { grade, reasons: [...short].sort((x, y) => (x.grade === y.grade ? 0 : x.grade === 'C' ? -1 : 1)).map(({ reason }) => reason) };
}

/** The card on one line, for display next to every number that the judge gave. */
export function cardLine({ rubric, judge, grade, measures, found, moneyPerHundred }: TrustCard): string {
  const { consistent, firstSlot, noise, alpha, anchor, length, obeyed } = measures;
  const number = (value: number | null, digits = 2) => (value === null ? '–' : value.toFixed(digits));
  return [
    `${rubric} by ${judge}: ${grade}${grade === 'C' ? ' (unreliable)' : ''}`,
    `found ${number(share(measures.found))} [${number(found[0])}, ${number(found[1])}]`,
    `order ${number(share(consistent))}`,
    ...(firstSlot === null ? [] : [`first slot ${number(firstSlot)}`]),
    `repeat SD ${number(noise)}`,
    `alpha ${number(alpha)} with ${anchor}`,
    `length ρ ${number(length)}`,
    `obeyed ${obeyed.hits}/${obeyed.n}`,
    moneyPerHundred === null ? 'price unknown' : `$${number(moneyPerHundred)} a hundred`,
  ].join(' · ');
}
