/** @file Formats numbers for people: signs, money, durations, counts with their noun. */

/** With its sign and a real minus: +1, −0.5, 0. */
export function formatSigned(amount: number, places = 4): string {
  const rounded = Number(amount.toFixed(places));
  return rounded > 0 ? `+${rounded}` : rounded < 0 ? `−${-rounded}` : '0';
}

export function money(dollars: number): string {
  if (dollars === 0) return '$0';
  return dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(2)}`;
}

/** An amount of money, or "unknown": an unknown price is not $0. */
export function priceWords(dollars: number | null): string {
  return dollars === null ? 'price unknown' : money(dollars);
}

/** The total cost of calls: null if the price of any of them is unknown. */
export function knownMoney({ money: dollars, unpriced }: { readonly money: number; readonly unpriced: number }): number | null {
  return unpriced > 0 ? null : dollars;
}

/** "337 model calls, 63,024 tokens, price unknown" */
export function spendingWords({
  calls,
  tokens,
  money: dollars,
  uncounted = 0,
}: {
  readonly calls: number;
  readonly tokens: number | null;
  readonly money: number | null;
  /** Calls that count with their full token allowance, because their tokens were not counted. */
  readonly uncounted?: number;
}): string {
  // Every call uses tokens: a bot that does not report them has 0.
  const tokenWords =
    tokens === null || (tokens === 0 && calls > 0) ? 'tokens unknown' : `${uncounted > 0 ? 'at most ' : ''}${count(tokens, 'token')}`;
  return `${count(calls, 'model call')}, ${tokenWords}, ${priceWords(dollars)}`;
}

/** "a", "a and b", "a, b and c". */
export function listWords(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '…';
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

/** With thousands separators: 12,345. */
export function formatGrouped(amount: number): string {
  return String(amount).replace(/\B(?=(?:\d{3}){1,8}$)/g, ',');
}

/** "1 episode", "1,200 episodes". */
export function count(amount: number, noun: string): string {
  return `${formatGrouped(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}
