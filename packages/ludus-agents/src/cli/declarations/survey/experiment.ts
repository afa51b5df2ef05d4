/** @file What `ludus survey experiment` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withReuse, withStore, withWorkers } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withModelOptions } from '../../model-options.ts';
import { withSpending } from '../../spending.ts';

const exampleExperiment = `  {
    "name": "framing", "outcome": "trust", "number": 128, "effect": 0.5,
    "arms": {"control": "", "treated": "Crime has fallen by half."},
    "design": "between", "blocks": ["gender"], "subgroups": ["age"]
  }`;

export const experiment: CommandDeclaration = {
  declare(command) {
    command
      .argument('<experiment>', 'the experiment: arms, outcome, and design as JSON')
      .option('--questionnaire <file>', 'the questionnaire')
      .option(...flag('population'))
      .option(...flag('agent', 'the agent that answers for the people (default: fake)'))
      .option('--register <file>', 'write the preregistration, or compare the run with it')
      .option(...flag('output', 'answers with their arms (.csv or .parquet), with a codebook and loaders'))
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 100_000))
      .option(...flag('retry'))
      .option(...flag('yes'));
    withJson(withStore(withReuse(withWorkers(withSpending(withModelOptions(command))))));
    examples(command, {
      'ludus survey experiment e.json --questionnaire q.json --population customers': 'offline',
      'ludus survey experiment e.json … --register plan.json': 'registered first, then compared',
      'ludus survey experiment e.json … -o answers.csv': 'answers with their arms, for R, Python and SPSS',
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

  load: async () => (await import('../../commands/survey/experiment.ts')).experiment,
};
