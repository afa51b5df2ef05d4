/** @file `ludus env`: check, solve, and analyze environments. */

import { amount, type CommandDeclaration, commandGroup, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

const checkEnvironment: CommandDeclaration = {
  declare(command) {
    command.argument('<environment>', 'an environment: a built-in name, or a file that exports one');
    withJson(command);
    examples(command, {
      'ludus env check kuhn-poker': 'a built-in environment',
      'ludus env check ./my-world.ts': 'your own environment',
      'ludus env check ./my-world.ts --json': '{"problems":[]} and exit code 0 if there are none',
    });
  },

  load: async () => (await import('../commands/env/check.ts')).check,
};

const coverage: CommandDeclaration = {
  declare(command) {
    const collect = (text: string, before: readonly string[] = []) => [...before, text];
    command
      .argument('<environment>', 'an environment: a built-in name, or a file that exports one')
      .option(...flag('agent', 'an agent for every seat; repeatable (default: random and explorer)'), collect)
      .option('--like <run>', 'episodes that show a style, for an extra explorer; repeatable', collect)
      .option('--episodes <n>', 'episodes per player and repetition', whole('--episodes', 1, 1_000_000), 100)
      .option(...flag('repeats', 'repetitions, for the interval'), whole('--repeats', 1, 1000), 5)
      .option(...flag('task'))
      .option(...flag('seed', 'the first seed'), whole('--seed', 0), 0);
    withJson(withStore(withModelOptions(withSpending(command))));
    examples(command, {
      'ludus env coverage tic-tac-toe': 'compare random play with an explorer, 100 episodes each',
      'ludus env coverage ./my-world.ts --agent scripted --agent explorer': 'your environment: see which states its script never reaches',
      'ludus env coverage maze --like RUN': 'an explorer that imitates the episodes of a run',
      'ludus env coverage kuhn-poker --episodes 500 --json': 'all figures as JSON',
    });
  },

  load: async () => (await import('../commands/env/coverage.ts')).coverage,
};

const dream: CommandDeclaration = {
  declare(command) {
    command
      .argument('<environment>', 'the environment to learn')
      .requiredOption(...flag('output', 'where to write the learned environment'))
      .option(...flag('seat', 'the seat to learn from (default: the first)'))
      .option(...flag('run', 'only episodes of this run (default: all)'))
      .option('--hold <share>', 'the share of episodes to hold out for measuring the error', amount('--hold'), 0.2)
      .option(...flag('model', 'measure this model instead of a learned one'))
      .option('--samples <n>', 'the maximum number of steps to compare', whole('--samples', 1, 1_000_000), 2000)
      .option('--evolve <agent>', 'alternate: the agent plays the real environment, and its episodes improve the learned one')
      .option('--rounds <n>', 'with --evolve: rounds', whole('--rounds', 1, 1000), 3)
      .option(...flag('games', 'with --evolve: episodes per round, and at random before the first'), whole('--games', 5, 100_000), 20)
      .option(...flag('seed', 'with --evolve: the first seed'), whole('--seed', 0), 1)
      .option(...flag('task', 'with --evolve'));
    withJson(withStore(withModelOptions(withSpending(command))));
    examples(command, {
      'ludus env dream frozen-lake -o dream.json': 'from all stored episodes',
      'ludus play ./dream.json --agents random': 'use it like any other environment',
      'ludus env dream frozen-lake -o dream.json --model ollama/qwen3 --samples 50': 'how much a model differs from the real environment',
      'ludus play ./dream.json --task \'{"by":"model"}\' --walker random --dreamer llm:MODEL': 'a model simulates the environment',
      'ludus env dream frozen-lake -o dream.json --evolve ./search.json --rounds 4': 'a search agent and its simulation improve in turn',
    });
    command.addHelpText(
      'after',
      '\nRun the same command after more episodes to get a better one. The name of the learned environment contains its error,\nso every figure shows it.',
    );
  },

  load: async () => (await import('../commands/env/dream.ts')).dream,
};

const exploit: CommandDeclaration = {
  declare(command) {
    command
      .argument('<agent>', 'an agent or a model, by name or file')
      .argument('<environment>', 'a small game, such as kuhn-poker or leduc')
      .option(...flag('task'))
      .option(
        '--samples <n>',
        'estimate probabilities from this many samples per decision, without log-probabilities (default for programs and local/RUN: 200)',
        whole('--samples', 1, 100_000),
      );
    withJson(withModelOptions(withSpending(command)));
    examples(command, {
      'ludus env exploit fake kuhn-poker': 'what a model that answers at random loses',
      'ludus env exploit ./agent.mjs kuhn-poker': 'a program, from its answers',
      'ludus env exploit ./model.gguf kuhn-poker --json': 'a local model, from its own probabilities',
      'ludus env exploit local/RUN kuhn-poker': 'a trained agent, from its answers',
      'ludus env exploit ollama/qwen3:0.6b kuhn-poker --samples 50': 'a model that only returns text',
    });
  },

  load: async () => (await import('../commands/env/exploit.ts')).exploit,
};

const solve: CommandDeclaration = {
  declare(command) {
    command
      .argument('<environment>', 'a small environment: a built-in name, or a file that exports one')
      .option(...flag('task'))
      .option('--within <amount>', 'the tolerance of the value (default: 1e-8)', amount('--within'))
      .option('--iterations <n>', 'the maximum number of iterations (default: a few seconds)', whole('--iterations', 1));
    withJson(command);
    examples(command, {
      'ludus env solve kuhn-poker': 'the value of a hand, and what random play loses',
      'ludus env solve leduc --within 0.001': 'faster and less precise',
      [`ludus env solve liars-dice --task '{"faces":3}' --json`]: 'as JSON',
    });
  },

  load: async () => (await import('../commands/env/solve.ts')).solve,
};

const checks: CommandDeclaration = {
  declare(command) {
    command
      .argument('<environment>', 'a built-in environment or a file')
      .option('--checks <names>', 'checks with commas: winnable, program, rewording, retrieval, reference:AGENT, committee:A+B', 'winnable')
      .option('--tasks <file>', 'labeled tasks instead of planted ones: [{"task": {…}, "good": true}]')
      .option('--documents <folder>', 'documents that the tasks are about')
      .option('--count <n>', 'good tasks, and bad ones', '40')
      .option(...flag('seed'), '1');
    withJson(command);
    examples(command, {
      'ludus env tasks checks exam --checks program,reference:calculator': 'false claims and broken programs among true questions',
      'ludus env tasks checks trail --checks retrieval,winnable --documents ./docs': 'spoiled questions about your documents',
      'ludus env tasks checks ./mine.ts --checks reference:random --tasks labeled.json': 'your tasks, labeled by you',
    });
  },

  load: async () => (await import('../commands/env/tasks/checks.ts')).checks,
};

const ideas: CommandDeclaration = {
  declare(command) {
    command
      .argument('<file>', 'ideas as text, separated by empty lines')
      .option(...flag('model', 'a model that turns ideas into sentences (default: they are sentences already)'))
      .requiredOption(...flag('output'));
    withJson(withSpending(command));
    examples(command, {
      'ludus env tasks ideas ideas.txt -o quests.json': 'ideas in the sentences of idea-quest (docs/reference/curricula.md)',
      'ludus env tasks ideas ideas.txt --model openai/gpt-5-mini -o quests.json':
        'free-form ideas: a model writes, a search proves them winnable',
      'ludus eval quests.json --agents random,scripted': 'then it is an ordinary suite',
    });
  },

  load: async () => (await import('../commands/env/tasks/ideas.ts')).ideas,
};

const library: CommandDeclaration = {
  declare(command) {
    command
      .argument('<folder>', 'a folder with Markdown or HTML')
      .option(
        '--questions <file>',
        'your questions: JSON like [{"ask": "…", "answer": "…", "cites": ["a.md"]}] (default: which page links to two others)',
      )
      .option(
        '--search <how>',
        'how to search: words (BM25), meaning (vectors from the documents), both, or finder (the installed sentence encoder) (default: words)',
      )
      .option(...flag('seeds', 'the seeds; each draws a question'), whole('--seeds', 1, 10_000), 20)
      .requiredOption(...flag('output'));
    withJson(command);
    examples(command, {
      'ludus env tasks library ./docs -o questions.json': 'which page links to two others, one question per seed',
      'ludus env tasks library ./docs --questions asked.json -o questions.json': 'your own questions, each with its evidence',
      'ludus env tasks library ./docs --search both -o questions.json': 'search by words and by meaning',
      'ludus eval questions.json --agents random,llm:MODEL': 'then it is an ordinary suite',
    });
  },

  load: async () => (await import('../commands/env/tasks/library.ts')).library,
};

const programs: CommandDeclaration = {
  declare(command) {
    command
      .argument('<file>', 'instances as JSON lines: instance_id, problem_statement, patch, test_patch, FAIL_TO_PASS, PASS_TO_PASS')
      .option('--repositories <folder>', 'the folder with one repository per instance_id (default: next to the file)')
      .requiredOption(...flag('output'));
    withJson(command);
    examples(command, {
      'ludus env tasks programs instances.jsonl -o repairs.json': 'with repositories in folders next to the file',
      'ludus eval repairs.json --agents random,llm:MODEL': 'then it is an ordinary suite',
    });
  },

  load: async () => (await import('../commands/env/tasks/programs.ts')).programs,
};

const tasks = commandGroup(
  {
    checks: { summary: 'Measure how often checks of written tasks err', ...checks },
    ideas: { summary: 'Create text adventures from written ideas', ...ideas },
    library: { summary: 'Create questions about your own documents', ...library },
    programs: { summary: 'Create repair tasks from public SWE instances', ...programs },
  },
  {
    'ludus env tasks checks exam --checks program': 'bad tasks that pass, good tasks that are refused',
    'ludus env tasks ideas ideas.txt -o quests.json': 'one text adventure per idea, proven winnable',
    'ludus env tasks library ./docs -o questions.json': 'questions with evidence from your documents',
    'ludus env tasks programs instances.jsonl -o repairs.json': 'repositories with a bug and its tests',
  },
);

export const env = commandGroup(
  {
    check: { summary: 'Check an environment against the contract', ...checkEnvironment },
    coverage: { summary: 'Measure how much of an environment agents reach', ...coverage },
    solve: { summary: 'Compute optimal play in a small environment', ...solve },
    exploit: { summary: 'Compute what a best response wins against an agent', ...exploit },
    dream: { summary: 'Learn a simulated environment from episodes', ...dream },
    tasks: { summary: 'Create tasks from ideas, documents, or repositories', ...tasks },
  },
  {
    'ludus env check ./my-game.ts': 'check it before you use it',
    'ludus env solve kuhn-poker': 'its value and an optimal strategy',
    'ludus env exploit local/kuhn-lm-1@best kuhn-poker': 'how far a model is from optimal play',
    'ludus env tasks library ./docs -o questions.json': 'a suite of questions about your documents',
  },
);
