/** @file Declares the options, help, and examples of `ludus eval` and its subcommands. */

import { amount, type CommandDeclaration, examples, whole, withJson, withOver, withReuse, withStore, withWorkers } from '../command.ts';
import '@ludus-agents/servers/internal/kinds';
import { suiteNames } from '@ludus-agents/evaluation/internal/scoring/suites/built-in';
import { withCaseOptions } from '../case-options.ts';
import { flag } from '../flags.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

const power: CommandDeclaration = {
  declare(command) {
    command
      .requiredOption('--difference <amount>', 'the difference to detect: 0.05 is 5 points of 100', amount('--difference'))
      .option('--rate <share>', 'the baseline success rate (default: 0.5, which needs the most episodes)', amount('--rate'))
      .option('--deviation <amount>', 'the standard deviation, for mean scores instead of success rates', amount('--deviation'))
      .option('--correlation <r>', 'the correlation of two agents on the same task and seed (default: 0.5)', Number)
      .option('--power <share>', 'the power (default: 0.8)', amount('--power'))
      .option('--alpha <share>', 'the significance level (default: 0.05)', amount('--alpha'));
    withJson(command);
    examples(command, {
      'ludus eval power --difference 0.05': 'how many episodes to see 5 points?',
      'ludus eval power --difference 0.1 --rate 0.8 --correlation 0.7': 'a baseline of 80%, highly correlated agents',
      'ludus eval power --difference 0.5 --deviation 2': 'chips instead of points',
    });
  },

  load: async () => (await import('../commands/eval/power.ts')).power,
};

export const evaluate: CommandDeclaration = {
  parts: { power: { summary: 'Compute how many episodes detect a difference', ...power } },

  declare(command) {
    command
      .argument(
        '<suite>',
        `${suiteNames().join(', ')}, a file of cases (.csv, .tsv, .jsonl), a suite file, the folder of a desk, or a stored run, whose results are shown`,
      )
      .option(...flag('agents', 'the agents to test; baseline agents are added automatically'))
      .option(...flag('seeds', 'seeds per task (default: the suite’s)'), whole('--seeds', 1, 1_000_000))
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 100_000))
      .option(...flag('rubric'))
      .option(...flag('judge', 'a judge model; run "ludus judge trust" first'))
      .option(...flag('humans'))
      .option(...flag('run', 'the name of the run (default: derived from the suite)'))
      .option(...flag('retry'))
      .option(...flag('yes'));
    withJson(withStore(withReuse(withWorkers(withOver(withSpending(withModelOptions(withCaseOptions(command))))))));
    examples(command, {
      'ludus eval games-core --agents random,scripted': 'stored results are reused if nothing has changed',
      'ludus eval cases.csv --agents ./agent.json': 'inputs with expected answers, one case per line',
      'ludus eval service-core --agents scripted --seeds 8': 'add more seeds',
      'ludus eval service-core --agents scripted --over seeds': 'intervals for these tasks, not for new ones',
      'ludus eval my-suite.json --agents my-agent.json --json': 'your own suite and agent',
      'ludus eval ./desk --agents ./bot.json': 'your bot at your desk',
      'ludus eval RUN': 'the results of a stored or imported run; nothing is played',
    });
  },

  load: async () => (await import('../commands/eval.ts')).evaluate,
};
