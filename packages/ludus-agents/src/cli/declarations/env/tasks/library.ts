/** @file What `ludus env tasks library` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson } from '../../../command.ts';
import { flag } from '../../../flags.ts';

export const library: CommandDeclaration = {
  declare(command) {
    command
      .argument('<folder>', 'a folder with Markdown or HTML')
      .option(
        '--questions <file>',
        'your questions: JSON like [{"ask": "…", "answer": "…", "cites": ["a.md"]}] (default: which page links to two others)',
      )
      .option('--search <how>', 'how to search: words (BM25), meaning (vectors), or both (default: words)')
      .option(...flag('seeds', 'the seeds; each draws a question'), whole('--seeds', 1, 10_000), 20)
      .requiredOption(...flag('output'));
    withJson(command);
    examples(command, {
      'ludus env tasks library ./docs -o questions.json': 'which page links to two others, one question per seed',
      'ludus env tasks library ./docs --questions asked.json -o questions.json': 'your own questions, each with its evidence',
      'ludus env tasks library ./docs --search both -o questions.json': 'search by words and by meaning',
      'ludus eval questions.json --agents random,llm:MODEL': 'then it is an ordinary suite',
    });
  },

  load: async () => (await import('../../../commands/env/tasks/library.ts')).library,
};
