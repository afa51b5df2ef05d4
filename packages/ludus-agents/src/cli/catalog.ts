/** @file Every command, in the groups of `ludus --help`. The code of a command is loaded when it is named on the command line. */

import type { CommandEntry } from './command.ts';

export type CommandEntries = Readonly<Record<string, CommandEntry>>;

const commandGroups: Readonly<Record<string, CommandEntries>> = {
  Start: {
    studio: { summary: 'Open the web app', loadDeclaration: async () => (await import('./declarations/studio.ts')).studio },
    new: {
      summary: 'Create an environment, agent, desk, or other file',
      loadDeclaration: async () => (await import('./declarations/new.ts')).create,
    },
    doctor: {
      summary: 'Check the installation and the store',
      loadDeclaration: async () => (await import('./declarations/doctor.ts')).doctor,
    },
    models: { summary: 'List, download, and test models', loadDeclaration: async () => (await import('./declarations/models.ts')).models },
    config: {
      summary: 'Manage API keys, access tokens, and permissions',
      loadDeclaration: async () => (await import('./declarations/config.ts')).config,
    },
  },
  Play: {
    play: { summary: 'Play one episode', loadDeclaration: async () => (await import('./declarations/play.ts')).play },
    chat: { summary: 'Chat with a character', loadDeclaration: async () => (await import('./declarations/chat.ts')).chat },
    run: { summary: 'Run a plan of episodes (resumable)', loadDeclaration: async () => (await import('./declarations/run.ts')).run },
    list: { summary: 'List built-in and stored objects', loadDeclaration: async () => (await import('./declarations/list.ts')).list },
    show: {
      summary: 'Show an episode, a run, or any object in detail',
      loadDeclaration: async () => (await import('./declarations/show.ts')).show,
    },
    fork: {
      summary: 'Branch an episode and continue it differently',
      loadDeclaration: async () => (await import('./declarations/fork.ts')).fork,
    },
    replay: {
      summary: 'Replay an episode and verify its log',
      loadDeclaration: async () => (await import('./declarations/replay.ts')).replay,
    },
  },
  Score: {
    eval: { summary: 'Evaluate agents on a suite', loadDeclaration: async () => (await import('./declarations/eval.ts')).evaluate },
    score: { summary: 'Score stored episodes', loadDeclaration: async () => (await import('./declarations/score.ts')).score },
    compare: { summary: 'Compare two agents or runs', loadDeclaration: async () => (await import('./declarations/compare.ts')).compare },
    arena: { summary: 'Rank agents in a tournament', loadDeclaration: async () => (await import('./declarations/arena.ts')).arena },
    report: { summary: 'Write a report on a run', loadDeclaration: async () => (await import('./declarations/report.ts')).report },
    judge: { summary: 'Measure, build, and review judges', loadDeclaration: async () => (await import('./declarations/judge.ts')).judge },
  },
  Environments: {
    env: { summary: 'Check, solve, and analyze environments', loadDeclaration: async () => (await import('./declarations/env.ts')).env },
  },
  Learn: {
    train: {
      summary: 'Train an agent with reinforcement learning',
      loadDeclaration: async () => (await import('./declarations/train.ts')).train,
    },
    improve: {
      summary: 'Optimize the prompts of an agent on a suite',
      loadDeclaration: async () => (await import('./declarations/improve.ts')).improve,
    },
    attack: {
      summary: 'Search for inputs that make an agent fail',
      loadDeclaration: async () => (await import('./declarations/attack.ts')).attack,
    },
  },
  Bots: {
    desk: { summary: 'Create and check test desks for bots', loadDeclaration: async () => (await import('./declarations/desk.ts')).desk },
    test: {
      summary: 'Test a bot in CI (exit code, JUnit, Markdown)',
      loadDeclaration: async () => (await import('./declarations/test.ts')).test,
    },
  },
  Characters: {
    persona: {
      summary: 'Create, import, check, and sample personas',
      loadDeclaration: async () => (await import('./declarations/persona.ts')).persona,
    },
    survey: { summary: 'Survey a simulated population', loadDeclaration: async () => (await import('./declarations/survey.ts')).survey },
  },
  Data: {
    data: { summary: 'Import, export, and generate datasets', loadDeclaration: async () => (await import('./declarations/data.ts')).data },
    store: { summary: 'Copy, prune, and delete stored data', loadDeclaration: async () => (await import('./declarations/store.ts')).store },
  },
  Servers: {
    serve: {
      summary: 'Serve environments and agents to other programs',
      loadDeclaration: async () => (await import('./declarations/serve.ts')).serve,
    },
    fleet: { summary: 'Start and monitor workers', loadDeclaration: async () => (await import('./declarations/fleet.ts')).fleet },
  },
};

export const commands: CommandEntries = Object.assign({}, ...Object.values(commandGroups));

const firstSteps: Readonly<Record<string, string>> = {
  'ludus studio': 'open the web app',
  'ludus play kuhn-poker --me first': 'play a game yourself',
  'ludus train kuhn-lm': 'train a small model by self-play',
  'ludus new desk shop': 'set up a test for your bot',
  'ludus chat villain': 'talk to a built-in character',
};

/** The text of `ludus --help`: one screen of 80 columns. */
export function overview(bold: (text: string) => string, cyan: (text: string) => string): string {
  const steps = Object.entries(firstSteps).map(([command, what]) => `  ${cyan(command.padEnd(36))}${what}`);
  const rows = Object.entries(commandGroups).flatMap(([group, entries]) =>
    Object.entries(entries).map(
      ([name, { summary }], i) => `${i === 0 ? bold(group.padEnd(13)) : ' '.repeat(13)}${cyan(name.padEnd(10))}${summary}`,
    ),
  );
  return [
    `Run, score, and improve language agents: ${bold('ludus <command> [options]')}`,
    '',
    ...steps,
    '',
    ...rows,
    '',
    'Also: <command> --help, --version, and --debug (a stack trace on errors).',
    '',
  ].join('\n');
}
