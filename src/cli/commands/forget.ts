/** @file `ludus forget`: deletes stored conversations, and overwrites their bytes. */

import { count } from '../../core/format.ts';
import { Fault } from '../../core/index.ts';
import { type Bound, readBound } from '../../store/exports/index.ts';
import { forgetIn, storedBeforeIn } from '../../store/index.ts';
import { findEnvironmentId } from '../../workspace/environments.ts';
import { chooseForgotten, readAge, recordForgotten } from '../../workspace/forgetting.ts';
import { type StoreOptions, whereOf, withExistingStore } from '../../workspace/stores.ts';
import { type CommandFile, examples, exits, withJson, withStore } from '../command.ts';
import { confirm } from '../confirm.ts';
import { wrap } from '../render/width.ts';
import { print, printJson } from '../terminal.ts';

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

/** What lies outside the store and is not looked for. */
const notCovered =
  'Not covered: exports, reports, copies and backups, the answer cache (LUDUS_CACHE), quarantined records, and logs of model providers.';

export const forget: CommandFile = {
  declare(command) {
    command
      .argument('[ids...]', 'episodes or runs, by id or its first letters')
      .option('--older-than <age>', 'stored longer ago than 30d, 12h, 6w or 2y')
      .option('--person <name>', 'conversations in which this name sits on a seat or is spoken')
      .option('--run <id>', 'only episodes of this run')
      .option('--environment <name>', 'only episodes of this world')
      .option('--agent <name>', 'only episodes in which this agent plays')
      .option(
        '--where <score>=n>',
        'only episodes with such a score; may be given often',
        (text: string, before: readonly Bound[] = []) => [...before, readBound(text, '--where')],
      )
      .option('--dry-run', 'say what would go, and change nothing')
      .option('--yes', 'do not ask');
    withJson(withStore(command));
    examples(command, {
      'ludus forget 3f2a': 'one conversation',
      'ludus forget --older-than 30d --yes': 'a retention of 30 days, run every night',
      'ludus forget --person "Ada Archer" --dry-run': 'which conversations name her',
      'ludus forget baseline': 'a run with everything it holds',
    });
    command.addHelpText('after', `\nFilters narrow each other.\n${wrap(notCovered, 78).join('\n')}`);
  },

  async run({ args, options: given, terminal }) {
    const options = given as Options;
    const named = (args[0] as unknown as readonly string[] | undefined) ?? [];
    const { olderThan, person, run, environment, agent, where: bounds } = options;
    const filters = { olderThan, person, run, environment, agent, where: bounds };
    if (named.length === 0 && Object.values(filters).every((one) => one === undefined))
      throw new Fault(
        'input',
        'Name an episode or a run, or say which with --older-than, --person, --where, --run, --environment or --agent.',
      );
    const where = whereOf(terminal, options);
    const old = olderThan === undefined ? null : new Set(await storedBeforeIn(where, Date.now() - readAge(olderThan)));
    const id = environment === undefined ? undefined : await findEnvironmentId(environment, terminal.cwd);
    const chosen = await withExistingStore(terminal, options, (store) =>
      chooseForgotten(store, { named, run, environment: id, agent, bounds, person, old }),
    );
    const { episodes, runs } = chosen;
    const told = `${count(episodes.length, 'episode')}${runs.length > 0 ? ` and ${count(runs.length, 'run')}` : ''}`;
    if (options.dryRun === true) {
      if (options.json === true) printJson(terminal, { dryRun: true, episodes, runs });
      else print(terminal, `${told} would be forgotten${episodes.length > 0 ? ':' : '.'}`, ...episodes.map((id) => `  ${id}`));
      return exits.fine;
    }
    if (episodes.length === 0 && runs.length === 0) {
      if (options.json === true) printJson(terminal, { episodes: 0, runs: 0, parts: 0, journals: [] });
      else print(terminal, 'Nothing in this store is meant by that; nothing was changed.');
      return exits.fine;
    }
    if (options.yes !== true && terminal.stdin.isTTY !== true)
      throw new Fault('input', `${told} would be gone for good; say --yes where nobody can be asked, or --dry-run to see them.`);
    if (options.yes !== true && !(await confirm(terminal, `${told} will be gone for good. Go on?`))) return exits.interrupted;
    const report = await forgetIn(where, chosen);
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
        print(terminal, `These journals still name them: ${report.journals.join(', ')}; forget their runs to be rid of those too.`);
    }
    return exits.fine;
  },
};
