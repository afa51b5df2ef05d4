/** @file `ludus judge trust`: how far a judge can be relied on under a rubric, measured on planted cases and reported in words. */

import { resolve } from 'node:path';
import { judgeModel, loadJudge } from '@ludus-agents/evaluation/internal/judges';
import { loadRubric } from '@ludus-agents/evaluation/internal/loaders';
import { createJudge, type Rubric } from '@ludus-agents/evaluation/internal/scoring/judges/index';
import { cardLine, examine, type TrustCard } from '@ludus-agents/evaluation/internal/scoring/trust/index';
import { Fault, type Model, printable } from '@ludus-agents/kernel/internal/core/index';
import {
  type JudgeLabels,
  judgeAgreement,
  labelledEpisodes,
  labelsText,
  type TuneReport,
  tuneRubric,
} from '@ludus-agents/learning/internal/judge-labels';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { loadRun, type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { type Colours, coloursFor } from '../../render/colours.ts';
import { wrap } from '../../render/width.ts';
import { withinBudget } from '../../spending.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../../terminal.ts';

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
    const rubric = await loadRubric(args[0]!, terminal.cwd, terminal.trust);
    const model = await judgeModel(options.judge, rubric, terminal);
    const work = options.labels === undefined ? null : await labelWork(options, rubric, model, terminal);
    const { controller, release } = interruptible(terminal);
    const card = await examine({
      rubric,
      judge: { model },
      signal: controller.signal,
      ...(options.second === undefined ? {} : { second: await judgeModel(options.second, rubric, terminal) }),
      ...(options.twins === undefined ? {} : { twins: options.twins }),
      ...(options.seed === undefined ? {} : { seed: options.seed }),
    }).finally(release);
    const { labels, tuned } = work ?? {};
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

/** The judge beside what people said, and its questions tuned to them where that is asked for. */
async function labelWork(
  options: Options,
  rubric: Rubric,
  model: Model,
  terminal: Terminal,
): Promise<{ labels: JudgeLabels; tuned?: TuneReport }> {
  if (rubric.form === 'pairwise')
    throw new Fault('input', `The rubric "${rubric.name}" compares two episodes, but --labels needs a rubric that scores single episodes.`);
  return withExistingStore(terminal, options, async (store) => {
    const run = await loadRun(store, options.labels!);
    const labelled = await labelledEpisodes(store, run.id);
    if (labelled.length === 0)
      throw new Fault(
        'input',
        `No episode of ${run.id} is labeled good or bad. Label some with "ludus judge review EPISODE --label good".`,
      );
    const labels = await judgeAgreement(createJudge(rubric, { model }), labelled);
    if (options.tune === undefined) return { labels };
    const clear = labelled.filter(({ good }) => good !== null).length;
    if (clear < 12)
      throw new Fault(
        'input',
        `Tuning splits the labeled episodes into three parts and needs at least 12 that people agree about, but there are ${clear}.`,
      );
    const writer = await loadJudge(options.tune, terminal.cwd, terminal.trust);
    const tuned = await tuneRubric({ rubric, model, writer, labelled, rounds: options.rounds, seed: options.seed ?? 1 });
    if (options.output !== undefined)
      writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(tuned.rubric, null, 1)}\n`);
    return { labels, tuned };
  });
}

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
