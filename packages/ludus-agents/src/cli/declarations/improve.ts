/** @file What `ludus improve` takes: its options, help and examples. */

import { improveRecipeNames } from '@ludus-agents/learning/internal/improving/recipe-names';
import { engineNames } from '@ludus-agents/learning/internal/prompts/engines/names';
import { gateRules } from '@ludus-agents/learning/internal/prompts/gate';
import { withCaseOptions } from '../case-options.ts';
import { type CommandDeclaration, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { budgetIn, costName, costs, numbers, three } from '../improve-options.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

const often = (text: string, before: readonly string[]) => [...before, text];

export const improve: CommandDeclaration = {
  parts: {
    lineage: {
      summary: 'List the candidates of a run and their parents',
      load: async () => (await import('./improve/lineage.ts')).lineage,
    },
    diff: { summary: 'Compare two candidates line by line', load: async () => (await import('./improve/diff.ts')).diff },
    rollback: { summary: 'Return an agent to an earlier candidate', load: async () => (await import('./improve/rollback.ts')).rollback },
    experience: {
      summary: 'Add lessons from stored episodes to an agent',
      load: async () => (await import('./improve/experience.ts')).experience,
    },
    ablate: { summary: 'Measure what each part of an agent contributes', load: async () => (await import('./improve/ablate.ts')).ablate },
  },

  declare(command) {
    command
      .argument('[target]', `your agent (with --on), or a recipe: ${improveRecipeNames.join(', ')}`)
      .option('--on <suite>', 'what to improve on: a file of cases (.csv, .tsv, .jsonl), or a suite')
      .option('--engine <name>', `the engine: ${engineNames.join(', ')}, or your own file (default: the recipe’s, or gepa)`)
      .option(
        '--budget <amount>',
        'how many plays of a task the engine gets (default: 500), or a limit on the whole run: 2000000tokens, $5',
        budgetIn,
      )
      .option(...flag('seed'), whole('--seed', 0), 1)
      .option(...flag('set', 'a setting of the engine; repeatable'), often, [])
      .option('--proposer <name>', 'what proposes edits: random, a file of lines, a model, or one of the recipe’s (default: its first)')
      .option(
        '--try <component=values>',
        'values to try for a component, such as temperature=0,0.7 or instruction=@a.txt,@b.txt',
        often,
        [],
      )
      .option('--price <cost=score>', 'the score a token, dollar, or second costs, such as tokens=0.0001', costs('--price'))
      .option('--most <cost=limit>', 'the maximum average cost per episode, such as money=0.01', costs('--most'))
      .option('--saving <cost>', 'what the gate "frugal" saves: tokens, money, or seconds (default: tokens)', costName)
      .option('--gate <name>', `the gate that accepts edits: ${Object.keys(gateRules).join(', ')}, or your own file (default: ours)`)
      .option('--protect <tasks>', "the gate's tasks that may not get worse, like 0,3", numbers)
      .option(...flag('repeats', 'repeats of the gate’s tasks (default: 1)'), whole('--repeats', 1, 100))
      .option(
        '--tasks <propose,select,report>',
        'episodes for proposals, gate, and report; tasks are repeated with new seeds if there are fewer (default: 12,12,48)',
        three,
      )
      .option('--lock <component>', 'a text that no edit may change, or a prefix with *; repeatable', often, [])
      .option(...flag('model', 'the model that plays and reflects (default: the recipe’s)'))
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 10_000))
      .option(...flag('pack', 'an experience pack to load as memories'))
      .option('--name <run>', 'the name of the run (default: RECIPE-ENGINE-SEED-…)')
      .option(...flag('output', '(default: RUN.agent.json)'))
      .option(...flag('resume'))
      .option(...flag('yes'));
    withJson(withStore(withSpending(withModelOptions(withCaseOptions(command)))));
    examples(command, {
      'ludus improve ./agent.json --on service-core --proposer llm/model --max-cost 1':
        'your agent; a model reads its episodes and rewrites it',
      'ludus improve ./agent.json --on cases.csv --proposer llm/model': 'your own inputs with expected answers',
      'ludus improve ./agent.json --on ./suite.json --engine gepa --proposer ./lines.txt': 'without a model, from your own lines',
      'ludus improve ./agent.json --on games-core --engine sweep --try temperature=0,0.7 --try instruction=@a.txt,@b.txt':
        'try every combination',
      'ludus improve ./agent.json --on games-core --engine pareto --try model=llm/small,llm/large --gate frugal --saving money':
        'the cheaper model, if it is as good',
      'ludus improve instruction-demo --engine gepa --budget 500 --seed 1': 'watch candidates come and go',
      'ludus improve instruction-demo --engine skillopt --json': 'as JSON; the last line has the scores',
      'ludus improve instruction-demo --model ollama/qwen3:0.6b --max-cost 1': 'with a real model as player and as critic',
      'ludus improve together-demo --budget 500 --seed 1': 'texts and weights in turn, and who earned what',
      'ludus improve instruction-demo --engine ./mine.ts': 'your own engine; "ludus new engine mine" creates one',
      'ludus improve --resume instruction-demo-gepa-1-3fa2': 'continue after Ctrl-C or a crash',
    });
  },

  load: async () => (await import('../commands/improve.ts')).improve,
};
