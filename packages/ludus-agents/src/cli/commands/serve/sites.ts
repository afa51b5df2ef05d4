/** @file `ludus serve sites`: the tasks of the environment `sites` for real browsers, and users' task pages. */

import { Fault, type Json, parseJson, printable } from '@ludus-agents/kernel/internal/core/index';
import { sites as openSites } from '../../../library/sites.ts';
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
    const { pages: folder, seed, sessions, idle } = options;
    const { routes, enter, pages } = await openSites({ task: taskIn(options.task), seed, pages: folder, sessions, idle }, terminal);
    if (pages !== null) {
      const lines = [`${pages.fit.length} pages of ${folder} can be played, ${pages.unfit.length} cannot.`];
      for (const { path, why } of pages.unfit.slice(0, 20)) lines.push(`  ${path}: ${why}.`);
      terminal.stderr.write(`${printable(lines.join('\n'))}\n`);
    }
    return open(terminal, options, async () => ({ routes: [routes], named: { sites: '/sessions', browser: enter } }));
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
