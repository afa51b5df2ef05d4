/** @file `ludus train`: trains a learner by a recipe, or continues a training that was stopped. */

import { existsSync, rmSync } from 'node:fs';
import { grouped } from '../../core/format.ts';
import { Fault, type Store } from '../../core/index.ts';
import { rolloutsBy } from '../../fleet/rollout-jobs.ts';
import { withSharedStore, withWorkerPool } from '../../fleet/with-runner.ts';
import { override } from '../../learning/rl/recipe-overrides.ts';
import { pruneRun } from '../../store/index.ts';
import { createTrainingRun, type TrainingProgress, type TrainingReport, train as trainRun } from '../../training/train.ts';
import type { TrainerServices } from '../../training/trainer.ts';
import { resolveEnvironment } from '../../workspace/environments.ts';
import { loadRecipe } from '../../workspace/loaders.ts';
import { recipeNames, withGames } from '../../workspace/recipes.ts';
import { readRun, runFolder } from '../../workspace/run-folder.ts';
import { type StoreOptions, whereOf, withExistingStore, withWritableStore } from '../../workspace/stores.ts';
import type { TrainingRun } from '../../workspace/training-run.ts';
import { type CommandFile, examples, exits, whole, withJson, withStore, withWorkers } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { sparkline } from '../render/sparkline.ts';
import { clip } from '../render/width.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly seed: number;
  readonly set: readonly string[];
  readonly games?: number;
  readonly name?: string;
  readonly resume?: string;
  readonly force?: boolean;
  readonly workers?: number;
  readonly json?: boolean;
}

export const train: CommandFile = {
  declare(command) {
    const names = Object.keys(recipeNames);
    command
      .argument('[recipe]', `how to train: ${names.slice(0, 3).join(', ')} …, or a file of your own`)
      .option('--seed <n>', 'the dice of everything', whole('--seed', 0), 1)
      .option('--games <n>', 'games to play in all', whole('--games', 1))
      .option(
        '--set <path=value>',
        'another setting than the recipe has; may be given often',
        (text: string, before: readonly string[]) => [...before, text],
        [],
      )
      .option('--name <run>', 'what to call the run (default: RECIPE-SEED)')
      .option('--force', 'begin anew over a run of that name, which is gone then')
      .option('--resume <run>', 'go on with a run that was stopped');
    withJson(withStore(withWorkers(command)));
    examples(command, {
      'ludus train kuhn-tabular --seed 1': 'an equilibrium of Kuhn poker by self-play',
      'ludus train kuhn-tabular --set loss.kl.weight=0.2': 'the same, with a weaker pull to the reference',
      'ludus train kuhn-lm --seed 1': 'a language model teaches itself Kuhn poker, reading and writing text',
      'ludus train ./mine.json --name a': 'a recipe of your own; "ludus new recipe mine" writes one',
      'ludus train kuhn-rae --set training.environment=./mine.ts --name m': 'in an environment of your own',
      'ludus train --resume kuhn-lm-1': 'after Ctrl-C',
      'ludus play kuhn-poker --me first --second local/kuhn-lm-1@best': 'play against what it has learned',
    });
    command.addHelpText(
      'after',
      () =>
        `\nRecipes:\n${Object.entries(recipeNames)
          .map(([name, method]) => `  ${name.padEnd(24)}${method}`)
          .join('\n')}`,
    );
  },

  async run({ args, options: given, terminal }) {
    const options = given as unknown as Options;
    const { name, run } = await asked(args[0], options, terminal);
    await makeRoom(name, options, terminal);
    const { controller, release } = interruptible(terminal);
    const line = curve(terminal);
    const trained = async (store: Store, far?: (run: string) => Pick<TrainerServices, 'rollouts'>) => {
      const kept = await createTrainingRun(store, { name, resumed: options.resume !== undefined }, run);
      return trainRun(run, {
        ...{ cwd: terminal.cwd, folder: runFolder(terminal.cwd, name), tell: line.tell, ...far?.(kept) },
        journal: { store, run: kept },
        stopped: () => controller.signal.aborted,
      });
    };
    const report = await (options.workers === undefined
      ? withWritableStore(terminal, options, (store) => trained(store))
      : byWorkers({ terminal, options, run, signal: controller.signal }, trained)
    ).finally(() => {
      release();
      line.done();
    });
    if (report === null) {
      terminal.stderr.write(`Stopped; "ludus train --resume ${name}" goes on.\n`);
      return exits.interrupted;
    }
    const { exploitability, games, seconds, invalid, nothing } = report;
    if (nothing !== null) throw new Fault('agent', `Nothing was learned: ${nothing}`);
    if (options.json === true) printJson(terminal, { exploitability, games, seconds, invalid });
    else print(terminal, ...told(name, report));
    return exits.fine;
  },
};

interface Far {
  readonly terminal: Terminal;
  readonly options: Options;
  readonly run: TrainingRun;
  readonly signal: AbortSignal;
}

/** The learner here, its episodes by workers. */
function byWorkers<T>(
  { terminal, options, run, signal }: Far,
  trained: (store: Store, far: (run: string) => Pick<TrainerServices, 'rollouts'>) => Promise<T>,
): Promise<T> {
  const { workers = 0 } = options;
  return withSharedStore(terminal, options, (sharedStore, where) =>
    withWorkerPool({ where, cwd: terminal.cwd, workers }, (hired) => {
      if (workers > 0) hired(4);
      const environment = (name: string) => resolveEnvironment(name, terminal.cwd);
      return trained(sharedStore.store, (kept) => ({
        rollouts: rolloutsBy({ sharedStore, run: kept, seed: run.seed, environment, signal }),
      }));
    }),
  );
}

async function asked(
  word: string | undefined,
  options: Options,
  terminal: Terminal,
): Promise<{ readonly name: string; readonly run: TrainingRun }> {
  if (options.resume !== undefined) {
    if (word !== undefined) throw new Fault('input', `A run that is resumed keeps its recipe; leave out "${word}".`);
    if (options.set.length > 0 || options.games !== undefined)
      throw new Fault('input', 'A run that is resumed keeps its settings; leave out --set and --games, or begin anew.');
    return { name: options.resume, run: readRun(runFolder(terminal.cwd, options.resume)) };
  }
  if (word === undefined)
    throw new Fault('input', 'Name a recipe or a file that holds one, or a run to --resume; "ludus list recipes" shows all.');
  const recipe = override(withGames(await loadRecipe(word, terminal.cwd), options.games), options.set);
  const name = options.name ?? `${recipe.name}-${options.seed}`;
  runFolder(terminal.cwd, name);
  return { name, run: { recipe, seed: options.seed } };
}

/** A name belongs to one run, in the folder as in the store. One that is taken is refused, or with --force given up by the run that has it. */
async function makeRoom(name: string, options: Options, terminal: Terminal): Promise<void> {
  if (options.resume !== undefined) return;
  const folder = runFolder(terminal.cwd, name);
  const where = whereOf(terminal, options);
  const stored = existsSync(where) || where.includes('://') ? await withExistingStore(terminal, options, (store) => store.run(name)) : null;
  const taken = existsSync(folder) || stored !== null;
  if (taken && options.force !== true)
    throw new Fault(
      'input',
      `There is a run called "${name}" already; --resume ${name} goes on with it, --name gives this one another name, --force begins anew over it.`,
    );
  if (stored !== null && stored.work?.kind !== 'train')
    throw new Fault(
      'input',
      `The run "${name}" in this store is no training, and --force does not replace it; give this one another --name.`,
    );
  if (stored !== null) await pruneRun(where, name);
  if (existsSync(folder)) rmSync(folder, { recursive: true });
}

/** The curve, rewritten in place; on a terminal only. */
function curve(terminal: Terminal): { tell: (progress: TrainingProgress) => void; done: () => void } {
  const screen = terminal.stderr;
  if (screen.isTTY !== true) return { tell() {}, done() {} };
  const values: number[] = [];
  const colours = coloursFor(screen, terminal.env);
  return {
    tell({ update, updates, games, exploitability, returned, tokensPerSecond }) {
      const value = exploitability ?? returned ?? 0;
      values.push(value);
      const speed = tokensPerSecond > 0 ? ` · ${grouped(Math.round(tokensPerSecond))} tokens/s` : '';
      const words = `${exploitability === null ? 'return' : 'exploitability'} ${value.toFixed(4)} · ${grouped(games)} games · ${Math.floor((100 * update) / updates)}%${speed}`;
      screen.write(`\r\u001b[2K${colours.cyan(sparkline(values, 30))} ${clip(words, columnsOf(screen) - 32)}`);
    },
    done: () => screen.write('\r\u001b[2K'),
  };
}

function told(name: string, { exploitability, average, returned, games, seconds }: TrainingReport): readonly string[] {
  const mean = average === null ? '' : `, of the average policy ${average.toFixed(4)}`;
  const found = exploitability === null ? `Return ${returned.toFixed(3)}.` : `Exploitability ${exploitability.toFixed(4)}${mean}.`;
  return [
    `${grouped(games)} games in ${seconds.toFixed(1)} s. ${found}`,
    `Kept as ${name} in .ludus/training; as an agent it is local/${name}@best.`,
  ];
}
