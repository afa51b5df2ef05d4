/** @file `ludus score`: scores stored episodes, for the first time or again, without playing them. */

import { formatJudgeUsage, judgedAgainText, otherJudgeText, restoredText, silentJudges } from '@ludus-agents/evaluation/internal/judges';
import type { ScoreMean } from '@ludus-agents/evaluation/internal/measures';
import type { PairwiseMatch } from '@ludus-agents/evaluation/internal/pairwise-run';
import { failureText } from '@ludus-agents/evaluation/internal/scoring/failures';
import { keptResultsText, rescoredText, type ScoringReport, silentScorers } from '@ludus-agents/evaluation/internal/scoring-report';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable, type Seat } from '@ludus-agents/kernel/internal/core/index';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type ScoredRun, score as scoreStored } from '../../library/score.ts';
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
    const { scorers, persona, json, ...options } = input as Options;
    const names = scorers?.split(',').map((name) => name.trim());
    const personas = persona === undefined ? undefined : personasBySeat(persona);
    const { controller, release } = interruptible(terminal, (text) => {
      if (options.against === undefined) terminal.stderr.write(`${text}\n`);
    });
    const request = { ...options, run: args[0], scorers: names, personas, signal: controller.signal };
    const scored = await scoreStored(request, terminal).finally(release);
    if (scored.kind === 'workers' && scored.stopped) return writeStopped(terminal);
    const { kind, ...report } = scored;
    if (json === true) printJson(terminal, kind === 'workers' ? { run: scored.run, scored: scored.scored } : report);
    if (scored.kind === 'episodes') return printScores(scored, { names, json, terminal });
    if (scored.kind === 'pairs') {
      if (json !== true) print(terminal, pairsText(scored), formatJudgeUsage(scored.judge));
      return scored.matches.every(({ winRate }) => winRate === null) ? exits.found : exits.fine;
    }
    if (json !== true) print(terminal, `${count(scored.scored, 'episode')} of ${scored.run} have their scores.`);
    return exits.fine;
  }),
};

function writeStopped(terminal: Terminal): number {
  terminal.stderr.write('Stopped before everything was scored. Existing scores are not changed.\n');
  return exits.interrupted;
}

interface Shown {
  /** The scorers named by the user. */
  readonly names: readonly string[] | undefined;
  readonly json: boolean | undefined;
  readonly terminal: Terminal;
}

function printScores(report: Extract<ScoredRun, { kind: 'episodes' }>, { names, json, terminal }: Shown): number {
  if (json !== true) {
    const rescored = rescoredText(report);
    const before = report.before > 0 ? `; ${formatGrouped(report.before)} already had scores` : '';
    print(
      terminal,
      `${count(report.scored, 'episode')} scored, ${count(report.scores, 'score')}, ${formatGrouped(report.missing)} of them without a value${before}.`,
      ...report.means.map((item) => printable(meanText(item))),
      ...(rescored === null ? [] : [printable(rescored)]),
      ...(report.suite === null && report.results > 0 ? [keptResultsText(report.results)] : []),
      ...(report.judgedByOther > 0 ? [printable(otherJudgeText(report.judges, report.judgedByOther))] : []),
      ...(report.restored > 0 ? [printable(restoredText(report.judges, report.restored))] : []),
      ...(report.judgedAgain > 0 ? [printable(judgedAgainText(report.judges, report.judgedAgain))] : []),
      ...(report.notice === null ? [] : [printable(report.notice)]),
      ...report.judges.map(formatJudgeUsage),
      ...report.failures.map((failure) => printable(failureText(failure))),
    );
  }
  const silent = report.stopped
    ? []
    : [...silentJudges(report.judges, report), ...silentRules(names, report), ...silentScorers(report, names ?? [])];
  for (const sentence of silent) terminal.stderr.write(`${coloursFor(terminal.stderr, terminal.env).red('✗')} ${printable(sentence)}\n`);
  if (report.stopped) return writeStopped(terminal);
  return silent.length > 0 || isAllFailed(report) ? exits.found : exits.fine;
}

function meanText({ name, agent, mean, episodes, parts }: ScoreMean): string {
  const figures = Object.entries(parts).map(([part, value]) => `${part} ${Number(value.toFixed(2))}`);
  return `${name} of ${agent}: ${Number(mean.toFixed(3))} in ${count(episodes, 'episode')}${figures.length === 0 ? '' : ` (${figures.join(', ')})`}`;
}

/** Named rules that apply to no episode produce no scores, which must not look like success. */
function silentRules(names: readonly string[] | undefined, { scored, scores }: ScoringReport): readonly string[] {
  if (names === undefined || scored === 0 || scores > 0) return [];
  return [
    `Nothing was scored: ${names.join(', ')} did not apply to these episodes. See docs/reference/scoring.md for what each scorer needs.`,
  ];
}

/** If every score failed, there is no result. */
function isAllFailed({ scores, failures }: ScoringReport): boolean {
  return scores > 0 && failures.reduce((sum, { count: times }) => sum + times, 0) === scores;
}

function pairsText({ run, against, matches, pairs, reused, unpaired, notice }: Extract<ScoredRun, { kind: 'pairs' }>): string {
  const before = reused === 0 ? '' : ` (${formatGrouped(reused)} judged earlier)`;
  return [
    `${run} against ${against}: ${count(pairs, 'pair')}${before}; ${formatGrouped(unpaired)} without a pair.`,
    ...matches.map(matchText),
    ...(notice === null ? [] : [notice]),
  ]
    .map(printable)
    .join('\n');
}

function matchText(match: PairwiseMatch): string {
  const { agent, other, won, tied, lost, undecided, winRate, interval, pairs, tasks, axes } = match;
  const rate =
    winRate === null
      ? 'no comparison was decided'
      : `wins ${winRate.toFixed(2)} (${interval === null ? 'no interval' : interval.map((x) => x.toFixed(2)).join(' to ')}; alike is 0.50)`;
  const rows = Object.entries(axes).map(
    ([axis, pairwiseCount]) => `  ${axis}: ${pairwiseCount.won} won, ${pairwiseCount.tied} tied, ${pairwiseCount.lost} lost`,
  );
  return [
    `${agent} against ${other}: ${rate}.`,
    `${count(pairs, 'pair')} on ${count(tasks, 'task')}: ${won} won, ${tied} tied, ${lost} lost, ${undecided} undecided.`,
    ...lengthText(match),
    ...rows,
  ].join('\n');
}

/** The win rate at equal length, and the underlying regression. */
function lengthText({ lengthControl, lengthProblem, longerWins, winRate }: PairwiseMatch): readonly string[] {
  if (winRate === null) return [];
  if (lengthControl === null) return [`No length-controlled win rate: ${lengthProblem ?? ''}`];
  const { controlled, interval, strength, strengthError, lengthWeight, lengthError, scale, pull } = lengthControl;
  const longer = longerWins === null ? '' : ` The longer answer won ${(100 * longerWins).toFixed(0)}%.`;
  const pulled = pull === 0 ? '' : ` Length separates wins from losses, so its weight was shrunk toward 0 (ridge ${pull}).`;
  return [
    `At equal length it wins ${controlled.toFixed(2)} (${interval.map((x) => x.toFixed(2)).join(' to ')}).${longer}`,
    `  logit P(win) = ${strength.toFixed(2)} ± ${strengthError.toFixed(2)} + (${lengthWeight.toFixed(2)} ± ${lengthError.toFixed(2)}) · tanh(Δlength / ${Math.round(scale)} characters).${pulled}`,
  ];
}

/** The personas of SEAT=PERSONA. */
function personasBySeat(pairs: readonly string[]): Readonly<Record<Seat, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const cut = pair.indexOf('=');
      if (cut < 1 || cut === pair.length - 1) throw new Fault('input', `--persona: expected SEAT=PERSONA, got "${pair}".`);
      return [pair.slice(0, cut), pair.slice(cut + 1)];
    }),
  );
}
