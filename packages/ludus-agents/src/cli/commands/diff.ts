/** @file `ludus diff`: how the texts of two candidates differ, line by line, or how the conversations of two runs at a desk do, side by side. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type CaseSide,
  diffRuns,
  isDeskRun,
  type RunDiff,
  runDiffPage,
  runDiffSummary,
  sideBySide,
} from '@ludus-agents/desk/internal/run-diff';
import { type AgentSpec, Fault, isFault, printable, type Store } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { candidateBy } from '@ludus-agents/learning/internal/improving/lineage';
import { addressOf, changeBetween, componentsOf, isEmpty, touchedNames } from '@ludus-agents/learning/internal/prompts/components';
import { diffLines } from '@ludus-agents/learning/internal/prompts/edits';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { pad, wrap } from '../render/width.ts';
import { columnsOf, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly html?: string;
  readonly words?: boolean;
  readonly json?: boolean;
}

export const diff: CommandRun = {
  async run({ args, options: given, terminal }) {
    const options = given as Options;
    return withExistingStore(terminal, options, async (store) => {
      if ((await isDeskRun(store, args[0]!)) && (await isDeskRun(store, args[1]!)))
        return showRuns(await diffRuns(store, args[0]!, args[1]!), options, terminal);
      const [a, b] = [await specBy(store, args[0]!, terminal), await specBy(store, args[1]!, terminal)];
      const [before, after] = [componentsOf(a), componentsOf(b)];
      const change = changeBetween(before, after);
      if (options.json === true) printJson(terminal, { a: addressOf(a), b: addressOf(b), change });
      else if (isEmpty(change)) print(terminal, 'They say the same.');
      else
        print(
          terminal,
          touchedNames(change)
            .map((name) => section(name, [before[name] ?? '', after[name] ?? ''], terminal))
            .join('\n\n'),
        );
      return exits.fine;
    });
  },
};

/** Cases that changed, with both conversations; those with other words and the same verdict are listed where asked for. */
function showRuns(changes: RunDiff, options: Options, terminal: Terminal): number {
  if (options.html !== undefined) writeFileAtomicSync(resolve(terminal.cwd, options.html), runDiffPage(changes));
  if (options.json === true) {
    printJson(terminal, changes);
    return exits.fine;
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
  const shown = changes.changes.filter(({ change }) => options.words === true || change !== 'reworded');
  const blocks = shown.map((one) =>
    [
      colours.bold(`${one.change}: ${printable(one.case)}, seed ${one.seed}`),
      ...row(verdictOf(one.before), verdictOf(one.after), one.change === 'broken' ? colours.red : colours.green),
      ...sideBySide(one).flatMap(([a, b]) => row(spoken(a), spoken(b), a?.text === b?.text ? colours.faint : undefined)),
    ].join('\n'),
  );
  print(terminal, runDiffSummary(changes), ...blocks.flatMap((block) => ['', block]));
  if (options.html !== undefined) print(terminal, '', `The page is ${printable(options.html)}.`);
  return exits.fine;
}

function section(name: string, [before, after]: readonly [string, string], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const paint = { ' ': (text: string) => text, '-': colours.red, '+': colours.green };
  const lines = diffLines(before, after).map(({ sign, text }) => paint[sign](`${sign} ${printable(text)}`));
  return [colours.bold(printable(name)), ...lines].join('\n');
}

async function specBy(store: Store, typed: string, terminal: Terminal): Promise<AgentSpec> {
  if (!/[\\/]|\.json$/.test(typed)) return (await candidateBy(store, typed)).candidate.spec;
  try {
    return jsonFrom(readFileSync(resolve(terminal.cwd, typed), 'utf8'), `The spec ${typed}`) as unknown as AgentSpec;
  } catch (thrown) {
    if (isFault(thrown)) throw thrown;
    throw new Fault('input', `The spec ${typed} cannot be read: ${reasonOf(thrown)}.`);
  }
}
