/** @file `ludus make`: data made by a pipeline with a model, item by item, proved or judged before it is kept; again to go on. */

import { count, formatGrouped, money } from '../../core/format.ts';
import { printable } from '../../core/index.ts';
import { estimateMake, type MakeReport, type MakeRequest, makeDataset, prepareMake } from '../../datasets/make/dataset.ts';
import { madeFormats } from '../../datasets/make/made-files.ts';
import { type CommandFile, examples, exits, oneOf, whole, withJson } from '../command.ts';
import { confirm } from '../confirm.ts';
import { modelOptions, withModelOptions } from '../model-options.ts';
import { coloursFor } from '../render/colours.ts';
import { basisWords, moneyWords, spanWords } from '../render/estimate.ts';
import { type SpendingOptions, withinBudget, withSpending } from '../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends SpendingOptions {
  readonly model: string;
  readonly judge?: string;
  readonly number: number;
  readonly attempts?: number;
  readonly seed: number;
  readonly format: string;
  readonly output: string;
  readonly concurrency?: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const make: CommandFile = {
  declare(command) {
    command
      .argument('<pipeline>', 'how it is made: a name of "ludus list pipelines", or a file of your own')
      .argument(
        '[source]',
        'what it is made from: a persona, a file of questions, a text file; problems of mathematics where questions are wanted',
      )
      .requiredOption('--model <model>', 'who writes it; "fake" is a scripted stand-in, offline and free')
      .option('--judge <models>', 'who judges it, several with commas between (default: the same model, three times)')
      .option('-n, --number <n>', 'how many items to keep', whole('-n', 1, 1_000_000), 10)
      .option('--attempts <n>', 'the most attempts at them (default: four times as many)', whole('--attempts', 1, 10_000_000))
      .option('--seed <n>', 'where all dice come from', whole('--seed', 0), 0)
      .option(
        '--format <format>',
        `how rows are written: ${Object.keys(madeFormats).join(', ')}`,
        oneOf('--format', Object.keys(madeFormats)),
        'openai',
      )
      .requiredOption('-o, --output <file>', 'the file to write; its journal lies beside it')
      .option('--concurrency <n>', 'items at once (default: 4)', whole('--concurrency', 1, 1000))
      .option('--yes', 'do not ask before models are called');
    withJson(withSpending(withModelOptions(command)));
    examples(command, {
      'ludus make ditto villain --model fake -n 10 -o out.jsonl': 'role dialogues, offline by a scripted stand-in',
      'ludus make ditto ./persona.json --model openai/gpt-5.4-mini -n 100 -o out.jsonl --max-cost 2': 'with a model, within two dollars',
      'ludus make mpa ./questions.jsonl --model qwen --judge gguf:qwen3-0.6b,openai/gpt-5.4-mini -o probes.jsonl':
        'judged by a committee of two',
      'ludus make ./mine.ts ./notes.txt --model fake -o mine.jsonl': 'a pipeline of your own',
    });
    command.addHelpText(
      'after',
      '\nEvery step is in FILE.journal before the next begins: after Ctrl-C, a budget or a crash the\nsame command goes on, and a greater -n makes only what is missing.',
    );
  },

  run: withinBudget(async ({ args, options: given, terminal }) => {
    const options = given as unknown as Options;
    modelOptions(given, terminal.env);
    const work = await prepareMake(requestOf(args, options), terminal.cwd);
    const estimate = await estimateMake(work, terminal.env);
    terminal.stderr.write(
      `${printable(work.pipeline.name)} · ${count(options.number, 'item')} · about ${spanWords(estimate.calls)} model calls; ${moneyWords(estimate)}\n${basisWords(estimate)}\n`,
    );
    if (work.model !== null && options.yes !== true && !(await confirm(terminal, 'Models will be called. Start?')))
      return exits.interrupted;
    const { controller, release } = interruptible(terminal);
    const report = await makeDataset(work, {
      ...{ cwd: terminal.cwd, signal: controller.signal, at: new Date() },
    }).finally(release);
    if (options.json === true) printJson(terminal, { pipeline: work.pipeline.name, ...report, wanted: options.number });
    else print(terminal, ...formatReport(report, options, terminal));
    if (report.stopped) return exits.interrupted;
    return report.items < options.number ? exits.found : exits.fine;
  }),
};

function requestOf(args: readonly (string | undefined)[], options: Options): MakeRequest {
  const { number: items, judge, model, attempts, seed, format, output, concurrency } = options;
  const judges = judge?.split(',').map((name) => name.trim());
  return { ...{ pipeline: args[0]!, source: args[1], model, items, attempts, seed, format, output, concurrency }, judges };
}

function formatReport(report: MakeReport, { number: wanted, output }: Options, terminal: Terminal): readonly string[] {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const { items, attempts, calls, newCalls, cost, refused, stopped } = report;
  const enough = items >= wanted;
  const paid = cost === null ? 'their price is not known' : money(cost);
  const reasons = Object.entries(refused).map(([why, times]) => `  ${times} × ${printable(why)}`);
  return [
    `${enough ? colours.green('✓') : colours.yellow('!')} ${count(items, 'item')} of ${formatGrouped(wanted)} in ${printable(output)}, from ${count(attempts, 'attempt')}; ${count(newCalls, 'new call')}, ${formatGrouped(calls)} in all (${paid}).`,
    ...(reasons.length === 0 ? [] : ['Refused:', ...reasons]),
    ...(enough ? [] : [stopped ? 'Stopped; the same command goes on.' : 'Too many attempts were refused; --attempts allows more.']),
  ];
}
