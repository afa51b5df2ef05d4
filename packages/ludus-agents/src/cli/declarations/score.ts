/** @file What `ludus score` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withReuse, withStore, withWorkers } from '../command.ts';
import { flag } from '../flags.ts';
import { withSpending } from '../spending.ts';

export const score: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'a run; the first letters of its id are enough')
      .option('--scorers <list>', 'rules and small models by name, or files of your own; without it those of the suite, or the usual ones')
      .option(...flag('suite'))
      .option(...flag('rubric'))
      .option(...flag('judge', 'after the rules'))
      .option(
        '--persona <seat=persona...>',
        'whom a seat is meant to be, where the run does not say so: a name of the gallery or a file, like --persona assistant=villain',
      )
      .option(
        ...flag(
          'against',
          'with a pairwise rubric like furina: a run, episode by episode; "source" takes the lines that a suite was built from',
        ),
      )
      .option('--again', 'also score what has its scores');
    withJson(withStore(withReuse(withWorkers(withSpending(command)))));
    examples(command, {
      'ludus score games-core': 'what is not scored yet',
      'ludus score baseline --scorers return,form,repetition': 'by these rules',
      'ludus score baseline --scorers ./mine.ts': 'by a rule of your own; "ludus new scorer mine" writes one',
      'ludus score persona-core --scorers apc,relevance': 'by what words alone can tell',
      'ludus score persona-core --scorers apc=onnx:./nli': 'APC by an inference model in a folder; apc=MODEL asks a language model',
      'ludus score baseline --scorers critic=steps': 'every step, by a critic that "ludus train spc --name steps" has trained',
      'ludus score import-chats --persona assistant=./ada.json --scorers apc,secrets,style': 'talk from elsewhere, held against a card',
      'ludus score mine --rubric furina --judge openai/gpt-5.4-mini --against theirs':
        'which of two plays each task better, both ways round',
      'ludus score scenes --rubric coser --judge openai/gpt-5.4-mini': 'by a judge; see "ludus judge trust" first',
    });
  },

  load: async () => (await import('../commands/score.ts')).score,
};
