/** @file What `ludus train` takes: its options, help and examples. */

import { recipeNames } from '@ludus-agents/learning/internal/recipes';
import { type CommandDeclaration, examples, whole, withJson, withStore, withWorkers } from '../command.ts';
import { flag } from '../flags.ts';
import { withKept } from '../kept-options.ts';
import { withSpending } from '../spending.ts';

export const train: CommandDeclaration = {
  parts: { sweep: { summary: 'Train once per setting and compare', load: async () => (await import('./train/sweep.ts')).sweep } },

  declare(command) {
    const names = Object.keys(recipeNames);
    command
      .argument('[recipe]', `how to train: ${names.slice(0, 3).join(', ')} …, or a file of your own; several (a,b) are compared`)
      .option(...flag('seed'), whole('--seed', 0), 1)
      .option(...flag('games', 'in all'), whole('--games', 1))
      .option('--tokens <n>', 'end once the learner has written so many tokens: recipes at equal cost', whole('--tokens', 1))
      .option(...flag('environment', 'instead of the recipe’s; also advice:NAME and discussion:NAME'))
      .option(...flag('against', 'an agent that does not change: random, scripted:NAME, local/RUN@best, llm:MODEL, a file'))
      .option('--teacher <name>', 'who chooses the next task of the environment’s knobs: a name or a file; several (a,b) are compared')
      .option(
        '--learner <kind>',
        'who learns: a file of your own, table, gaussian (numbers as actions), transformer (in this process), or tinker (on a server)',
      )
      .option('--url <url>', 'with --learner tinker: the server')
      .option('--base <model>', 'with --learner tinker: the model that is trained, as the server names it')
      .option('--rank <n>', 'with --learner tinker: the rank of what is trained of it', whole('--rank', 1, 4096))
      .option(
        '--tokenizer <file>',
        'with --learner tinker: a folder with tokenizer.json, a GGUF file, or a program that exports encode, decode and stop',
      )
      .option(...flag('seeds', 'from --seed on; tells how the recipe does over them'), whole('--seeds', 1, 1000))
      .option('--curves <file>', 'with several recipes or seeds: every point of every curve, as CSV')
      .option(...flag('set', 'of the recipe, e.g. loss.kl.weight=0.2'), (text: string, before: readonly string[]) => [...before, text], [])
      .option('--name <run>', 'what to call the run (default: RECIPE-SEED)')
      .option('--force', 'begin anew over a run of that name, which is gone then')
      .option(...flag('resume'))
      .option(
        '--export-adapter <file>',
        'with the name of a run on a server: its best adapter as .gguf, .safetensors or, without an ending, a PEFT folder',
      );
    command.option('--counters', 'train each named recipe, or all, for eight updates and print how often its mechanism acted');
    withJson(withStore(withWorkers(withSpending(withKept(command)))));
    examples(command, {
      'ludus train kuhn-tabular --seed 1': 'an equilibrium of Kuhn poker by self-play',
      'ludus train kuhn-tabular --set loss.kl.weight=0.2': 'the same, with a weaker pull to the reference',
      'ludus train kuhn-lm --seed 1': 'a language model teaches itself Kuhn poker, reading and writing text',
      'ludus train ./mine.json --name a': 'a recipe of your own; "ludus new recipe mine" writes one',
      'ludus train kuhn-rae --set training.environment=./mine.ts --name m': 'in an environment of your own',
      'ludus train best-response --against scripted:bold --environment kuhn-poker':
        'how much can be won from an agent that does not change',
      'ludus train spiral,kuhn-rae --seeds 3 --games 20000': 'two methods at equal games, with intervals over seeds',
      'ludus train grpo,dapo --seeds 3 --games 100000 --tokens 20000': 'two methods at equal tokens',
      'ludus train teacher-tabular --teacher uniform,alp-gmm,./mine.ts --seeds 5': 'teachers of tasks at equal games, with intervals',
      'ludus train mua-rl --set training.seats.customer=./customer.ts': 'choose who plays a seat: "learner", or any agent, your own too',
      'ludus train imitate --from baseline --where "return>=1"': 'learn from the episodes of a run that went well',
      'ludus train ui-genie --environment ./mine.ts': 'a reward model learns beside the policy, and says what is learned from',
      'ludus train --counters': 'for every recipe, how often its mechanism acts where it plays',
      'ludus train --resume kuhn-lm-1': 'after Ctrl-C',
      'ludus train kuhn-lm-1 --export-adapter out.gguf': 'what a server trained, for llama.cpp; "out" is a folder for PEFT',
      'ludus play kuhn-poker --me first --second local/kuhn-lm-1@best': 'play against what it has learned',
    });
    command.addHelpText('after', '\n"ludus list recipes" lists them; "ludus show recipe NAME" shows settings.');
  },

  load: async () => (await import('../commands/train.ts')).train,
};
