/** @file What `ludus desk tasks from` takes: its options, help and examples. */

import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import { type CommandDeclaration, examples, withJson, withStore } from '../../../command.ts';
import { flag } from '../../../flags.ts';

export const from: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'a run, by name or the start of its ID')
      .option('--failed', 'only tasks that failed at least once')
      .option('--rate <low,high>', 'only tasks with a pass rate in this range, such as 0.1,0.9', readRate)
      .option(...flag('agent', 'only episodes with this agent'))
      .option(...flag('redact', 'in imported conversations'))
      .option(...flag('suite', 'or where scenes have scales'))
      .option(...flag('output', '(default: standard output)'));
    withJson(withStore(command));
    examples(command, {
      'ludus desk tasks from RUN --failed -o tasks.json': 'a suite of failed tasks',
      'ludus desk tasks from RUN --agent NAME --rate 0.1,0.9 -o next.json': 'tasks by pass rate, to choose what to train on',
      'ludus desk tasks from import-spans --failed --redact "Ann Archer" -o tasks.json': 'imported conversations that failed, as cases',
      'ludus test tasks.json --agents ./bot.json --fail-under 1': 'and a gate that keeps them from failing again',
    });
  },

  load: async () => (await import('../../../commands/desk/tasks/from.ts')).from,
};

function readRate(text: string): readonly [number, number] {
  const [low, high, ...more] = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (low === undefined || high === undefined || more.length > 0 || !(low >= 0 && low <= high && high <= 1))
    throw new Fault('input', `--rate: expected two shares from 0 to 1, the lower first, such as 0.1,0.9, got "${text}".`);
  return [low, high];
}
