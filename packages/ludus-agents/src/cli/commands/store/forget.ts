/** @file `ludus store forget`: deletes stored conversations, and overwrites their bytes. */

import { findEnvironmentId } from '@ludus-agents/agents/internal/workspace/environments';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { Bound } from '@ludus-agents/store/internal/exports/index';
import { chooseForgotten, readAge, recordForgotten } from '@ludus-agents/store/internal/forgetting';
import { forgetIn, storedBeforeIn } from '@ludus-agents/store/internal/open-store';
import { type StoreOptions, whereOf, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { notCovered } from '../../declarations/store/forget.ts';
import { print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly olderThan?: string;
  readonly person?: string;
  readonly run?: string;
  readonly environment?: string;
  readonly agent?: string;
  readonly where?: readonly Bound[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const forget: CommandRun<Options, readonly [(readonly string[])?]> = {
  async run({ args, options, terminal }) {
    const named = args[0] ?? [];
    const { olderThan, person, run, environment, agent, where: bounds } = options;
    const filters = { olderThan, person, run, environment, agent, where: bounds };
    if (named.length === 0 && Object.values(filters).every((item) => item === undefined))
      throw new Fault(
        'input',
        'Name an episode or a run, or choose episodes with --older-than, --person, --where, --run, --environment, or --agent.',
      );
    const where = whereOf(terminal, options);
    const old = olderThan === undefined ? null : new Set(await storedBeforeIn(where, Date.now() - readAge(olderThan)));
    const id = environment === undefined ? undefined : await findEnvironmentId(environment, terminal.cwd, terminal.trust);
    const forgetSelection = await withExistingStore(terminal, options, (store) =>
      chooseForgotten(store, { named, run, environment: id, agent, bounds, person, old }),
    );
    const { episodes, runs } = forgetSelection;
    const text = `${count(episodes.length, 'episode')}${runs.length > 0 ? ` and ${count(runs.length, 'run')}` : ''}`;
    if (options.dryRun === true) {
      if (options.json === true) printJson(terminal, { dryRun: true, episodes, runs });
      else print(terminal, `${text} would be forgotten${episodes.length > 0 ? ':' : '.'}`, ...episodes.map((id) => `  ${id}`));
      return exits.fine;
    }
    if (episodes.length === 0 && runs.length === 0) {
      if (options.json === true) printJson(terminal, { episodes: 0, runs: 0, parts: 0, journals: [] });
      else print(terminal, 'Nothing in this store matches. Nothing was changed.');
      return exits.fine;
    }
    if (options.yes !== true && terminal.stdin.isTTY !== true)
      throw new Fault(
        'input',
        `${text} would be deleted permanently. Pass --yes to delete without asking, or --dry-run to see what would be deleted.`,
      );
    if (options.yes !== true && !(await confirm(terminal, `${text} will be deleted permanently. Continue?`))) return exits.interrupted;
    const report = await forgetIn(where, forgetSelection);
    const audit = recordForgotten(
      where,
      terminal,
      report,
      named.length > 0
        ? 'by id'
        : Object.keys(filters)
            .filter((name) => filters[name as 'run'] !== undefined)
            .join(', '),
    );
    if (options.json === true) printJson(terminal, { ...report, audit });
    else {
      print(terminal, `${count(report.episodes, 'episode')} forgotten, with ${count(report.parts, 'shared part')}. ${notCovered}`);
      if (report.journals.length > 0)
        print(terminal, `These journals still mention them: ${report.journals.join(', ')}. Delete their runs to remove those too.`);
    }
    return exits.fine;
  },
};
