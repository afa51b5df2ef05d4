/** @file What `ludus test` takes: its options, help and examples. */

import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import { type CommandDeclaration, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

const several = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function share(option: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= 0 && value <= 1) return value;
    throw new Fault('input', `${option}: expected a share from 0 to 1, such as 0.9, got "${text}".`);
  };
}

export const test: CommandDeclaration = {
  declare(command) {
    command
      .argument('[suite]', 'a suite, a file, or the folder of a desk (default: "test" in ludus.config)')
      .option(
        ...flag('agents', 'the agents to test, separated by commas: names, files, bot:URL, or llm:MODEL (default: "test" in ludus.config)'),
      )
      .option(
        ...flag('seeds', 'every task is played on each; repeats show which are flaky (default: the suite’s)'),
        whole('--seeds', 1, 1_000_000),
      )
      .option(...flag('failUnder', 'the share of tries that pass'), share('--fail-under'))
      .option('--must-pass <task>', 'fail when any try of this task, or of a scene, fails; repeatable', several)
      .option('--no-worse-than <baseline>', 'fail when it is worse than this run, or than a file that --save wrote')
      .option('--margin <share>', 'the loss that --no-worse-than allows (default: 0.05)', share('--margin'))
      .option('--strict', 'fail also when --no-worse-than cannot be shown')
      .option('--allow-fault <kind>', 'do not fail on this kind of fault; repeatable', several)
      .option('--junit <file>', 'write JUnit XML')
      .option('--markdown <file>', 'write Markdown, for a pull request')
      .option(...flag('html'))
      .option('--save <file>', 'write the results, for --no-worse-than later')
      .option(...flag('humans'))
      .option(...flag('run', 'the run to store results in; an existing run is continued (default: a new one)'))
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 100_000))
      .option(...flag('yes'));
    withJson(withStore(withSpending(withModelOptions(command))));
    examples(command, {
      'ludus test ./desk --agents ./bot.json --fail-under 0.9 --junit out.xml': 'exit code 1 when it fails',
      'ludus test --must-pass refund-late --markdown summary.md': 'with the settings in ludus.config',
      'ludus test --save main.json': 'on the main branch; then, on another:',
      'ludus test --no-worse-than main.json': 'by the paired interval over tasks',
    });
  },

  load: async () => (await import('../commands/test.ts')).test,
};
