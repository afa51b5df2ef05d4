/** @file Declares the options, help, and examples of `ludus show` and its subcommands. */

import { type CommandDeclaration, collect, examples, oneOf, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

const blame: CommandDeclaration = {
  seats: true,

  declare(command) {
    command
      .argument('<episode>', 'an episode, by the start of its ID')
      .option(
        '--find <how>',
        'rules: answers that a rule flags; replay: change each step and play on with the same agents',
        oneOf('--find', ['rules', 'replay']),
        'rules',
      )
      .option('--wrong <bound>', 'with rules: answers with such a score are wrong, too, e.g. "judge/coser<=80"; repeatable', collect)
      .option('--graph', 'print the information-dependency graph: which event used which')
      .option(...flag('changes', 'with replay: alternatives tried at each step'), whole('--changes', 1, 100), 6)
      .option('--steps <n>', 'with replay: steps to try, latest first', whole('--steps', 1, 10_000), 60)
      .option(...flag('agents', 'with replay: agents for all seats in order (default: those of the log)'))
      .option(...flag('cast', 'with replay'), collect)
      .option(...flag('environment', 'with replay: the environment file, if it is not built in'));
    withJson(withStore(command));
    examples(command, {
      'ludus show blame 3f2a': 'show the first wrong answer, and the events that depend on it',
      'ludus show blame 3f2a --find replay': 'the step whose correction changes the outcome most',
      'ludus show blame 3f2a --wrong "judge/coser<=80"': 'the first answer that a judge found wrong, after "ludus score"',
      'ludus show blame 3f2a --graph': 'which event used which information',
      'ludus show blame 3f2a --json': 'as JSON, with the index of each wrong answer',
    });
  },

  load: async () => (await import('../commands/show/blame.ts')).blame,
};

const explain: CommandDeclaration = {
  seats: true,

  declare(command) {
    command
      .argument('<id>', 'an episode, by the start of its ID')
      .requiredOption('--at <n>', 'the action to explain, or the next one after this event; "ludus show ID" numbers them', whole('--at', 0))
      .option('--samples <n>', 'samples per change', whole('--samples', 1, 1000), 8)
      .option(...flag('games', 'episodes after each move; 0 for none'), whole('--games', 0, 10_000), 20)
      .option('--moves <n>', 'alternative moves to play out', whole('--moves', 0, 100), 3)
      .option(...flag('agents', 'agents for all seats in order (default: those of the log)'))
      .option(...flag('cast'), collect)
      .option(...flag('environment', 'the environment file, if it is not built in'));
    withJson(withStore(withSpending(withModelOptions(command))));
    examples(command, {
      'ludus show explain 3f2a --at 7': 'show which parts of its view mattered, and the returns of other moves',
      'ludus show explain 3f2a --at 7 --X ./team.json': 'with another agent, or with the current version of its file',
      'ludus show explain 3f2a --at 7 --samples 30 --games 100 --json': 'more samples, as JSON',
    });
    command.addHelpText(
      'after',
      "\nUp to six parts of the view are tried in all combinations, so a language agent may be called\n64 × --samples times. The shares of the parts add up. An agent's own explanation is not evidence.",
    );
  },

  load: async () => (await import('../commands/show/explain.ts')).explain,
};

const showPersona: CommandDeclaration = {
  declare(command) {
    command
      .argument('[persona]', 'a persona file in any supported format, or a gallery name')
      .option('--public', 'hide secrets and private goals')
      .option('--prompt', 'the prompt a model reads')
      .option('--diff <persona>', 'show how the prompt differs from this persona’s')
      .option(...flag('user', 'with --prompt'));
    withJson(command);
    examples(command, {
      'ludus show persona': 'list the gallery',
      'ludus show persona villain': 'one persona in full',
      'ludus show persona card.png --public': 'a persona as others see it',
      'ludus show persona ann.json --diff ann-2.json': 'how an edit changes the prompt',
    });
  },

  load: async () => (await import('../commands/show/persona.ts')).persona,
};

export const show: CommandDeclaration = {
  parts: {
    persona: { summary: 'Show a persona, or list the gallery', ...showPersona },
    blame: { summary: 'Find the first wrong step of an episode', ...blame },
    explain: { summary: 'Find out why an agent chose an action', ...explain },
  },

  declare(command) {
    command
      .argument('<id>', 'an episode or a run (by the start of its ID), an environment, or a kind')
      .argument('[name]', 'with a kind: a name, a file, or a package')
      .option(...flag('seat', 'only what this seat sees'))
      .option('--events', 'the raw events as JSON lines');
    withJson(withStore(command));
    examples(command, {
      'ludus show 3f2a': 'the transcript, with the event numbers for "fork --at"',
      'ludus show 3f2a --seat first': 'as one seat saw it',
      'ludus show 3f2a --events': 'the stored log',
      'ludus show kuhn-poker': 'an environment and its parameters',
      'ludus show scorer repetition': 'one object of a kind, its settings, and how to use it',
      'ludus show engine ./mine.ts': 'an object from your own file',
    });
  },

  load: async () => (await import('../commands/show.ts')).show,
};
