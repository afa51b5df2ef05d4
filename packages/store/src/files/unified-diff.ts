/** @file Unified diffs, as git and public repair tasks write them, applied to texts by path. A diff that doesn't match exactly is rejected. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

export type Texts = Readonly<Record<string, string>>;

const pathIn = (line: string) =>
  line
    .slice(4)
    .split('\t', 1)[0]!
    .trim()
    .replace(/^[ab]\//, '');

/** The texts after a diff; files may be added, changed and removed. */
export function applyDiff(texts: Texts, diff: string): Texts {
  const out: Record<string, string> = { ...texts };
  const lines = diff.split('\n');
  for (let i = 0; i < lines.length; i++) {
    if (!lines[i]!.startsWith('--- ') || !lines[i + 1]?.startsWith('+++ ')) continue;
    const [before, after] = [pathIn(lines[i]!), pathIn(lines[i + 1]!)];
    if (before !== '/dev/null' && out[before] === undefined) throw new Fault('input', `The diff changes ${before}, which does not exist.`);
    const old = before === '/dev/null' ? [] : out[before]!.split('\n');
    const results: string[] = [];
    let read = 0;
    i += 2;
    while (lines[i]?.startsWith('@@ ')) {
      const [, start, many = '1'] = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/.exec(lines[i]!) ?? [];
      if (start === undefined)
        throw new Fault('input', `"${lines[i]!.slice(0, 80)}" is not a valid hunk header. Expected, for example, "@@ -1,3 +1,4 @@".`);
      const from = Number(start) - (many === '0' ? 0 : 1);
      results.push(...old.slice(read, from));
      read = from;
      for (
        i++;
        i < lines.length && /^[ +\-\\]/.test(lines[i]!) && !(lines[i]!.startsWith('--- ') && lines[i + 1]?.startsWith('+++ '));
        i++
      ) {
        const [sign, text] = [lines[i]![0]!, lines[i]!.slice(1)];
        if (sign === '\\') continue;
        if (sign === '+') {
          results.push(text);
          continue;
        }
        if (old[read] !== text) throw new Fault('input', `The diff does not apply to ${before} at line ${read + 1}.`);
        if (sign === ' ') results.push(text);
        read++;
      }
    }
    i--;
    results.push(...old.slice(read));
    if (before !== after && before !== '/dev/null') delete out[before];
    if (after !== '/dev/null') out[after] = results.join('\n');
  }
  return out;
}

/** The paths that a diff changes or makes. */
export function pathsOfDiff(diff: string): readonly string[] {
  const lines = diff.split('\n');
  return lines.flatMap((line, i) =>
    line.startsWith('+++ ') && lines[i - 1]?.startsWith('--- ') && pathIn(line) !== '/dev/null' ? [pathIn(line)] : [],
  );
}
