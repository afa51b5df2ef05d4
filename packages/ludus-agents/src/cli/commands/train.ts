/** @file `ludus train`: trains a learner by a recipe, or resumes a stopped training. */

import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { noteResponse } from '@ludus-agents/evaluation/internal/found-exploits';
import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import { exploitabilityText, tooIllegalText } from '@ludus-agents/kernel/internal/core/legal-words';
import { loadRecipe } from '@ludus-agents/learning/internal/loaders';
import { withGames } from '@ludus-agents/learning/internal/recipes';
import { mechanismText } from '@ludus-agents/learning/internal/rl/counters';
import type { Recipe } from '@ludus-agents/learning/internal/rl/recipe';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { measureResponse } from '@ludus-agents/learning/internal/training/best-response';
import type { TrainedRun } from '@ludus-agents/learning/internal/training/compare-recipes';
import { curvesCsv, equalGames, standingsOfRecipes, unrankedText } from '@ludus-agents/learning/internal/training/compare-recipes';
import { usualRecipe } from '@ludus-agents/learning/internal/training/folder-cases';
import { gainWords } from '@ludus-agents/learning/internal/training/gain';
import { fitText } from '@ludus-agents/learning/internal/training/kept-fit';
import { isRunFolder, readCheckpoint, readRun, runFolder } from '@ludus-agents/learning/internal/training/run-folder';
import { withTeachers } from '@ludus-agents/learning/internal/training/taught-tasks';
import { withTeamSeats } from '@ludus-agents/learning/internal/training/team-training';
import type { TrainingProgress, TrainingReport } from '@ludus-agents/learning/internal/training/train';
import { createTrainingRun, train as trainRun } from '@ludus-agents/learning/internal/training/train';
import type { TrainerServices } from '@ludus-agents/learning/internal/training/trainer';
import type { TrainingRun } from '@ludus-agents/learning/internal/training/training-run';
import { brokenWords } from '@ludus-agents/learning/internal/training/training-story';
import { rolloutsBy } from '@ludus-agents/servers/internal/fleet/rollout-jobs';
import { withSharedStore, withWorkerPool } from '@ludus-agents/servers/internal/fleet/with-runner';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { pruneRun } from '@ludus-agents/store/internal/open-store';
import { type StoreOptions, whereOf, withExistingStore, withWritableStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits, type OptionalArguments } from '../command.ts';
import { exportAdapter } from '../export-adapter.ts';
import type { KeptOptions } from '../kept-options.ts';
import { keptSettings } from '../kept-settings.ts';
import { coloursFor } from '../render/colours.ts';
import { recipeStandingsText, responseText } from '../render/recipe-standings.ts';
import { sparkline } from '../render/training-report.ts';
import { clip } from '../render/width.ts';
import { withinBudget } from '../spending.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../terminal.ts';
import { mayCallModels } from './train/consent.ts';
import { showCounters } from './train-counters.ts';

interface Options extends StoreOptions, KeptOptions {
  readonly seed: number;
  readonly set: readonly string[];
  readonly games?: number;
  readonly environment?: string;
  readonly against?: string;
  readonly teacher?: string | undefined;
  readonly learner?: string;
  readonly url?: string;
  readonly base?: string;
  readonly rank?: number;
  readonly tokenizer?: string;
  readonly seeds?: number;
  readonly curves?: string;
  readonly tokens?: number;
  readonly name?: string;
  readonly resume?: string;
  readonly force?: boolean;
  readonly exportAdapter?: string;
  readonly counters?: boolean;
  readonly workers?: number;
  readonly json?: boolean;
  readonly yes?: boolean;
}

export const train: CommandRun<Options, OptionalArguments> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    if (options.counters === true)
      return showCounters(args[0], (name) => recipeFor(name, options, terminal), {
        terminal,
        seed: options.seed,
        json: options.json === true,
      });
    if (options.exportAdapter !== undefined) return exportAdapter(args[0], { ...options, file: options.exportAdapter }, terminal);
    if (
      options.resume === undefined &&
      (options.seeds !== undefined || args[0]?.includes(',') === true || options.teacher?.includes(',') === true)
    )
      return compareRecipes(String(args[0] ?? '').split(','), options, terminal);
    const { name, run } = await readRequest(args[0], options, terminal);
    if (!(await mayCallModels([run.recipe], options, terminal))) return exits.interrupted;
    await makeRoom(name, options, terminal);
    const { controller, release } = interruptible(terminal);
    const line = curve(terminal);
    let begun = false;
    const runOne = async (store: Store, far?: (run: string) => Pick<TrainerServices, 'rollouts'>) => {
      const trainingRun = await createTrainingRun(store, { name, resumed: options.resume !== undefined }, run);
      begun = options.resume === undefined;
      return trainRun(run, {
        trust: terminal.trust,
        ...{
          cwd: terminal.cwd,
          folder: runFolder(terminal.cwd, name),
          tell: line.tell,
          say: (sentence: string) => void terminal.stderr.write(`${sentence}\n`),
          ...far?.(trainingRun),
        },
        journal: { store, run: trainingRun },
        stopped: () => controller.signal.aborted,
      });
    };
    const report = await (options.workers === undefined
      ? withWritableStore(terminal, options, (store) => runOne(store))
      : byWorkers({ terminal, options, run, signal: controller.signal }, runOne)
    )
      .catch(async (thrown: unknown) => {
        // A training that failed to start cannot be resumed, so its name is free again.
        if (begun && !existsSync(runFolder(terminal.cwd, name))) await pruneRun(whereOf(terminal, options), name);
        throw thrown;
      })
      .finally(() => {
        release();
        line.done();
      });
    if (report === null) {
      terminal.stderr.write(`Stopped. Resume with "ludus train --resume ${name}".\n`);
      return exits.interrupted;
    }
    const { exploitability, legal, games, seconds, invalid, tokens, nothing, gain, fit, acted, proposals, rewardModel, mechanism } = report;
    if (nothing !== null) throw new Fault('agent', `Nothing was learned: ${nothing}`);
    const { recipe } = run;
    if (recipe.name === 'best-response') {
      const responseReport = await measureResponse({ trust: terminal.trust, run: name, recipe, seed: run.seed, cwd: terminal.cwd });
      const against = recipe.training.opponents ?? '';
      await withWritableStore(terminal, options, (store) => noteResponse(store, name, { ...responseReport, against }));
      if (options.json === true) printJson(terminal, { ...responseReport, against, games, seconds, tokens });
      else print(terminal, ...responseText(name, against, responseReport));
      return exits.fine;
    }
    if (options.json === true)
      printJson(terminal, {
        ...{ exploitability, legal, games, seconds, invalid, tokens },
        ...(gain !== null && { gain }),
        ...(fit !== undefined && { fit }),
        ...{ acted, proposals, rewardModel, mechanism },
      });
    else print(terminal, ...formatReport(name, report, keptText(runFolder(terminal.cwd, name), exploitability !== null)));
    return exits.fine;
  }),
};

interface Far {
  readonly terminal: Terminal;
  readonly options: Options;
  readonly run: TrainingRun;
  readonly signal: AbortSignal;
}

/** The learner runs here, its episodes on workers. */
function byWorkers<T>(
  { terminal, options, run, signal }: Far,
  trained: (store: Store, far: (run: string) => Pick<TrainerServices, 'rollouts'>) => Promise<T>,
): Promise<T> {
  const { workers = 0 } = options;
  return withSharedStore(terminal, options, (sharedStore, where) =>
    withWorkerPool({ where, cwd: terminal.cwd, workers }, (hired) => {
      if (workers > 0) hired(4);
      const environment = (name: string) => resolveEnvironment(name, terminal.cwd, terminal.trust);
      return trained(sharedStore.store, (saved) => ({
        rollouts: rolloutsBy({ sharedStore, run: saved, seed: run.seed, environment, signal }),
      }));
    }),
  );
}

type Request = { readonly name: string; readonly run: TrainingRun };

async function readRequest(word: string | undefined, options: Options, terminal: Terminal): Promise<Request> {
  if (options.resume !== undefined) {
    if (word !== undefined) throw new Fault('input', `--resume continues with the run's recipe. Remove "${word}".`);
    if (options.set.length > 0 || options.games !== undefined)
      throw new Fault('input', "--resume continues with the run's settings. Remove --set and --games, or start a new run.");
    return { name: options.resume, run: readRun(runFolder(terminal.cwd, options.resume)) };
  }
  const recipe = await recipeFor(word ?? (await usualRecipeFor(options, terminal)), options, terminal);
  const name = options.name ?? `${recipe.name}-${options.seed}`;
  runFolder(terminal.cwd, name);
  return { name, run: { recipe, seed: options.seed } };
}

/** The default recipe of an environment. */
async function usualRecipeFor({ environment }: Options, terminal: Terminal): Promise<string> {
  if (environment === undefined)
    throw new Fault('input', 'Name a recipe or a recipe file, or a run with --resume. Run "ludus list recipes" to see all.', {
      code: 'E_MISSING_OPTION',
    });
  const name = usualRecipe(await resolveEnvironment(environment, terminal.cwd, terminal.trust));
  terminal.stderr.write(`Recipe: ${name}, because none was named. "ludus list recipes" shows others.\n`);
  return name;
}

/** A recipe with the changes from the command line. */
async function recipeFor(word: string, options: Options, terminal: Terminal): Promise<Recipe> {
  const matchingRecipe = await loadRecipe(word, terminal.cwd, terminal.trust);
  const taught = options.teacher === undefined ? matchingRecipe : withTeachers(matchingRecipe, [options.teacher])[0]!;
  const recipe = withGames(options.learner === 'tinker' ? fitToServer(taught) : taught, options.games);
  if (recipe.training.environments !== undefined && (options.environment !== undefined || options.against !== undefined))
    throw new Fault('input', `${recipe.name} defines its environments and opponents. Remove --environment and --against.`);
  const changed = override(recipe, [...(await keptSettings(options, terminal, recipe)), ...changesBy(options), ...options.set]);
  return withTeamSeats(changed, { cwd: terminal.cwd, trust: terminal.trust });
}

function fitToServer(recipe: Recipe): Recipe {
  return override(
    recipe,
    Object.entries(recipe.onServer ?? {}).map(([path, value]) => `${path}=${value}`),
  );
}

/** The command's options as settings of the recipe. */
function changesBy({ environment, against, learner, url, base, rank, tokenizer, tokens }: Options): readonly string[] {
  const server = {
    ...(url !== undefined && { url }),
    ...(base !== undefined && { base }),
    ...(rank !== undefined && { rank }),
    ...(tokenizer !== undefined && { tokenizer }),
  };
  if (Object.keys(server).length > 0 && learner !== 'tinker')
    throw new Fault('input', '--url, --base, --rank, and --tokenizer need --learner tinker.');
  const changes: Readonly<Record<string, unknown>> = {
    ...(environment !== undefined && { 'training.environment': environment }),
    ...(against !== undefined && { 'training.opponents': against }),
    ...(tokens !== undefined && { 'training.tokens': tokens }),
    ...(learner !== undefined && { 'training.learner': learner }),
    ...(learner === 'tinker' && { 'training.server': server }),
  };
  return Object.entries(changes).map(([path, value]) => `${path}=${JSON.stringify(value)}`);
}

/** Trains every recipe on every seed with equal games, or equal tokens, and reports their standings. */
async function compareRecipes(names: readonly string[], options: Options, terminal: Terminal): Promise<number> {
  if (options.name !== undefined || options.workers !== undefined)
    throw new Fault(
      'input',
      '--name and --workers cannot be used to compare recipes or seeds: the runs are named RECIPE-SEED and train in this process. Remove them.',
      { code: 'E_CONFLICTING_OPTIONS' },
    );
  const teachers = options.teacher?.split(',').map((name) => name.trim());
  const plain = await Promise.all(names.map((word) => recipeFor(word.trim(), { ...options, teacher: undefined }, terminal)));
  const recipes = teachers === undefined ? plain : plain.flatMap((recipe) => withTeachers(recipe, teachers));
  const games = equalGames(recipes, options.games);
  const plan = recipes.flatMap((recipe) =>
    Array.from({ length: options.seeds ?? 1 }, (_, i): TrainingRun => ({ recipe: withGames(recipe, games), seed: options.seed + i })),
  );
  if (!(await mayCallModels(recipes, options, terminal))) return exits.interrupted;
  for (const { recipe, seed } of plan) await makeRoom(`${recipe.name}-${seed}`, options, terminal);
  const { controller, release } = interruptible(terminal);
  const runs: TrainedRun[] = [];
  try {
    for (const run of plan) {
      const name = `${run.recipe.name}-${run.seed}`;
      const points: TrainedRun['points'][number][] = [];
      const report = await withWritableStore(terminal, options, async (store) => {
        const trainingRun = await createTrainingRun(store, { name, resumed: false }, run);
        const tell = (progress: TrainingProgress) => void points.push(progress);
        const isStopped = () => controller.signal.aborted;
        return trainRun(run, {
          trust: terminal.trust,
          cwd: terminal.cwd,
          folder: runFolder(terminal.cwd, name),
          journal: { store, run: trainingRun },
          tell,
          stopped: isStopped,
        });
      });
      if (report === null) return exits.interrupted;
      if (report.nothing !== null) throw new Fault('agent', `${name}: nothing was learned: ${report.nothing}`);
      if (options.tokens !== undefined && report.tokens < options.tokens)
        throw new Fault('input', `${name} wrote ${report.tokens} of ${options.tokens} tokens in ${report.games} games. Raise --games.`);
      runs.push({ recipe: run.recipe.name, seed: run.seed, points, report });
      terminal.stderr.write(`${runs.length} of ${plan.length} · ${name} · ${worthText(report)} · ${report.seconds.toFixed(1)} s\n`);
    }
  } finally {
    release();
  }
  const standings = standingsOfRecipes(runs);
  if (options.curves !== undefined) writeFileAtomicSync(resolve(terminal.cwd, options.curves), curvesCsv(runs));
  for (const sentence of unrankedText(runs)) terminal.stderr.write(`${sentence}\n`);
  if (options.json === true) printJson(terminal, standings);
  else if (standings.length > 0) print(terminal, ...recipeStandingsText(standings, terminal));
  return exits.fine;
}

/** A name belongs to one run, in the folder and in the store. A used name is rejected, or with --force taken from its run. */
async function makeRoom(name: string, options: Options, terminal: Terminal): Promise<void> {
  if (options.resume !== undefined) return;
  const folder = runFolder(terminal.cwd, name);
  const where = whereOf(terminal, options);
  const readStoredRun = async (store: Store) => ({
    run: await store.run(name),
    isBlank: Object.keys(await store.journals(name)).length === 0,
  });
  const { run: stored, isBlank } =
    existsSync(where) || where.includes('://') ? await withExistingStore(terminal, options, readStoredRun) : { run: null, isBlank: true };
  // A process that was killed before its folder was complete has left nothing to resume.
  const isAbandoned = stored?.work?.kind === 'train' && isBlank;
  const isNameTaken = isRunFolder(folder) || (stored !== null && !isAbandoned);
  if (isNameTaken && options.force !== true)
    throw new Fault(
      'input',
      `Run "${name}" already exists. Pass --resume ${name} to continue it, --name to use another name, or --force to overwrite it.`,
      { code: 'E_ALREADY_EXISTS' },
    );
  if (stored !== null && stored.work?.kind !== 'train')
    throw new Fault('input', `Run "${name}" is not a training run, so --force cannot replace it. Use another --name.`);
  if (stored !== null) await pruneRun(where, name);
  if (existsSync(folder)) rmSync(folder, { recursive: true });
}

/** A log line at every tenth of the progress. */
function plainProgress(screen: Terminal['stderr']): { tell: (progress: TrainingProgress) => void; done: () => void } {
  let tenth = 0;
  return {
    tell({ update, updates, games, seconds, ...figures }) {
      const now = Math.floor((10 * update) / updates);
      if (now < tenth || now === 0) return;
      tenth = now === 10 ? 0 : now + 1;
      const left = update === 0 ? 0 : (seconds * (updates - update)) / update;
      screen.write(`${now * 10}% · ${formatGrouped(games)} games · ${worthText(figures)} · ${left.toFixed(0)} s left\n`);
    },
    done() {},
  };
}

/** The curve, rewritten in place, only on a terminal. */
function curve(terminal: Terminal): { tell: (progress: TrainingProgress) => void; done: () => void } {
  const screen = terminal.stderr;
  if (screen.isTTY !== true) return plainProgress(screen);
  const values: number[] = [];
  const colours = coloursFor(screen, terminal.env);
  return {
    tell({ update, updates, games, tokensPerSecond, ...figures }) {
      const { exploitability, legal, returned } = figures;
      // A point without a figure is omitted from the curve.
      if (exploitability !== null || legal === null) values.push(exploitability ?? returned ?? 0);
      const speed = tokensPerSecond > 0 ? ` · ${formatGrouped(Math.round(tokensPerSecond))} tokens/s` : '';
      const status = `${worthText(figures)} · ${formatGrouped(games)} games · ${Math.floor((100 * update) / updates)}%${speed}`;
      screen.write(`\r\u001b[2K${colours.cyan(sparkline(values, 30))} ${clip(status, columnsOf(screen) - 32)}`);
    },
    done: () => screen.write('\r\u001b[2K'),
  };
}

/** The figure for the quality of a policy: its exploitability with the legal mass, or else its return. */
function worthText({ exploitability, legal, returned }: Pick<TrainingProgress, 'exploitability' | 'legal' | 'returned'>): string {
  const measured = exploitabilityText({ exploitability, legal });
  if (measured !== null) return `exploitability ${measured}`;
  return returned === null ? 'no return' : `return ${returned.toFixed(3)}`;
}

/** The value of the checkpoint @best, if it is not the last one. */
function keptText(folder: string, isExploitability: boolean): readonly string[] {
  const [best, last] = [readCheckpoint(folder, 'best'), readCheckpoint(folder, 'last')];
  if (best === null || last === null || best.update === last.update || !(best.worth > last.worth)) return [];
  // Exploitability is stored with a negative sign: more is better.
  const value = isExploitability ? `exploitability ${(-best.worth).toFixed(4)}` : `return ${best.worth.toFixed(3)}`;
  return [
    `The best checkpoint, @best, is that of update ${best.update} of ${last.update}: ${value}. The figures above are those of @last.`,
  ];
}

function formatReport(name: string, report: TrainingReport, notes: readonly string[]): readonly string[] {
  const { exploitability, legal, average, returned, games, seconds, gain, fit, invalid } = report;
  const mean = average === null ? '' : `, of the average policy ${average.toFixed(4)}`;
  // In a zero-sum game, the mean return of both seats is always zero.
  const text = gain?.against === 'first self' || (gain === null && fit !== undefined) ? '' : ` Return ${returned.toFixed(3)}.`;
  const measured =
    exploitability !== null
      ? ` Exploitability ${exploitabilityText({ exploitability, legal })}${mean}.`
      : legal !== null
        ? ` ${tooIllegalText(legal)}`
        : text;
  return [
    `${formatGrouped(games)} games in ${seconds.toFixed(1)} s.${measured}`,
    ...(gain === null ? [] : [gainWords(gain)]),
    ...(fit === undefined ? [] : [fitText(fit)]),
    ...brokenWords(invalid),
    ...notes,
    `Saved as ${name} in .ludus/training. Use it as the agent local/${name}@best.`,
    ...(report.mechanism === null ? [] : [mechanismText(report.mechanism)]),
  ];
}
