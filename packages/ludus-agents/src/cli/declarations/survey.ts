/** @file What `ludus survey` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withReuse, withStore, withWorkers } from '../command.ts';
import { flag } from '../flags.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

const exampleQuestionnaire = `  {
    "name": "town",
    "items": [
      {"id": "trust", "kind": "scale", "text": "Most people can be trusted.",
       "options": ["no", "rather no", "rather yes", "yes"]},
      {"id": "move", "text": "Will you move away?", "options": ["yes", "no"]},
      {"id": "why", "kind": "open", "text": "Why?", "when": {"move": "yes"}},
      {"id": "trust2", "again": "trust"}
    ],
    "shuffle": true, "options": "reversed"
  }`;

export const survey: CommandDeclaration = {
  parts: {
    experiment: {
      summary: 'Run a randomized experiment',
      load: async () => (await import('./survey/experiment.ts')).experiment,
    },
    town: { summary: 'Simulate a town with and without memory and plans', load: async () => (await import('./survey/town.ts')).town },
    facts: { summary: 'Check that people know their own attributes', load: async () => (await import('./survey/facts.ts')).facts },
    extract: { summary: 'Extract structured results from conversations', load: async () => (await import('./survey/extract.ts')).extract },
    compare: { summary: 'Compare answers with those of real people', load: async () => (await import('./survey/compare.ts')).compare },
  },

  declare(command) {
    command
      .argument('<questionnaire>', 'the items as JSON; - reads them from standard input')
      .option(...flag('population'))
      .option(...flag('number', '(default: 100)'), whole('-n', 1, 1_000_000))
      .option(...flag('agent', 'the agent that answers for the people (default: fake)'))
      .option(...flag('output', 'one row per person and item (.csv or .parquet), with a codebook and .R, .py, and .sps loaders'))
      .option('--report <file>', 'an HTML page with plots, crosstabs, and checks')
      .option('--by <attribute>', 'break down by an attribute')
      .option(...flag('seed', '(default: 0)'), whole('--seed', 0))
      .option(...flag('chance'))
      .option('--fresh', 'ask each item in a fresh conversation')
      .option('--tell <text>', 'text shown before the first item')
      .option('--estimate', 'print an estimate without asking anyone')
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 100_000))
      .option(...flag('retry'))
      .option(...flag('yes'));
    withJson(withStore(withReuse(withWorkers(withSpending(withModelOptions(command))))));
    examples(command, {
      'ludus survey q.json --population customers -n 200 --agent fake': 'offline, with random answers',
      'ludus survey q.json --population people.csv --agent llm:MODEL -o answers.csv': 'a table',
      'ludus survey compare answers.csv --human people.csv': 'where it differs from people',
    });
    command.addHelpText('after', `\nKinds of items: single, multiple, scale, rank, open:\n${exampleQuestionnaire}`);
  },

  load: async () => (await import('../commands/survey.ts')).survey,
};
