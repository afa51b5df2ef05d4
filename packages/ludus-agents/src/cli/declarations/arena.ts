/** @file Declares the options, help, and examples of `ludus arena`. */

import { type CommandDeclaration, examples, oneOf, whole, withJson, withReuse, withStore, withWorkers } from '../command.ts';
import { flag } from '../flags.ts';
import { withSpending } from '../spending.ts';

/** Ratings that can be shown with Bradley–Terry. */
export const shownRatings = ['elo', 'glicko', 'trueskill'] as const;

export const arena: CommandDeclaration = {
  declare(command) {
    command
      .argument('<environment>', 'an environment; with one seat, the higher return on the same seed wins')
      .requiredOption(...flag('agents', 'the agents to rank'))
      .option(
        ...flag('games', 'the maximum number of games; swapped seats count as a second game (default: 1000)'),
        whole('--games', 2, 100_000_000),
      )
      .option(...flag('task'))
      .option('--swiss', 'pair agents of similar strength instead of playing every pair')
      .option(
        '--rating <name>',
        'an extra rating next to Bradley–Terry: elo, glicko, or trueskill (default: Elo and TrueSkill)',
        oneOf('--rating', shownRatings),
      )
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 100_000))
      .option(...flag('yes'));
    withJson(withStore(withReuse(withWorkers(withSpending(command)))));
    examples(command, {
      'ludus arena kuhn-poker --agents random,scripted:honest,scripted:bold': 'which agent is best at poker?',
      'ludus arena tic-tac-toe --agents random,scripted --games 200': 'stop as soon as the order is decided',
      'ludus arena kuhn-poker --agents random,scripted,uniform --rating glicko': 'Glicko-2 with its uncertainty',
      'ludus arena leduc --agents a.json,b.json,c.json --swiss --json': 'your own agents, similar strength first',
    });
  },

  load: async () => (await import('../commands/arena.ts')).arena,
};
