/** @file `ludus run`: a whole plan into a store, within its budget; the same command again plays what is missing. */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { withOwnAgents } from '@ludus-agents/agents/internal/workspace/agents';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { currentTally, earlierText } from '@ludus-agents/agents/internal/workspace/versions';
import { type CostEstimate, callsModels, estimatePlan } from '@ludus-agents/evaluation/internal/estimate';
import { planVersions } from '@ludus-agents/evaluation/internal/plan-versions';
import { resultsOf } from '@ludus-agents/evaluation/internal/results';
import { count, duration, formatGrouped, knownMoney, money } from '@ludus-agents/kernel/internal/core/format';
import { type Budget, type EpisodeTally, Fault, type Plan, printable } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { loadPlanTasks, type PlanTasks, readPlan, runId } from '@ludus-agents/kernel/internal/engine/plan';
import type { RunReport } from '@ludus-agents/kernel/internal/engine/run';
import { setTimerResolution } from '@ludus-agents/servers/internal/fleet/timers';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { isHuman } from '../cast.ts';
import { type CommandRun, exitOfStop, exits } from '../command.ts';
import { confirm } from '../confirm.ts';
import { planText } from '../plan-input.ts';
import { coloursFor } from '../render/colours.ts';
import { basisWords, moneyWords, spanWords } from '../render/estimate.ts';
import { type ProgressLine, progressLine } from '../render/progress.ts';
import { resultsTable } from '../render/results.ts';
import { noticeChanges } from '../render/version-changes.ts';
import { budgetOf, type SpendingOptions } from '../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions, SpendingOptions {
  readonly concurrency?: number;
  readonly maxEpisodes?: number;
  readonly workers?: number;
  readonly dryRun?: boolean;
  readonly retry?: boolean;
  readonly reuse?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const run: CommandRun = {
  async run(call) {
    const { args, terminal } = call;
    const options = call.options as Options;
    if (options.dryRun === true) return (await import('./run-estimate.ts')).estimateRun.run(call);
    setTimerResolution(options.concurrency ?? 0);
    const where = `The plan ${args[0] === '-' ? 'from standard input' : args[0]}`;
    const written = readPlan(jsonFrom(await planText(args[0], terminal), where), where);
    const plan = await withOwnAgents(written, terminal.cwd, terminal.trust);
    const load = (name: string) => resolveEnvironment(name, terminal.cwd, terminal.trust);
    const sheet = await loadPlanTasks(plan, load);
    await auditions(sheet, terminal.cwd);
    return withRunner(terminal, options, async (store, perform) => {
      const id = runId(plan);
      const versions = await planVersions([{ plan, sheet }], {
        ...{ store, run: id, cwd: terminal.cwd, trust: terminal.trust },
        reuse: options.reuse,
        exclusive: 'plan',
      });
      const ended = countEnded((await currentTally(store, id, versions.current)).tallies);
      const called = callsModels(sheet);
      const estimate = called
        ? await estimatePlan(plan, sheet, { store, env: terminal.env, ended, agents: createAgentServices(terminal.cwd, Trust.planFile) })
        : null;
      announce(terminal, { plan, sheet, ended, estimate, options });
      noticeChanges(terminal, versions.changes, id);
      if (called && options.yes !== true && !(await confirm(terminal, 'Models will be called. Start?'))) return exits.interrupted;
      await store.putRun({ id, plan, episodes: sheet.planned });
      await versions.declare();
      const began = performance.now();
      const line = progressLine(terminal);
      const report = await stoppable(terminal, line, (signal) =>
        perform(plan, {
          store,
          environment: load,
          agent: createAgentLoader(createAgentServices(terminal.cwd, Trust.commandLine, options)),
          signal,
          budget: limitsOf(options),
          retry: options.retry === true,
          versions: versions.of,
          onProgress: line.tell,
          ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
        }),
      );
      line.done();
      const results = await resultsOf((await store.run(report.run))!, { store, cwd: terminal.cwd, trust: terminal.trust });
      const seconds = (performance.now() - began) / 1000;
      terminal.stderr.write(`${summary(report, { seconds, terminal, isPinned: versions.unpinned.size === 0 })}\n`);
      const { changes, unpinned } = versions;
      const spent = { ...report.spent, money: knownMoney(report.spent) };
      if (options.json === true)
        printJson(terminal, { ...report, spent, seconds, ...results, changes, unpinned: Object.fromEntries(unpinned) });
      else print(terminal, '', resultsTable(results, terminal), ...(results.earlier > 0 ? ['', earlierText(results.earlier)] : []));
      const code = exitOfStop(report.stopped);
      return code === exits.fine && report.ends.error > 0 ? exits.found : code;
    });
  },
};

function countEnded(tallies: readonly EpisodeTally[]): number {
  return tallies.reduce((sum, { status, count: episodes }) => sum + (status === 'running' ? 0 : episodes), 0);
}

function limitsOf(options: Options): Budget {
  return { ...budgetOf(options), ...(options.maxEpisodes === undefined ? {} : { episodes: options.maxEpisodes }) };
}

/** Every agent is created once before anything is played: a name that does not exist stops the run at the start. */
async function auditions({ scenes }: PlanTasks, cwd: string): Promise<void> {
  for (const { environment, casts } of scenes)
    for (const cast of casts)
      for (const [seat, spec] of Object.entries(cast)) {
        if (isHuman(typeof spec === 'string' ? spec : spec.kind))
          throw new Fault(
            'input',
            `A plan cannot be played by people, but it assigns a human to ${seat}. To play yourself, use "ludus play".`,
          );
        await createAgentLoader(createAgentServices(cwd, Trust.commandLine))(spec, seat, environment);
      }
}

interface Announcement {
  readonly plan: Plan;
  readonly sheet: PlanTasks;
  /** Episodes that an earlier run has finished. */
  readonly ended: number;
  /** What the models will take; null where none is cast. */
  readonly estimate: CostEstimate | null;
  readonly options: Options;
}

/** What will be played and what it may cost, before anything is. */
function announce(terminal: Terminal, { plan, sheet, ended, estimate, options }: Announcement): void {
  const colours = coloursFor(terminal.stderr, terminal.env);
  const id = runId(plan);
  const budget = { ...plan.budget, ...limitsOf(options) };
  const left = Math.min(Math.max(0, sheet.planned - ended), budget.episodes ?? Number.POSITIVE_INFINITY);
  const environments = [...sheet.environments.keys()].join(', ');
  const cost = estimate === null ? 'no model is cast, so it costs nothing' : costOf(estimate);
  const stop = budget.money === undefined ? '' : `; it stops at ${money(budget.money)}`;
  const text = `${colours.bold(printable(id))} ${colours.faint('·')} ${count(left, 'episode')} to play${ended > 0 ? `, ${formatGrouped(ended)} played before` : ''} ${colours.faint('·')} ${environments}`;
  terminal.stderr.write(`${text}\n${colours.faint(`${cost}${stop}`)}\n`);
}

/** Calls, tokens and money as they are expected, and why. */
function costOf(estimate: CostEstimate): string {
  const { calls, promptTokens, completionTokens } = estimate;
  const tokens = formatGrouped(promptTokens.likely + completionTokens.likely);
  return `about ${spanWords(calls)} model calls with ${tokens} tokens; ${moneyWords(estimate)}\n${basisWords(estimate)}`;
}

async function stoppable<T>(terminal: Terminal, line: ProgressLine, go: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { controller, release } = interruptible(terminal, line.note);
  try {
    return await go(controller.signal);
  } finally {
    release();
  }
}

function summary(
  { played, before, planned, ends, turns, stopped, why: reason, elsewhere = 0, run: id }: RunReport,
  { seconds, terminal, isPinned }: { readonly seconds: number; readonly terminal: Terminal; readonly isPinned: boolean },
): string {
  const colours = coloursFor(terminal.stderr, terminal.env);
  const facts = [`${count(played, 'episode')} played in ${duration(seconds)}`, count(turns, 'turn')];
  if (elsewhere > 0) facts.push(`${formatGrouped(elsewhere)} played by another run of this plan`);
  if (before > 0) facts.push(`${formatGrouped(before)} were there before`);
  if (ends.limit > 0) facts.push(colours.yellow(`${formatGrouped(ends.limit)} stopped at a limit`));
  if (ends.error > 0) facts.push(colours.red(`${formatGrouped(ends.error)} failed`));
  const done = `${facts.join(colours.faint(' · '))}.`;
  if (stopped === null) return done;
  const why = stopped === 'signal' ? 'Stopped' : `Stopped at the budget of ${stopped}`;
  const text = reason === undefined ? '' : `${printable(reason)}\n`;
  return `${done}\n${colours.yellow(`${text}${why} with ${formatGrouped(Math.max(0, planned - before - played - elsewhere))} left. Run the same command${isPinned ? '' : ' with --reuse'} to resume ${printable(id)}.`)}`;
}
