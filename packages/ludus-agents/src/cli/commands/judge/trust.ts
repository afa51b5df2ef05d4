/** @file `ludus judge trust`: how far a judge can be relied on under a rubric, measured on planted cases and reported in words. */

import { resolve } from 'node:path';
import { cardLine, type TrustCard } from '@ludus-agents/evaluation/internal/scoring/trust/index';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { labelsText } from '@ludus-agents/learning/internal/judge-labels';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { trust as measureTrust } from '../../../library/judge.ts';
import { type CommandRun, exits } from '../../command.ts';
import { type Colours, coloursFor } from '../../render/colours.ts';
import { wrap } from '../../render/width.ts';
import { withinBudget } from '../../spending.ts';
import { columnsOf, interruptible, print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly labels?: string;
  readonly tune?: string;
  readonly rounds: number;
  readonly output?: string;
  readonly judge: string;
  readonly second?: string;
  readonly twins?: number;
  readonly seed?: number;
  readonly json?: boolean;
}

const meaning: Readonly<Record<TrustCard['grade'], string>> = {
  A: 'It may rank and train, but the judge used for training must not be the one that reports.',
  B: 'It may be shown next to other numbers, with this card. It may not rank or train.',
  C: 'Its scores are not reliable.',
};

export const trust: CommandRun<Options> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    const { controller, release } = interruptible(terminal);
    const { judge, second, twins, seed, labels: run, tune, rounds, store, readOnly } = options;
    const request = { rubric: args[0], judge, second, twins, seed, labels: run, tune, rounds, store, readOnly, signal: controller.signal };
    const { card, labels, tuned } = await measureTrust(request, terminal).finally(release);
    if (tuned !== undefined && options.output !== undefined)
      writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(tuned.rubric, null, 1)}\n`);
    if (options.json === true)
      printJson(terminal, {
        ...card,
        means: meaning[card.grade],
        ...(labels === undefined ? {} : { labels }),
        ...(tuned === undefined ? {} : { tuned }),
      });
    else {
      print(terminal, text(card, coloursFor(terminal.stdout, terminal.env), Math.min(100, columnsOf(terminal.stdout))));
      if (labels !== undefined) print(terminal, '', labelsText(labels));
      if (tuned !== undefined)
        print(terminal, '', ...tuned.rounds, `Before: ${labelsText(tuned.before)}`, `After: ${labelsText(tuned.after)}`);
    }
    return exits.fine;
  }),
};

function text(card: TrustCard, colours: Colours, columns: number): string {
  const paint = { A: colours.green, B: colours.yellow, C: colours.red }[card.grade];
  const reasons = card.reasons.flatMap((reason) => wrap(reason, columns - 2).map((line, i) => `${i === 0 ? '• ' : '  '}${line}`));
  return [
    `${paint(colours.bold(card.grade))}  ${printable(card.judge)} ${colours.faint(`under ${card.rubric}`)}`,
    meaning[card.grade],
    '',
    ...reasons,
    '',
    ...wrap(printable(cardLine(card)), columns).map(colours.faint),
  ].join('\n');
}
