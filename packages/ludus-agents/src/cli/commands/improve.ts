/** @file `ludus improve`: better texts for an agent, behind a gate, with random edits and resampling at equal cost as baselines. */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { checkAgentName, readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { checkSpec } from '@ludus-agents/agents/internal/workspace/consent';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { isFileName } from '@ludus-agents/agents/internal/workspace/load';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { criteriaOf, type TestCase } from '@ludus-agents/evaluation/internal/cases/case';
import type { CaseFileOptions } from '@ludus-agents/evaluation/internal/cases/case-suite';
import { callsModels, estimatePlan } from '@ludus-agents/evaluation/internal/estimate';
import { loadSuite } from '@ludus-agents/evaluation/internal/loaders';
import { castsOf, type Suite } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { type AgentSpec, Fault, type Plan, type RunRecord, type Store } from '@ludus-agents/kernel/internal/core/index';
import { printable } from '@ludus-agents/kernel/internal/core/printable';
import { loadPlanTasks, type PlanTasks } from '@ludus-agents/kernel/internal/engine/plan';
import { readChoices } from '@ludus-agents/learning/internal/improving/choices';
import { readGate } from '@ludus-agents/learning/internal/improving/gate-file';
import type { ImproveRequest, ImproveRun, ImproveWork } from '@ludus-agents/learning/internal/improving/improve';
import { createImproveServices, improveRun, saveImproveRun, workOf } from '@ludus-agents/learning/internal/improving/improve';
import { checkImproveFiles, settleImproveFiles } from '@ludus-agents/learning/internal/improving/improve-files';
import { improveReport, lineageOf } from '@ludus-agents/learning/internal/improving/lineage';
import { readPack, withPack } from '@ludus-agents/learning/internal/improving/pack';
import { checkPrices, mostPlays } from '@ludus-agents/learning/internal/improving/plan';
import { improveRecipeNames } from '@ludus-agents/learning/internal/improving/recipe-names';
import { dividedScenes, type SuiteItem, splitSuite } from '@ludus-agents/learning/internal/improving/suite-trials';
import { recipeNamed } from '@ludus-agents/learning/internal/improving/targets';
import type { Candidate } from '@ludus-agents/learning/internal/prompts/candidate';
import type { EvaluatorBudget } from '@ludus-agents/learning/internal/prompts/evaluator';
import { improve as improving } from '@ludus-agents/learning/internal/prompts/improve';
import type { CostName, PlayCost } from '@ludus-agents/learning/internal/prompts/objectives';
import { type ImproveReport, verdictOf } from '@ludus-agents/learning/internal/prompts/report';
import { mostGraderChecks } from '@ludus-agents/learning/internal/prompts/trial-environment';
import type { TaskUse } from '@ludus-agents/learning/internal/prompts/trial-ledger';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { loadRun, type StoreOptions, withWritableStore } from '@ludus-agents/store/internal/stores';
import { caseOptionsIn } from '../case-options.ts';
import { type CommandRun, exits, type OptionalArguments } from '../command.ts';
import { confirm } from '../confirm.ts';
import { budgetWords, settingsIn } from '../improve-options.ts';
import { modelOptions } from '../model-options.ts';
import { coloursFor } from '../render/colours.ts';
import { basisWords, moneyWords, spanWords } from '../render/estimate.ts';
import { createImproveProgress, reportText } from '../render/improve-progress.ts';
import { withinBudget } from '../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions, CaseFileOptions {
  readonly on?: string;
  readonly output?: string;
  readonly engine?: string;
  readonly budget?: EvaluatorBudget;
  readonly seed: number;
  readonly try: readonly string[];
  readonly price?: Partial<PlayCost>;
  readonly most?: Partial<PlayCost>;
  readonly saving?: CostName;
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
  readonly pack?: string;
  readonly name?: string;
  readonly resume?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const improve: CommandRun<Options, OptionalArguments> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    modelOptions(options, terminal.env);
    return withWritableStore(terminal, options, async (store) => {
      const run = await readRequest(args[0], options, { store, terminal });
      const work = workOf(run);
      const colours = coloursFor(terminal.stderr, terminal.env);
      const observedText = `${colours.bold(run.id)} ${colours.faint('·')} ${work.engine}, ${budgetWords(work.budget)}, then random edits and resampling at equal cost`;
      terminal.stderr.write(`${observedText}\n`);
      if (work.suite !== undefined)
        terminal.stderr.write(
          `${colours.faint([work.suite.about?.replace(/\.$/, ''), divisionWords(work.suite, work)].filter(Boolean).join('. '))}\n`,
        );
      await checkPrices(run, terminal.env);
      const output = work.suite === undefined ? null : await newFile(options.output ?? `${run.id}.agent.json`, terminal.cwd);
      if ((await improveReport(store, run.id)) !== null)
        terminal.stderr.write(
          'This run is finished, so nothing is played: here is its stored result. Use --name or --seed for another run.\n',
        );
      else if (!(await agreed(run, work, { options, terminal, store }))) return exits.interrupted;
      const { controller, release } = interruptible(terminal, (text) => terminal.stderr.write(`${text}\n`));
      try {
        const report = await followImprovement(run, work, { options, terminal, store, signal: controller.signal });
        if (output !== null) await writeWinner(output, store, run);
        const file = output === null ? {} : { file: output.name };
        if (options.json === true) printJson(terminal, { ...lineOf(report), ...file });
        else print(terminal, '', ...reportText(report, terminal), ...(output === null ? [] : [winnerWords(report, output.name)]));
        return exits.fine;
      } catch (thrown) {
        if (!controller.signal.aborted) throw thrown;
        terminal.stderr.write(`Stopped. Resume with "ludus improve --resume ${run.id}".\n`);
        return exits.interrupted;
      } finally {
        const notice = await settleImproveFiles(store, run as ImproveRun, terminal);
        if (notice !== null) terminal.stderr.write(`${colours.yellow('!')} ${printable(notice)}\n`);
        release();
      }
    });
  }),
};

/** The JSON line: scores over distinct tasks, and their cost. */
function lineOf(report: ImproveReport) {
  const { run, engine, seed, start, best, baselines, calls, gain, heldOut, verdict, overRandom, spent, total } = report;
  return {
    ...{ run, engine, seed },
    start: start.report,
    best: best.report,
    random: baselines.random.report,
    resample: baselines.resample.report,
    calls,
    candidate: best.candidate,
    selected: best.select,
    ...{ tasks: report.tasks, episodes: report.episodes, gain, heldOut, verdict, overRandom },
    seen: { start: start.seen, best: best.seen },
    failed: report.failed,
    beatsRandom: verdictOf(overRandom) === 'gain',
    ...{ candidates: report.candidates, spent, total },
    costs: report.costs,
    ...(report.front === undefined ? {} : { front: report.front }),
    ...(report.cells === undefined ? {} : { cells: report.cells }),
  };
}

async function readRequest(
  word: string | undefined,
  options: Options,
  { store, terminal }: { readonly store: Store; readonly terminal: Terminal },
): Promise<RunRecord> {
  if (options.resume !== undefined) {
    if (word !== undefined) throw new Fault('input', `--resume continues with the run's recipe. Remove "${word}".`);
    const runRecord = await loadRun(store, options.resume);
    // An imported run may name a model and an agent: they may call and open only what was allowed.
    const { model, start } = workOf(runRecord);
    checkSpec(start, Trust.storedData, terminal);
    if (model !== null) checkSpec({ name: runRecord.id, kind: 'llm', model }, Trust.storedData, terminal);
    if ((await improveReport(store, runRecord.id)) === null) await checkImproveFiles(store, runRecord as ImproveRun, terminal);
    return runRecord;
  }
  const target = await targetNamed(word, options, terminal.cwd);
  const { budget = { calls: 500 }, seed, lock, tasks } = options;
  const wish = {
    ...target,
    ...{ seed, ...budget, locked: lock, settings: settingsIn(options.set) },
    ...(options.try.length === 0
      ? {}
      : { choices: readChoices(options.try, target.agent ?? recipeNamed(target.recipe ?? '').start, terminal.cwd) }),
    ...(options.price === undefined ? {} : { prices: options.price }),
    ...(options.most === undefined ? {} : { most: options.most }),
    ...(options.saving === undefined ? {} : { saving: options.saving }),
    ...(options.engine === undefined ? {} : { engine: options.engine }),
    ...(options.maxCost === undefined || budget.money !== undefined ? {} : { money: options.maxCost }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.proposer === undefined ? {} : { proposer: options.proposer }),
    ...(options.gate === undefined ? {} : { gate: gateIn(options.gate, terminal.cwd) }),
    ...(options.protect === undefined ? {} : { protect: options.protect }),
    ...(options.repeats === undefined ? {} : { repeats: options.repeats }),
    ...(tasks === undefined ? {} : { counts: { propose: tasks[0], select: tasks[1], report: tasks[2] } }),
    ...(options.name === undefined ? {} : { name: options.name }),
  };
  const run = await improveRun(wish, terminal.cwd, terminal.trust);
  // A run that is refused takes no name.
  await checkPrices(run, terminal.env);
  const notice = await saveImproveRun(store, run, terminal);
  if (notice !== null) terminal.stderr.write(`${printable(notice)}\n`);
  return run;
}

/** A recipe, or an agent as data on a suite. */
async function targetNamed(
  word: string | undefined,
  options: Options,
  cwd: string,
): Promise<Pick<ImproveRequest, 'recipe' | 'agent' | 'suite'>> {
  const { on, model, pack } = options;
  const recipes: readonly string[] = improveRecipeNames;
  if (word === undefined)
    throw new Fault('input', `Choose what to improve: an agent with --on SUITE, one of ${recipes.join(', ')}, or a run with --resume.`);
  if (on === undefined && !isFileName(word)) return { recipe: word };
  if (on === undefined) throw new Fault('input', `Choose a suite for ${word}: --on SUITE, a name or a file.`);
  if (recipes.includes(word)) throw new Fault('input', `The recipe ${word} has built-in tasks. Remove --on.`);
  await checkAgentName(word, cwd, Trust.commandLine);
  const read = await readSpec(word, cwd, Trust.commandLine);
  const spec = pack === undefined ? read : withPack(read, readPack(readText(pack, cwd, 'pack'), pack));
  if (isFileName(word) && spec.kind === word)
    throw new Fault('input', `${word} is a program, which cannot be edited. Use an agent spec in JSON.`);
  const suite = await loadSuite(on, cwd, Trust.commandLine, caseOptionsIn(options));
  return { agent: model === undefined ? spec : { ...spec, kind: 'llm', model }, suite };
}

function gateIn(word: string, cwd: string): NonNullable<ImproveRequest['gate']> {
  return isFileName(word) ? readGate(readText(word, cwd, 'gate'), word) : word;
}

function readText(file: string, cwd: string, what: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `The ${what} ${file} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
}

function winnerWords({ start, best }: ImproveReport, file: string): string {
  return best.candidate === start.candidate ? `No better candidate; the initial agent is in ${file}.` : `The best agent is in ${file}.`;
}

function divisionWords(suite: Suite, { seed, tasks }: ImproveWork): string {
  const [divided, all] = [dividedScenes(suite), suite.scenes.length];
  const parts = splitSuite(suite, seed, tasks).report;
  const division = parts.flat();
  const countTasks = (items: readonly SuiteItem[]) => new Set(items.map(({ scene, task }) => `${scene} ${JSON.stringify(task)}`)).size;
  const tasksFor = (use: TaskUse) => countTasks(division.filter((item) => item.use === use));
  const played = countTasks(parts.flatMap((items) => items.slice(0, Math.ceil(tasks.report / all))));
  if (divided === all)
    return `${count(countTasks(division), 'task')}: ${tasksFor('proposer')} for proposals, ${tasksFor('gate')} for the gate, ${tasksFor('held-out')} held out from both. The report plays ${played === countTasks(division) ? 'all' : played} of them.`;
  const text = divided === 0 ? 'no scene' : divided === 1 ? `only one of ${all} scenes` : `only ${divided} of ${all} scenes`;
  return `Proposals, gate and report use different seeds; ${text} of ${suite.name} ${divided > 1 ? 'have' : 'has'} enough tasks to give each its own tasks.`;
}

interface NewFile {
  readonly name: string;
  readonly path: string;
}

/** The output file. An existing file is never overwritten. */
async function newFile(name: string, cwd: string): Promise<NewFile> {
  const path = resolve(cwd, name);
  if (existsSync(path))
    throw new Fault('input', `${name} already exists. Choose another file with -o, or delete it first.`, { code: 'E_ALREADY_EXISTS' });
  return { name, path };
}

/** The winner with a name different from the start, so both can be evaluated together. */
function winnerSpec({ id, spec, parents }: Candidate, start: AgentSpec): AgentSpec {
  if (parents.length === 0) return spec;
  return { ...spec, name: `${start.name.replace(/-improved-[0-9a-f]{6}$/, '')}-improved-${id.slice(0, 6)}` };
}

async function writeWinner({ path }: NewFile, store: Store, run: RunRecord): Promise<void> {
  const { archives, descendants } = await lineageOf(store, run);
  const best = descendants.find(({ candidate }) => candidate.id === archives.head?.id);
  const spec = best === undefined ? workOf(run).start : winnerSpec(best.candidate, workOf(run).start);
  writeFileAtomicSync(path, `${JSON.stringify(spec, null, 2)}\n`);
}

interface Company {
  readonly options: Options;
  readonly terminal: Terminal;
  readonly store: Store;
}

/** Runs the improvement and shows every candidate as it arrives. */
async function followImprovement(
  run: RunRecord,
  work: ImproveWork,
  { options, terminal, store, signal }: Company & { signal: AbortSignal },
): Promise<ImproveReport> {
  const { concurrency } = options;
  const services = await createImproveServices(store, run, {
    trust: terminal.trust,
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
    // Without this, players that answer synchronously would delay Ctrl-C indefinitely.
    await new Promise(setImmediate);
  }
}

/** Shows the estimated cost of a model, and asks for confirmation. */
async function agreed(run: RunRecord, work: ImproveWork, { options, terminal, store }: Company): Promise<boolean> {
  const { calls } = work.budget;
  const plays = mostPlays(run);
  const tasks = run.plan.environments.reduce((sum, item) => sum + item.tasks.length, 0);
  const plan = { ...run.plan, seeds: { from: 0, count: Math.ceil(plays / Math.max(1, tasks)) } };
  const sheet = await tasksOf(plan, work, terminal.cwd);
  if (!callsModels(sheet)) return true;
  const ended = [...(await store.statuses(run.id)).values()].filter((status) => status !== 'running').length;
  const estimate = await estimatePlan(plan, sheet, {
    store,
    env: terminal.env,
    ended,
    agents: createAgentServices(terminal.cwd, terminal.trust),
  });
  const colours = coloursFor(terminal.stderr, terminal.env);
  const tokens = formatGrouped(estimate.promptTokens.likely + estimate.completionTokens.likely);
  const bound =
    calls === undefined
      ? `${budgetWords(work.budget)} at most; the start, its baselines, and the report alone take ${count(plays, 'play')}`
      : `at most ${count(plays, 'play')}, baselines and report included`;
  const summary = `${bound}: about ${spanWords(estimate.calls)} model calls with ${tokens} tokens, ${graderWords(work, plays)}a few for reflection; ${moneyWords(estimate)}\n${basisWords(estimate)}`;
  terminal.stderr.write(`${colours.faint(summary)}\n`);
  return options.yes === true || confirm(terminal, 'Models will be called. Start?');
}

/** Additional calls for a grader: one for each answer to a case with criteria. */
function graderWords({ suite }: ImproveWork, plays: number): string {
  const tasks = suite?.scenes.flatMap((scene) => scene.tasks.map((task) => ({ scene, task }))) ?? [];
  const graded = tasks.filter(({ scene, task }) => scene.score.startsWith('grader=') && criteriaOf(task as TestCase).length > 0).length;
  return graded === 0
    ? 'and '
    : `${formatGrouped(Math.ceil((plays * graded) / tasks.length))} to grade answers, ${2 * Math.min(mostGraderChecks, graded)} to check the grader, and `;
}

/** The tasks of a plan; those of a suite scene by scene, because each has its own cast. */
async function tasksOf(plan: Plan, { suite, start }: ImproveWork, cwd: string): Promise<PlanTasks> {
  const load = (name: string) => resolveEnvironment(name, cwd, Trust.commandLine);
  if (suite === undefined) return loadPlanTasks(plan, load);
  const sheets = suite.scenes.map((scene) => {
    const { environment, tasks, seats } = scene;
    // Candidates take one tested seat at a time.
    const casts = castsOf({ ...scene, seats: seats.slice(0, 1) }, [start]);
    return loadPlanTasks({ ...plan, environments: [{ environment, tasks }], casts }, load);
  });
  const all = await Promise.all(sheets);
  return {
    environments: new Map(all.flatMap(({ environments }) => [...environments])),
    names: new Map(all.flatMap(({ names }) => [...names])),
    scenes: all.flatMap(({ scenes }) => scenes),
    planned: all.reduce((sum, { planned }) => sum + planned, 0),
  };
}
