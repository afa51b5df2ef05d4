/** @file What `ludus eval` takes: its options, help and examples. */

import '@ludus-agents/servers/internal/kinds';
import { suiteNames } from '@ludus-agents/evaluation/internal/scoring/suites/built-in';
import { withCaseOptions } from '../case-options.ts';
import { type CommandDeclaration, examples, whole, withJson, withOver, withReuse, withStore, withWorkers } from '../command.ts';
import { flag } from '../flags.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

export const evaluate: CommandDeclaration = {
  parts: { power: { summary: 'Compute how many episodes detect a difference', load: async () => (await import('./eval/power.ts')).power } },

  declare(command) {
    command
      .argument('<suite>', `${suiteNames().join(', ')}, a file of cases (.csv, .tsv, .jsonl), a suite file, or the folder of a desk`)
      .option(...flag('agents', 'they are tested; null agents play along'))
      .option(...flag('seeds', 'every task is played on each (default: the suite’s)'), whole('--seeds', 1, 1_000_000))
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 100_000))
      .option(...flag('rubric'))
      .option(...flag('judge', 'see "ludus judge trust" first'))
      .option(...flag('humans'))
      .option(...flag('run', 'it keeps the results (default: derived from the suite)'))
      .option(...flag('retry'))
      .option(...flag('yes'));
    withJson(withStore(withReuse(withWorkers(withOver(withSpending(withModelOptions(withCaseOptions(command))))))));
    examples(command, {
      'ludus eval games-core --agents random,scripted': 'a second time reuses what did not change',
      'ludus eval cases.csv --agents ./agent.json': 'inputs with expected answers, one case on each line',
      'ludus eval service-core --agents scripted --seeds 8': 'more seeds, added to those that are there',
      'ludus eval service-core --agents scripted --over seeds': 'how sure on these tasks, not on others',
      'ludus eval my-suite.json --agents my-agent.json --json': 'a suite and an agent of your own',
      'ludus eval ./desk --agents ./bot.json': 'your bot at your desk: policy, tools and tasks in a folder',
    });
  },

  load: async () => (await import('../commands/eval.ts')).evaluate,
};
