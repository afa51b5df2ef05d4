/** @file What `ludus data make` takes: its options, help and examples. */

import { madeFormats } from '@ludus-agents/learning/internal/datasets/make/made-files';
import { type CommandDeclaration, examples, oneOf, whole, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withModelOptions } from '../../model-options.ts';
import { withSpending } from '../../spending.ts';

export const make: CommandDeclaration = {
  declare(command) {
    command
      .argument('<pipeline>', 'the pipeline: a name from "ludus list pipelines", or your own file')
      .argument(
        '[source]',
        'the source: a persona, a file of questions, or a text file (default: math problems, if the pipeline needs questions)',
      )
      .requiredOption(...flag('model', 'the model that writes the items; "fake" is offline and free'))
      .option(...flag('judge', 'judges, separated by commas (default: the same model, three times)'))
      .option(...flag('number'), whole('-n', 1, 1_000_000), 10)
      .option('--attempts <n>', 'the maximum number of attempts (default: four times -n)', whole('--attempts', 1, 10_000_000))
      .option(...flag('seed'), whole('--seed', 0), 0)
      .option(
        '--format <format>',
        `the row format: ${Object.keys(madeFormats).join(', ')}`,
        oneOf('--format', Object.keys(madeFormats)),
        'openai',
      )
      .requiredOption(...flag('output', 'the output file; a journal is written next to it'))
      .option(...flag('concurrency', '(default: 4)'), whole('--concurrency', 1, 1000))
      .option(...flag('yes'));
    withJson(withSpending(withModelOptions(command)));
    examples(command, {
      'ludus data make ditto villain --model fake -n 10 -o out.jsonl': 'role dialogues, offline',
      'ludus data make ditto ./persona.json --model openai/gpt-5.4-mini -n 100 -o out.jsonl --max-cost 2':
        'with a model, within two dollars',
      'ludus data make mpa ./questions.jsonl --model qwen --judge gguf:qwen3-0.6b,openai/gpt-5.4-mini -o probes.jsonl':
        'judged by a committee of two',
      'ludus data make ./mine.ts ./notes.txt --model fake -o mine.jsonl': 'your own pipeline',
    });
    command.addHelpText(
      'after',
      '\nEvery step is saved in FILE.journal before the next one starts. After Ctrl-C, a budget limit, or a crash,\nthe same command resumes, and a larger -n makes only what is missing.',
    );
  },

  load: async () => (await import('../../commands/data/make.ts')).make,
};
