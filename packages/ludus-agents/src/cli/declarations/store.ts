/** @file `ludus store`: commands for whole stores. */

import { type Bound, readBound } from '@ludus-agents/store/internal/exports/bounds';
import { type CommandDeclaration, collect, commandGroup, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { wrap } from '../render/width.ts';

const copy: CommandDeclaration = {
  declare(command) {
    command.argument('<from>', 'a file or postgres://…').argument('<to>', 'a file or postgres://…; created if missing');
    withJson(command);
    examples(command, {
      'ludus store copy .ludus/ludus.sqlite postgres://me@db/ludus': 'copy to a server',
      'ludus store copy postgres://me@db/ludus?schema=lab backup.sqlite': 'a backup in one file',
    });
  },

  load: async () => (await import('../commands/store.ts')).copy,
};

/** Data outside the store that is not searched. */
export const notCovered =
  'Not covered: exports, reports, copies and backups, the answer cache (LUDUS_CACHE), quarantined records, and logs of model providers.';

const forget: CommandDeclaration = {
  declare(command) {
    command
      .argument('[ids...]', 'episodes or runs, by id or its first letters')
      .option('--older-than <age>', 'stored more than 30d, 12h, 6w, or 2y ago')
      .option('--person <name>', 'conversations that involve or mention this name')
      .option(...flag('run', 'only episodes of this run'))
      .option(...flag('environment', 'only episodes of this environment'))
      .option(...flag('agent', 'only episodes with this agent'))
      .option(...flag('where'), (text: string, before: readonly Bound[] = []) => [...before, readBound(text, '--where')])
      .option(...flag('dryRun'))
      .option(...flag('yes'));
    withJson(withStore(command));
    examples(command, {
      'ludus store forget 3f2a': 'one conversation',
      'ludus store forget --older-than 30d --yes': 'a 30-day retention, run every night',
      'ludus store forget --person "Ada Archer" --dry-run': 'list conversations that name her',
      'ludus store forget baseline': 'a run with all of its data',
    });
    command.addHelpText('after', `\nFilters are combined with AND.\n${wrap(notCovered, 78).join('\n')}`);
  },

  load: async () => (await import('../commands/store.ts')).forget,
};

const memory: CommandDeclaration = {
  declare(command) {
    command
      .argument('<agent>', 'an agent, by its name in the logs')
      .option('--add <text>', 'add a memory')
      .option('--key <name>', 'with --add: the topic; later notes on the same topic weigh more')
      .option('--edit <id>', 'replace the text of one memory with --text')
      .option('--text <text>', 'with --edit: the new text')
      .option('--forget <id>', 'forget one memory and everything that depends on it alone; repeatable', collect)
      .option('--all', 'forget everything')
      .option(...flag('changes', 'show the memory after this many manual changes'), whole('--changes', 0));
    withJson(withStore(command));
    examples(command, {
      'ludus store memory Ann': 'the memories of Ann, oldest first',
      'ludus store memory Ann --json': 'all changes as JSON',
      'ludus store memory Ann --edit 3f2a91c0/m1 --text "tea: green"': 'correct it',
      'ludus store memory Ann --forget 3f2a91c0/m1': 'delete it from later prompts',
      'ludus store memory Ann --all': 'start over',
    });
    command.addHelpText(
      'after',
      '\nAn agent remembers from one episode to the next if its spec has {"settings": {"lasting": true}};\nLUDUS_MEMORY=off switches that off for all. The logs of earlier episodes are not changed: "ludus store forget" deletes those.',
    );
  },

  load: async () => (await import('../commands/store.ts')).memory,
};

const prune: CommandDeclaration = {
  declare(command) {
    command.argument('<run>', 'a run, by name or the start of its ID').option(...flag('yes'));
    withJson(withStore(command));
    examples(command, { 'ludus store prune baseline --yes': 'data shared with other runs stays' });
  },

  load: async () => (await import('../commands/store.ts')).prune,
};

const roles: CommandDeclaration = {
  declare(command) {
    command.option('--worker <role>', 'a role that plays and scores').option('--reader <role>', 'a role that only reads');
    withJson(withStore(command));
    examples(command, {
      'ludus store roles --worker ludus_worker --store postgres://owner@db/ludus | psql': 'grant only the rights that a worker needs',
    });
  },

  load: async () => (await import('../commands/store.ts')).roles,
};

export const store = commandGroup(
  {
    copy: { summary: 'Copy one store into another and verify it', ...copy },
    forget: { summary: 'Delete stored conversations for good', ...forget },
    memory: { summary: 'List, edit, and delete what an agent remembers', ...memory },
    prune: { summary: 'Delete a run from a store', ...prune },
    roles: { summary: 'Print the SQL grants for workers and readers of a PostgreSQL store', ...roles },
  },
  {
    'ludus store copy .ludus/ludus.sqlite postgres://me@db/ludus': 'from a file to a server; repeat to resume',
    'ludus store copy postgres://me@db/ludus backup.sqlite': 'and back',
    'ludus store prune baseline --yes': 'delete a run',
    'ludus store roles --worker ludus_worker --store postgres://owner@db/ludus': 'the rights of a worker, as SQL',
  },
);
