/** @file What `ludus play` takes: its options, help and examples. */

import { amount, type CommandDeclaration, collect, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

export const play: CommandDeclaration = {
  seats: true,

  parts: { scene: { summary: 'Play a scene between characters', load: async () => (await import('./play/scene.ts')).scene } },

  declare(command) {
    command
      .argument('<environment>', 'an environment: a built-in name, or a file that exports one')
      .option(...flag('me', 'the seat you take (default: the first free one)'))
      .option('--watch', 'watch the agents instead of playing')
      .option(...flag('agents', 'agents for all seats in order; one name fills every seat'))
      .option(...flag('cast'), collect)
      .option(...flag('task'))
      .option(...flag('seed', '(default: a new one)'), whole('--seed', 0))
      .option(...flag('speed'), amount('--speed'));
    withJson(withStore(withModelOptions(withSpending(command))));
    examples(command, {
      'ludus play kuhn-poker': 'play on the first seat',
      'ludus play scene supper.json': 'characters in one room; "ludus new scene supper" writes one',
      'ludus play tic-tac-toe --me O': 'play on the second seat',
      'ludus play kuhn-poker --second random': 'choose your opponent',
      'ludus play connect-four --watch --speed 4': 'watch at four events a second',
      [`ludus play kuhn-poker --task '{"rounds":5}'`]: 'play five hands',
    });
  },

  load: async () => (await import('../commands/play.ts')).play,
};
