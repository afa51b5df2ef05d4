/** @file `ludus serve sites`: the tasks of the environment `sites` for real browsers, and task pages of one's own. */

import { resolve } from 'node:path';
import { Fault, type Json, parseJson, printable } from '../../../core/index.ts';
import { amount, type CommandFile, examples, whole } from '../../command.ts';
import { open, type ServeFlags, withServeOptions } from './running-server.ts';

interface SitesFlags extends ServeFlags {
  readonly task?: string;
  readonly seed?: number;
  readonly pages?: string;
  readonly sessions: number;
  readonly idle: number;
}

export const sites: CommandFile = {
  declare(command) {
    withServeOptions(command, 8080)
      .option('--task <json>', 'the task of the first session, as {"template": "shop-buy"} (docs/worlds.md)')
      .option('--seed <n>', 'the seed of the first session', whole('--seed', 0, 2 ** 31 - 1), 1)
      .option('--pages <folder>', 'task pages of your own in the form of MiniWoB: HTML files with the scripts they load')
      .option('--sessions <n>', 'sessions at once', whole('--sessions', 1, 100_000), 256)
      .option('--idle <seconds>', 'when an idle session is closed', amount('--idle'), 3600);
    examples(command, {
      'ludus serve sites --port 8080': 'prints an address that lets one browser in, once, at a first task',
      'ludus serve sites --task \'{"template":"shop-buy","number":3}\'': 'at a task of your choice',
      'ludus serve sites --pages ./miniwob/html': 'your own task pages; GET /pages says which fit and why others do not',
    });
  },

  async run({ options: given, terminal }) {
    const options = given as unknown as SitesFlags;
    const [{ siteRoutes }, { readTaskPages }] = await Promise.all([
      import('../../../servers/sites/routes.ts'),
      import('../../../servers/sites/task-pages.ts'),
    ]);
    const pages = options.pages === undefined ? null : readTaskPages(resolve(terminal.cwd, options.pages));
    if (pages !== null) {
      const told = [`${pages.fit.length} pages of ${options.pages} can be played, ${pages.unfit.length} cannot.`];
      for (const { path, why } of pages.unfit.slice(0, 20)) told.push(`  ${path}: ${why}.`);
      terminal.stderr.write(`${printable(told.join('\n'))}\n`);
    }
    const { door, open: begin } = siteRoutes({ pages, most: options.sessions, idle: options.idle * 1000 });
    const { enter } = begin({ task: taskIn(options.task), seed: options.seed ?? 1 });
    return open(terminal, options, async () => ({ doors: [door], named: { sites: '/sessions', browser: enter } }));
  },
};

function taskIn(text: string | undefined): Json {
  if (text === undefined) return {};
  try {
    return parseJson(text);
  } catch (thrown) {
    throw new Fault('input', `--task takes a task as JSON, like {"template": "shop-buy"}, but came as ${text.slice(0, 80)}.`, {
      cause: thrown,
    });
  }
}
