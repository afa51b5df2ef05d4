/** @file What `ludus play` takes: its options, help and examples. */

import { amount, type CommandDeclaration, collect, examples, whole, withJson, withStore } from '../command.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

export const play: CommandDeclaration = {
  seats: true,

  parts: { scene: { summary: 'Play a scene between characters', load: async () => (await import('./play/scene.ts')).scene } },

  declare(command) {
    command
      .argument('<environment>', 'a built-in world, or a file that exports one')
      .option('--me <seat>', 'the seat you take (default: the first that nobody is named for)')
      .option('--watch', 'take no seat, watch the agents play')
      .option('--agents <names>', 'agents for all seats in order, separated by commas; one name stands for every seat')
      .option('--seat <seat=agent>', 'an agent for one seat; --SEAT AGENT is short for it', collect)
      .option('--task <json>', "the world's parameters")
      .option('--seed <n>', 'dice of the episode (default: new ones)', whole('--seed', 0))
      .option('--speed <n>', 'events a second when watching', amount('--speed'));
    withJson(withStore(withModelOptions(withSpending(command))));
    examples(command, {
      'ludus play kuhn-poker': 'play on the first seat',
      'ludus play scene supper.json': 'characters in one room; "ludus new scene supper" writes one',
      'ludus play tic-tac-toe --me O': 'play on the second',
      'ludus play kuhn-poker --second random': 'choose your opponent',
      'ludus play connect-four --watch --speed 4': 'watch at four events a second',
      [`ludus play kuhn-poker --task '{"rounds":5}'`]: 'play five hands',
    });
  },

  load: async () => (await import('../commands/play.ts')).play,
};
