/** @file `ludus test`: a release gate. Plays a suite, decides by rules, and sets the exit code; JUnit, Markdown, and HTML explain it. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfigIn, type TestConfig } from '@ludus-agents/agents/internal/workspace/config';
import { type GateReport, type GateResult, gateResults, readResults } from '@ludus-agents/desk/internal/gate';
import { customersText, gateMarkdown, gatePage, junitOf, passedText, uncheckedText } from '@ludus-agents/desk/internal/gate-texts';
import { checkGateRules, gateRunName, playGate } from '@ludus-agents/desk/internal/play-gate';
import { callsFailed, planEvaluation } from '@ludus-agents/evaluation/internal/evaluate';
import { likenessNote, likenessOfRun, type RunLikeness } from '@ludus-agents/evaluation/internal/human-likeness';
import { loadSuite } from '@ludus-agents/evaluation/internal/loaders';
import { callsModels, contestants } from '@ludus-agents/evaluation/internal/suites';
import { Fault, type Json, printable, type Store } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { brief, findRun, type StoreOptions } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../command.ts';
import { confirm } from '../confirm.ts';
import { modelOptions } from '../model-options.ts';
import { coloursFor } from '../render/colours.ts';
import { progressLine } from '../render/progress.ts';
import { budgetOf, type SpendingOptions } from '../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions, SpendingOptions {
  readonly agents?: string;
  readonly seeds?: number;
  readonly failUnder?: number;
  readonly mustPass?: readonly string[];
  /** True without --no-worse-than: the parser treats names that start with "no" as negations. */
  readonly worseThan?: string | true;
  readonly margin?: number;
  readonly strict?: boolean;
  readonly allowFault?: readonly string[];
  readonly junit?: string;
  readonly markdown?: string;
  readonly html?: string;
  readonly save?: string;
  readonly humans?: string;
  readonly run?: string;
  readonly concurrency?: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const test: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    modelOptions(input, terminal.env);
    const { test: config = {} } = await readConfigIn(terminal.cwd);
    const named = args[0] ?? config.suite;
    if (named === undefined)
      throw new Fault('input', 'No suite or desk to test. Name one, or set test: { suite, agents } in ludus.config.');
    const suite = await loadSuite(named, terminal.cwd, terminal.trust);
    const agents = await contestants(options.agents ?? config.agents?.join(','), terminal.cwd, terminal.trust);
    if (agents.length === 0)
      throw new Fault('input', 'No agent to test. Pass --agents ./bot.json, or set "agents" under "test" in ludus.config.', {
        code: 'E_MISSING_OPTION',
      });
    const rules = rulesOf(options, config);
    checkGateRules(rules, suite);
    const run = options.run ?? gateRunName(suite);
    const evaluation = {
      trust: terminal.trust,
      ...{ suite, agents, run, cwd: terminal.cwd, floors: false, seeds: options.seeds ?? config.seeds },
      ...{ concurrency: options.concurrency, budget: budgetOf(options) },
    };
    await planEvaluation(evaluation);
    if (agents.some(callsModels) && options.yes !== true && !(await confirm(terminal, 'Models will be called. Start?')))
      return exits.interrupted;
    return withRunner(terminal, options, async (store, perform) => {
      const began = Date.now();
      const baseline = await baselineOf(store, wantedBaseline(options, config), { agent: agents[0]?.name, terminal });
      const line = progressLine(terminal);
      const { controller, release } = interruptible(terminal, line.note);
      const {
        report: played,
        scored,
        reports,
      } = await playGate(
        { ...evaluation, store, perform, signal: controller.signal, onProgress: line.tell },
        { ...rules, baseline },
      ).finally(() => {
        line.done();
        release();
      });
      const fault = callsFailed(played);
      if (fault !== null) throw fault;
      if (played.stopped !== null) {
        if (played.why !== undefined) terminal.stderr.write(`${printable(played.why)}\n`);
        terminal.stderr.write(
          'Stopped before the suite was finished, so there is no verdict. Run the same command with --run to resume.\n',
        );
        return played.stopped === 'signal' ? exits.interrupted : exits.found;
      }
      const seconds = (Date.now() - began) / 1000;
      const likeness = await likenessOfRun(store, scored.records.values(), options.humans ?? config.humans, terminal.cwd);
      deliver(reports, seconds, { options, terminal, likeness });
      return reports.every(({ passed }) => passed) ? exits.fine : exits.found;
    });
  },
};

function rulesOf(options: Options, config: TestConfig) {
  return {
    failUnder: options.failUnder ?? config.failUnder,
    mustPass: options.mustPass ?? config.mustPass,
    allowFaults: options.allowFault ?? config.allowFaults,
    margin: options.margin ?? config.margin,
    strict: options.strict,
  };
}

function wantedBaseline({ worseThan }: Options, { noWorseThan }: TestConfig): string | undefined {
  return typeof worseThan === 'string' ? worseThan : noWorseThan;
}

interface BaselineContext {
  readonly agent: string | undefined;
  readonly terminal: Terminal;
}

/** A file of results, or a run in the store. */
async function baselineOf(store: Store, name: string | undefined, { agent, terminal }: BaselineContext) {
  if (name === undefined) return undefined;
  if (/\.json$/.test(name)) return { name, results: readSaved(name, terminal.cwd) };
  const run = await findRun(store, name);
  if (run === null)
    throw new Fault(
      'input',
      `--no-worse-than ${name}: no such run in this store. To use a file of results, pass a .json file written by --save.`,
    );
  return { name, results: (await readResults(store, run.id, agent)).results };
}

function readSaved(name: string, cwd: string): readonly GateResult[] {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, name), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `${name} cannot be read: ${reasonOf(thrown)}. Create it with "ludus test --save ${name}".`, {
      code: 'E_UNREADABLE_FILE',
    });
  }
  const read = jsonFrom(text, name) as Json;
  const results = isObject(read) ? read['results'] : undefined;
  const fits = (item: Json) =>
    isObject(item) &&
    typeof item['scene'] === 'string' &&
    typeof item['task'] === 'string' &&
    Array.isArray(item['values']) &&
    item['values'].every((value: Json) => typeof value === 'number');
  if (!Array.isArray(results) || !results.every(fits))
    throw new Fault('input', `${name} contains no results. Create it with "ludus test --save ${name}".`, { code: 'E_INVALID_DOCUMENT' });
  return results;
}

function deliver(
  reports: readonly GateReport[],
  seconds: number,
  { options, terminal, likeness }: { readonly options: Options; readonly terminal: Terminal; readonly likeness: RunLikeness | null },
): void {
  const write = (file: string | undefined, text: () => string) => {
    if (file !== undefined) writeFileAtomicSync(resolve(terminal.cwd, file), text());
  };
  const note = likeness === null ? '' : likenessNote(likeness);
  write(options.junit, () => junitOf(reports, seconds, note));
  write(options.markdown, () => `${gateMarkdown(reports)}${note === '' ? '' : `\n${note}\n`}`);
  write(options.html, () => gatePage(reports, note));
  const first = reports[0];
  if (first !== undefined)
    write(options.save, () => `${JSON.stringify({ suite: first.suite, agent: first.agent, results: gateResults(first) }, null, 1)}\n`);
  if (options.json === true) {
    printJson(terminal, { passed: reports.every(({ passed }) => passed), reports, ...(likeness === null ? {} : { likeness }), seconds });
    return;
  }
  const colours = coloursFor(terminal.stdout, terminal.env);
  const mark = (ok: boolean) => (ok ? colours.green('✓') : colours.red('✗'));
  for (const report of reports) {
    const failed = report.tasks.filter(({ passes, tries }) => passes < tries);
    print(
      terminal,
      `${mark(report.passed)} ${colours.bold(printable(report.agent))} at ${printable(report.suite)}: ${passedText(report)}`,
      ...report.rules.map(({ rule, ok, says }) => `  ${mark(ok)} ${printable(rule)}: ${printable(says)}`),
      ...failed
        .slice(0, 15)
        .flatMap(({ scene, task, passes, tries, failures }) => [
          `  ${colours.yellow('·')} ${printable(`${scene} / ${task}`)} passed ${passes} of ${tries}${failures[0] === undefined ? '' : ` (${brief(failures[0].episode)}): ${printable(failures[0].reason)}`}`,
          ...(failures[0]?.quotes ?? []).slice(0, 2).map(({ quote }) => colours.faint(`      “${printable(quote)}”`)),
        ]),
      ...(failed.length > 15 ? [`  and ${failed.length - 15} more; use --markdown, --html, or --json to see all`] : []),
      ...(failed[0]?.failures[0] === undefined
        ? []
        : [colours.faint(`  Read a conversation: ludus show ${brief(failed[0].failures[0].episode)}`)]),
      ...(report.flaky.length === 0 ? [] : [`  Flaky: ${printable(report.flaky.join(', '))}`]),
      ...report.risks
        .filter(({ kind }) => kind === 'all')
        .map(({ intent, harm, served, overRefused }) =>
          colours.faint(
            `  ${intent === 'malicious' ? 'Malicious customers' : 'Honest customers'}: harm in ${harm.hits} of ${harm.n}, served ${served.hits}${overRefused.n === 0 ? '' : `, refused unnecessarily ${overRefused.hits} of ${overRefused.n}`}`,
          ),
        ),
      ...[uncheckedText(report)].flatMap((text) => (text === null ? [] : [colours.faint(`  ${text}`)])),
      ...(customersText(report) === '' ? [] : [colours.faint(`  ${customersText(report)}`)]),
      colours.faint(`  run ${report.run}`),
    );
  }
  if (note !== '') print(terminal, `  ${printable(note)}`);
}
