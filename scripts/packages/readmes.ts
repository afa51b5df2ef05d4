/** @file The page of each package. */

interface Page {
  readonly about: string;
  readonly who: string;
  readonly parts: Readonly<Record<string, string>>;
}

export const pages: Readonly<Record<string, Page>> = {
  kernel: {
    about: 'The contract and the engine: write an environment, play, check, replay and fork it.',
    who: 'For authors of environments and agents. It has no dependencies, uses no module of Node, and runs in a browser.',
    parts: {
      'core/': 'types and pure functions that all packages share: environments, agents, events, shapes, dice by path, faults, kinds',
      'engine/': 'plays an episode, a plan or a batch; replays a log; checks an environment against the rules of all',
    },
  },
  store: {
    about: 'Keeps episodes, scores, runs and datasets in memory, in SQLite or in PostgreSQL.',
    who: 'For programs that read or write what was played. A database is loaded when it is opened.',
    parts: {
      'open-store.ts': 'opens a store by its address',
      'postgres/, sqlite.ts, memory.ts': 'the three stores behind one interface',
      'exports/, imports/': 'logs and rows in other formats',
      'files/': 'files that are written whole or not at all, and manifests',
    },
  },
  environments: {
    about: 'Ready environments with scripts and exact solvers: games, grids, puzzles, conversations and work.',
    who: 'For those who play and evaluate. It needs the kernel alone.',
    parts: {
      'built-in.ts': 'every environment with one line and a loader',
      'solve/': 'exact values and best responses of small games',
      'surface.ts': 'switches that every environment has',
    },
  },
  agents: {
    about: 'Agents, models, personas, tools, the sandbox and existing bots, and the loader that turns names and files into them.',
    who: 'For those who put something on a seat.',
    parts: {
      'kinds.ts': 'every kind of agent',
      'llm/, mind/, search/, team/': 'language agents, what they remember, agents that look ahead, and teams',
      'bot/, openenv/': 'bots and environments of others',
      'models/': 'models behind one interface: servers, files, stand-ins',
      'personas/': 'characters and populations',
      'sandbox/, tools/': 'code of models, and what agents may use',
      'workspace/': 'names, files, configuration, keys and consent of a working folder',
    },
  },
  evaluation: {
    about: 'Scorers, judges, statistics, suites, arenas and reports: how good are agents, and how sure is that?',
    who: 'For those who measure.',
    parts: {
      'scoring/': 'rules, judges, rubrics, suites, statistics, ratings and trust cards',
      'evaluate.ts, score-run.ts, arena.ts, report.ts': 'what a user does with them',
      'kinds.ts': 'scorers, rubrics, judges and suites by name',
    },
  },
  desk: {
    about: 'Tests a customer-service bot before its release: desks, customers, detectors of faults, and a gate.',
    who: 'For those who operate a bot. It installs no reinforcement learning.',
    parts: {
      'environment/': 'desks as environments: policy, tools, records and customers',
      'faults/': 'detectors, each with a negative control',
      'gate.ts': 'passes or fails a bot',
      'kinds.ts': 'what desks add to environments, scorers and suites',
    },
  },
  learning: {
    about: 'Improves agents: reinforcement learning, learners, prompts, curricula, attacks and datasets.',
    who: 'For those who train.',
    parts: {
      'rl/, learners/, training/': 'the training loop, what learns in it, and a run from recipe to checkpoint',
      'prompts/, improving/': 'better texts behind a gate, and attacks',
      'curricula/, pipelines/, datasets/': 'tasks, and data for trainers',
      'kinds.ts': 'recipes, learners, engines, teachers, proposers and pipelines by name',
    },
  },
  societies: {
    about: 'Asks and observes simulated populations: surveys, experiments, networks and towns.',
    who: 'For those who study groups.',
    parts: {
      'survey/, network/, town/': 'the environments',
      'surveys/': 'surveys and experiments with their analyses',
    },
  },
  servers: {
    about: 'Serves Ludus over OpenEnv, MCP, A2A and HTTP; workers; the API of the studio and its page.',
    who: 'For those who let others play, and for many machines.',
    parts: {
      'openenv/, mcp/, a2a/, proxy/, sites/': 'the protocols',
      'studio/': 'the API of the page; `page/` has what was built of it',
      'fleet/': 'workers that share a store',
      'kinds.ts': 'every kind that there is, for processes that look names up',
    },
  },
  studio: {
    about: 'The page: watch, fork, take a seat. It is not published; `servers` ships what is built of it.',
    who: 'For those who change the page. It takes its types from the routes that it calls.',
    parts: { 'src/': 'pages and their parts' },
  },
};

export function readme(name: string, called: string, siblings: readonly string[]): string {
  const { about, who, parts } = pages[name]!;
  const uses = siblings.length === 0 ? 'It uses no other package.' : `It uses ${siblings.map((one) => `\`${one}\``).join(', ')}.`;
  return `# ${called}

${about}

${who} ${uses} Most people install [\`ludus-agents\`](https://www.npmjs.com/package/ludus-agents), which has all packages and the command \`ludus\`.

| in src/ | what |
|---|---|
${Object.entries(parts)
  .map(([path, what]) => `| \`${path}\` | ${what} |`)
  .join('\n')}

What \`src/index.ts\` exports is public. \`${called}/internal/…\` is for packages of this repository, and changes without notice.
`;
}
