/** @file What `ludus persona sample` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const sample: CommandDeclaration = {
  declare(command) {
    command
      .argument(
        '<spec>',
        'a population: a name such as customers, a document, or a table of people (.csv or .parquet, optionally with a "weight" column); - for standard input',
      )
      .option(...flag('number', '(default: 10)'), whole('-n', 1, 1_000_000))
      .option(...flag('seed', 'the same seed gives the same people (default: 0)'), whole('--seed', 0))
      .option('--exact', 'match every share exactly, up to whole people (the default)')
      .option(...flag('chance'))
      .option(...flag('model', 'a model that writes each person’s background, checked against the attributes'))
      .option(...flag('output', 'a table with weights (.csv or .parquet), or a folder with one file per person'));
    withJson(withSpending(command));
    examples(command, {
      'ludus persona sample customers -n 50 --seed 1': 'fifty customers of an internet provider',
      'ludus persona sample town.json -n 200 -o people.csv': 'your own population, as a table with weights',
      'ludus persona sample town.json -n 500 -o town': 'the same, one file per person',
      'ludus persona sample town.json -n 20 --model openai/gpt-5-mini -o town': 'with backgrounds by a model',
      'ludus persona sample town.json -n 50 --seed 1 --json': 'people and fit as JSON',
    });
    command.addHelpText('after', `\nA population defines shares, joint tables, constraints, and quotas:\n${exampleSpec}`);
  },

  load: async () => (await import('../../commands/persona/sample.ts')).sample,
};

const exampleSpec = `  {
    "name": "Townsfolk",
    "attributes": {"gender": {"female": 51, "male": 49}},
    "joints": [{"of": ["age", "work"], "table": {
      "18-40": {"baker": 2, "clerk": 5}, "41-80": {"baker": 3, "clerk": 1}}}],
    "constraints": [{"never": {"gender": "male", "work": "baker"}}],
    "quotas": [{"where": {"age": "18-40"}, "share": 0.5}],
    "statements": ["{name} is a {work}."]
  }`;
