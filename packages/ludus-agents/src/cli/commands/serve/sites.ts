/** @file `ludus serve sites`: the tasks of the environment `sites` for real browsers, and task pages of one's own. */

import { resolve } from 'node:path';
import { Fault, type Json, parseJson, printable } from '@ludus-agents/kernel/internal/core/index';
import type { CommandRun } from '../../command.ts';
import { open, type ServeFlags } from './running-server.ts';

interface SitesFlags extends ServeFlags {
  readonly task?: string;
  readonly seed?: number;
  readonly pages?: string;
  readonly sessions: number;
  readonly idle: number;
}

export const sites: CommandRun<SitesFlags> = {
  async run({ options, terminal }) {
    const [{ siteRoutes }, { readTaskPages }] = await Promise.all([
      import('@ludus-agents/servers/internal/sites/routes'),
      import('@ludus-agents/servers/internal/sites/task-pages'),
    ]);
    const pages = options.pages === undefined ? null : readTaskPages(resolve(terminal.cwd, options.pages));
    if (pages !== null) {
      const observations = [`${pages.fit.length} pages of ${options.pages} can be played, ${pages.unfit.length} cannot.`];
      for (const { path, why } of pages.unfit.slice(0, 20)) observations.push(`  ${path}: ${why}.`);
      terminal.stderr.write(`${printable(observations.join('\n'))}\n`);
    }
    const { door, open: begin } = siteRoutes({ pages, most: options.sessions, idle: options.idle * 1000 });
    const { enter } = begin({ task: taskIn(options.task), seed: options.seed ?? 1 });
    return open(terminal, options, async () => ({ routes: [door], named: { sites: '/sessions', browser: enter } }));
  },
};

function taskIn(text: string | undefined): Json {
  if (text === undefined) return {};
  try {
    return parseJson(text);
  } catch (thrown) {
    throw new Fault('input', `--task: expected a task as JSON, such as {"template": "shop-buy"}, got ${text.slice(0, 80)}.`, {
      cause: thrown,
    });
  }
}
