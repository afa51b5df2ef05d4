/** @file What `ludus arena` takes: its options, help and examples. */

import { type CommandDeclaration, examples, oneOf, whole, withJson, withReuse, withStore, withWorkers } from '../command.ts';
import { flag } from '../flags.ts';
import { withSpending } from '../spending.ts';

/** Ratings that can stand beside Bradley–Terry. */
export const shownRatings = ['elo', 'glicko', 'trueskill'] as const;

export const arena: CommandDeclaration = {
  declare(command) {
    command
      .argument('<environment>', 'an environment for two or more; with one seat, the agent that gets more on the same seed wins')
      .requiredOption(...flag('agents', 'they meet each other'))
      .option(...flag('games', 'at most; both ways round count as two (default: 1000)'), whole('--games', 2, 100_000_000))
      .option(...flag('task'))
      .option('--swiss', 'near equals meet, instead of everybody meeting everybody: fewer games for many agents')
      .option(
        '--rating <name>',
        'the rating beside Bradley–Terry, with its interval: elo, glicko or trueskill (default: Elo and TrueSkill)',
        oneOf('--rating', shownRatings),
      )
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 100_000))
      .option(...flag('yes'));
    withJson(withStore(withReuse(withWorkers(withSpending(command)))));
    examples(command, {
      'ludus arena kuhn-poker --agents random,scripted:honest,scripted:bold': 'who is best at poker?',
      'ludus arena tic-tac-toe --agents random,scripted --games 200': 'stops as soon as the order is decided',
      'ludus arena kuhn-poker --agents random,scripted,uniform --rating glicko': 'Glicko-2 beside Bradley–Terry, with how sure it is',
      'ludus arena leduc --agents a.json,b.json,c.json --swiss --json': 'agents of your own, near equals meeting',
    });
  },

  load: async () => (await import('../commands/arena.ts')).arena,
};
