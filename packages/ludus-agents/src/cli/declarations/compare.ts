/** @file What `ludus compare` takes: its options, help and examples. */

import { amount, type CommandDeclaration, examples, whole, withJson, withOver, withStore } from '../command.ts';
import { flag } from '../flags.ts';

export const compare: CommandDeclaration = {
  declare(command) {
    command
      .argument('<a>', 'an agent by its name, or a run')
      .argument('<b>', 'what it is compared with')
      .option(...flag('run', 'only its episodes'))
      .option(...flag('score', '(default: a suite’s result, else the return)'))
      .option(...flag('card'))
      .option('--on <suite>', 'play both, two specs or names, on all tasks of this suite, with its floors')
      .option('--control <run>', 'with --on: also what random edits found in this improvement, at equal cost')
      .option(
        '--plays <n>',
        'with --on: episodes of each agent at least; every task is played equally often',
        whole('--plays', 2, 100_000),
        48,
      )
      .option(...flag('seed', 'with --on'), whole('--seed', 0), 1)
      .option('--cases', 'two runs at a desk: the cases that changed, with both conversations side by side')
      .option('--words', 'with --cases: also cases that differ in words only')
      .option(...flag('html', 'with --cases'))
      .option('--no-worse', 'exit with 1 when the second is worse than the first; both are runs')
      .option('--margin <share>', 'with --no-worse: the loss that is allowed (default: 0.05)', amount('--margin'))
      .option(...flag('agent', 'with --no-worse: only its results (default: all that try)'))
      .option('--strict', 'with --no-worse: exit with 1 also when it cannot be shown')
      .option('--target <amount>', 'the smallest difference worth seeing (default: 5 points)', amount('--target'));
    withJson(withStore(withOver(command)));
    examples(command, {
      'ludus compare scripted random': 'over all that both have played',
      'ludus compare my-agent scripted --run games-core': 'in one run',
      'ludus compare before after --score form --json': 'two runs, by another score',
      'ludus compare bot-v1 bot-v2 --cases --html diff.html': 'two runs of "ludus test ./desk": which cases changed',
      'ludus compare RUN1 RUN2 --no-worse': 'exit code 1 when RUN2 is worse than RUN1',
      'ludus compare ./agent.json ./improved.json --on ./suite.json --control RUN': 'before and after, over distinct tasks',
      'ludus compare kuhn-lm-1 kuhn-lm-2': 'two trainings: where they began and ended',
    });
  },

  load: async () => (await import('../commands/compare.ts')).compare,
};
