/** @file `ludus desk`: users' desks. */

import { makeKinds } from '@ludus-agents/desk/internal/environment/make/kinds';
import { writeKinds } from '@ludus-agents/desk/internal/write-kinds';
import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import { type CommandDeclaration, commandGroup, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { withSpending } from '../spending.ts';

const bot: CommandDeclaration = {
  declare(command) {
    command.argument(
      '<bot>',
      'a bot: bot.json, bot.ts, bot:http://…, bot:openai:http://…#model, bot:ws://…, a2a:http://…, bot:acp:COMMAND, bot:mcp:COMMAND, cmd:node bot.js',
    );
    command
      .option('--customer <file>', 'play one conversation with this customer, a case as in tasks.json, and judge it')
      .option('--policy <file>', 'rules to judge the conversation by (with --customer)');
    withJson(withSpending(command));
    examples(command, {
      'ludus desk bot ./bot.json --json': 'for scripts; exits with 1 on a problem',
      'ludus desk bot bot:http://localhost:3000/chat': 'POST {"message", "session"} as JSON',
      'ludus desk bot ./bot.json --customer ann.json --policy policy.md': 'one conversation, with its faults',
      'ludus desk bot "bot:acp:node agent.js"': 'an agent that speaks the Agent Client Protocol',
      'ludus desk bot "cmd:node bot.js"': 'a process that answers {"message"} with {"reply"}, line by line',
    });
  },

  load: async () => (await import('../commands/desk/bot.ts')).check,
};

const checkDesk: CommandDeclaration = {
  declare(command) {
    command
      .argument('<desk>', 'a folder with policy.md and tasks.json, one JSON file, or a built-in desk by name')
      .option('--strict', 'treat warnings as errors');
    withJson(command);
    examples(command, {
      'ludus desk check ./shop': 'exits with 1 if a case cannot be solved',
      'ludus desk check ./shop --strict --json': 'for scripts; warnings count as errors',
    });
  },

  load: async () => (await import('../commands/desk.ts')).check,
};

const importDomain: CommandDeclaration = {
  declare(command) {
    command
      .argument('<folder>', 'a folder with db.json (telecom: db.toml), policy.md, and tasks.json')
      .requiredOption(...flag('output'))
      .option('--domain <name>', 'airline, retail, telecom, or banking_knowledge (default: the name of the folder)')
      .option('--split <name>', 'only the tasks of this split in split_tasks.json (default: base, if there is one)')
      .option('--customer <agent>', 'the agent that plays the customer', 'llm');
    withJson(command);
    examples(command, {
      'ludus desk import tau2-bench/data/tau2/domains/retail -o retail.json --customer llm:MODEL':
        'prints what was imported, what was not, and why',
      'ludus eval retail.json --agents llm:OTHER': 'then it is an ordinary suite',
    });
  },

  load: async () => (await import('../commands/desk.ts')).importDomain,
};

const joinDesks: CommandDeclaration = {
  declare(command) {
    command
      .argument('<desks...>', 'desk folders or files; customers come from the first')
      .option('--name <name>', 'the name of the desk', 'joined')
      .requiredOption(...flag('output'));
    withJson(command);
    examples(command, {
      'ludus desk join ./food ./travel -o both.json': 'both sets of tools, tables, and policies, with cases across them',
      'ludus eval both.json --agents llm:MODEL --run both': 'one conversation that needs both desks',
      'ludus score both --scorers states=MODEL': 'an evaluator that reads a few lines at a time and updates the rubrics',
    });
  },

  load: async () => (await import('../commands/desk.ts')).join,
};

const makeDesk: CommandDeclaration = {
  declare(command) {
    command
      .argument('<folder>', 'a folder with policy.md, and tools.json or openapi.json unless a model writes the tools')
      .option(...flag('people'), whole('--people', 1, 8), 4)
      .option(...flag('model', 'a model that writes tools.json if there is none; every tool must work on drawn records'))
      .option('--rounds <n>', 'with --model: how often the tools may be proposed', whole('--rounds', 1, 20), 3)
      .option(...flag('seed'), whole('--seed', 0), 1);
    withJson(withSpending(command));
    examples(command, {
      'ludus desk make ./shop': 'write database.json, tasks.json, and desk.json',
      'ludus desk make ./shop --model MODEL': 'from policy.md alone: a model writes tools.json first',
      'ludus desk check ./shop': 'then check it',
    });
  },

  load: async () => (await import('../commands/desk.ts')).make,
};

const tools: CommandDeclaration = {
  declare(command) {
    command
      .argument('<source>', 'an OpenAPI 3 document as JSON, mcp:COMMAND, or mcp:http://HOST/mcp')
      .option(...flag('desk', 'a database; its tables are matched with the tools'))
      .option(...flag('output', '(default: standard output)'));
    withJson(command);
    examples(command, {
      'ludus desk tools openapi.json -o shop/tools.json': 'GET, POST, PATCH, and DELETE on /orders/{id} become tools on the table orders',
      'ludus desk tools "mcp:node server.js" --desk ./shop -o shop/tools.json': 'names and arguments of an MCP server',
    });
  },

  load: async () => (await import('../commands/desk.ts')).tools,
};

const casesFromRun: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'a run, by name or the start of its ID')
      .option('--failed', 'only tasks that failed at least once')
      .option('--rate <low,high>', 'only tasks with a pass rate in this range, such as 0.1,0.9', readRate)
      .option(...flag('agent', 'only episodes with this agent'))
      .option(...flag('redact', 'in imported conversations'))
      .option(...flag('suite', 'or where scenes have scales'))
      .option(...flag('output', '(default: standard output)'));
    withJson(withStore(command));
    examples(command, {
      'ludus desk tasks from RUN --failed -o tasks.json': 'a suite of failed tasks',
      'ludus desk tasks from RUN --agent NAME --rate 0.1,0.9 -o next.json': 'tasks by pass rate, to choose what to train on',
      'ludus desk tasks from import-spans --failed --redact "Ann Archer" -o tasks.json': 'imported conversations that failed, as cases',
      'ludus test tasks.json --agents ./bot.json --fail-under 1': 'and a gate that keeps them from failing again',
    });
  },

  load: async () => (await import('../commands/desk/tasks.ts')).from,
};

function readRate(text: string): readonly [number, number] {
  const [low, high, ...more] = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (low === undefined || high === undefined || more.length > 0 || !(low >= 0 && low <= high && high <= 1))
    throw new Fault('input', `--rate: expected two shares from 0 to 1, the lower first, such as 0.1,0.9, got "${text}".`);
  return [low, high];
}

const makeCases: CommandDeclaration = {
  declare(command) {
    command
      .argument('<desk>', 'a desk, by folder or file')
      .option(
        '--kinds <list>',
        `which kinds: ${makeKinds.join(', ')}; with --model: ${writeKinds.join(', ')} (default: all but intent and quality)`,
      )
      .option(...flag('model', 'the model that writes the cases; problems are sent back to it'))
      .option('--reviewer <model>', 'with --model: a model that votes on each case from three perspectives')
      .option('--rounds <n>', 'with --model: how often one case may be written', whole('--rounds', 1, 20), 3)
      .option('--safe-data <file>', 'with --model and threat: write requests with safe answers, as JSON lines for training')
      .option('-n, --each <n>', 'how many cases of each kind', whole('--each', 1, 10_000), 20)
      .option(...flag('seed'), whole('--seed', 0), 1)
      .requiredOption(...flag('output'));
    withJson(withSpending(command));
    examples(command, {
      'ludus desk tasks make ./shop -o made.json': 'more cases, proven by gold calls',
      'ludus desk tasks make ./shop --kinds ambiguous -o unclear.json': 'ambiguous requests, each with a clear twin',
      'ludus desk tasks make ./shop --model MODEL --kinds event,threat -n 10 -o written.json':
        'a model writes, rules and gold calls decide',
      'ludus test made.json --agents ./bot.json': 'then it is an ordinary suite',
    });
  },

  load: async () => (await import('../commands/desk/tasks.ts')).make,
};

const casesFromTalks: CommandDeclaration = {
  declare(command) {
    command
      .argument('<file>', 'conversations of people: JSON lines with "turns" of {"speaker", "text"}, or anything "ludus data import" reads')
      .option(...flag('limit', 'use at most this many, spread over the conversations'), whole('--limit', 1, 100_000), 200)
      .requiredOption(...flag('output'));
    withJson(command);
    examples(command, {
      'ludus desk tasks observe people.jsonl -o observe.json': 'two turns of one speaker in a row mean that the user only watched',
      'ludus eval observe.json --agents llm:MODEL':
        'F-score of when it speaks, and agreement with people, compared with a user who always speaks',
    });
  },

  load: async () => (await import('../commands/desk/tasks.ts')).observe,
};

const tasks = commandGroup(
  {
    from: { summary: 'Turn the tasks of a run into a suite', ...casesFromRun },
    make: { summary: 'Generate cases from a desk, proven by gold calls', ...makeCases },
    observe: { summary: 'Turn recorded conversations into a suite', ...casesFromTalks },
  },
  {
    'ludus desk tasks from RUN --failed -o tasks.json': 'a suite of the tasks that failed',
    'ludus desk tasks make ./shop -o made.json': 'composed, ambiguous, and other difficult cases',
    'ludus eval tasks.json --agents ./bot.json': 'the result is an ordinary suite',
  },
);

export const desk = commandGroup(
  {
    bot: { summary: 'Check that a bot answers, how fast, and what it remembers', ...bot },
    check: { summary: 'Check that every case can be solved and none passes by itself', ...checkDesk },
    import: { summary: 'Import a τ²-bench domain as a suite', ...importDomain },
    join: { summary: 'Join several desks into one', ...joinDesks },
    make: { summary: 'Generate a database and tasks from a policy and tools', ...makeDesk },
    tasks: { summary: 'Create cases from runs, desks, or conversations', ...tasks },
    tools: { summary: 'Write tools.json from an OpenAPI document or an MCP server', ...tools },
  },
  {
    'ludus new desk shop': 'create the folder shop with a policy, tools, a database, and tasks',
    'ludus desk check ./shop': 'check it before you use it',
    'ludus eval ./shop --agents ./bot.json': 'then test your bot',
  },
);
