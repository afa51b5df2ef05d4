/** @file `ludus run`: plays a plan into a store, within its budget; repeating the command plays missing episodes. */

import { earlierText } from '@ludus-agents/agents/internal/workspace/versions';
import type { CostEstimate } from '@ludus-agents/evaluation/internal/estimate';
import { count, duration, formatGrouped, knownMoney, money } from '@ludus-agents/kernel/internal/core/format';
import { type Budget, printable } from '@ludus-agents/kernel/internal/core/index';
import type { RunReport } from '@ludus-agents/kernel/internal/engine/run';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import { limitYoungGeneration } from '@ludus-agents/servers/internal/fleet/young-generation';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type PlannedWork, runPlanned } from '../../library/run.ts';
import { type CommandRun, exitOfStop, exits } from '../command.ts';
import { confirm } from '../confirm.ts';
import { coloursFor } from '../render/colours.ts';
import { basisWords, moneyWords, spanWords } from '../render/estimate.ts';
import { progressLine } from '../render/progress.ts';
import { resultsTable } from '../render/results.ts';
import { noticeChanges, otherSeedsText } from '../render/version-changes.ts';
import { budgetOf, type SpendingOptions } from '../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../terminal.ts';
import { formatEstimate } from './run-estimate.ts';

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
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    const { concurrency, dryRun, retry, reuse, store, readOnly, json } = options;
    if (dryRun !== true) limitYoungGeneration(concurrency ?? 0);
    const line = progressLine(terminal);
    const { controller, release, listen } = interruptible(terminal, dryRun === true ? undefined : line.note);
    let began = performance.now();
    const request = {
      ...{ plan: args[0], concurrency, dryRun, retry, reuse, store, readOnly, budget: limitsOf(options) },
      ...{ signal: controller.signal, onProgress: line.tell },
      async confirm(work: PlannedWork) {
        announce(terminal, work);
        noticeChanges(terminal, work.changes, work.run);
        release();
        const isWanted = work.estimate === null || options.yes === true || (await confirm(terminal, 'Models will be called. Start?'));
        listen();
        began = performance.now();
        return isWanted;
      },
    };
    const outcome = await runPlanned(request, terminal, (use) => withRunner(terminal, options, use)).finally(release);
    if (outcome === null) return exits.interrupted;
    if (outcome.kind === 'estimate') {
      const { kind: _, ...estimate } = outcome;
      if (json === true) printJson(terminal, estimate);
      else print(terminal, formatEstimate(outcome, outcome.budget?.money, terminal));
      return exits.fine;
    }
    line.done();
    const { kind: _, results, changes, unpinned, otherSeeds, ...report } = outcome;
    noticeChanges(
      terminal,
      changes.filter(({ reason }) => reason === 'mixed'),
      report.run,
    );
    const seconds = (performance.now() - began) / 1000;
    terminal.stderr.write(`${summary(report, { seconds, terminal, isPinned: Object.keys(unpinned).length === 0 })}\n`);
    const spent = { ...report.spent, money: knownMoney(report.spent) };
    const notes = [...(otherSeeds > 0 ? [otherSeedsText(otherSeeds)] : []), ...(results.earlier > 0 ? [earlierText(results.earlier)] : [])];
    if (json === true) printJson(terminal, { ...report, spent, seconds, ...results, otherSeeds, changes, unpinned });
    else print(terminal, '', resultsTable(results, terminal), ...notes.flatMap((text) => ['', text]));
    const code = exitOfStop(report.stopped);
    return code === exits.fine && report.ends.error > 0 ? exits.found : code;
  },
};

function limitsOf(options: Options): Budget {
  return { ...budgetOf(options), ...(options.maxEpisodes === undefined ? {} : { episodes: options.maxEpisodes }) };
}

/** The episodes to play and their possible cost, shown before the run starts. */
function announce(terminal: Terminal, { run: id, environments, planned, ended, estimate, budget }: PlannedWork): void {
  const colours = coloursFor(terminal.stderr, terminal.env);
  const left = Math.min(Math.max(0, planned - ended), budget.episodes ?? Number.POSITIVE_INFINITY);
  const cost = estimate === null ? 'no models, no cost' : costOf(estimate);
  const stop = budget.money === undefined ? '' : `; it stops at ${money(budget.money)}`;
  const text = `${colours.bold(printable(id))} ${colours.faint('·')} ${count(left, 'episode')} to play${ended > 0 ? `, ${formatGrouped(ended)} played before` : ''} ${colours.faint('·')} ${environments.join(', ')}`;
  terminal.stderr.write(`${text}\n${colours.faint(`${cost}${stop}`)}\n`);
}

/** The expected calls, tokens, and cost, with their basis. */
function costOf(estimate: CostEstimate): string {
  const { calls, promptTokens, completionTokens } = estimate;
  const tokens = formatGrouped(promptTokens.likely + completionTokens.likely);
  return `about ${spanWords(calls)} model calls with ${tokens} tokens; ${moneyWords(estimate)}\n${basisWords(estimate)}`;
}

function summary(
  { played, before, planned, ends, turns, stopped, why: reason, elsewhere = 0, run: id }: RunReport,
  { seconds, terminal, isPinned }: { readonly seconds: number; readonly terminal: Terminal; readonly isPinned: boolean },
): string {
  const colours = coloursFor(terminal.stderr, terminal.env);
  const facts = [`${count(played, 'episode')} played in ${duration(seconds)}`, count(turns, 'turn')];
  if (elsewhere > 0) facts.push(`${formatGrouped(elsewhere)} played by another run of this plan`);
  if (before > 0) facts.push(`${formatGrouped(before)} already stored`);
  if (ends.limit > 0) facts.push(colours.yellow(`${formatGrouped(ends.limit)} stopped at a limit`));
  if (ends.error > 0) facts.push(colours.red(`${formatGrouped(ends.error)} failed`));
  const done = `${facts.join(colours.faint(' · '))}.`;
  if (stopped === null) return done;
  const why = stopped === 'signal' ? 'Stopped' : `Stopped at the budget of ${stopped}`;
  const text = reason === undefined ? '' : `${printable(reason)}\n`;
  return `${done}\n${colours.yellow(`${text}${why} with ${formatGrouped(Math.max(0, planned - before - played - elsewhere))} left. Run the same command${isPinned ? '' : ' with --reuse'} to resume ${printable(id)}.`)}`;
}
