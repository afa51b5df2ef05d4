/** @file Declares the options, help, and examples of `ludus play` and its subcommands. */

import { amount, type CommandDeclaration, collect, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

const exampleScene = `  {
    "setting": "A dinner at Hollow House.",
    "topic": "who will buy the house",
    "characters": [
      "beatrix",
      {"persona": "./tomas.json", "goal": "Borrow money.",
       "conditions": [{"kind": "word", "who": "beatrix", "term": "loan"}]}
    ],
    "terms": {"loan": "to lend Tomas the money"},
    "narrator": true
  }`;

const scene: CommandDeclaration = {
  declare(command) {
    command
      .argument('<file>', 'the scene: characters, setting, and topic as JSON')
      .option(...flag('model', 'the model that plays everyone (default: scripts)'))
      .option('--narrator <agent>', 'the narrator, such as llm:MODEL (default: rules)')
      .option(...flag('me'))
      .option(...flag('seed', '(default: a new one)'), whole('--seed', 0))
      .option(...flag('turns'), whole('--turns', 1, 200))
      .option(...flag('speed'), amount('--speed'))
      .option('--log', 'show everything, including cards and secrets');
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus play scene supper.json': 'played by scripts; "ludus new scene supper" creates it',
      'ludus play scene supper.json --model openai/gpt-5-mini': 'the same with a model',
      'ludus play scene supper.json --model fake --seed 1 --json': 'offline: fake is a built-in model that answers at random',
    });
    command.addHelpText('after', `\nCharacters are gallery names, files, or documents:\n${exampleScene}`);
  },

  load: async () => (await import('../commands/play/scene.ts')).scene,
};

export const play: CommandDeclaration = {
  seats: true,

  parts: { scene: { summary: 'Play a scene between characters', ...scene } },

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
      'ludus play connect-four --watch --speed 4': 'watch at four events per second',
      [`ludus play kuhn-poker --task '{"rounds":5}'`]: 'play five hands',
    });
  },

  load: async () => (await import('../commands/play.ts')).play,
};
