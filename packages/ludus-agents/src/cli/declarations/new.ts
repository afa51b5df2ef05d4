/** @file Declares the options, help, and examples of `ludus new`. */

import { starterKinds } from '../../starters/kinds.ts';
import { trainerKinds } from '../../starters/trainers.ts';
import { type CommandDeclaration, examples, withJson } from '../command.ts';
import { flag } from '../flags.ts';
import { withSpending } from '../spending.ts';

export const create: CommandDeclaration = {
  declare(command) {
    command
      .argument('<kind>', `${[...starterKinds, 'trainer'].join(', ')}; with --from also plan`)
      .argument(
        '<name>',
        `lowercase letters, digits, and dashes, such as stick-game; for a trainer, its library: ${trainerKinds.join(' or ')}`,
      )
      .argument('[more]', 'the name of a trainer')
      .option('--from <words>', 'agent, environment, or plan: let a model write it from this description; it must pass all checks')
      .option(...flag('model', 'with --from: the model that writes it, and that it uses (default: your default model)'))
      .option('--cases', 'suite: a table of inputs and expected answers, as NAME.csv, instead of scenes')
      .option('--on <environment>', 'with --from: the environment that an agent must finish three times', 'tic-tac-toe');
    withJson(withSpending(command));
    examples(command, {
      'ludus new environment stick-game': 'create stick-game.mts and stick-game.test.mts',
      'ludus env check ./stick-game.mts': 'then check it',
      'ludus new scorer polite': 'a rule-based scorer, for ludus score --scorers ./polite.mts',
      'ludus new trainer verifiers poker': 'a package: every seat an agent',
      'ludus new trainer trl poker': 'a script: one seat is trained',
      'ludus new agent referee --from "a strict referee" --model MODEL --on debate': 'an agent from a description, as referee.json',
      'ludus new environment tower --from "light the lamp before night"': 'an environment from a description, as tower.json',
      'ludus new plan evening --from "ten random games of tic-tac-toe"': 'a plan, for ludus run evening.json',
      'ludus new suite faq --cases': 'faq.csv, for ludus eval faq.csv --agents ./agent.json',
      'ludus new recipe mine': 'a training method as JSON, for ludus train ./mine.json',
    });
  },

  load: async () => (await import('../commands/new.ts')).create,
};
