/** @file What `ludus eval` takes: its options, help and examples. */

import '@ludus-agents/servers/internal/kinds';
import { suiteNames } from '@ludus-agents/evaluation/internal/scoring/suites/built-in';
import { withCaseOptions } from '../case-options.ts';
import { type CommandDeclaration, examples, whole, withJson, withOver, withReuse, withStore, withWorkers } from '../command.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

export const evaluate: CommandDeclaration = {
  parts: { power: { summary: 'Compute how many episodes detect a difference', load: async () => (await import('./eval/power.ts')).power } },

  declare(command) {
    command
      .argument('<suite>', `${suiteNames().join(', ')}, a file of cases (.csv, .tsv, .jsonl), a suite file, or the folder of a desk`)
      .option('--agents <list>', 'who is tested: kinds like random,scripted or files of your own; null agents play along')
      .option('--seeds <n>', "how often every task is played (default: the suite's own)", whole('--seeds', 1, 1_000_000))
      .option('--concurrency <n>', 'episodes at once (default: 64)', whole('--concurrency', 1, 100_000))
      .option('--rubric <name>', 'what a judge is to look at, after the rules; needs --judge')
      .option('--judge <model>', 'the model that judges; see "ludus judge trust" first')
      .option('--humans <file>', 'conversations of people: how like them are the simulated ones? (default: "test.humans" of ludus.config)')
      .option('--run <name>', 'name of the run that keeps the results (default: derived from the suite)')
      .option('--retry', 'play episodes that failed again')
      .option('--yes', 'do not ask before models are called');
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
