/**
 * @file Line edits of texts: computes differences, applies edits, and formats them.
 *
 * An edit is one line. That makes a budget of edits meaningful: a new text counts as many edits as it has lines.
 */

import type { SpecTexts } from './components.ts';

/** One line: at line `at` of the old text, a line is removed, inserted (before that line), or both. */
export type TextEdit = { readonly component: string; readonly at: number; readonly take?: string; readonly put?: string };

/** A line that is unchanged, removed or added. */
export type DiffLine = { readonly sign: ' ' | '-' | '+'; readonly text: string };

const linesOf = (text: string) => (text === '' ? [] : text.split('\n'));

/** The shortest line difference of two texts, by their longest common subsequence. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] =
        a[i] === b[j] ? 1 + common[(i + 1) * width + j + 1] : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
  const out: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ sign: ' ', text: a[i++] });
      j++;
    } else if (j >= b.length || (i < a.length && common[(i + 1) * width + j] >= common[i * width + j + 1]))
      out.push({ sign: '-', text: a[i++] });
    else out.push({ sign: '+', text: b[j++] });
  }
  return out;
}

/** The edits from some texts to others; replacing a line is one edit. */
export function editsBetween(before: SpecTexts, after: SpecTexts): readonly TextEdit[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((component) => {
    const edits: TextEdit[] = [];
    let at = 0;
    let gone: { at: number; text: string }[] = [];
    let come: string[] = [];
    const close = () => {
      for (let i = 0; i < Math.max(gone.length, come.length); i++) {
        const removed = gone[i];
        const put = come[i];
        edits.push({
          component,
          at: removed?.at ?? at,
          ...(removed === undefined ? {} : { take: removed.text }),
          ...(put === undefined ? {} : { put }),
        });
      }
      gone = [];
      come = [];
    };
    for (const { sign, text } of diffLines(before[component] ?? '', after[component] ?? '')) {
      if (sign === '+') come.push(text);
      else if (sign === '-') gone.push({ at: at++, text });
      else {
        close();
        at++;
      }
    }
    close();
    return edits;
  });
}

/** Applies edits that were all based on these texts. If two remove the same line, the first is used. */
export function applyEdits(before: SpecTexts, edits: readonly TextEdit[]): SpecTexts {
  const after: Record<string, string> = { ...before };
  for (const component of new Set(edits.map((edit) => edit.component))) {
    const textEdits = edits.filter((edit) => edit.component === component);
    const used = new Map<number, TextEdit>();
    for (const edit of textEdits) if (edit.take !== undefined && !used.has(edit.at)) used.set(edit.at, edit);
    const lines = linesOf(before[component] ?? '');
    const out: string[] = [];
    for (let at = 0; at <= lines.length; at++) {
      for (const edit of textEdits) if (edit.at === at && edit.take === undefined && edit.put !== undefined) out.push(edit.put);
      const edit = used.get(at);
      if (edit === undefined) {
        if (at < lines.length) out.push(lines[at]);
      } else if (edit.put !== undefined) out.push(edit.put);
    }
    after[component] = out.join('\n');
  }
  return after;
}

/** Whether two edits have the same effect. */
export function sameEdit(a: TextEdit, b: TextEdit): boolean {
  return a.component === b.component && a.take === b.take && a.put === b.put;
}

/** A description of an edit. */
export function editWords({ component, take, put }: TextEdit): string {
  if (take === undefined) return `${component}: add “${put}”`;
  return put === undefined ? `${component}: drop “${take}”` : `${component}: “${put}” for “${take}”`;
}
