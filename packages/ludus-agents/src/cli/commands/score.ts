/** @file `ludus score`: stored episodes are scored, or scored again, without being played again. */

import { resolvePersona } from '@ludus-agents/agents/internal/workspace/personas';
import { type FingerprintPlace, Fingerprints } from '@ludus-agents/evaluation/internal/fingerprint';
import {
  formatJudgeUsage,
  judgedAgainText,
  judgesFor,
  judgeUsageOf,
  pairwiseJudge,
  silentJudges,
} from '@ludus-agents/evaluation/internal/judges';
import { loadScorer } from '@ludus-agents/evaluation/internal/loaders';
import { compareRuns, type PairwiseReport } from '@ludus-agents/evaluation/internal/pairwise-run';
import { keptResultsText, rescoredText, type ScoringReport, sceneByLog, scoreRun } from '@ludus-agents/evaluation/internal/score-run';
import { failureText } from '@ludus-agents/evaluation/internal/scoring/failures';
import { readScenes, suiteBehind } from '@ludus-agents/evaluation/internal/suites';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type Json, printable, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { enqueueScoring, type ScoringWork } from '@ludus-agents/servers/internal/fleet/score-jobs';
import { waitForRun } from '@ludus-agents/servers/internal/fleet/wait-for-run';
import { withSharedStore, withWorkerPool } from '@ludus-agents/servers/internal/fleet/with-runner';
import { loadRun, type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { withinBudget } from '../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly scorers?: string;
  readonly suite?: string;
  readonly rubric?: string;
  readonly judge?: string;
  readonly against?: string;
  readonly persona?: readonly string[];
  readonly again?: boolean;
  readonly reuse?: boolean;
  readonly workers?: number;
  readonly json?: boolean;
}

export const score: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    const scorers = options.scorers?.split(',').map((name) => name.trim());
    // A scorer that does not exist or does not load is found out before anything is scored.
    for (const name of scorers ?? []) await loadScorer(name, terminal.cwd, terminal.trust);
    if (options.against !== undefined) return comparePairs(args[0], options, terminal);
    const judges = await judgesFor(options, terminal);
    const personas = await personasBySeat(options.persona ?? [], terminal);
    if (options.workers !== undefined && options.persona !== undefined)
      throw new Fault('input', '--persona only works in this process. Remove --workers.');
    if (options.workers !== undefined) return byWorkers(args[0], options, terminal);
    return withExistingStore(terminal, options, async (store) => {
      const typed = args[0];
      const run = await loadRun(store, typed);
      const suite = await suiteBehind(run.id, options.suite, terminal.cwd, terminal.trust);
      const sceneOf = suite === null ? () => null : sceneByLog(suite, await readScenes(suite, terminal.cwd, terminal.trust));
      const { controller, release } = interruptible(terminal, (text) => terminal.stderr.write(`${text}\n`));
      const report = await scoreRun({
        trust: terminal.trust,
        ...{ store, run: run.id, suite, sceneOf, scorers, judges, personas, again: options.again, reuse: options.reuse, cwd: terminal.cwd },
        options: { signal: controller.signal },
      }).finally(release);
      if (options.json === true) printJson(terminal, { run: run.id, suite: suite?.name ?? null, ...report, judges: judgeUsageOf(judges) });
      else {
        const rescored = rescoredText(report);
        const before = report.before > 0 ? `; ${formatGrouped(report.before)} had theirs before` : '';
        print(
          terminal,
          `${count(report.scored, 'episode')} scored, ${count(report.scores, 'score')}, ${formatGrouped(report.missing)} of them without a value${before}.`,
          ...(rescored === null ? [] : [printable(rescored)]),
          ...(suite === null && report.results > 0 ? [keptResultsText(report.results)] : []),
          ...(report.judgedAgain > 0 ? [printable(judgedAgainText(judgeUsageOf(judges), report.judgedAgain))] : []),
          ...judgeUsageOf(judges).map(formatJudgeUsage),
          ...report.failures.map((failure) => printable(failureText(failure))),
        );
      }
      const silent = report.stopped ? [] : [...silentJudges(judgeUsageOf(judges), report), ...silentRules(scorers, report)];
      for (const sentence of silent)
        terminal.stderr.write(`${coloursFor(terminal.stderr, terminal.env).red('✗')} ${printable(sentence)}\n`);
      if (report.stopped) terminal.stderr.write('Stopped before everything was scored. Existing scores are kept.\n');
      if (report.stopped) return exits.interrupted;
      return silent.length > 0 || isAllFailed(report) ? exits.found : exits.fine;
    });
  }),
};

/** Rules that were asked for by name and apply to no episode leave nothing behind, which is not to pass for work done. */
function silentRules(names: readonly string[] | undefined, { scored, scores }: ScoringReport): readonly string[] {
  if (names === undefined || scored === 0 || scores > 0) return [];
  return [
    `Nothing was scored: ${names.join(', ')} did not apply to these episodes. See docs/reference/scoring.md for what each scorer needs.`,
  ];
}

/** Where every score failed, nothing was found out. */
function isAllFailed({ scores, failures }: ScoringReport): boolean {
  return scores > 0 && failures.reduce((sum, { count: times }) => sum + times, 0) === scores;
}

/** A pairwise judge over the episodes of two runs. */
async function comparePairs(typed: string, options: Options, terminal: Terminal): Promise<number> {
  const judge = await pairwiseJudge(options, terminal);
  return withExistingStore(terminal, options, async (store) => {
    const run = (await loadRun(store, typed)).id;
    const against = options.against === 'source' ? 'source' : (await loadRun(store, options.against!)).id;
    const { controller, release } = interruptible(terminal);
    const report = await compareRuns({ store, run, against, judge, signal: controller.signal }).finally(release);
    const [usage] = judgeUsageOf([judge]);
    if (options.json === true) printJson(terminal, { run, against, judge: usage, ...report });
    else print(terminal, pairsText(run, against, report), formatJudgeUsage(usage!));
    return report.winRate === null ? exits.found : exits.fine;
  });
}

function pairsText(run: string, against: string, report: PairwiseReport): string {
  const { won, tied, lost, undecided, unpaired, winRate, interval, pairs, axes } = report;
  const rate =
    winRate === null
      ? 'nothing was decided'
      : `wins ${winRate.toFixed(2)} (${interval!.map((x) => x.toFixed(2)).join(' to ')}; alike is 0.50)`;
  const rows = Object.entries(axes).map(
    ([axis, pairwiseCount]) => `  ${axis}: ${pairwiseCount.won} won, ${pairwiseCount.tied} tied, ${pairwiseCount.lost} lost`,
  );
  return [
    `${run} against ${against}: ${rate}.`,
    `${count(pairs, 'pair')}: ${won} won, ${tied} tied, ${lost} lost, ${undecided} undecided; ${formatGrouped(unpaired)} without a pair.`,
    ...lengthText(report),
    ...rows,
  ].join('\n');
}

/** The win rate at equal length, and the regression that it comes from. */
function lengthText({ lengthControl, lengthProblem, longerWins, winRate }: PairwiseReport): readonly string[] {
  if (winRate === null) return [];
  if (lengthControl === null) return [`No length-controlled win rate: ${lengthProblem ?? ''}`];
  const { controlled, interval, strength, strengthError, lengthWeight, lengthError, scale, pull } = lengthControl;
  const longer = longerWins === null ? '' : ` The longer answer won ${(100 * longerWins).toFixed(0)}%.`;
  const pulled = pull === 0 ? '' : ` Length separates wins from losses, so its weight was pulled towards 0 (ridge ${pull}).`;
  return [
    `At equal length it wins ${controlled.toFixed(2)} (${interval.map((x) => x.toFixed(2)).join(' to ')}).${longer}`,
    `  logit P(win) = ${strength.toFixed(2)} ± ${strengthError.toFixed(2)} + (${lengthWeight.toFixed(2)} ± ${lengthError.toFixed(2)}) · tanh(Δlength / ${Math.round(scale)} characters).${pulled}`,
  ];
}

/** The personas of SEAT=PERSONA. */
async function personasBySeat(pairs: readonly string[], terminal: Terminal): Promise<Readonly<Record<Seat, Json>>> {
  const personas: Record<Seat, Json> = {};
  for (const pair of pairs) {
    const cut = pair.indexOf('=');
    if (cut < 1 || cut === pair.length - 1) throw new Fault('input', `--persona: expected SEAT=PERSONA, got "${pair}".`);
    personas[pair.slice(0, cut)] = (await resolvePersona(pair.slice(cut + 1), terminal)).persona as Json;
  }
  return personas;
}

/** The same by workers, some episodes at a time. */
function byWorkers(typed: string, options: Options, terminal: Terminal): Promise<number> {
  const { suite, scorers, rubric, judge, again, reuse, workers = 0 } = options;
  const named = scorers?.split(',').map((name) => name.trim());
  const input = { suite, scorers: named, rubric, judge, again, reuse };
  const work = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as ScoringWork;
  return withSharedStore(terminal, options, async (sharedStore, where) => {
    const run = await loadRun(sharedStore.store, typed);
    const { controller, release } = interruptible(terminal, (text) => terminal.stderr.write(`${text}\n`));
    try {
      const versions = await scorerVersions(run.id, { suite, scorers: named }, terminal);
      const scored = await enqueueScoring(sharedStore, run.id, versions.length === 0 ? work : { ...work, versions });
      await withWorkerPool({ where, cwd: terminal.cwd, workers }, async (hired) => {
        if (workers > 0) hired(2);
        await waitForRun(sharedStore, run.id, controller.signal);
      });
      if (options.json === true) printJson(terminal, { run: run.id, scored });
      else print(terminal, `${count(scored, 'episode')} of ${run.id} have their scores.`);
      return exits.fine;
    } catch (thrown) {
      if (!controller.signal.aborted) throw thrown;
      await sharedStore.jobs.callOff(run.id);
      terminal.stderr.write('Stopped before everything was scored. Existing scores are kept.\n');
      return exits.interrupted;
    } finally {
      release();
    }
  });
}

/** Fingerprints of the scorers that are files: what workers have scored by others is scored again. */
async function scorerVersions(
  run: string,
  { suite: typed, scorers = [] }: { readonly suite: string | undefined; readonly scorers: readonly string[] | undefined },
  { cwd, trust }: FingerprintPlace,
): Promise<readonly string[]> {
  const suite = await suiteBehind(run, typed, cwd, trust);
  const names = new Set([...scorers, ...(suite?.scenes ?? []).flatMap(({ score: deciding, also }) => [deciding, ...also])]);
  const prints = new Fingerprints({ cwd, trust });
  const fingerprints = await Promise.all([...names].map((name) => prints.scorer(name)));
  return fingerprints.flatMap((print) => print?.hash ?? []);
}
