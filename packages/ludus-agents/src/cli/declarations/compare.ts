/** @file What `ludus compare` takes: its options, help and examples. */

import { amount, type CommandDeclaration, examples, whole, withJson, withOver, withStore } from '../command.ts';

export const compare: CommandDeclaration = {
  declare(command) {
    command
      .argument('<a>', 'an agent by its name, or a run')
      .argument('<b>', 'what it is compared with')
      .option('--run <run>', 'only the episodes of this run')
      .option('--score <name>', "which score decides (default: a suite's result, else the return)")
      .option('--card <file>', 'the trust card of the judge whose score decides')
      .option('--on <suite>', 'play both, two specs or names, on all tasks of this suite, with its floors')
      .option('--control <run>', 'with --on: also what random edits found in this improvement, at equal cost')
      .option(
        '--plays <n>',
        'with --on: episodes of each agent at least; every task is played equally often',
        whole('--plays', 2, 100_000),
        48,
      )
      .option('--seed <n>', 'with --on: other seeds', whole('--seed', 0), 1)
      .option('--cases', 'two runs at a desk: the cases that changed, with both conversations side by side')
      .option('--words', 'with --cases: also cases that differ in words only')
      .option('--html <file>', 'with --cases: write the comparison to an HTML page')
      .option('--no-worse', 'exit with 1 when the second is worse than the first; both are runs')
      .option('--margin <share>', 'with --no-worse: the loss that is allowed (default: 0.05)', amount('--margin'))
      .option('--agent <name>', 'with --no-worse: the agent whose results are compared (default: all that try)')
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
