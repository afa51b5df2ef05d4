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
      .option(...flag('agents', 'the agents to test; null agents are added as a floor'))
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
      'ludus eval games-core --agents random,scripted': 'again: unchanged results are reused',
      'ludus eval cases.csv --agents ./agent.json': 'inputs with expected answers, one case per line',
      'ludus eval service-core --agents scripted --seeds 8': 'add more seeds',
      'ludus eval service-core --agents scripted --over seeds': 'intervals about these tasks, not about new ones',
      'ludus eval my-suite.json --agents my-agent.json --json': 'your own suite and agent',
      'ludus eval ./desk --agents ./bot.json': 'your bot at your desk',
    });
  },

  load: async () => (await import('../commands/eval.ts')).evaluate,
};
