/** @file The cases that changed between two runs at a desk, with both conversations side by side: on the terminal and as a page. */

import { resolve } from 'node:path';
import { type CaseSide, type RunDiff, runDiffPage, runDiffSummary, sideBySide } from '@ludus-agents/desk/internal/run-diff';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { columnsOf, print, printJson, type Terminal } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { pad, wrap } from './width.ts';

export interface CaseChangeOptions {
  readonly html?: string | undefined;
  readonly words?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Cases that changed, with both conversations; those with other words and the same verdict are listed where asked for. */
export function showCaseChanges(changes: RunDiff, options: CaseChangeOptions, terminal: Terminal): void {
  if (options.html !== undefined) writeFileAtomicSync(resolve(terminal.cwd, options.html), runDiffPage(changes));
  if (options.json === true) {
    printJson(terminal, changes);
    return;
  }
  const colours = coloursFor(terminal.stdout, terminal.env);
  const half = Math.max(24, Math.floor((columnsOf(terminal.stdout) - 3) / 2));
  const cellOf = (text: string) => wrap(printable(text), half);
  const verdictOf = ({ passed, reason }: CaseSide) => `${passed ? '✓ passed' : '✗ not passed'}${reason === '' ? '' : `: ${reason}`}`;
  const row = (left: string, right: string, paint: (text: string) => string = (text) => text) => {
    const [a, b] = [cellOf(left), cellOf(right)];
    return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => `${paint(pad(a[i] ?? '', half))} │ ${paint(b[i] ?? '')}`);
  };
  const spoken = (line: { readonly by: string; readonly text: string } | undefined) =>
    line === undefined ? '' : `${line.by}: ${line.text}`;
  const caseChanges = changes.changes.filter(({ change }) => options.words === true || change !== 'reworded');
  const blocks = caseChanges.map((caseChange) =>
    [
      colours.bold(`${caseChange.change}: ${printable(caseChange.case)}, seed ${caseChange.seed}`),
      ...row(verdictOf(caseChange.before), verdictOf(caseChange.after), caseChange.change === 'broken' ? colours.red : colours.green),
      ...sideBySide(caseChange).flatMap(([a, b]) => row(spoken(a), spoken(b), a?.text === b?.text ? colours.faint : undefined)),
    ].join('\n'),
  );
  print(terminal, runDiffSummary(changes), ...blocks.flatMap((block) => ['', block]));
  if (options.html !== undefined) print(terminal, '', `The page is ${printable(options.html)}.`);
}
