/** @file What `ludus judge trust` takes: its options, help and examples. */

import { controlWords } from '@ludus-agents/evaluation/internal/control-words';
import { rubricNames } from '@ludus-agents/evaluation/internal/scoring/rubrics/index';
import { type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const trust: CommandDeclaration = {
  declare(command) {
    command
      .argument('<rubric>', `${rubricNames.join(', ')}, or a file of your own`)
      .requiredOption('--judge <model>', `the model that judges, or a control: ${controlWords.join(', ')}`)
      .option('--second <model>', 'a judge of another family to agree with')
      .option('--twins <n>', 'planted cases (default: 60; fewer than 35 cannot show an A)', whole('--twins', 1, 10_000))
      .option(...flag('seed', '(default: 1)'), whole('--seed', 0));
    command
      .option(
        '--labels <run>',
        'episodes of this run that people labelled good or bad ("ludus judge review"): their agreement with the judge stands on the card',
      )
      .option('--tune <model>', 'with --labels: a model that rewrites what the judge is asked; what the gate accepts is kept')
      .option('--rounds <n>', 'wordings to try', whole('--rounds', 1, 100), 4)
      .option(...flag('output', 'the tuned rubric'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus judge trust coser --judge fake:honest': 'what an A looks like',
      'ludus judge trust coser --judge fake:length': 'a judge that loves length is found out',
      'ludus judge trust my-rubric.json --judge MODEL --labels RUN': 'people with each other and with the judge, on its card',
      'ludus judge trust my-rubric.json --judge MODEL --labels RUN --tune MODEL -o tuned.json':
        'its questions tuned to what people said, measured on episodes held out',
      'ludus judge trust sotopia --judge openai/gpt-5.4-mini --json': 'a real one',
    });
  },

  load: async () => (await import('../../commands/judge/trust.ts')).trust,
};
