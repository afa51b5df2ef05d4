/** @file Declares the options, help, and examples of `ludus test`. */

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
      .option(...flag('seeds', 'seeds per task; more seeds reveal flaky tasks (default: the suite’s)'), whole('--seeds', 1, 1_000_000))
      .option(...flag('failUnder', 'fail if a smaller share of attempts passes'), share('--fail-under'))
      .option('--must-pass <task>', 'fail if any attempt at this task or scene fails; repeatable', several)
      .option('--no-worse-than <baseline>', 'fail if the results are worse than this run, or than a file written by --save')
      .option('--margin <share>', 'the loss that --no-worse-than allows (default: 0.05)', share('--margin'))
      .option('--strict', 'also fail if --no-worse-than is inconclusive')
      .option('--allow-fault <kind>', 'don’t fail on this kind of fault; repeatable', several)
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
      'ludus test ./desk --agents ./bot.json --fail-under 0.9 --junit out.xml': 'exit code 1 on failure',
      'ludus test --must-pass refund-late --markdown summary.md': 'with the settings in ludus.config',
      'ludus test --save main.json': 'on the main branch: save the results',
      'ludus test --no-worse-than main.json': 'on another branch: fail if the bot is worse',
    });
  },

  load: async () => (await import('../commands/test.ts')).test,
};
