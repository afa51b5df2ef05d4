/** @file `ludus train`: a learner plays by a recipe until it is good, or goes on where it was stopped. */

import { existsSync, rmSync } from 'node:fs';
import { grouped } from '../../company/amounts.ts';
import { trainLanguage } from '../../company/language.ts';
import { didYouMean } from '../../company/suggest.ts';
import { type Progress, readRun, runFolder, type TrainingReport, type TrainingRun, train as trainRun } from '../../company/training.ts';
import { Fault } from '../../core/index.ts';
import { kuhnLm } from '../../learning/language.ts';
import { override } from '../../learning/override.ts';
import { recipe as recipeOf, recipes } from '../../learning/recipes/index.ts';
import { type CommandFile, examples, exits, whole, withJson } from '../command.ts';
import { inkFor } from '../ink.ts';
import { sparkline } from '../sparkline.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../terminal.ts';
import { clip } from '../width.ts';

interface Options {
  readonly seed: number;
  readonly set: readonly string[];
  readonly games?: number;
  readonly name?: string;
  readonly resume?: string;
  readonly json?: boolean;
}

export const train: CommandFile = {
  declare(command) {
    command
      .argument(
        '[recipe]',
        `how to train: ${recipes
          .slice(0, 3)
          .map(({ name }) => name)
          .join(', ')} …`,
      )
      .option('--seed <n>', 'the dice of everything', whole('--seed', 0), 1)
      .option('--games <n>', 'games to play in all', whole('--games', 1))
      .option(
        '--set <path=value>',
        'another setting than the recipe has; may be given often',
        (text: string, before: readonly string[]) => [...before, text],
        [],
      )
      .option('--name <run>', 'what to call the run (default: RECIPE-SEED); a run of that name begins anew')
      .option('--resume <run>', 'go on with a run that was stopped');
    withJson(command);
    examples(command, {
      'ludus train kuhn-tabular --seed 1': 'an equilibrium of Kuhn poker by self-play',
      'ludus train kuhn-tabular --set loss.kl.weight=0.2': 'the same, with a weaker pull to the reference',
      'ludus train kuhn-lm --seed 1': 'a language model teaches itself Kuhn poker, reading and writing text',
      'ludus train --resume kuhn-tabular-1': 'after Ctrl-C',
    });
    command.addHelpText(
      'after',
      () => `\nRecipes:\n${[...recipes, languageEntry].map(({ name, method }) => `  ${name.padEnd(24)}${method}`).join('\n')}`,
    );
  },

  async run({ args, options: given, terminal }) {
    const options = given as unknown as Options;
    if (args[0] === kuhnLm.name && options.resume === undefined) return language(options, terminal);
    const { name, run } = asked(args[0], options, terminal);
    const { controller, release } = interruptible(terminal);
    const line = curve(terminal);
    const report = await trainRun(run, {
      cwd: terminal.cwd,
      folder: runFolder(terminal.cwd, name),
      tell: line.tell,
      stopped: () => controller.signal.aborted,
    }).finally(() => {
      release();
      line.done();
    });
    if (report === null) {
      terminal.stderr.write(`Stopped; "ludus train --resume ${name}" goes on.\n`);
      return exits.interrupted;
    }
    const { exploitability, games, seconds, invalid } = report;
    if (options.json === true) printJson(terminal, { exploitability, games, seconds, invalid });
    else print(terminal, ...told(name, report));
    return exits.fine;
  },
};

const languageEntry = { name: kuhnLm.name, method: 'SPIRAL self-play of a language model in this process, through text' };

/** A language model is trained from the beginning to the end; its last weights are kept. */
async function language(options: Options, terminal: Terminal): Promise<number> {
  if (options.set.length > 0)
    throw new Fault('input', `${kuhnLm.name} takes --games and --seed and no other settings; leave out "--set ${options.set[0]}".`);
  const name = options.name ?? `${kuhnLm.name}-${options.seed}`;
  const recipe = { ...kuhnLm, games: options.games ?? kuhnLm.games };
  const { controller, release } = interruptible(terminal);
  const line = curve(terminal);
  try {
    const { exploitability, games, seconds, invalid } = await trainLanguage(recipe, {
      cwd: terminal.cwd,
      seed: options.seed,
      folder: runFolder(terminal.cwd, name),
      signal: controller.signal,
      tell: (progress, updates) => line.tell({ ...progress, updates, returned: 0 }),
    });
    line.done();
    if (options.json === true) printJson(terminal, { exploitability, games, seconds, invalid });
    else print(terminal, ...told(name, { exploitability, average: null, returned: 0, games, seconds, invalid }));
    return exits.fine;
  } catch (thrown) {
    if (!controller.signal.aborted) throw thrown;
    terminal.stderr.write('Stopped; a language model begins anew.\n');
    return exits.interrupted;
  } finally {
    release();
    line.done();
  }
}

function asked(word: string | undefined, options: Options, terminal: Terminal): { readonly name: string; readonly run: TrainingRun } {
  if (options.resume !== undefined) {
    if (word !== undefined) throw new Fault('input', `A run that is resumed keeps its recipe; leave out "${word}".`);
    return { name: options.resume, run: readRun(runFolder(terminal.cwd, options.resume)) };
  }
  const names = [...recipes, languageEntry].map(({ name }) => name);
  if (word === undefined) throw new Fault('input', `Name a recipe, one of ${names.join(', ')}, or a run to --resume.`);
  if (!names.includes(word))
    throw new Fault('input', `There is no recipe "${word}".${didYouMean(word, names)} "ludus train --help" lists all.`);
  const settings = options.games === undefined ? options.set : [...options.set, `training.games=${options.games}`];
  const name = options.name ?? `${word}-${options.seed}`;
  const folder = runFolder(terminal.cwd, name);
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  return { name, run: { recipe: override(recipeOf(word), settings), seed: options.seed } };
}

/** The curve, rewritten in place; on a terminal only. */
function curve(terminal: Terminal): { tell: (progress: Progress) => void; done: () => void } {
  const screen = terminal.stderr;
  if (screen.isTTY !== true) return { tell() {}, done() {} };
  const values: number[] = [];
  const ink = inkFor(screen, terminal.env);
  return {
    tell({ update, updates, games, exploitability, returned }) {
      const value = exploitability ?? returned;
      values.push(value);
      const words = `${exploitability === null ? 'return' : 'exploitability'} ${value.toFixed(4)} · ${grouped(games)} games · ${Math.floor((100 * update) / updates)}%`;
      screen.write(`\r\u001b[2K${ink.cyan(sparkline(values, 30))} ${clip(words, columnsOf(screen) - 32)}`);
    },
    done: () => screen.write('\r\u001b[2K'),
  };
}

function told(name: string, { exploitability, average, returned, games, seconds }: TrainingReport): readonly string[] {
  const mean = average === null ? '' : `, of the average policy ${average.toFixed(4)}`;
  const found = exploitability === null ? `Return ${returned.toFixed(3)}.` : `Exploitability ${exploitability.toFixed(4)}${mean}.`;
  return [`${grouped(games)} games in ${seconds.toFixed(1)} s. ${found}`, `Kept as ${name} in .ludus/training.`];
}
