/** @file What `ludus play scene` takes: its options, help and examples. */

import { amount, type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

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

export const scene: CommandDeclaration = {
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
      'ludus play scene supper.json --model fake --seed 1 --json': 'offline and deterministic',
    });
    command.addHelpText('after', `\nPersons are gallery names, files or documents:\n${exampleScene}`);
  },

  load: async () => (await import('../../commands/play/scene.ts')).scene,
};
