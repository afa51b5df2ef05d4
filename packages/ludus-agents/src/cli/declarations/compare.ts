/** @file Declares the options, help, and examples of `ludus compare`. */

import { withCaseOptions } from '../case-options.ts';
import { amount, type CommandDeclaration, examples, whole, withJson, withOver, withReuse, withStore } from '../command.ts';
import { flag } from '../flags.ts';

export const compare: CommandDeclaration = {
  declare(command) {
    command
      .argument('<a>', 'an agent (name or file), or a run')
      .argument('<b>', 'the agent or run to compare it with')
      .option(...flag('run', 'only episodes of this run'))
      .option(...flag('score', 'the score to compare (default: the suite’s result, or the return)'))
      .option(...flag('card'))
      .option('--on <suite>', 'play both agents on every task of this suite')
      .option('--control <run>', 'with --on: also compare with random edits at equal cost')
      .option(
        '--plays <n>',
        'with --on: minimum number of episodes per agent; all tasks are played equally often',
        whole('--plays', 2, 100_000),
        48,
      )
      .option(...flag('seed', 'with --on'), whole('--seed', 0), 1)
      .option('--cases', 'two desk runs: show the cases that changed, side by side')
      .option('--words', 'with --cases: include cases where only the wording differs')
      .option(...flag('html', 'with --cases'))
      .option('--no-worse', 'exit with 1 if the second run is worse than the first')
      .option('--margin <share>', 'with --no-worse: the allowed loss (default: 0.05)', amount('--margin'))
      .option(...flag('agent', 'with --no-worse: only this agent (default: all tested agents)'))
      .option('--strict', 'with --no-worse: also exit with 1 if the result is unclear')
      .option(
        '--target <amount>',
        'the smallest difference worth detecting (default: 5 points, or a fifth of the standard deviation for a score without points)',
        amount('--target'),
      );
    withJson(withReuse(withStore(withOver(withCaseOptions(command)))));
    examples(command, {
      'ludus compare scripted random': 'on all tasks that both have played',
      'ludus compare my-agent scripted --run games-core': 'in one run',
      'ludus compare before after --score form --json': 'two runs, by another score',
      'ludus compare bot-v1 bot-v2 --cases --html diff.html': 'two runs of "ludus test ./desk": which cases changed',
      'ludus compare RUN1 RUN2 --no-worse': 'exit with 1 if RUN2 is worse than RUN1',
      'ludus compare ./agent.json ./improved.json --on ./suite.json --control RUN': 'before and after, over distinct tasks',
      'ludus compare kuhn-lm-1 kuhn-lm-2': 'two training runs, start and end',
    });
  },

  load: async () => (await import('../commands/compare.ts')).compare,
};
