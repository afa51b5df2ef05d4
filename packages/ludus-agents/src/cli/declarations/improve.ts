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
      .argument('[target]', `an agent of your own with --on, or a recipe: ${improveRecipeNames.join(', ')}`)
      .option('--on <suite>', 'what an agent is improved on: a file of cases (.csv, .tsv, .jsonl), or a suite by name or file')
      .option('--engine <name>', `how: ${engineNames.join(', ')}, or a file of your own (default: the recipe’s own, or gepa)`)
      .option('--budget <amount>', 'task plays of the engine (500), or a limit for the whole run: 2000000tokens, $5', budgetIn, {
        calls: 500,
      })
      .option(...flag('seed'), whole('--seed', 0), 1)
      .option(...flag('set', 'of the engine'), often, [])
      .option(
        '--proposer <name>',
        'who writes the edits: random, a file of lines, a model that reflects, or one of the recipe (default: its first)',
      )
      .option(
        '--try <component=values>',
        'values that a component may take, like temperature=0,0.7 or instruction=@a.txt,@b.txt',
        often,
        [],
      )
      .option('--price <cost=score>', 'what a token, dollar or second of a play costs in score, like tokens=0.0001', costs('--price'))
      .option('--most <cost=limit>', 'the most that a play may take on average, like money=0.01', costs('--most'))
      .option('--saving <cost>', 'what the gate frugal saves: tokens, money or seconds (default: tokens)', costName)
      .option('--gate <name>', `what an edit must pass: ${Object.keys(gateRules).join(', ')}, or a file of your own (default: ours)`)
      .option('--protect <tasks>', "the gate's tasks that may not get worse, like 0,3", numbers)
      .option(...flag('repeats', 'of the gate, over all its tasks (default: 1)'), whole('--repeats', 1, 100))
      .option(
        '--tasks <propose,select,report>',
        'episodes for proposals, gate and report; tasks are repeated under other seeds where there are fewer (default: 12,12, and 48 or more)',
        three,
      )
      .option('--lock <component>', 'a text that no edit may touch, or its beginning with a star; may be given often', often, [])
      .option(...flag('model', 'it plays and reflects, instead of the recipe’s player'))
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 10_000))
      .option(...flag('pack', 'the agent takes it along as memories'))
      .option('--name <run>', 'what to call the run (default: RECIPE-ENGINE-SEED-…)')
      .option(...flag('output', '(default: RUN.agent.json)'))
      .option(...flag('resume'))
      .option(...flag('yes'));
    withJson(withStore(withSpending(withModelOptions(withCaseOptions(command)))));
    examples(command, {
      'ludus improve ./agent.json --on service-core --proposer llm/model --max-cost 1':
        'your agent, a model reads its episodes and rewrites',
      'ludus improve ./agent.json --on cases.csv --proposer llm/model': 'your inputs with expected answers',
      'ludus improve ./agent.json --on ./suite.json --engine gepa --proposer ./lines.txt': 'without a model: lines of yours come and go',
      'ludus improve ./agent.json --on games-core --engine sweep --try temperature=0,0.7 --try instruction=@a.txt,@b.txt':
        'every combination',
      'ludus improve ./agent.json --on games-core --engine pareto --try model=llm/small,llm/large --gate frugal --saving money':
        'the cheaper model, if it is as good',
      'ludus improve instruction-demo --engine gepa --budget 500 --seed 1': 'watch candidates come and go',
      'ludus improve instruction-demo --engine skillopt --json': 'the last line has the scores over distinct tasks',
      'ludus improve instruction-demo --model ollama/qwen3:0.6b --max-cost 1': 'with a real model as player and as critic',
      'ludus improve together-demo --budget 500 --seed 1': 'texts and weights in turn, and who earned what',
      'ludus improve instruction-demo --engine ./mine.ts': 'an engine of your own; "ludus new engine mine" writes one',
      'ludus improve --resume instruction-demo-gepa-1-3fa2': 'after Ctrl-C or a crash',
    });
  },

  load: async () => (await import('../commands/improve.ts')).improve,
};
