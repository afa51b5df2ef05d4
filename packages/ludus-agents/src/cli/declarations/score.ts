/** @file Declares the options, help, and examples of `ludus score`. */

import { type CommandDeclaration, examples, withJson, withReuse, withStore, withWorkers } from '../command.ts';
import { flag } from '../flags.ts';
import { withSpending } from '../spending.ts';

export const score: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'a run, by name or the start of its ID')
      .option('--scorers <list>', 'rules and small models by name, or your own files (default: the suite’s, or the standard ones)')
      .option(...flag('suite'))
      .option(...flag('rubric'))
      .option(...flag('judge', 'a judge model, after the rules'))
      .option('--persona <seat=persona...>', 'the persona of a seat, if the run does not name it: --persona assistant=villain')
      .option(...flag('against', 'with a pairwise rubric: the run to compare with; "source" uses the lines that the suite was built from'))
      .option('--again', 'score episodes again that already have scores');
    withJson(withStore(withReuse(withWorkers(withSpending(command)))));
    examples(command, {
      'ludus score games-core': 'all episodes without scores',
      'ludus score baseline --scorers return,form,repetition': 'with these rules',
      'ludus score baseline --scorers ./mine.ts': 'with your own rule; "ludus new scorer mine" creates one',
      'ludus score persona-core --scorers apc,relevance': 'from the text alone',
      'ludus score persona-core --scorers apc=onnx:./nli': 'APC by an inference model in a folder; apc=MODEL asks a language model',
      'ludus score baseline --scorers critic=steps': 'every step, by a critic trained with "ludus train spc --name steps"',
      'ludus score import-chats --persona assistant=./ada.json --scorers apc,secrets,style': 'imported conversations, compared with a card',
      'ludus score mine --rubric furina --judge openai/gpt-5.4-mini --against theirs':
        'which of two agents plays each task better, in both orders',
      'ludus score scenes --rubric coser --judge openai/gpt-5.4-mini': 'with a judge; run "ludus judge trust" first',
    });
  },

  load: async () => (await import('../commands/score.ts')).score,
};
