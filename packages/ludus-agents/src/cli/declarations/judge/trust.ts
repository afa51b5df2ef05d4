/** @file What `ludus judge trust` takes: its options, help and examples. */

import { controlWords } from '@ludus-agents/evaluation/internal/control-words';
import { rubricNames } from '@ludus-agents/evaluation/internal/scoring/rubrics/index';
import { type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const trust: CommandDeclaration = {
  declare(command) {
    command
      .argument('<rubric>', `${rubricNames.join(', ')}, or a file`)
      .requiredOption('--judge <model>', `the model that judges, or a control: ${controlWords.join(', ')}`)
      .option('--second <model>', 'a judge of another model family, to measure agreement')
      .option('--twins <n>', 'planted cases (default: 60; at least 35 are needed for an A)', whole('--twins', 1, 10_000))
      .option(...flag('seed', '(default: 1)'), whole('--seed', 0));
    command
      .option('--labels <run>', 'a run that people labeled with "ludus judge review"; the card shows their agreement with the judge')
      .option('--tune <model>', 'with --labels: a model that rewrites the rubric; a gate accepts or rejects each version')
      .option('--rounds <n>', 'wordings to try', whole('--rounds', 1, 100), 4)
      .option(...flag('output', 'where to write the tuned rubric'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus judge trust coser --judge fake:honest': 'what an A looks like',
      'ludus judge trust coser --judge fake:length': 'a judge that prefers long answers is detected',
      'ludus judge trust my-rubric.json --judge MODEL --labels RUN': 'agreement of people with each other and with the judge',
      'ludus judge trust my-rubric.json --judge MODEL --labels RUN --tune MODEL -o tuned.json':
        'tune the rubric to people’s labels, measured on held-out episodes',
      'ludus judge trust sotopia --judge openai/gpt-5.4-mini --json': 'with a real model',
    });
  },

  load: async () => (await import('../../commands/judge/trust.ts')).trust,
};
