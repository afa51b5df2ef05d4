/**
 * @file `ludus eval`: agents and null agents play a suite on the same seeds; scored by rules, reported with floors and intervals.
 */

import { readConfigIn } from '@ludus-agents/agents/internal/workspace/config';
import { earlierText } from '@ludus-agents/agents/internal/workspace/versions';
import { caseGroupsIn } from '@ludus-agents/desk/internal/case-groups';
import { faultsIn } from '@ludus-agents/desk/internal/found-faults';
import { risksIn } from '@ludus-agents/desk/internal/risks';
import { adaptationIn } from '@ludus-agents/evaluation/internal/adaptation';
import { calibrationIn } from '@ludus-agents/evaluation/internal/calibration';
import { readCaseResults } from '@ludus-agents/evaluation/internal/cases/case-results';
import type { CaseFileOptions } from '@ludus-agents/evaluation/internal/cases/case-suite';
import { callsFailed, type EvaluateReport, evaluateRun, failedAgentText, planEvaluation } from '@ludus-agents/evaluation/internal/evaluate';
import { likenessNote, likenessOfRun } from '@ludus-agents/evaluation/internal/human-likeness';
import {
  formatJudgeUsage,
  judgedAgainText,
  judgesFor,
  otherJudgeText,
  restoredText,
  silentJudges,
} from '@ludus-agents/evaluation/internal/judges';
import { loadSuite } from '@ludus-agents/evaluation/internal/loaders';
import { measuresIn } from '@ludus-agents/evaluation/internal/measures';
import { failureText } from '@ludus-agents/evaluation/internal/scoring/failures';
import { chooseOver, type Over } from '@ludus-agents/evaluation/internal/scoring/statistics/estimator';
import type { Suite } from '@ludus-agents/evaluation/internal/scoring/suites/suite';
import { rescoredText, silentScorers } from '@ludus-agents/evaluation/internal/scoring-report';
import { readSpeaking, speakingText } from '@ludus-agents/evaluation/internal/speaking';
import { callsModels, contestants } from '@ludus-agents/evaluation/internal/suites';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import { findRun, type StoreOptions, storeExists, withExistingStore } from '@ludus-agents/store/internal/stores';
import { caseOptionsIn } from '../case-options.ts';
import { type CommandRun, exits } from '../command.ts';
import { confirm } from '../confirm.ts';
import { modelOptions } from '../model-options.ts';
import { coloursFor } from '../render/colours.ts';
import { adaptationText, calibrationText, caseGroupsText, caseResultsText, faultsText, measuresText } from '../render/evaluation.ts';
import { progressLine } from '../render/progress.ts';
import { risksText } from '../render/risks.ts';
import { standingsText } from '../render/standings.ts';
import { noticeChanges, otherSeedsText } from '../render/version-changes.ts';
import { budgetOf, type SpendingOptions } from '../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../terminal.ts';
import { show } from './show.ts';

interface Options extends StoreOptions, SpendingOptions, CaseFileOptions {
  readonly agents?: string;
  readonly seeds?: number;
  readonly concurrency?: number;
  readonly over?: Over;
  readonly workers?: number;
  readonly rubric?: string;
  readonly humans?: string;
  readonly judge?: string;
  readonly retry?: boolean;
  readonly reuse?: boolean;
  readonly run?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const evaluate: CommandRun = {
  async run(call) {
    const { args, options: input, terminal } = call;
    const options = input as Options;
    modelOptions(input, terminal.env);
    const suite = await loadSuite(args[0], terminal.cwd, terminal.trust, caseOptionsIn(options)).catch(async (fault: unknown) => {
      const run = await storedRun(args[0], options, terminal);
      if (run === null) throw fault;
      return run;
    });
    if (typeof suite === 'string') return show.run({ ...call, args: [suite] });
    const tested = await contestants(options.agents, terminal.cwd, terminal.trust);
    const judges = await judgesFor(options, terminal);
    const humans = options.humans ?? (await readConfigIn(terminal.cwd)).test?.humans;
    const evaluation = {
      trust: terminal.trust,
      ...{ suite, agents: tested, judges, cwd: terminal.cwd },
      ...{
        seeds: options.seeds,
        over: options.over,
        concurrency: options.concurrency,
        retry: options.retry,
        run: options.run,
        reuse: options.reuse,
      },
      budget: budgetOf(options),
    };
    // Errors are found before the user is asked to approve the cost.
    await planEvaluation(evaluation);
    const places = suite.scenes.flatMap(({ name, tasks }) => tasks.map((_, i) => ({ scene: name, task: String(i) })));
    if (options.over !== undefined) chooseOver(places, options.over);
    const graded = suite.scenes.some(({ score }) => score.startsWith('grader=') && !score.startsWith('grader=fake'));
    const usesModels = graded || tested.some(callsModels) || (judges.length > 0 && options.judge?.startsWith('fake') !== true);
    if (usesModels && options.yes !== true && !(await confirm(terminal, 'Models will be called. Start?'))) return exits.interrupted;
    return withRunner(terminal, options, async (store, perform) => {
      const began = performance.now();
      const line = progressLine(terminal);
      const { controller, release } = interruptible(terminal, line.note);
      const {
        report,
        scored,
        tested: names,
      } = await evaluateRun({
        ...{ ...evaluation, store, perform, signal: controller.signal },
        onProgress: line.tell,
        onChanges: (changes, run) => noticeChanges(terminal, changes, run),
      }).finally(() => {
        line.done();
        release();
      });
      const fault = callsFailed(report);
      if (fault !== null) throw fault;
      const seconds = (performance.now() - began) / 1000;
      const faults = faultsIn(scored, names);
      const all = [...new Set([...names, ...suite.nulls])];
      const calibration = calibrationIn(scored, all);
      const adaptation = adaptationIn(scored, all);
      const measures = measuresIn(scored, all);
      const risks = faults.length === 0 ? [] : risksIn(scored, names);
      const groups = caseGroupsIn(scored, names);
      const cases = await readCaseResults(store, scored, names);
      const likeness = await likenessOfRun(store, scored.records.values(), humans, terminal.cwd);
      const speaking = await readSpeaking(store, scored.records.values(), [...names, ...suite.nulls]);
      const extra = {
        ...(faults.length === 0 ? {} : { faults, risks }),
        ...(groups.length === 0 ? {} : { groups }),
        ...(cases.length === 0 ? {} : { cases }),
        ...(speaking.length === 0 ? {} : { speaking }),
        ...(calibration.length === 0 ? {} : { calibration }),
        ...(adaptation.length === 0 ? {} : { adaptation }),
        ...(measures.length === 0 ? {} : { measures }),
        ...(likeness === null ? {} : { likeness }),
      };
      if (options.json === true) printJson(terminal, { ...report, ...extra, seconds });
      else {
        print(terminal, standingsText(report, { terminal, title: suite.name, about: suite.about, k: suite.k }));
        if (faults.length > 0) print(terminal, '', faultsText(faults, terminal), '', risksText(risks, terminal));
        if (groups.length > 0) print(terminal, '', caseGroupsText(groups, terminal));
        if (cases.length > 0) print(terminal, '', caseResultsText(cases, terminal));
        if (measures.length > 0) print(terminal, '', measuresText(measures, terminal));
        for (const agreement of speaking) print(terminal, '', printable(speakingText(agreement)));
        if (likeness !== null) print(terminal, '', printable(likenessNote(likeness)));
        if (calibration.length > 0) print(terminal, '', calibrationText(calibration, terminal));
        if (adaptation.length > 0) print(terminal, '', adaptationText(adaptation, terminal));
        for (const judge of report.judges) print(terminal, '', formatJudgeUsage(judge));
        closing(terminal, report);
      }
      const problems = problemsIn(report, suite);
      for (const problem of problems)
        terminal.stderr.write(`${coloursFor(terminal.stderr, terminal.env).red('✗')} ${printable(problem)}\n`);
      if (report.stopped === 'signal') return exits.interrupted;
      // A suite stopped by a budget is incomplete, regardless of results so far.
      return problems.length > 0 || report.ends.error > 0 || report.stopped !== null ? exits.found : exits.fine;
    });
  },
};

/** The ID of a run that is named instead of a suite, for example an imported one; null if there is no such run. */
async function storedRun(name: string, options: Options, terminal: Terminal): Promise<string | null> {
  if (!storeExists(terminal, options)) return null;
  const run = await withExistingStore(terminal, options, (store) => findRun(store, name));
  if (run === null) return null;
  const playing = (['agents', 'seeds', 'run', 'over', 'rubric', 'judge', 'retry', 'workers'] as const).find((option) => options[option]);
  if (playing !== undefined)
    throw new Fault(
      'input',
      `--${playing}: ${run.id} is a stored run, and eval only shows its results. Name a suite to play, or use "ludus score" to score the run again.`,
    );
  return run.id;
}

/** Failures of the evaluation: agents that never finished an episode, and judges without a single answer. */
function problemsIn({ failed, judges, scoring }: EvaluateReport, { scenes }: Suite): readonly string[] {
  const all = failed.map(failedAgentText);
  return scoring === null || scoring.stopped
    ? all
    : [
        ...all,
        ...silentJudges(judges, scoring),
        ...(failed.length > 0
          ? []
          : silentScorers(
              scoring,
              scenes.map(({ score }) => score),
            )),
      ];
}

function closing(terminal: Terminal, report: EvaluateReport): void {
  const { run, played, before, earlier, otherSeeds, unpinned, stopped, why, scoring, judges } = report;
  const colours = coloursFor(terminal.stderr, terminal.env);
  const facts = `${count(played, 'episode')} played${before > 0 ? `, ${formatGrouped(before)} already stored` : ''}. ludus report ${run} -o report.html`;
  terminal.stderr.write(`${colours.faint(facts)}\n`);
  if (otherSeeds > 0) terminal.stderr.write(`${colours.faint(otherSeedsText(otherSeeds))}\n`);
  if (earlier > 0) terminal.stderr.write(`${colours.faint(earlierText(earlier))}\n`);
  const { judgedAgain = 0, judgedByOther = 0, restored = 0 } = scoring ?? {};
  const rescored = scoring === null ? null : rescoredText(scoring);
  if (rescored !== null) terminal.stderr.write(`${colours.yellow(printable(rescored))}\n`);
  if (judgedByOther > 0) terminal.stderr.write(`${colours.yellow(printable(otherJudgeText(judges, judgedByOther)))}\n`);
  if (restored > 0) terminal.stderr.write(`${colours.faint(printable(restoredText(judges, restored)))}\n`);
  if (judgedAgain > 0) terminal.stderr.write(`${colours.yellow(printable(judgedAgainText(judges, judgedAgain)))}\n`);
  for (const failure of scoring?.failures ?? []) terminal.stderr.write(`${colours.yellow(printable(failureText(failure)))}\n`);
  if (why !== undefined) terminal.stderr.write(`${colours.yellow(printable(why))}\n`);
  const again = Object.keys(unpinned).length === 0 ? '' : ' with --reuse';
  if (stopped !== null)
    terminal.stderr.write(`${colours.yellow(`Stopped before the suite was done; run the same command${again} to resume.`)}\n`);
}
