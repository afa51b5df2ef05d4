/** @file `ludus eval`: a suite played by agents and by null agents on the same seeds, scored by rules, told with floors and intervals. */

import { agentsWith } from '../../agents/index.ts';
import { count, grouped } from '../../company/amounts.ts';
import { handsIn } from '../../company/hands.ts';
import { heardOf, heardText, judgesFor } from '../../company/judges.ts';
import { gather, scoreRun } from '../../company/scored.ts';
import type { StoreOptions } from '../../company/stores.ts';
import { callsModels, contestants } from '../../company/suites.ts';
import { worldOf } from '../../company/worlds.ts';
import { type AgentSpec, type Budget, Fault, type Plan, type Store } from '../../core/index.ts';
import { cells, episodeId, rehearse } from '../../engine/plan.ts';
import type { RunReport } from '../../engine/run.ts';
import { type Perform, performing } from '../../fleet/performing.ts';
import { standingsOf } from '../../scoring/evaluation/index.ts';
import { castsOf, type Suite, type SuiteScene, suiteNames, suiteRun } from '../../scoring/suites/index.ts';
import { loadScorer, loadSuite } from '../../workspace/loaders.ts';
import { isHuman } from '../cast.ts';
import { amount, type CommandFile, examples, exits, whole, withJson, withStore, withWorkers } from '../command.ts';
import { inkFor } from '../ink.ts';
import { type ProgressLine, progressLine } from '../progress.ts';
import { confirm } from '../question.ts';
import { standingsText } from '../standings.ts';
import { interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly agents?: string;
  readonly seeds?: number;
  readonly concurrency?: number;
  readonly maxCost?: number;
  readonly workers?: number;
  readonly rubric?: string;
  readonly judge?: string;
  readonly retry?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const evaluate: CommandFile = {
  declare(command) {
    command
      .argument('<suite>', `${suiteNames.join(', ')}, or a file of your own`)
      .option('--agents <list>', 'who is tested: kinds like random,scripted or files of your own; null agents play along')
      .option('--seeds <n>', "how often every task is played (default: the suite's own)", whole('--seeds', 1, 1_000_000))
      .option('--concurrency <n>', 'episodes at once (default: 64)', whole('--concurrency', 1, 100_000))
      .option('--max-cost <dollars>', 'begin nothing new once so much is spent', amount('--max-cost'))
      .option('--rubric <name>', 'what a judge is to look at, after the rules; needs --judge')
      .option('--judge <model>', 'the model that judges; see "ludus trust" first')
      .option('--retry', 'play episodes that failed again')
      .option('--yes', 'do not ask before models are called');
    withJson(withStore(withWorkers(command)));
    examples(command, {
      'ludus eval games-core --agents random,scripted': 'what is played already is not played again',
      'ludus eval service-core --agents scripted --seeds 8': 'more seeds, added to those that are there',
      'ludus eval my-suite.json --agents my-agent.json --json': 'a suite and an agent of your own',
    });
  },

  async run({ args, options: given, terminal }) {
    const options = given as Options;
    const suite = await loadSuite(args[0] as string, terminal.cwd);
    const tested = await contestants(options.agents ?? '', terminal.cwd);
    const candidates = [...tested, ...suite.nulls.filter((name) => !tested.some((one) => one.name === name)).map(byName)];
    const { plans, planned } = await plansOf(suite, candidates, { seeds: options.seeds ?? suite.seeds, cwd: terminal.cwd });
    const judges = await judgesFor(options, terminal.cwd);
    // A scorer that does not exist is found out before anything is played, not after.
    for (const { score, also } of suite.scenes) await Promise.all([score, ...also].map((name) => loadScorer(name, terminal.cwd)));
    const paid = tested.some(callsModels) || (judges.length > 0 && options.judge?.startsWith('fake') !== true);
    if (paid && options.yes !== true && !(await confirm(terminal, 'Models will be called. Start?'))) return exits.interrupted;
    return performing(terminal, options, async (store, perform) => {
      const began = Date.now();
      await store.putRun({ id: suiteRun(suite), plan: wholeOf(plans), episodes: planned });
      const line = progressLine(terminal);
      const { controller, release } = interruptible(terminal, line.note);
      const { signal } = controller;
      let played = await playAll(plans, { store, perform, terminal, options, signal, line }).finally(line.done);
      if (played.stopped !== 'signal') {
        const scenes = await scenesById(suite, plans, { store, cwd: terminal.cwd });
        const left = options.maxCost === undefined ? {} : { budget: { money: Math.max(0, options.maxCost - played.spent.money) } };
        const { stopped } = await scoreRun({
          ...{ store, run: suiteRun(suite), suite, judges, cwd: terminal.cwd, options: { ...left, signal } },
          sceneOf: ({ id }) => scenes.get(id) ?? null,
        });
        if (stopped) played = { ...played, stopped: 'signal' };
      }
      release();
      const names = candidates.map(({ name }) => name);
      const { rows } = await gather(store, { run: suiteRun(suite), agents: names });
      const standings = standingsOf(rows, { nulls: suite.nulls, k: suite.k, scenes: suite.scenes.map(({ name }) => name) });
      const seconds = (Date.now() - began) / 1000;
      const head = { suite: suite.name, version: suite.version, run: suiteRun(suite), ...played, judges: heardOf(judges), seconds };
      if (options.json === true) printJson(terminal, { ...head, ...standings });
      else print(terminal, standingsText(standings, { terminal, title: suite.name, about: suite.about, k: suite.k }));
      for (const heard of heardOf(judges)) if (options.json !== true) print(terminal, '', heardText(heard));
      if (options.json !== true) closing(terminal, suiteRun(suite), played);
      if (played.stopped === 'signal') return exits.interrupted;
      return played.ends.error > 0 ? exits.found : exits.fine;
    });
  },
};

function byName(name: string): AgentSpec {
  return { name, kind: name };
}

/** One plan for each scene, all of the same run; every agent is called in once before anything is played. */
async function plansOf(
  suite: Suite,
  candidates: readonly AgentSpec[],
  { seeds, cwd }: { seeds: number; cwd: string },
): Promise<{ readonly plans: readonly Plan[]; readonly planned: number }> {
  let planned = 0;
  const plans = suite.scenes.map(
    (scene): Plan => ({
      name: suiteRun(suite),
      environments: [{ environment: scene.environment, tasks: scene.tasks }],
      seeds: { from: 0, count: seeds },
      casts: castsOf(scene, candidates),
    }),
  );
  for (const plan of plans) {
    const sheet = await rehearse(plan, (name) => worldOf(name, cwd));
    planned += sheet.planned;
    for (const { environment, casts } of sheet.scenes)
      for (const cast of casts)
        for (const [seat, spec] of Object.entries(cast)) {
          if (isHuman(typeof spec === 'string' ? spec : spec.kind))
            throw new Fault('input', 'A suite is played without people, but --agents names a human; "ludus play" has a seat for you.');
          await agentsWith(handsIn(cwd))(spec, seat, environment);
        }
  }
  return { plans, planned };
}

/** What lists show of the run: all scenes in one plan, where each is played with casts of its own. */
function wholeOf(plans: readonly Plan[]): Plan {
  const worlds = Map.groupBy(
    plans.flatMap(({ environments }) => environments),
    ({ environment }) => environment,
  );
  const environments = [...worlds].map(([environment, parts]) => ({ environment, tasks: parts.flatMap(({ tasks }) => tasks) }));
  return { ...(plans[0] as Plan), environments, casts: plans.flatMap(({ casts }) => casts) };
}

/** Which scene each stored episode was played for. Two scenes may differ in nothing but the persona, which a log does not name. */
async function scenesById(
  suite: Suite,
  plans: readonly Plan[],
  { store, cwd }: { store: Store; cwd: string },
): Promise<ReadonlyMap<string, SuiteScene>> {
  const run = suiteRun(suite);
  const statuses = await store.statuses(run);
  const scenes = new Map<string, SuiteScene>();
  for (const [i, plan] of plans.entries()) {
    const sheet = await rehearse(plan, (name) => worldOf(name, cwd));
    for (const cell of cells(plan, sheet))
      for (let attempt = 0, id = episodeId(run, cell); statuses.has(id); id = episodeId(run, cell, ++attempt))
        scenes.set(id, suite.scenes[i] as SuiteScene);
  }
  return scenes;
}

type Played = Pick<RunReport, 'planned' | 'before' | 'played' | 'ends' | 'spent' | 'stopped'>;

interface Staging {
  readonly store: Store;
  readonly perform: Perform;
  readonly terminal: Terminal;
  readonly options: Options;
  readonly signal: AbortSignal;
  readonly line: ProgressLine;
}

/** Plays the plans one after another; what one has spent, the next may not spend again. */
async function playAll(plans: readonly Plan[], { store, perform, terminal, options, signal, line }: Staging): Promise<Played> {
  let total: Played = {
    ...{ planned: 0, before: 0, played: 0, stopped: null },
    ...{ ends: { over: 0, limit: 0, error: 0, abort: 0 }, spent: { calls: 0, tokens: 0, money: 0, unpriced: 0 } },
  };
  for (const plan of plans) {
    if (total.stopped !== null) break;
    const budget: Budget = options.maxCost === undefined ? {} : { money: options.maxCost - total.spent.money };
    const report = await perform(plan, {
      store,
      environment: (name) => worldOf(name, terminal.cwd),
      agent: agentsWith(handsIn(terminal.cwd)),
      signal,
      budget,
      retry: options.retry === true,
      onProgress: line.tell,
      ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    });
    total = added(total, report);
  }
  return total;
}

function added(a: Played, b: Played): Played {
  const sum = <K extends string>(left: Readonly<Record<K, number>>, right: Readonly<Record<K, number>>) =>
    Object.fromEntries(Object.keys(left).map((key) => [key, left[key as K] + right[key as K]])) as Record<K, number>;
  return {
    planned: a.planned + b.planned,
    before: a.before + b.before,
    played: a.played + b.played,
    ends: sum(a.ends, b.ends),
    spent: sum(a.spent, b.spent),
    stopped: a.stopped ?? b.stopped,
  };
}

function closing(terminal: Terminal, run: string, { played, before, stopped }: Played): void {
  const ink = inkFor(terminal.stderr, terminal.env);
  const facts = `${count(played, 'episode')} played${before > 0 ? `, ${grouped(before)} were there before` : ''}. ludus report ${run} -o report.html`;
  terminal.stderr.write(`${ink.faint(facts)}\n`);
  if (stopped !== null) terminal.stderr.write(`${ink.yellow('Stopped before the suite was done; the same command goes on.')}\n`);
}
