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
      .argument('<file>', 'who is there, where, and about what, as JSON')
      .option(...flag('model', 'it plays everybody (default: scripts)'))
      .option('--narrator <agent>', 'who narrates, like llm:MODEL (default: a rule table)')
      .option(...flag('me'))
      .option(...flag('seed', '(default: a new one)'), whole('--seed', 0))
      .option(...flag('turns'), whole('--turns', 1, 200))
      .option(...flag('speed'), amount('--speed'))
      .option('--log', 'show everything that happens, cards and secrets too');
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus play scene supper.json': 'played by scripts; "ludus new scene supper" writes it',
      'ludus play scene supper.json --model openai/gpt-5-mini': 'the same by a model',
      'ludus play scene supper.json --model fake --seed 1 --json': 'offline, and the same every time',
    });
    command.addHelpText('after', `\nPersons are gallery names, files or documents:\n${exampleScene}`);
  },

  load: async () => (await import('../../commands/play/scene.ts')).scene,
};
