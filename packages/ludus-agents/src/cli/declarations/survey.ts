/** @file Declares the options, help, and examples of `ludus survey` and its subcommands. */

import { type CommandDeclaration, examples, whole, withJson, withReuse, withStore, withWorkers } from '../command.ts';
import { flag } from '../flags.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

const compare: CommandDeclaration = {
  declare(command) {
    command
      .argument('<answers>', 'synthetic answers, written by "ludus survey -o answers.csv"')
      .option('--human <file>', 'answers of people (.csv or .parquet): one column per item, optionally with weights and attributes')
      .option(...flag('seed', '(default: 0)'), whole('--seed', 0));
    withJson(command);
    examples(command, {
      'ludus survey compare answers.csv --human people.csv': 'where they differ',
      'ludus survey compare a.csv --human people.csv --json': 'everything as JSON',
    });
    command.addHelpText(
      'after',
      '\nA person in both files ("person" or "id") is compared with their own\ntwin, other people with synthetic people who have the same attributes.',
    );
  },

  load: async () => (await import('../commands/survey/compare.ts')).compare,
};

const exampleExperiment = `  {
    "name": "framing", "outcome": "trust", "number": 128, "effect": 0.5,
    "arms": {"control": "", "treated": "Crime has fallen by half."},
    "design": "between", "blocks": ["gender"], "subgroups": ["age"]
  }`;

const experiment: CommandDeclaration = {
  declare(command) {
    command
      .argument('<experiment>', 'the experiment: arms, outcome, and design as JSON')
      .option('--questionnaire <file>', 'the questionnaire')
      .option(...flag('population'))
      .option(...flag('agent', 'the agent that answers for the people (default: fake, which answers at random)'))
      .option('--register <file>', 'write the preregistration, or compare the run with it')
      .option(...flag('output', 'answers with their arms (.csv or .parquet), with a codebook and loaders'))
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 100_000))
      .option(...flag('retry'))
      .option(...flag('yes'));
    withJson(withStore(withReuse(withWorkers(withSpending(withModelOptions(command))))));
    examples(command, {
      'ludus survey experiment e.json --questionnaire q.json --population customers': 'offline',
      'ludus survey experiment e.json … --register plan.json': 'registered first, then compared',
      'ludus survey experiment e.json … -o answers.csv': 'answers with their arms, for R, Python, and SPSS',
    });
    command.addHelpText(
      'after',
      `
The first arm is the control:
${exampleExperiment}

"design" is between, within, or crossover. With waves in the questionnaire, "at"
is the wave from which arms differ. An arm can be {"told", "interventions"}.
In an environment, an arm is an object of task parameters, the outcome is a
figure reported at the end, and "number" is the number of shared seeds:
  {
    "environment": "town", "task": {"people": 25, "days": 2}, "number": 20,
    "arms": {"full": {}, "memoryless": {"memory": false}}, "outcome": "know"
  }`,
    );
  },

  load: async () => (await import('../commands/survey/experiment.ts')).experiment,
};

const extract: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'a run, by name or the start of its ID')
      .option('--schema <file>', 'the fields as JSON')
      .option(...flag('model', 'the model that reads the conversations; fields with a pattern do not need it'))
      .option(...flag('output', 'one row per episode and field (.csv)'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus survey extract RUN --schema fields.json -o out.csv': 'with patterns alone',
      'ludus survey extract RUN --schema fields.json --model MODEL': 'with a model',
    });
    command.addHelpText(
      'after',
      `
  {"fields": [
    {"name": "price", "kind": "number", "pattern": "for (\\\\d+) coins"},
    {"name": "mood", "kind": "one", "of": ["glad", "cross"], "about": "last"}
  ]}

Kinds: text, number, yesno, one. A value counts only with a quote from the
conversation; other values are "unsupported".`,
    );
  },

  load: async () => (await import('../commands/survey/extract.ts')).extract,
};

const facts: CommandDeclaration = {
  declare(command) {
    command
      .argument('<population>', 'a population by name, a document, or a table of people (.csv or .parquet)')
      .option(...flag('number', '(default: 50)'), whole('-n', 1, 1_000_000))
      .option(...flag('agent', 'the agent that answers for the people (default: fake, which answers at random)'))
      .option(...flag('seed', '(default: 0)'), whole('--seed', 0))
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 100_000))
      .option(...flag('retry'));
    withJson(withStore(withReuse(withWorkers(withSpending(withModelOptions(command))))));
    examples(command, {
      'ludus survey facts ./spec.json -n 50 --agent llm:MODEL': 'check a model’s people',
      'ludus survey facts customers --agent fake --json': 'a baseline: random answers',
    });
    command.addHelpText(
      'after',
      '\nEach person is asked for their attributes. The exit code is 1 if an attribute\nis answered no better than by always giving its most common value.',
    );
  },

  load: async () => (await import('../commands/survey/facts.ts')).facts,
};

const town: CommandDeclaration = {
  declare(command) {
    command
      .option(...flag('agent', 'the agent that plays the people (default: scripted:villager)'))
      .option(...flag('population'))
      .option(...flag('people', '(default: 25)'), whole('--people', 2, 25))
      .option('--days <n>', 'days (default: 2)', whole('--days', 1, 7))
      .option('--hours <n>', 'hours per day (default: 6)', whole('--hours', 1, 16))
      .option(...flag('number', 'seeds per arm (default: 5)'), whole('-n', 2, 10_000))
      .option(...flag('seed', 'the first seed (default: 0)'), whole('--seed', 0))
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 100_000))
      .option(...flag('retry'))
      .option(...flag('yes'));
    withJson(withStore(withReuse(withWorkers(withSpending(withModelOptions(command))))));
    examples(command, {
      'ludus survey town': 'measure the effect of memory, reflection, and plans; offline',
      'ludus survey town --agent llm:MODEL --people 5 -n 3 --yes': 'the same with a model',
    });
    command.addHelpText(
      'after',
      '\nAt the end, each person is interviewed about themselves, where they were, what\nthey had planned, which places are open, and whom they met. Answers are compared\nwith the facts.',
    );
  },

  load: async () => (await import('../commands/survey/town.ts')).town,
};

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
    experiment: { summary: 'Run a randomized experiment', ...experiment },
    town: { summary: 'Simulate a town with and without memory and plans', ...town },
    facts: { summary: 'Check that people know their own attributes', ...facts },
    extract: { summary: 'Extract structured results from conversations', ...extract },
    compare: { summary: 'Compare answers with those of real people', ...compare },
  },

  declare(command) {
    command
      .argument('<questionnaire>', 'the items as JSON; - reads them from standard input')
      .option(...flag('population'))
      .option(...flag('number', '(default: 100)'), whole('-n', 1, 1_000_000))
      .option(...flag('agent', 'the agent that answers for the people (default: fake, which answers at random)'))
      .option(...flag('output', 'one row per person and item (.csv or .parquet), with a codebook and .R, .py, and .sps loaders'))
      .option('--report <file>', 'an HTML page with plots, crosstabs, and checks')
      .option('--by <attribute>', 'break down by an attribute')
      .option(...flag('seed', '(default: 0)'), whole('--seed', 0))
      .option(...flag('chance'))
      .option('--fresh', 'ask each item in a new conversation')
      .option('--tell <text>', 'text shown before the first item')
      .option('--estimate', 'print an estimate of calls and cost, and stop')
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
