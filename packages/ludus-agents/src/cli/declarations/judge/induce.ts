/** @file What `ludus judge induce` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const usualSizes = [2, 4, 8];

export const induce: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'a run, by name or the start of its ID')
      .option(
        '--feedback <file>',
        'JSON lines, or a JSON list, of {"episode": "…", "feedback": "…"} (default: the reasons of labels, stored by "ludus judge review")',
      )
      .requiredOption(...flag('judge', 'the model that judges, or a control: fake:honest, fake:constant'))
      .option('--metrics <list>', `numbers of metrics to try (default: ${usualSizes.join(',')})`, sizesIn)
      .option(...flag('output', 'where to write the rubric'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus judge induce baseline --feedback remarks.jsonl --judge fake:honest': 'from the text alone, without a model',
      'ludus judge induce baseline --feedback remarks.jsonl --judge openai/gpt-5.4-mini -o mine.json': 'as your own rubric',
      'ludus judge induce baseline --judge openai/gpt-5.4-mini -o mine.json': 'from the reasons people gave with labels',
      'ludus score baseline --rubric ./mine.json --judge openai/gpt-5.4-mini': 'and what the rubric is for',
    });
  },

  load: async () => (await import('../../commands/judge/induce.ts')).induce,
};

function sizesIn(text: string): readonly number[] {
  const read = whole('--metrics', 1, 50);
  return [...new Set(text.split(',').map(read))];
}
