/**
 * @file Numbers that follow by arithmetic from the facts of a conversation: two days at 15 are 30, and a charge of 10 makes it 40. Only a
 * few numbers may be combined: stated ones, and those of named records. With all numbers of a database, anything would follow.
 */

import { numbersIn } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

const periods: readonly (readonly [RegExp, RegExp, number])[] = [
  [/\b(?:years?|yearly|annual\w*)\b/i, /\bmonth/i, 12],
  [/\b(?:years?|yearly|annual\w*)\b/i, /\bweek/i, 52],
  [/\bquarter/i, /\bmonth/i, 3],
  [/\bhalf (?:a |an |the )?year\b/i, /\bmonth/i, 6],
  [/\bweek/i, /\b(?:day|daily)/i, 7],
  [/\bdozen\b/i, /\bdozen\b/i, 12],
];

/** Conversions between periods: 9 a month are 108 a year. The text mentions the longer one; text or policy the shorter one. */
export function countsOfPeriods(text: string, policy: string): readonly number[] {
  return periods.flatMap(([long, short, count]) => (long.test(text) && short.test(`${text}\n${policy}`) ? [count] : []));
}

export interface Grounds {
  /** Numbers stated by the customer: days, people, pieces. */
  readonly counts: readonly number[];
  /** Numbers of the policy, and which of them are percentages. */
  readonly policy: readonly number[];
  readonly percents: readonly number[];
  /** Numbers of each named record. */
  readonly records: readonly (readonly number[])[];
}

const [mostCounts, mostOf] = [12, 1000];
const mostRecords = 4;
const mostFactors = 4;
const isSame = (a: number, b: number) => Math.abs(a - b) < 0.006;

/** The policy and the records, separated from the sources of a conversation. */
export interface ReadSources {
  readonly policy: string;
  readonly records: readonly SourceRecord[];
}

interface SourceRecord {
  readonly names: readonly string[];
  readonly numbers: readonly number[];
}

/** Records are lines such as `bikes b1 {"kind": "city bike", "price": 15}`; all other lines are policy. */
export function readSources(sources: string): ReadSources {
  const records: SourceRecord[] = [];
  const policy: string[] = [];
  for (const text of sources.split('\n')) {
    const [, id, json] = /^[\w-]+ (\S+) (\{.*\})$/.exec(text) ?? [];
    const row = json === undefined ? null : jsonOrNull(json);
    if (id === undefined || !isObject(row)) {
      policy.push(text);
      continue;
    }
    const values = Object.values(row);
    const labels = values.filter((value): value is string => typeof value === 'string' && value.length >= 4 && /\p{L}/u.test(value));
    records.push({
      names: [id, ...labels].map((name) => name.toLowerCase()),
      numbers: values.filter((value): value is number => typeof value === 'number' && value !== 0),
    });
  }
  return { policy: policy.join('\n'), records };
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The numbers of the records that a text names, the longest names first. Records with the same name count as one. */
export function namedNumbers({ records }: ReadSources, text: string): readonly (readonly number[])[] {
  const lower = text.toLowerCase();
  const numbersByName = new Map<string, number[]>();
  for (const { names, numbers } of records) {
    const longest = names.filter((name) => lower.includes(name)).sort((a, b) => b.length - a.length)[0];
    if (longest !== undefined && numbers.length > 0) numbersByName.set(longest, [...(numbersByName.get(longest) ?? []), ...numbers]);
  }
  return [...numbersByName]
    .sort(([a], [b]) => b.length - a.length)
    .slice(0, mostRecords)
    .map(([, numbers]) => [...new Set(numbers)]);
}

/** The numbers of the policy parts that a text mentions: "bicycle insurance 4 a month" for "bicycle". */
export function namedClauses(read: ReadSources, text: string): readonly (readonly number[])[] {
  const isNamed = (terms: readonly string[]) => terms.some((term) => text.toLowerCase().includes(term.slice(0, 6)));
  return clausesOf(read)
    .filter(({ terms }) => isNamed(terms.filter((term) => term.length >= 5)))
    .map(({ numbers }) => numbers)
    .slice(0, mostRecords);
}

/** The parts that a text names by a unique term: "euros" and "night" identify none. */
export function clausesNamedAlone(read: ReadSources, text: string): readonly (readonly number[])[] {
  const clauses = clausesOf(read);
  const isAlone = (term: string) => clauses.filter(({ terms }) => terms.includes(term)).length === 1;
  const lower = text.toLowerCase();
  return clauses.filter(({ terms }) => terms.some((term) => lower.includes(term) && isAlone(term))).map(({ numbers }) => numbers);
}

function clausesOf({ policy }: ReadSources): readonly { readonly terms: readonly string[]; readonly numbers: readonly number[] }[] {
  return policy.split(/[,;\n]|\. |\band\b/).flatMap((clause) => {
    const numbers = [...clause.matchAll(/\d+(?:\.\d+)?/g)].map(([figure]) => Number(figure)).filter((figure) => figure > 0);
    return numbers.length > 0 ? [{ numbers, terms: clause.toLowerCase().match(/\p{L}{4,}/gu) ?? [] }] : [];
  });
}

/** Does a number follow from these in one or two steps: a multiple, a share, a surcharge, or a sum or difference? */
export function follows(number: number, { counts, policy, percents, records }: Grounds): boolean {
  const amounts = [...policy, ...records.flat()];
  const stated = [...new Set(counts.filter((count) => count <= mostOf).slice(-mostCounts))];
  // "10 hives for 14 days" is 140 times the price. With more numbers, anything would be such a product.
  const products = stated.length > mostFactors ? [] : stated.flatMap((count, i) => stated.slice(i + 1).map((other) => count * other));
  const many = [...stated, ...products];
  const scaled = [
    ...many.flatMap((count) => amounts.flatMap((amount) => [count * amount, amount / (count || 1)])),
    ...records.flat().flatMap((amount) => policy.flatMap((rate) => [amount * rate, (amount * rate) / 100, amount * (1 - rate / 100)])),
    ...many.flatMap((count) => many.flatMap((other) => [count * other, count + other, count - other])),
    // Three days more than the record's four.
    ...many.flatMap((count) => records.flat().flatMap((amount) => [amount + count, amount - count])),
  ];
  if (scaled.some((value) => isSame(value, number))) return true;
  // A percentage discount or surcharge, on one item or several.
  const bases = [...amounts, ...many.flatMap((count) => amounts.map((amount) => count * amount))];
  const isShare = (base: number) =>
    percents.some((percent) => [percent, 100 - percent, 100 + percent].some((share) => isSame((base * share) / 100, number)));
  if (bases.some(isShare)) return true;
  // A multiple with a surcharge, once or per item.
  const isCharged = (count: number) =>
    amounts.some((amount) =>
      amounts.some((other) =>
        [count * amount + other, count * amount - other, count * (amount + other)].some((sum) => isSame(sum, number)),
      ),
    );
  if (many.some(isCharged)) return true;
  return sums(records).some(
    (sum) =>
      isSame(Math.abs(sum), number) ||
      many.some((count) => isSame(count * sum, number)) ||
      policy.some((amount) => isSame(Math.abs(sum) + amount, number)),
  );
}

/** All sums that use each record at most once, added or subtracted. */
function sums(records: readonly (readonly number[])[]): readonly number[] {
  return records.reduce<readonly number[]>(
    (before, numbers) => before.flatMap((sum) => [sum, ...numbers.flatMap((number) => [sum + number, sum - number])]),
    [0],
  );
}

const equation = linear(
  /(\d+(?:\.\d+)?)(?: ?[a-z]+)? ?([x×*+−-]|times|plus|minus) ?[€$£]?(\d+(?:\.\d+)?)(?: ?(?:[a-z]+|a [a-z]+|per [a-z]+))? ?= ?[€$£]?(\d+(?:\.\d+)?)/giu,
);

const operatorAtEnd = linear(/(?:[x×*+−/-]|times|plus|minus) ?[€$£]?$/i);

/** Explicit calculations with a wrong result: "2 x 15 = 40". */
export function wrongSumsIn(text: string): readonly string[] {
  return [...text.matchAll(equation)].flatMap(({ index, 0: quote, 1: left, 2: sign, 3: right, 4: total }) => {
    // The end of a longer calculation: "2 x 3 x 15 = 90".
    if (operatorAtEnd.test(text.slice(0, index))) return [];
    const [a, b] = [Number(left), Number(right)];
    const result = /[+]|plus/i.test(sign) ? a + b : /[−-]|minus/i.test(sign) ? a - b : a * b;
    return isSame(result, Number(total)) ? [] : [quote];
  });
}

const numberWords: Readonly<Record<string, number>> = {
  ...{ two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, twelve: 12, fourteen: 14 },
  ...{ fifteen: 15, twenty: 20, thirty: 30, forty: 40, fifty: 50, sixty: 60, ninety: 90, hundred: 100 },
};

/** Numbers in figures and in words. */
export function numbersOf(text: string): number[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  return [...numbersIn(text), ...words.flatMap((word) => (Object.hasOwn(numberWords, word) ? [numberWords[word]] : []))];
}

const factors: readonly (readonly [RegExp, readonly number[]])[] = [
  [/\bhal(?:f|ves)\b/i, [0.5, 2]],
  [/\bquarters?\b/i, [0.25, 0.75, 4]],
  [/\bthirds?\b/i, [1 / 3, 2 / 3, 3]],
  [/\b(?:doubles?|twice|doubled)\b/i, [2]],
  [linear(/\b(?:years?|yearly|annual\w*|months?)\b/i), [12]],
];

/** Shares written as words, in percent: "half the price" leaves 50. */
export function percentsInWords(text: string): readonly number[] {
  return factorsIn(text).flatMap((factor) => (factor < 12 ? [Math.round(factor * 1000) / 10] : []));
}

/** Shares and multiples in words: half of 59, twice the price. */
export function factorsIn(text: string): readonly number[] {
  return factors.flatMap(([words, values]) => (words.test(text) ? values : []));
}

const total = linear(
  /\b(?:amounts? to|adds? up to|comes? to|makes|in total|totals?|altogether|all in all|sum of)\b[^\d.?!\n]{0,24}(\d+(?:\.\d+)?)(?![\w%:/-]|\.\d| (?:days?|nights?|weeks?|hours?|minutes?|months?|years?|times|people)\b)/i,
);

/** The number that a sentence states as a total: "this makes 24 euros". */
export function totalIn(sentence: string): number | null {
  const figure = total.exec(sentence)?.[1];
  return figure === undefined ? null : Number(figure);
}

/**
 * Does a total follow from the other numbers of its message and the named records? It must be one of them, a product of two or three,
 * one plus one or two others or minus one, or the sum of two products that each use a number of the message.
 */
export function isTotalOf(number: number, inMessage: readonly number[], named: readonly number[]): boolean {
  const numbers = [...new Set([...inMessage, ...named])].filter((part) => part > 0).slice(0, 16);
  const isAny = (list: readonly number[]) => list.some((item) => isSame(item, number));
  const pairs = numbers.flatMap((a, i) => numbers.slice(i + 1).flatMap((b) => [a * b, (a * b) / 100]));
  const triples = chooseThree(numbers, (a, b, c) => a * b * c);
  // The same number may count twice: three dogs for three nights.
  const squares = numbers.flatMap((a) => numbers.map((b) => a * a * b));
  const sums = numbers.flatMap((a) => [...numbers, ...pairs].flatMap((b) => [a + b, Math.abs(a - b)]));
  const spoken = [...new Set(inMessage)].flatMap((a) => numbers.map((b) => a * b));
  const twice = spoken.flatMap((a) => spoken.map((b) => a + b));
  return [numbers, pairs, triples, squares, sums, twice, chooseThree(numbers, (a, b, c) => a + b + c)].some(isAny);
}

/** Is a number the sum of two or three others, or of two minus a third? */
export function isSumOf(number: number, parts: readonly number[]): boolean {
  const pairs = parts.flatMap((a, i) => parts.slice(i + 1).map((b) => a + b));
  return pairs.some((sum) => [0, ...parts].some((part) => isSame(sum + part, number) || isSame(sum - part, number)));
}

function chooseThree(numbers: readonly number[], of: (a: number, b: number, c: number) => number): readonly number[] {
  return numbers.flatMap((a, i) => numbers.slice(i + 1).flatMap((b, j) => numbers.slice(i + j + 2).map((c) => of(a, b, c))));
}
