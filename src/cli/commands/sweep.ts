/** @file `ludus sweep`: one recipe on many seeds and under several settings, side by side. */

import { grouped } from '../../core/format.ts';
import { Fault } from '../../core/index.ts';
import { meanOrZero } from '../../core/mean.ts';
import { override } from '../../learning/rl/recipe-overrides.ts';
import { type TrainingReport, train } from '../../training/train.ts';
import { loadRecipe } from '../../workspace/loaders.ts';
import { withGames } from '../../workspace/recipes.ts';
import { type CommandFile, examples, exits, whole, withJson } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { table } from '../render/table.ts';
import { withinBudget, withSpending } from '../spending.ts';
import { columnsOf, interruptible, print, printJson } from '../terminal.ts';

interface Options {
  readonly seeds: number;
  readonly games?: number;
  readonly try: readonly string[];
  readonly json?: boolean;
}

interface Row {
  readonly settings: readonly string[];
  readonly median: number | null;
  readonly worst: number | null;
  readonly returned: number;
  readonly seconds: number;
}

export const sweep: CommandFile = {
  declare(command) {
    command
      .argument('<recipe>', 'how to train; "ludus train --help" lists all')
      .option('--seeds <n>', 'seeds for each setting, from 1 on', whole('--seeds', 1, 1000), 3)
      .option('--games <n>', 'games to play in each', whole('--games', 1))
      .option(
        '--try <path=values>',
        'values to try, separated by commas; may be given often',
        (text: string, before: readonly string[]) => [...before, text],
        [],
      );
    withJson(withSpending(command));
    examples(command, { 'ludus sweep kuhn-tabular --try loss.kl.weight=0.1,0.5,2': 'how strong should the pull to the reference be?' });
  },

  run: withinBudget(async ({ args, options: given, terminal }) => {
    const { seeds, games, try: tried, json } = given as unknown as Options;
    const recipe = withGames(await loadRecipe(args[0]!, terminal.cwd), games);
    const rows: Row[] = [];
    const { controller, release } = interruptible(terminal);
    const stopped = () => controller.signal.aborted;
    try {
      for (const settings of combinations(tried)) {
        const reports: TrainingReport[] = [];
        for (let seed = 1; seed <= seeds; seed++) {
          const report = await train({ recipe: override(recipe, settings), seed }, { cwd: terminal.cwd, folder: null, stopped });
          if (report === null) return exits.interrupted;
          reports.push(report);
        }
        rows.push({ settings, ...summary(reports) });
      }
    } finally {
      release();
    }
    if (json === true) printJson(terminal, rows);
    else print(terminal, shown(rows, coloursFor(terminal.stdout, terminal.env), columnsOf(terminal.stdout)));
    return exits.fine;
  }),
};

/** Every way to take one value of each setting. */
function combinations(tried: readonly string[]): readonly (readonly string[])[] {
  return tried.reduce<readonly (readonly string[])[]>(
    (before, setting) => {
      const at = setting.indexOf('=');
      if (at < 1) throw new Fault('input', `Values to try are written path=one,two, but came as "${setting}".`);
      const values = setting.slice(at + 1).split(',');
      return before.flatMap((chosen) => values.map((value) => [...chosen, `${setting.slice(0, at)}=${value}`]));
    },
    [[]],
  );
}

function summary(reports: readonly TrainingReport[]): Omit<Row, 'settings'> {
  const found = reports.flatMap(({ exploitability }) => (exploitability === null ? [] : [exploitability])).sort((a, b) => a - b);
  const mean = (of: 'returned' | 'seconds') => meanOrZero(reports.map((report) => report[of]));
  return { median: found[found.length >> 1] ?? null, worst: found.at(-1) ?? null, returned: mean('returned'), seconds: mean('seconds') };
}

function shown(rows: readonly Row[], colours: ReturnType<typeof coloursFor>, columns: number): string {
  const cells = rows.map(({ settings, median, worst, returned, seconds }) => [
    settings.join(' ') || 'as it is',
    median?.toFixed(4) ?? '–',
    worst?.toFixed(4) ?? '–',
    returned.toFixed(3),
    `${grouped(Math.round(seconds * 10) / 10)} s`,
  ]);
  const titles = ['settings', 'exploitability', 'worst seed', 'return', 'each'];
  return table(
    titles.map((title) => ({ title })),
    cells,
    { colours, columns },
  );
}
