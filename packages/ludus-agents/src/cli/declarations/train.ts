/** @file Declares the options, help, and examples of `ludus train` and its subcommands. */

import { recipeNames } from '@ludus-agents/learning/internal/recipes';
import { type CommandDeclaration, examples, whole, withJson, withStore, withWorkers } from '../command.ts';
import { flag } from '../flags.ts';
import { withKept } from '../kept-options.ts';
import { withSpending } from '../spending.ts';

const sweep: CommandDeclaration = {
  declare(command) {
    command
      .argument('<recipe>', 'the recipe; "ludus list recipes" lists them')
      .option(...flag('seeds', 'seeds per setting, starting at 1'), whole('--seeds', 1, 1000), 3)
      .option(...flag('games', 'games per training run'), whole('--games', 1))
      .option(
        '--try <path=values>',
        'values to try, separated by commas; repeatable',
        (text: string, before: readonly string[]) => [...before, text],
        [],
      )
      .option('--front <channel>', 'a reward channel to treat as cost, for a Pareto front');
    withJson(withSpending(command));
    examples(command, {
      'ludus train sweep kuhn-tabular --try loss.kl.weight=0.1,0.5,2': 'how strong should the KL penalty be?',
      'ludus train sweep ai-search-planner --front cost --try rewards.cost.weight=0,-0.02,-0.05,-0.2':
        'what a planner finds, and what its plans cost',
    });
  },

  load: async () => (await import('../commands/train/sweep.ts')).sweep,
};

export const train: CommandDeclaration = {
  parts: { sweep: { summary: 'Train once per setting and compare', ...sweep } },

  declare(command) {
    const names = Object.keys(recipeNames);
    command
      .argument('[recipe]', `${names.slice(0, 2).join(', ')} …, or a file; several (a,b) are compared`)
      .option(...flag('seed'), whole('--seed', 0), 1)
      .option(...flag('games'), whole('--games', 1))
      .option('--tokens <n>', 'stop after this many sampled tokens', whole('--tokens', 1))
      .option(...flag('environment', 'the environment (default: the recipe’s)'))
      .option(...flag('against', 'an agent that does not learn'))
      .option('--teacher <name>', 'the curriculum; several (a,b) are compared')
      .option('--learner <kind>', 'table, matching, gaussian, transformer, tinker, or a file')
      .option('--url <url>', 'tinker: the address of the server')
      .option('--base <model>', 'tinker: the model to train, as the server names it')
      .option('--rank <n>', 'tinker: the rank of the adapter', whole('--rank', 1, 4096))
      .option('--tokenizer <file>', 'tinker: a folder with tokenizer.json, a GGUF file, or a program with encode, decode, and stop')
      .option(...flag('seeds', 'train on this many seeds, starting at --seed, and report intervals'), whole('--seeds', 1, 1000))
      .option('--curves <file>', 'write all learning curves to a CSV file')
      .option(
        ...flag('set', 'change a setting, such as loss.kl.weight=0.2; repeatable'),
        (text: string, before: readonly string[]) => [...before, text],
        [],
      )
      .option('--name <run>', 'the name of the run (default: RECIPE-SEED)')
      .option('--force', 'overwrite an existing run with this name')
      .option(...flag('yes'))
      .option(...flag('resume'))
      .option('--export-adapter <file>', 'write the best adapter of a run on a server: .gguf, .safetensors, or a PEFT folder');
    command.option('--counters', 'try recipes for eight updates, and count how often each mechanism acts');
    withJson(withStore(withWorkers(withSpending(withKept(command)))));
    examples(command, {
      'ludus train kuhn-lm --seed 1': 'a small language model learns Kuhn poker by self-play',
      'ludus train ./mine.json --name a': 'your own recipe; "ludus new recipe mine" writes one',
      'ludus train kuhn-rae --set training.environment=./mine.ts': 'your own environment',
      'ludus train best-response --against scripted:bold --environment kuhn-poker': 'how much a best response wins against an agent',
      'ludus train spiral,kuhn-rae --seeds 5 --games 20000': 'two methods at equal games, with intervals over seeds',
      'ludus train imitate --from baseline --where "return>=1"': 'learn from the successful episodes of a run',
      'ludus train --resume kuhn-lm-1': 'continue after Ctrl-C',
      'ludus play kuhn-poker --me first --second local/kuhn-lm-1@best': 'play against the result',
    });
    command.addHelpText('after', '\n"ludus list recipes" lists recipes; "ludus show recipe NAME" shows its settings.');
  },

  load: async () => (await import('../commands/train.ts')).train,
};
