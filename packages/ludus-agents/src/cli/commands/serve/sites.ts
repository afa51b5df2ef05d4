/** @file `ludus serve sites`: the tasks of the environment `sites` for real browsers, and task pages of one's own. */

<<<<<<< HEAD
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadContentFolder } from '@ludus-agents/agents/internal/workspace/content-folder';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { ContentEnvironment } from '@ludus-agents/environments/internal/content/content';
=======
>>>>>>> main
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
<<<<<<< HEAD
    const [{ siteRoutes }, { readTaskPages }] = await Promise.all([
      import('@ludus-agents/servers/internal/sites/routes'),
      import('@ludus-agents/servers/internal/sites/task-pages'),
    ]);
    const folder = options.pages === undefined ? null : resolve(terminal.cwd, options.pages);
    const isContent = folder !== null && existsSync(join(folder, 'world.json'));
    const world = isContent ? await loadWorld(folder, terminal.cwd) : undefined;
    const pages = folder === null || isContent ? null : readTaskPages(folder);
=======
    const { pages: folder, seed, sessions, idle } = options;
    const { routes, enter, pages } = await openSites({ task: taskIn(options.task), seed, pages: folder, sessions, idle }, terminal);
>>>>>>> main
    if (pages !== null) {
      const lines = [`${pages.fit.length} pages of ${folder} can be played, ${pages.unfit.length} cannot.`];
      for (const { path, why } of pages.unfit.slice(0, 20)) lines.push(`  ${path}: ${why}.`);
      terminal.stderr.write(`${printable(lines.join('\n'))}\n`);
    }
<<<<<<< HEAD
    const { door, open: begin } = siteRoutes({
      pages,
      ...(world !== undefined && { world }),
      most: options.sessions,
      idle: options.idle * 1000,
    });
    const { enter } = begin({ task: taskIn(options.task), seed: options.seed ?? 1 });
    return open(terminal, options, async () => ({ routes: [door], named: { sites: '/sessions', browser: enter } }));
=======
    return open(terminal, options, async () => ({ routes: [routes], named: { sites: '/sessions', browser: enter } }));
>>>>>>> main
  },
};

/** A folder of content whose pages are served. */
async function loadWorld(folder: string, cwd: string): Promise<ContentEnvironment> {
  const world = await loadContentFolder(folder, { cwd, trust: Trust.commandLine });
  if (!world.id.startsWith('sites@'))
    throw new Fault('input', `${folder} is content for ${world.id}, which has no pages. Serve it with "ludus serve openenv".`);
  return world;
}

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
