/** @file `ludus improve`: better texts for an agent, behind a gate, with random edits and resampling at equal cost as baselines. */

import { count, grouped } from '../../core/format.ts';
import { Fault, type Json, type RunRecord, type Store } from '../../core/index.ts';
import { loadPlanTasks } from '../../engine/plan.ts';
import { estimatePlan } from '../../evaluation/estimate.ts';
import { createImproveServices, type ImproveWork, improveRecipes, improveRun, saveImproveRun, workOf } from '../../improving/improve.ts';
import { engines } from '../../learning/prompts/engines/index.ts';
import { gateRules } from '../../learning/prompts/gate.ts';
import { improve as improving } from '../../learning/prompts/improve.ts';
import type { ImproveReport } from '../../learning/prompts/report.ts';
import { checkSpec } from '../../workspace/consent.ts';
import { resolveEnvironment } from '../../workspace/environments.ts';
import { loadRun, type StoreOptions, withWritableStore } from '../../workspace/stores.ts';
import { amount, type CommandFile, examples, exits, whole, withJson, withStore } from '../command.ts';
import { confirm } from '../confirm.ts';
import { coloursFor } from '../render/colours.ts';
import { basisWords, moneyWords, spanWords } from '../render/estimate.ts';
import { createImproveProgress, reportText } from '../render/improve-progress.ts';
import { interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly engine?: string;
  readonly budget: number;
  readonly seed: number;
  readonly set: readonly string[];
  readonly proposer?: string;
  readonly gate?: string;
  readonly protect?: readonly number[];
  readonly repeats?: number;
  readonly tasks?: readonly [number, number, number];
  readonly lock: readonly string[];
  readonly model?: string;
  readonly maxCost?: number;
  readonly concurrency?: number;
  readonly name?: string;
  readonly resume?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const often = (text: string, before: readonly string[]) => [...before, text];

export const improve: CommandFile = {
  declare(command) {
    command
      .argument('[recipe]', `what to improve: ${improveRecipes.map(({ name }) => name).join(', ')}`)
      .option('--engine <name>', `how: ${Object.keys(engines).join(', ')}, or a file of your own (default: the recipe’s own, or gepa)`)
      .option('--budget <calls>', 'tasks that may be played, each time by each candidate one call', whole('--budget', 1), 500)
      .option('--seed <n>', 'the dice of everything', whole('--seed', 0), 1)
      .option('--set <name=value>', 'a setting of the engine; may be given often', often, [])
      .option('--proposer <name>', 'who writes the edits (default: the first of the recipe, or model with --model)')
      .option('--gate <name>', `what an edit must pass: ${Object.keys(gateRules).join(', ')} (default: ours)`)
      .option('--protect <tasks>', 'select tasks that may not get worse, like 0,3', numbers)
      .option('--repeats <n>', 'plays of each select task at the gate (default: 1)', whole('--repeats', 1, 100))
      .option('--tasks <propose,select,report>', 'how many tasks of each kind', three)
      .option('--lock <component>', 'a text that no edit may touch, or its beginning with a star; may be given often', often, [])
      .option('--model <name>', 'a language model plays and reflects, instead of the recipe’s own player')
      .option('--max-cost <dollars>', 'make no call that could cost more than is left of this; failed calls count', amount('--max-cost'))
      .option('--concurrency <n>', 'plays at once (default: 64)', whole('--concurrency', 1, 10_000))
      .option('--name <run>', 'what to call the run (default: RECIPE-ENGINE-SEED-…)')
      .option('--resume <run>', 'go on with a run that was stopped')
      .option('--yes', 'do not ask before models are called');
    withJson(withStore(command));
    examples(command, {
      'ludus improve instruction-demo --engine gepa --budget 500 --seed 1': 'watch candidates come and go',
      'ludus improve instruction-demo --engine skillopt --json': 'the last line has the scores on fresh tasks',
      'ludus improve instruction-demo --model ollama/qwen3:0.6b --max-cost 1': 'with a real model as player and as critic',
      'ludus improve together-demo --budget 500 --seed 1': 'texts and weights in turn, and who earned what',
      'ludus improve instruction-demo --engine ./mine.ts': 'an engine of your own; "ludus new engine mine" writes one',
      'ludus improve --resume instruction-demo-gepa-1-3fa2': 'after Ctrl-C or a crash',
    });
  },

  async run({ args, options: given, terminal }) {
    const options = given as unknown as Options;
    return withWritableStore(terminal, options, async (store) => {
      const run = await asked(args[0], options, { store, terminal });
      const work = workOf(run);
      const colours = coloursFor(terminal.stderr, terminal.env);
      const told = `${colours.bold(run.id)} ${colours.faint('·')} ${work.engine}, ${count(work.budget.calls ?? 0, 'call')}, then random edits and resampling at equal cost`;
      terminal.stderr.write(`${told}\n`);
      if (work.model !== null && !(await agreed(run, work, { options, terminal, store }))) return exits.interrupted;
      const { controller, release } = interruptible(terminal, (text) => terminal.stderr.write(`${text}\n`));
      try {
        const report = await followed(run, work, { options, terminal, store, signal: controller.signal });
        if (options.json === true) printJson(terminal, lineOf(report));
        else print(terminal, '', ...reportText(report, terminal));
        return exits.fine;
      } catch (thrown) {
        if (!controller.signal.aborted) throw thrown;
        terminal.stderr.write(`Stopped; "ludus improve --resume ${run.id}" goes on.\n`);
        return exits.interrupted;
      } finally {
        release();
      }
    });
  },
};

/** The one line for machines: scores on fresh tasks, and what they took. */
function lineOf(report: ImproveReport) {
  const { run, engine, seed, start, best, baselines, calls, gain, overRandom, spent } = report;
  return {
    ...{ run, engine, seed },
    start: start.report,
    best: best.report,
    random: baselines.random.report,
    resample: baselines.resample.report,
    calls,
    candidate: best.candidate,
    selected: best.select,
    ...{ gain, overRandom },
    beatsRandom: overRandom.low > 0,
    ...{ candidates: report.candidates, spent },
    ...(report.cells === undefined ? {} : { cells: report.cells }),
  };
}

async function asked(
  word: string | undefined,
  options: Options,
  { store, terminal }: { readonly store: Store; readonly terminal: Terminal },
): Promise<RunRecord> {
  if (options.resume !== undefined) {
    if (word !== undefined) throw new Fault('input', `A run that is resumed keeps its recipe; leave out "${word}".`);
    const found = await loadRun(store, options.resume);
    // The run may have been imported: its model and its agent call and open only what was allowed.
    const { model, start } = workOf(found);
    checkSpec(start, 'data', terminal);
    if (model !== null) checkSpec({ name: found.id, kind: 'llm', model }, 'data', terminal);
    return found;
  }
  if (word === undefined)
    throw new Fault('input', `Name what to improve, one of ${improveRecipes.map(({ name }) => name).join(', ')}, or a run to --resume.`);
  const { budget, seed, lock, tasks } = options;
  const wish = {
    ...{ recipe: word, seed, calls: budget, locked: lock, settings: settingsIn(options.set) },
    ...(options.engine === undefined ? {} : { engine: options.engine }),
    ...(options.maxCost === undefined ? {} : { money: options.maxCost }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.proposer === undefined ? {} : { proposer: options.proposer }),
    ...(options.gate === undefined ? {} : { gate: options.gate }),
    ...(options.protect === undefined ? {} : { protect: options.protect }),
    ...(options.repeats === undefined ? {} : { repeats: options.repeats }),
    ...(tasks === undefined ? {} : { counts: { propose: tasks[0], select: tasks[1], report: tasks[2] } }),
    ...(options.name === undefined ? {} : { name: options.name }),
  };
  const run = await improveRun(wish, terminal.cwd);
  await saveImproveRun(store, run);
  return run;
}

interface Company {
  readonly options: Options;
  readonly terminal: Terminal;
  readonly store: Store;
}

/** Does it, showing every candidate as it comes. */
async function followed(
  run: RunRecord,
  work: ImproveWork,
  { options, terminal, store, signal }: Company & { signal: AbortSignal },
): Promise<ImproveReport> {
  const { concurrency } = options;
  const services = await createImproveServices(store, run, {
    cwd: terminal.cwd,
    signal,
    ...(concurrency === undefined ? {} : { concurrency }),
  });
  const tree = createImproveProgress(terminal, options.json !== true);
  const course = improving(work, services);
  for (let next = await course.next(); ; next = await course.next()) {
    if (next.done === true) {
      tree.done();
      return next.value;
    }
    tree.tell(next.value);
    // Players that answer at once would never let Ctrl-C be noticed.
    await new Promise(setImmediate);
  }
}

/** Shows what a model would cost, and asks. */
async function agreed(run: RunRecord, work: ImproveWork, { options, terminal, store }: Company): Promise<boolean> {
  const plays = 3 * (work.budget.calls ?? 0) + 3 * work.tasks.report;
  const plan = { ...run.plan, seeds: { from: 0, count: Math.ceil(plays / Math.max(1, run.plan.environments[0]?.tasks.length ?? 1)) } };
  const sheet = await loadPlanTasks(plan, (name) => resolveEnvironment(name, terminal.cwd));
  const ended = [...(await store.statuses(run.id)).values()].filter((status) => status !== 'running').length;
  const estimate = await estimatePlan(plan, sheet, { store, env: terminal.env, ended });
  const colours = coloursFor(terminal.stderr, terminal.env);
  const tokens = grouped(estimate.promptTokens.likely + estimate.completionTokens.likely);
  const words = `at most ${count(plays, 'play')}, baselines and fresh tasks included: about ${spanWords(estimate.calls)} model calls with ${tokens} tokens, and a few for reflection; ${moneyWords(estimate)}\n${basisWords(estimate)}`;
  terminal.stderr.write(`${colours.faint(words)}\n`);
  return options.yes === true || confirm(terminal, 'Models will be called. Start?');
}

function settingsIn(set: readonly string[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    set.map((text) => {
      const cut = text.indexOf('=');
      if (cut < 1) throw new Fault('input', `--set takes NAME=VALUE, like batch=5, but came as "${text}".`);
      const value = text.slice(cut + 1);
      try {
        return [text.slice(0, cut), JSON.parse(value) as Json];
      } catch {
        return [text.slice(0, cut), value];
      }
    }),
  );
}

function numbers(text: string): readonly number[] {
  const found = text.split(',').map((one) => (/^\d+$/.test(one.trim()) ? Number(one) : Number.NaN));
  if (found.some(Number.isNaN)) throw new Fault('input', `--protect takes numbers of tasks, like 0,3, but came as "${text}".`);
  return found;
}

function three(text: string): readonly [number, number, number] {
  const found = text.split(',').map((one) => (/^[1-9]\d*$/.test(one.trim()) ? Number(one) : Number.NaN));
  if (found.length !== 3 || found.some(Number.isNaN))
    throw new Fault('input', `--tasks takes three whole numbers above 0, like 24,24,200, but came as "${text}".`);
  return found as unknown as readonly [number, number, number];
}
