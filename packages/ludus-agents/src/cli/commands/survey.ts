/** @file `ludus survey`: asks people of a population a questionnaire; repeating the command asks only those who have not answered. */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { loadEnvironment, loadPopulation } from '@ludus-agents/agents/internal/workspace/loaders';
import { writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { currentTally } from '@ludus-agents/evaluation/internal/current-versions';
import { planVersions } from '@ludus-agents/evaluation/internal/plan-versions';
import { count, duration, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type Json, printable } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { loadPlanTasks } from '@ludus-agents/kernel/internal/engine/plan';
import type { RunReport } from '@ludus-agents/kernel/internal/engine/run';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import { limitYoungGeneration } from '@ludus-agents/servers/internal/fleet/young-generation';
import { type AnswerRow, readAnswers } from '@ludus-agents/societies/internal/surveys/answers';
import { checkSentences, disclosureSentence, panelSentences } from '@ludus-agents/societies/internal/surveys/check-sentences';
import { checkInstrument, disclosedItems } from '@ludus-agents/societies/internal/surveys/checks';
import { estimateSurvey } from '@ludus-agents/societies/internal/surveys/estimate';
import { type AnswerFiles, writeAnswers } from '@ludus-agents/societies/internal/surveys/files';
import { surveyPage } from '@ludus-agents/societies/internal/surveys/page';
import { panelChanges } from '@ludus-agents/societies/internal/surveys/panel';
import { planSurvey, type SurveyPlan, surveyAgent } from '@ludus-agents/societies/internal/surveys/plan';
import { keepWeights } from '@ludus-agents/societies/internal/surveys/stored-survey';
import { itemTables } from '@ludus-agents/societies/internal/surveys/tables';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { askPeople } from '../../library/interviews.ts';
import { readText } from '../../library/refs.ts';
import { type CommandRun, exits } from '../command.ts';
import { confirm } from '../confirm.ts';
import { modelOptions } from '../model-options.ts';
import { coloursFor } from '../render/colours.ts';
import { moneyWords, spanWords } from '../render/estimate.ts';
import { checksText, tablesText } from '../render/survey.ts';
import { noticeChanges, withNotices } from '../render/version-changes.ts';
import { budgetOf, type SpendingOptions } from '../spending.ts';
import { print, printJson, type Terminal } from '../terminal.ts';
import { interviewsAt, noteUsualAgent } from './survey/ask.ts';

interface Options extends StoreOptions, SpendingOptions {
  readonly population?: string;
  readonly number?: number;
  readonly agent?: string;
  readonly output?: string;
  readonly report?: string;
  readonly by?: string;
  readonly seed?: number;
  readonly chance?: boolean;
  readonly fresh?: boolean;
  readonly tell?: string;
  readonly concurrency?: number;
  readonly workers?: number;
  readonly retry?: boolean;
  readonly reuse?: boolean;
  readonly estimate?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const survey: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    modelOptions(input, terminal.env);
    limitYoungGeneration(options.concurrency ?? 0);
    const survey = await surveyFrom(args[0], options, terminal);
    const attributes = Object.keys(survey.people.attributes[0] ?? {});
    if (options.by !== undefined && !attributes.includes(options.by))
      throw new Fault(
        'input',
        `--by: unknown attribute "${options.by}". Available: ${attributes.join(', ')}.${didYouMean(options.by, attributes)}`,
        { code: 'E_UNKNOWN_NAME' },
      );
    const make = createAgentLoader(createAgentServices(terminal.cwd, terminal.trust));
    // A missing agent is reported before anyone is asked.
    const [first] = survey.plan.casts;
    await make(first?.['respondent'] as never, 'respondent', await builtInEnvironment('survey'));
    return withRunner(terminal, withNotices(terminal, options), async (store, perform) => {
      const planned = {
        plan: survey.plan,
        sheet: await loadPlanTasks(survey.plan, (name) => loadEnvironment(name, terminal.cwd, terminal.trust)),
      };
      const versions = await planVersions([planned], {
        store,
        run: survey.run,
        cwd: terminal.cwd,
        trust: terminal.trust,
        reuse: options.reuse,
        named: { what: 'questionnaire', name: survey.instrument.name, prefix: `survey-${survey.instrument.name}-` },
      });
      noticeChanges(
        terminal,
        versions.changes.filter(({ since }) => since !== undefined),
        survey.run,
      );
      const { tallies } = await currentTally(store, survey.run, versions.current);
      const ended = tallies.reduce((sum, { status, count: episodes }) => sum + (status === 'running' ? 0 : episodes), 0);
      const agents = createAgentServices(terminal.cwd, terminal.trust);
      const estimate = await estimateSurvey(survey, { env: terminal.env, ended, agents });
      const called = estimate.calls.high > 0;
      const takes = called ? `about ${spanWords(estimate.calls)} model calls; ${moneyWords(estimate)}` : 'no model is called';
      terminal.stderr.write(
        `${printable(survey.run)} · ${count(estimate.episodes, 'interview')} to do${ended > 0 ? `, ${formatGrouped(ended)} done before` : ''} · ${takes}\n`,
      );
      noteUsualAgent(options.agent, terminal);
      for (const item of disclosedItems(survey.instrument.items, attributes))
        terminal.stderr.write(`${coloursFor(terminal.stderr, terminal.env).yellow(printable(disclosureSentence(item)))}\n`);
      if (options.estimate === true) {
        if (options.json === true) printJson(terminal, { run: survey.run, people: survey.people.personas.length, done: ended, estimate });
        return exits.fine;
      }
      if (called && options.yes !== true && !(await confirm(terminal, 'Models will be called. Start?'))) return exits.interrupted;
      const began = performance.now();
      const { concurrency, retry } = options;
      const interviews = interviewsAt(terminal);
      const asking = { concurrency, retry, budget: budgetOf(options), ...interviews.hooks };
      const report = await askPeople(survey, { store, perform, place: terminal, options: asking }).finally(interviews.done);
      await keepWeights(survey, store);
      const rows = await readAnswers(survey, store);
      const written: AnswerFiles =
        options.output === undefined
          ? { files: [], programs: {} }
          : await writeAnswers(options.output, rows, survey.instrument, terminal.cwd);
      const isPinned = versions.unpinned.size === 0;
      return printSurvey({ survey, report, rows, written, options, isPinned, seconds: (performance.now() - began) / 1000 }, terminal);
    });
  },
};

async function surveyFrom(file: string, options: Options, terminal: Terminal): Promise<SurveyPlan> {
  const where = `The questionnaire ${file === '-' ? 'from standard input' : file}`;
  if (options.population === undefined)
    throw new Fault('input', 'A survey needs people. Pass a population with --population, such as customers, ./spec.json, or people.csv.');
  const questionnaire: Json = jsonFrom(await readText(file, terminal, 'The questionnaire'), where);
  return planSurvey({
    questionnaire,
    population: await loadPopulation(options.population, terminal.cwd, terminal.trust),
    number: options.number ?? 100,
    seed: options.seed ?? 0,
    agent: await readSpec(surveyAgent(options.agent ?? 'fake'), terminal.cwd, terminal.trust),
    exact: options.chance !== true,
    fresh: options.fresh === true,
    told: options.tell ?? '',
  });
}

interface Told {
  readonly survey: SurveyPlan;
  readonly report: RunReport;
  readonly rows: readonly AnswerRow[];
  readonly written: AnswerFiles;
  readonly options: Options;
  readonly seconds: number;
  /** Whether the same command resumes it without --reuse. */
  readonly isPinned: boolean;
}

function printSurvey({ survey, report, rows, written, options, seconds, isPinned }: Told, terminal: Terminal): number {
  const { instrument, people } = survey;
  const labels = (item: string) => instrument.items.find(({ id }) => id === item)?.options ?? [];
  const tables = itemTables(rows, { labels, ...(options.by === undefined ? {} : { by: options.by }) });
  // The checks look at a person once: in a panel, at its first wave.
  const [first] = instrument.waves;
  const checks = checkInstrument(
    instrument,
    first === undefined ? rows : rows.filter(({ wave }) => wave === first.name),
    options.seed ?? 0,
  );
  const panel = panelChanges(instrument, rows);
  const statement = { checks: checkSentences(checks, instrument), changes: panelSentences(panel) };
  const missing = rows.filter(({ status }) => status === 'missing').length;
  const fit = people.report.map(({ of, exact, difference, fit: chance }) => ({
    of,
    exact,
    difference,
    chiSquare: chance.statistic,
    p: chance.p,
  }));
  const { designEffect, effective } = people.weighting;
  const files = [...written.files];
  if (options.report !== undefined) {
    const groups = options.by === undefined ? Object.keys(people.attributes[0] ?? {}) : [options.by];
    const crosstabs = groups.map((by) => ({ by, tables: itemTables(rows, { labels, by }) }));
    const { programs } = written;
    const all = itemTables(rows, { labels });
    const page = { run: survey.run, people: people.personas.length, effective, missing, instrument, tables: all, crosstabs, programs };
    writeOut(options.report, surveyPage({ ...page, ...statement }), terminal.cwd);
    files.push(options.report);
  }
  const common = { run: survey.run, people: people.personas.length, items: instrument.items.length, rows: rows.length, missing };
  const done = { played: report.played, before: report.before, stopped: report.stopped, spent: report.spent, seconds, files };
  if (options.json === true) printJson(terminal, { ...common, ...done, fit, weights: { designEffect, effective }, tables, checks, panel });
  else print(terminal, tablesText(tables, terminal), '', checksText(statement.checks, statement.changes, terminal));
  const colours = coloursFor(terminal.stderr, terminal.env);
  const facts = [`${count(report.played, 'interview')} in ${duration(seconds)}`];
  if (report.before > 0) facts.push(`${formatGrouped(report.before)} already stored`);
  if (files.length > 0) facts.push(`${files.join(', ')} written`);
  terminal.stderr.write(`${facts.join(' · ')}\n`);
  if (report.why !== undefined) terminal.stderr.write(`${colours.yellow(printable(report.why))}\n`);
  if (missing > 0)
    terminal.stderr.write(
      `${colours.yellow(`${formatGrouped(missing)} of ${formatGrouped(rows.length)} answers are missing. Run the same command${isPinned ? '' : ' with --reuse'} to continue${report.ends.error > 0 ? '; add --retry to repeat failed ones' : ''}.`)}\n`,
    );
  if (report.stopped === 'signal') return exits.interrupted;
  return missing > 0 ? exits.found : exits.fine;
}
