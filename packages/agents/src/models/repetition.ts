/** @file Detects a model that repeats itself: small models do so until their limit, and the repeated text is worthless. */

/** The longest repeated unit, the fewest repetitions, and the fewest characters that they fill. */
const longestUnit = 60;
const leastTimes = 6;
const leastLength = 72;

/** Whether a text ends in one short piece repeated. Lines and spaces are layout, so a unit must contain a letter or a digit. */
export function isStuck(text: string): boolean {
  if (text.length < leastLength) return false;
  for (let unit = 1; unit <= longestUnit; unit++) {
    const length = Math.max(leastLength, unit * leastTimes);
    if (text.length >= length && repeats(text, unit, length)) return /[\p{L}\p{N}]/u.test(text.slice(-unit));
  }
  return false;
}

/** The same text with the repeated piece only once. */
export function unstuck(text: string): string {
  for (let unit = 1; unit <= longestUnit; unit++) {
    const length = Math.max(leastLength, unit * leastTimes);
    if (text.length < length || !repeats(text, unit, length)) continue;
    let end = text.length - length;
    while (end > 0 && text[end - 1] === text[end - 1 + unit]) end--;
    return text.slice(0, end + unit).trimEnd();
  }
  return text;
}

function repeats(text: string, unit: number, length: number): boolean {
  for (let i = text.length - 1; i >= text.length - length + unit; i--) if (text[i] !== text[i - unit]) return false;
  return true;
}
