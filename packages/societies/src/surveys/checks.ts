/**
 * @file Checks of the instrument and the respondents: acquiescence, order effects, unstable answers, refusals, and lack of variation
 * between people. Each statistic comes with the value for a respondent without opinions.
 */

import { normalCdf } from '@ludus-agents/evaluation/internal/scoring/statistics/distributions';
import { rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import type { Instrument, SurveyItem } from '../survey/instrument.ts';
import type { AnswerRow } from './answers.ts';
import { type ItemOrderCheck, itemOrderEffects } from './item-order.ts';

/** The answers of each person to the scales; null if missing. */
type Sheet = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface InstrumentChecks {
  /** Items that are also attributes of the population: every person's card contains the answer. */
  readonly disclosed: readonly string[];
  /**
   * The mean of positive and reversed items minus the middle of the scale: above 0, people agree with any statement. Null without such
   * pairs.
   */
  readonly acquiescence: { readonly scale: string; readonly bias: number; readonly content: number; readonly people: number }[];
  /** The share of the option when it was shown first, compared with when it was shown last. */
  readonly optionOrder: { readonly item: string; readonly first: number; readonly last: number; readonly z: number; readonly p: number }[];
  /** For items in random order: the difference between early and late answers, relative to the length of the scale. */
  readonly itemOrder: ItemOrderCheck[];
  readonly retest: RetestCheck[];
  readonly refusal: { readonly item: string; readonly refused: number; readonly broken: number; readonly missing: number }[];
  readonly sameness: {
    /** The number of people who answered all items of one scale with the same number. */
    readonly straightLiners: number;
    /** The mean over people of the longest run of one number. */
    readonly longestRun: number;
    readonly people: number;
    /** The spread of each scale as a share of that of uniform answers to a scale of its length. */
    readonly items: {
      readonly item: string;
      readonly deviation: number;
      readonly uniform: number;
      readonly ratio: number;
      readonly mode: number;
    }[];
  };
  /** Cronbach's alpha of items that measure the same. */
  readonly reliability: { readonly scale: string; readonly items: number; readonly alpha: number }[];
  /** The mean absolute correlation between scales: of these people, and of two kinds of respondents without opinions. */
  readonly correlation: { readonly seen: number | null; readonly marginals: number | null; readonly middle: 0 };
}

export interface RetestCheck {
  readonly item: string;
  readonly people: number;
  readonly same: number;
  readonly within: number;
  /** Absolute agreement of two single answers (ICC(A,1)). */
  readonly icc: number | null;
  /** The share of equal answers if both were drawn from the item's distribution. */
  readonly floor: number;
}

export function checkInstrument({ items }: Instrument, rows: readonly AnswerRow[], seed: Seed = 0): InstrumentChecks {
  const sheet = sheetOf(rows);
  const scales = items.filter(({ kind, again }) => kind === 'scale' && again === '');
  const named = [...Map.groupBy(scales, ({ scale }) => scale)].filter(([name]) => name !== '');
  return {
    disclosed: disclosedItems(items, Object.keys(rows[0]?.attributes ?? {})),
    acquiescence: named.flatMap(([name, surveyItems]) => acquiescenceOf(name, surveyItems, sheet)),
    optionOrder: items.flatMap((item) => orderEffect(item, rows)),
    itemOrder: itemOrderEffects(items, rows, seed),
    retest: items.flatMap((item) => retestOf(item, rows)),
    refusal: items.map(({ id }) => refusalOf(id, rows)),
    sameness: samenessOf(scales, sheet),
    reliability: named.flatMap(([name, surveyItems]) => {
      const alpha = cronbach(surveyItems, sheet);
      return alpha === null ? [] : [{ scale: name, items: surveyItems.length, alpha }];
    }),
    correlation: correlationsOf(scales, sheet, seed),
  };
}

/** Returns items with the name of an attribute, whose answers the people were given. */
export function disclosedItems(items: readonly { readonly id: string }[], attributes: readonly string[]): readonly string[] {
  return items.flatMap(({ id }) => (attributes.includes(id) ? [id] : []));
}

function sheetOf(rows: readonly AnswerRow[]): Sheet {
  const sheet = new Map<string, Map<string, number>>();
  for (const { person, item, kind, status, codes } of rows) {
    if (kind !== 'scale' || status !== 'answered') continue;
    const ownEntry = sheet.get(person) ?? new Map<string, number>();
    ownEntry.set(item, codes[0]);
    sheet.set(person, ownEntry);
  }
  return sheet;
}

/** Analyzes pairs of a positive and a reversed item: agreeing with both is acquiescence; half the difference is content. */
export function acquiescence(
  people: readonly { readonly positive: readonly number[]; readonly reversed: readonly number[] }[],
  points: number,
): { readonly bias: number; readonly content: number } {
  const middle = (points + 1) / 2;
  const of = (item: (typeof people)[number]) => {
    const [up, down] = [average(item.positive), average(item.reversed)];
    return { bias: (up + down) / 2 - middle, content: (up - down) / 2 };
  };
  const each = people.map(of);
  return { bias: average(each.map(({ bias }) => bias)), content: average(each.map(({ content }) => content)) };
}

function acquiescenceOf(scale: string, items: readonly SurveyItem[], sheet: Sheet): InstrumentChecks['acquiescence'] {
  const positive = items.filter(({ reversed }) => !reversed);
  const reversed = items.filter((item) => item.reversed);
  const points = items[0]?.options.length ?? 0;
  if (positive.length === 0 || reversed.length === 0 || items.some(({ options }) => options.length !== points)) return [];
  const people = [...sheet.values()].flatMap((ownEntry) => {
    const answers = (list: readonly SurveyItem[]) => list.map(({ id }) => ownEntry.get(id)).filter((item) => item !== undefined);
    const [up, down] = [answers(positive), answers(reversed)];
    return up.length === 0 || down.length === 0 ? [] : [{ positive: up, reversed: down }];
  });
  return people.length === 0 ? [] : [{ scale, ...acquiescence(people, points), people: people.length }];
}

/** Returns the z score of two shares with a pooled error. */
export function twoShares(a: number, n: number, b: number, m: number): { readonly z: number; readonly p: number } {
  const pooled = (a + b) / (n + m);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));
  const z = error === 0 ? 0 : (a / n - b / m) / error;
  return { z, p: 2 * normalCdf(-Math.abs(z)) };
}

/** For the option that the instrument lists first: returns how often it is chosen when shown first and when shown last. */
function orderEffect(item: SurveyItem, rows: readonly AnswerRow[]): InstrumentChecks['optionOrder'] {
  const answered = rows.filter((row) => row.item === item.id && row.status === 'answered' && row.shown.length > 1);
  const top = answered.filter(({ shown }) => shown[0] === 1);
  const bottom = answered.filter(({ shown }) => shown.at(-1) === 1);
  if (top.length === 0 || bottom.length === 0) return [];
  const countFirst = (list: readonly AnswerRow[]) => list.filter(({ codes }) => codes[0] === 1).length;
  const [first, last] = [countFirst(top), countFirst(bottom)];
  return [{ item: item.id, first: first / top.length, last: last / bottom.length, ...twoShares(first, top.length, last, bottom.length) }];
}

function retestOf(item: SurveyItem, rows: readonly AnswerRow[]): readonly RetestCheck[] {
  if (item.again === '' || item.kind === 'open') return [];
  const of = (id: string) =>
    new Map(rows.filter((row) => row.item === id && row.status === 'answered').map((row) => [row.person, row.codes[0]]));
  const [first, second] = [of(item.again), of(item.id)];
  const pairs = [...first].flatMap(([person, code]) => (second.has(person) ? [[code, second.get(person) as number] as const] : []));
  if (pairs.length === 0) return [];
  const shares = item.options.map((_, i) => pairs.filter(([code]) => code === i + 1).length / pairs.length);
  const again = item.options.map((_, i) => pairs.filter(([, code]) => code === i + 1).length / pairs.length);
  return [
    {
      item: item.id,
      people: pairs.length,
      ...retest(pairs),
      floor: shares.reduce((sum, share, i) => sum + share * again[i], 0),
    },
  ];
}

/** Returns the shares of equal answers and of answers at most one apart, and the absolute agreement of single answers, ICC(A,1). */
export function retest(pairs: readonly (readonly [number, number])[]): Pick<RetestCheck, 'same' | 'within' | 'icc'> {
  const n = pairs.length;
  const same = pairs.filter(([a, b]) => a === b).length / n;
  const within = pairs.filter(([a, b]) => Math.abs(a - b) <= 1).length / n;
  const grand = average(pairs.flat());
  const rowSquares = pairs.reduce((sum, [a, b]) => sum + 2 * ((a + b) / 2 - grand) ** 2, 0);
  const columns = [average(pairs.map(([a]) => a)), average(pairs.map(([, b]) => b))];
  const columnSquares = columns.reduce((sum, value) => sum + n * (value - grand) ** 2, 0);
  const total = pairs.flat().reduce((sum, value) => sum + (value - grand) ** 2, 0);
  const [row, column, rest] = [rowSquares / (n - 1), columnSquares, (total - rowSquares - columnSquares) / (n - 1)];
  const below = row + rest + (2 / n) * (column - rest);
  return { same, within, icc: n < 2 || below === 0 ? null : (row - rest) / below };
}

function refusalOf(item: string, rows: readonly AnswerRow[]): InstrumentChecks['refusal'][number] {
  const answerRows = rows.filter((row) => row.item === item && row.status !== 'skipped');
  const share = (status: AnswerRow['status']) =>
    answerRows.length === 0 ? 0 : answerRows.filter((row) => row.status === status).length / answerRows.length;
  return { item, refused: share('refused'), broken: share('broken'), missing: share('missing') };
}

function samenessOf(scales: readonly SurveyItem[], sheet: Sheet): InstrumentChecks['sameness'] {
  const people = [...sheet.values()].filter((ownEntry) => ownEntry.size >= 3);
  const straight = people.filter((ownEntry) => new Set(ownEntry.values()).size === 1).length;
  const items = scales.flatMap(({ id, options }) => {
    const codes = [...sheet.values()].flatMap((ownEntry) => ownEntry.get(id) ?? []);
    if (codes.length < 2) return [];
    const spread = deviation(codes);
    const uniform = Math.sqrt((options.length ** 2 - 1) / 12);
    const mode = Math.max(...options.map((_, i) => codes.filter((code) => code === i + 1).length)) / codes.length;
    return [{ item: id, deviation: spread, uniform, ratio: spread / uniform, mode }];
  });
  const longestRun = people.length === 0 ? 0 : average(people.map((ownEntry) => straightLining([...ownEntry.values()]).run));
  return { straightLiners: people.length === 0 ? 0 : straight / people.length, longestRun, people: people.length, items };
}

/** Computes α = k/(k − 1) · (1 − Σ var(item) / var(sum)) over people who answered all items; reversed items are inverted. */
function cronbach(items: readonly SurveyItem[], sheet: Sheet): number | null {
  const complete = [...sheet.values()]
    .map((ownEntry) => items.map(({ id, reversed, options }) => turnCode(ownEntry.get(id), reversed, options.length)))
    .filter((ownItems): ownItems is number[] => ownItems.every((item) => item !== null));
  return cronbachAlpha(complete);
}

export function cronbachAlpha(people: readonly (readonly number[])[]): number | null {
  const k = people[0]?.length ?? 0;
  if (k < 2 || people.length < 2) return null;
  const sums = people.map((ownItems) => ownItems.reduce((sum, value) => sum + value, 0));
  const whole = deviation(sums) ** 2;
  const parts = Array.from({ length: k }, (_, i) => deviation(people.map((ownItems) => ownItems[i])) ** 2);
  return whole === 0 ? null : (k / (k - 1)) * (1 - parts.reduce((sum, value) => sum + value, 0) / whole);
}

function turnCode(code: number | undefined, reversed: boolean, points: number): number | null {
  return code === undefined ? null : reversed ? points + 1 - code : code;
}

/** Returns the correlation of scales, compared with people who draw each answer independently from its distribution. */
function correlationsOf(scales: readonly SurveyItem[], sheet: Sheet, seed: Seed): InstrumentChecks['correlation'] {
  const columns = scales.map(({ id }) => [...sheet.values()].map((ownEntry) => ownEntry.get(id) ?? null));
  const dice = rng(seed, 'marginals');
  const observedCorrelation = meanCorrelation(columns);
  return {
    seen: observedCorrelation,
    marginals: observedCorrelation === null ? null : meanCorrelation(columns.map((column) => dice.shuffle(column))),
    middle: 0,
  };
}

function meanCorrelation(columns: readonly (readonly (number | null)[])[]): number | null {
  const sizes = columns.flatMap((a, i) => columns.slice(i + 1).map((b) => correlation(a, b))).filter((item) => item !== null);
  return sizes.length === 0 ? null : average(sizes.map(Math.abs));
}

/** Computes Pearson's r over people who have both values; null if one of them never varies. */
export function correlation(a: readonly (number | null)[], b: readonly (number | null)[]): number | null {
  const pairs = a.flatMap((item, i) => (item === null || b[i] === null || b[i] === undefined ? [] : [[item, b[i]] as const]));
  if (pairs.length < 3) return null;
  const [x, y] = [average(pairs.map(([value]) => value)), average(pairs.map(([, value]) => value))];
  let [xy, xx, yy] = [0, 0, 0];
  for (const [p, q] of pairs) {
    xy += (p - x) * (q - y);
    xx += (p - x) ** 2;
    yy += (q - y) ** 2;
  }
  return xx * yy === 0 ? null : xy / Math.sqrt(xx * yy);
}

export function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviation(values: readonly number[]): number {
  const mean = average(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

/** Returns the longest run of one number, the spread, the share of the most frequent number, and the mean step of one person's answers. */
export function straightLining(codes: readonly number[]): {
  readonly run: number;
  readonly deviation: number;
  readonly mode: number;
  readonly step: number;
} {
  let [run, longest] = [0, 0];
  codes.forEach((code, i) => {
    run = i > 0 && code === codes[i - 1] ? run + 1 : 1;
    longest = Math.max(longest, run);
  });
  const counts = Map.groupBy(codes, (code) => code);
  const steps = codes.slice(1).map((code, i) => Math.abs(code - codes[i]));
  return {
    run: longest,
    deviation: deviation(codes),
    mode: Math.max(...[...counts.values()].map((list) => list.length)) / codes.length,
    step: average(steps),
  };
}
