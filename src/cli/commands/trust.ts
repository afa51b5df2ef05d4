/** @file `ludus trust`: how far a judge can be relied on under a rubric, measured on planted cases and reported in words. */

import { printable } from '../../core/index.ts';
import { rubricNames } from '../../scoring/rubrics/index.ts';
import { cardLine, examine, type TrustCard } from '../../scoring/trust/index.ts';
import { controlWords, judgeModel } from '../../workspace/judges.ts';
import { loadRubric } from '../../workspace/loaders.ts';
import { type CommandFile, examples, exits, whole, withJson } from '../command.ts';
import { type Colours, coloursFor } from '../render/colours.ts';
import { wrap } from '../render/width.ts';
import { withinBudget, withSpending } from '../spending.ts';
import { columnsOf, interruptible, print, printJson } from '../terminal.ts';

interface Options {
  readonly judge: string;
  readonly second?: string;
  readonly twins?: number;
  readonly seed?: number;
  readonly json?: boolean;
}

const meaning: Readonly<Record<TrustCard['grade'], string>> = {
  A: 'It may rank and train; the judge that trains must not be the one that reports.',
  B: 'It may be shown beside other numbers, with this card; it may not rank or train.',
  C: 'Its numbers say nothing that can be relied on.',
};

export const trust: CommandFile = {
  declare(command) {
    command
      .argument('<rubric>', `${rubricNames.join(', ')}, or a file of your own`)
      .requiredOption('--judge <model>', `the model that judges, or a control: ${controlWords.join(', ')}`)
      .option('--second <model>', 'a judge of another family to agree with')
      .option('--twins <n>', 'planted cases (default: 60; fewer than 35 cannot show an A)', whole('--twins', 1, 10_000))
      .option('--seed <n>', 'the dice of the cases (default: 1)', whole('--seed', 0));
    withJson(withSpending(command));
    examples(command, {
      'ludus trust coser --judge fake:honest': 'what an A looks like',
      'ludus trust coser --judge fake:length': 'a judge that loves length is found out',
      'ludus trust sotopia --judge openai/gpt-5.4-mini --json': 'a real one',
    });
  },

  run: withinBudget(async ({ args, options: given, terminal }) => {
    const options = given as unknown as Options;
    const rubric = await loadRubric(args[0]!, terminal.cwd);
    const model = await judgeModel(options.judge, rubric, terminal.cwd);
    const { controller, release } = interruptible(terminal);
    const card = await examine({
      rubric,
      judge: { model },
      signal: controller.signal,
      ...(options.second === undefined ? {} : { second: await judgeModel(options.second, rubric, terminal.cwd) }),
      ...(options.twins === undefined ? {} : { twins: options.twins }),
      ...(options.seed === undefined ? {} : { seed: options.seed }),
    }).finally(release);
    if (options.json === true) printJson(terminal, { ...card, means: meaning[card.grade] });
    else print(terminal, text(card, coloursFor(terminal.stdout, terminal.env), Math.min(100, columnsOf(terminal.stdout))));
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
