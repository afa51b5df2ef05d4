/** @file What `ludus arena` takes: its options, help and examples. */

import { type CommandDeclaration, examples, oneOf, whole, withJson, withReuse, withStore, withWorkers } from '../command.ts';
import { withSpending } from '../spending.ts';

/** Ratings that can stand beside Bradley–Terry. */
export const shownRatings = ['elo', 'glicko', 'trueskill'] as const;

export const arena: CommandDeclaration = {
  declare(command) {
    command
      .argument('<environment>', 'an environment for two or more; with one seat, the agent that gets more on the same seed wins')
      .requiredOption('--agents <list>', 'who meets: kinds like random,scripted or files of your own')
      .option('--games <n>', 'the most games to play, both ways round counted as two (default: 1000)', whole('--games', 2, 100_000_000))
      .option('--task <json>', "the world's parameters")
      .option('--swiss', 'near equals meet, instead of everybody meeting everybody: fewer games for many agents')
      .option(
        '--rating <name>',
        'the rating beside Bradley–Terry, with its interval: elo, glicko or trueskill (default: Elo and TrueSkill)',
        oneOf('--rating', shownRatings),
      )
      .option('--concurrency <n>', 'games at once (default: 64)', whole('--concurrency', 1, 100_000))
      .option('--yes', 'do not ask before models are called');
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
