/** @file `ludus serve`: servers for other programs, one protocol each. */

import { amount, type CommandDeclaration, commandGroup, examples, whole } from '../command.ts';
import { flag } from '../flags.ts';
import { withCharacters, withClientOptions, withRecording, withServeOptions } from '../server-options.ts';
import { withSpending } from '../spending.ts';

const a2a: CommandDeclaration = {
  declare(command) {
    withClientOptions(withServeOptions(withCharacters(command), 8002));
    examples(command, {
      'ludus serve a2a': 'cards at /a2a/NAME/.well-known/agent-card.json',
      'ludus serve a2a --persona ./ann.json': 'and your character, at /a2a/ann',
      'ludus serve a2a --character openai/gpt-5-mini': 'characters played by a model',
    });
  },

  load: async () => (await import('../commands/serve/a2a.ts')).a2a,
};

const all: CommandDeclaration = {
  declare(command) {
    command.option(...flag('admin'));
    withRecording(withClientOptions(withServeOptions(command, 4747)));
    examples(command, {
      'ludus serve all': 'the studio, /openenv/NAME, /mcp, /a2a, and /v1',
      'ludus serve all --host 0.0.0.0 --token SECRET': 'also for other machines',
    });
  },

  load: async () => (await import('../commands/serve/all.ts')).all,
};

const mcp: CommandDeclaration = {
  declare(command) {
    command
      .argument('[world]', 'an environment, by name or file; without it, the client chooses')
      .option('--stdio', 'use standard input and output')
      .option('--box <agent>', 'serve only the functions this agent wrote and tested')
      .option('--a2a <agents>', 'serve only these A2A agents as tools: name=url or name=file, separated by commas')
      .option(...flag('admin'));
    withClientOptions(withServeOptions(command, 8001));
    examples(command, {
      'ludus serve mcp --stdio kuhn-poker': 'the command for an MCP client’s configuration',
      'ludus serve mcp --port 8001': 'streamable HTTP at http://127.0.0.1:8001/mcp',
      'ludus serve mcp --stdio --admin': 'also let clients run plans and score them',
      'ludus serve mcp --stdio --box Ann': 'Ann’s learned functions as tools',
      'ludus serve mcp --stdio --a2a shop=http://localhost:8002': 'an A2A agent as the tool ask_shop',
    });
  },

  load: async () => (await import('../commands/serve/mcp.ts')).mcp,
};

const openenv: CommandDeclaration = {
  declare(command) {
    command.argument('[world]', 'the environment at the root, by name or file; every built-in one is at /openenv/NAME');
    withClientOptions(withServeOptions(command, 8000));
    examples(command, {
      'ludus serve openenv --port 8000': 'clients connect to ws://127.0.0.1:8000/openenv/tic-tac-toe/ws',
      'ludus serve openenv kuhn-poker --opponents scripted:equilibrium': 'against a perfect opponent',
      'ludus serve openenv ./my-world.ts --sessions 64': 'your own environment, 64 sessions',
      'ludus serve openenv --host 0.0.0.0 --token SECRET': 'beyond this machine: clients use ws://ludus:SECRET@HOST:8000',
    });
  },

  load: async () => (await import('../commands/serve/openenv.ts')).openenv,
};

const proxy: CommandDeclaration = {
  declare(command) {
    withSpending(withRecording(withServeOptions(command, 8080)));
    examples(command, {
      'ludus serve proxy --upstream http://localhost:8000/v1 --port 8080': 'programs set OPENAI_BASE_URL=http://127.0.0.1:8080/v1',
      'ludus serve proxy': 'only our own models: "persona/innkeeper", "local/RUN@best"',
      'ludus serve proxy --model tinker:http://127.0.0.1:8000#tinyllama':
        'a model of a training server, or a GGUF file, as an OpenAI-like endpoint',
      'ludus serve proxy --character openai/gpt-5-mini --persona iago.png':
        'characters played by a model, one of them from a card: "persona/iago"',
      'ludus serve proxy --upstream URL --max-cost 5': 'refuse calls that could cost more',
      'ludus data export --format trl-sft --run proxy -o dataset': 'export the recorded calls as training data',
    });
  },

  load: async () => (await import('../commands/serve/proxy.ts')).proxy,
};

const sites: CommandDeclaration = {
  declare(command) {
    withServeOptions(command, 8080)
      .option(...flag('task', 'of the first session, such as {"template": "shop-buy"}'))
      .option(...flag('seed', 'of the first session'), whole('--seed', 0, 2 ** 31 - 1), 1)
      .option('--pages <folder>', 'your pages: a folder of content, or task pages in MiniWoB format')
      .option(...flag('sessions'), whole('--sessions', 1, 100_000), 256)
      .option(...flag('idle'), amount('--idle'), 3600);
    examples(command, {
      'ludus serve sites --port 8080': 'print an address that works once, for one browser',
      'ludus serve sites --task \'{"template":"shop-buy","number":3}\'': 'at a task of your choice',
      'ludus serve sites --pages ./museum --task \'{"case":"maker"}\'': 'a task on your pages, from a folder of content',
      'ludus serve sites --pages ./miniwob/html': 'your own task pages; GET /pages lists which are usable',
    });
  },

  load: async () => (await import('../commands/serve/sites.ts')).sites,
};

export const serve = commandGroup(
  {
    openenv: { summary: 'Serve seats to trainers over OpenEnv', ...openenv },
    mcp: { summary: 'Serve a seat as MCP tools', ...mcp },
    proxy: { summary: 'Record the calls to any model', ...proxy },
    a2a: { summary: 'Serve personas over A2A', ...a2a },
    sites: { summary: 'Serve web tasks for real browsers', ...sites },
    all: { summary: 'Serve everything on one port', ...all },
  },
  {
    'ludus serve openenv --port 8000': 'every environment at /openenv/NAME',
    'ludus serve openenv kuhn-poker': 'and one of them at the root',
    'ludus serve mcp --stdio kuhn-poker': 'a seat for a client that starts the server',
    'ludus serve proxy --upstream http://localhost:8000/v1 --port 8080': 'every call of a program as an episode',
    'ludus serve sites --port 8080': 'six working sites and their tasks, for a browser',
    'ludus serve all': 'everything, and the studio',
  },
);
