/** @file Declares the options, help, and examples of `ludus improve` and its subcommands. */

import { improveRecipeNames } from '@ludus-agents/learning/internal/improving/recipe-names';
import { engineNames } from '@ludus-agents/learning/internal/prompts/engines/names';
import { gateRules } from '@ludus-agents/learning/internal/prompts/gate';
import { withCaseOptions } from '../case-options.ts';
import { type CommandDeclaration, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { budgetIn, costName, costs, numbers, three } from '../improve-options.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

const ablate: CommandDeclaration = {
  declare(command) {
    command
      .argument('<agent>', 'an agent with parts: a pipeline, a team, or a language agent')
      .requiredOption('--on <environment>', 'the environment')
      .option(...flag('task', 'or a list of them'))
      .option(...flag('seat', 'the seat of the agent (default: the first)'))
      .option(...flag('against', 'an agent for the other seats (default: the environment’s scripts, or random)'))
      .option(...flag('games', 'episodes per arm and task, on the same seeds'), whole('--games', 2, 100_000), 20)
      .option(...flag('seed', 'the first seed'), whole('--seed', 0), 1)
      .option('--without <names>', 'only these parts, separated by commas (default: all, one at a time)')
      .option('--thinking', 'also try the models with reasoning off and on high')
      .option('--reflex <agent>', 'search agents: how much simulator error they tolerate before this agent is better')
      .option('--equal-calls', 'search agents: give the model calls of a part to the search without it')
      .option(...flag('yes'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus improve ablate ./pipeline.json --on codebreaker': 'what each module adds and costs',
      'ludus improve ablate ./team.json --on tic-tac-toe --against random --games 50': 'the same for the members of a team',
      'ludus improve ablate ./agent.json --on maths --without memory --thinking --json': 'memory and reasoning, as JSON',
      'ludus improve ablate ./search.json --on tic-tac-toe --against random --reflex scripted:lookahead --games 100':
        'how wrong a simulator may be before a simple agent is better',
      'ludus improve ablate ./search.json --on ./mine.ts --equal-calls': 'what each mechanism of a search is worth at equal model calls',
    });
    command.addHelpText(
      'after',
      '\nComponents are the modules of a pipeline, the members of a team except its lead, and the memory, plan, reflection, tools,\nnotes, persona, and texts of a language agent. Episodes are stored; the same command plays only what is missing.',
    );
  },

  load: async () => (await import('../commands/improve/ablate.ts')).ablate,
};

const diff: CommandDeclaration = {
  declare(command) {
    command.argument('<a>', 'a candidate, RUN:CANDIDATE, a run (its current candidate), or a spec file').argument('<b>', 'the other one');
    withJson(withStore(command));
    examples(command, {
      'ludus improve diff 599d3d1c 4c2b5475': 'two candidates of any improvement in the store',
      'ludus improve diff 599d3d1c instruction-demo-gepa-1-3fa2': 'a candidate, and the current one of a run',
      'ludus improve diff spec.json instruction-demo-gepa-1-3fa2:4c2b': 'a file, and a candidate of one run',
    });
  },

  load: async () => (await import('../commands/improve/diff.ts')).diff,
};

const experience: CommandDeclaration = {
  declare(command) {
    command
      .argument('[environment]', 'the environment whose stored episodes are read')
      .option(...flag('agent', 'the agent that gets the experience (default: write a pack)'))
      .option(...flag('pack', 'give this pack to the agent, instead of stored episodes'))
      .requiredOption(...flag('output'))
      .option(...flag('seat', 'the seat to learn from (default: the first)'))
      .option(...flag('run', 'only episodes of this run (default: all)'));
    withJson(withStore(command));
    examples(command, {
      'ludus improve experience quest-world --agent ./ann.json -o taught.json': 'from all stored episodes, by any agent',
      'ludus improve experience ./mine.ts --run week -o pack.json': 'a pack: what worked in each task, why, and an episode',
      'ludus improve experience --pack ./pack.json --agent ./team.json -o taught.json': 'give a pack to another agent or team',
      'ludus improve ablate ./taught.json --on quest-world': 'what each part of it adds',
    });
  },

  load: async () => (await import('../commands/improve/experience.ts')).experience,
};

const digests: CommandDeclaration = {
  declare(command) {
    command
      .argument('<cases>', 'a file (.jsonl, .csv, .tsv) with "question", "result" (a long result of a tool), and "answer" (words of it)')
      .requiredOption(...flag('agent', 'the agent that gets the policy'))
      .requiredOption(...flag('output'))
      .option(...flag('seed', 'the seed of the split into cases to learn from and to test on'), whole('--seed', 0), 1);
    withJson(command);
    examples(command, {
      'ludus improve digests ./questions.jsonl --agent ./ann.json -o taught.json': 'learn from two thirds, and test on the others',
    });
  },

  load: async () => (await import('../commands/improve/digests.ts')).digests,
};

const lineage: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'an improvement run, by name or the start of its ID')
      .option(...flag('engine', 'only candidates of this engine or baseline (default: all)'))
      .option(...flag('pack', 'write an experience pack from accepted edits, with reasons and episodes'));
    withJson(withStore(command));
    examples(command, {
      'ludus improve lineage instruction-demo-gepa-1-3fa2': 'the tree, with scores and verdicts',
      'ludus improve lineage instruction-demo-gepa-1-3fa2 --pack pack.json':
        'for another agent: ludus improve ./other.json --pack ./pack.json',
      'ludus improve lineage instruction-demo-gepa-1-3fa2 --json': 'parents, changes, and verdicts as JSON',
    });
  },

  load: async () => (await import('../commands/improve/lineage.ts')).lineage,
};

const rollback: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'an improvement run, by name or the start of its ID')
      .argument('<candidate>', 'a candidate of the run, by the start of its ID')
      .option(...flag('output'));
    withJson(withStore(command));
    examples(command, {
      'ludus improve rollback instruction-demo-gepa-1-3fa2 599d3d1c': 'return to the start; nothing is lost',
      'ludus improve rollback instruction-demo-gepa-1-3fa2 599d3d1c -o spec.json': 'and write its spec to a file',
    });
  },

  load: async () => (await import('../commands/improve/rollback.ts')).rollback,
};

const often = (text: string, before: readonly string[]) => [...before, text];

export const improve: CommandDeclaration = {
  parts: {
    lineage: { summary: 'List the candidates of a run and their parents', ...lineage },
    diff: { summary: 'Compare two candidates line by line', ...diff },
    rollback: { summary: 'Return an agent to an earlier candidate', ...rollback },
    experience: { summary: 'Add lessons from stored episodes to an agent', ...experience },
    digests: { summary: 'Learn which passages of long tool results to show', ...digests },
    ablate: { summary: 'Measure what each part of an agent contributes', ...ablate },
  },

  declare(command) {
    command
      .argument('[target]', `your agent (with --on), or a recipe: ${improveRecipeNames.join(', ')}`)
      .option('--on <suite>', 'the suite to improve on, or a file of cases (.csv, .tsv, .jsonl)')
      .option('--engine <name>', `the engine: ${engineNames.join(', ')}, or your own file (default: the recipe’s, or gepa)`)
      .option(
        '--budget <amount>',
        'number of task plays for the engine (default: 500), or a limit on the complete run: 2000000tokens, $5',
        budgetIn,
      )
      .option(...flag('seed'), whole('--seed', 0), 1)
      .option(...flag('set', 'a setting of the engine; repeatable'), often, [])
      .option('--proposer <name>', 'the source of edits: random, a file of lines, a model, or one of the recipe’s (default: its first)')
      .option(
        '--try <component=values>',
        'values to try for a component, such as temperature=0,0.7 or instruction=@a.txt,@b.txt',
        often,
        [],
      )
      .option('--price <cost=score>', 'score to subtract per token, dollar, or second, such as tokens=0.0001', costs('--price'))
      .option('--most <cost=limit>', 'the maximum average cost per episode, such as money=0.01', costs('--most'))
      .option('--saving <cost>', 'the cost that the gate "frugal" reduces: tokens, money, or seconds (default: tokens)', costName)
      .option('--gate <name>', `the gate that accepts edits: ${Object.keys(gateRules).join(', ')}, or your own file (default: ours)`)
      .option('--protect <tasks>', "the gate's tasks that may not get worse, like 0,3", numbers)
      .option(...flag('repeats', 'repeats of the gate’s tasks (default: 1)'), whole('--repeats', 1, 100))
      .option(
        '--tasks <propose,select,report>',
        'episodes for proposals, gate, and report; tasks are repeated with new seeds if there are fewer (default: 12,12,48)',
        three,
      )
      .option('--lock <component>', 'a text that edits must not change, or a prefix with *; repeatable', often, [])
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
      'ludus improve instruction-demo --engine gepa --budget 500 --seed 1': 'watch the candidates',
      'ludus improve instruction-demo --engine skillopt --json': 'as JSON; the last line has the scores',
      'ludus improve instruction-demo --model ollama/qwen3:0.6b --max-cost 1': 'with a language model as player and critic',
      'ludus improve together-demo --budget 500 --seed 1': 'texts and weights in turn, with the gain of each',
      'ludus improve instruction-demo --engine ./mine.ts': 'your own engine; "ludus new engine mine" creates one',
      'ludus improve --resume instruction-demo-gepa-1-3fa2': 'continue after Ctrl-C or a crash',
    });
  },

  load: async () => (await import('../commands/improve.ts')).improve,
};
