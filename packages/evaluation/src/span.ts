/** @file A figure with a range: low, likely and high, and the sums that estimates need. */

export interface Span {
  readonly low: number;
  readonly likely: number;
  readonly high: number;
}

export function toSpan(value: (end: keyof Span) => number | null): Span | null {
  const [low, likely, high] = [value('low'), value('likely'), value('high')];
  return low === null || likely === null || high === null ? null : { low, likely, high };
}

export function addSpans(a: Span, b: Span): Span {
  return { low: a.low + b.low, likely: a.likely + b.likely, high: a.high + b.high };
}

export function times(a: Span, b: Span): Span {
  return { low: a.low * b.low, likely: a.likely * b.likely, high: a.high * b.high };
}

export function scaleSpan(a: Span, by: number): Span {
  return { low: a.low * by, likely: a.likely * by, high: a.high * by };
}

export function roundSpan({ low, likely, high }: Span): Span {
  return { low: Math.floor(low), likely: Math.round(likely), high: Math.ceil(high) };
}
