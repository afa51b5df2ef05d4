/** @file Plays a release gate: a suite with the tested agents, a verdict on each by the rules, and the verdicts kept with the run. */

import { callsFailed, type EvaluatedRun, type EvaluateOptions, evaluateRun } from '@ludus-agents/evaluation/internal/evaluate';
import type { Suite } from '@ludus-agents/evaluation/internal/scoring/suites/suite';
import { Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { appendNote } from '@ludus-agents/store/internal/marks';
import { detectors } from './faults/index.ts';
import { type GateOptions, type GateReport, nameOfTask, runGate, type TestGateRule } from './gate.ts';
import { floorOf } from './gate-floor.ts';
import { customersText, passedText, uncheckedText } from './gate-texts.ts';

/** The rules that decide, and the results that the agents are compared with. */
export type GateRules = Pick<GateOptions, 'failUnder' | 'mustPass' | 'allowFaults' | 'baseline' | 'margin' | 'strict'>;

/** A verdict as it is kept: failures are in the episodes of the run. */
export type KeptGate = Pick<GateReport, 'agent' | 'suite' | 'passed'> & {
  readonly rules: readonly Pick<TestGateRule, 'rule' | 'ok' | 'says'>[];
  /** The pass rate with its interval, in a sentence. */
  readonly summary: string;
  /** What was not checked, and how the customers spoke. */
  readonly notes: readonly string[];
};

interface PlayGateOptions extends EvaluateOptions {
  readonly suite: Suite;
  readonly run: string;
  readonly store: Store;
}

const journal = 'gate';

/** Without reports if it was stopped, or if a model kept failing: a verdict needs every episode. */
export async function playGate(
  options: PlayGateOptions,
  rules: GateRules,
): Promise<EvaluatedRun & { readonly reports: readonly GateReport[] }> {
  const { suite, run, store, trust, cwd, concurrency } = options;
  const evaluated = await evaluateRun(options);
  const reports: GateReport[] = [];
  if (evaluated.report.stopped !== null || callsFailed(evaluated.report) !== null) return { ...evaluated, reports };
  const floor = await floorOf(suite, { trust, cwd, concurrency });
  for (const agent of evaluated.tested) reports.push(await runGate(store, { suite: suite.name, run, agent, ...rules, floor }));
  await appendNote(store, run, journal, reports.map(keptGate));
  return { ...evaluated, reports };
}

function keptGate(report: GateReport): KeptGate {
  const { agent, suite, passed, rules } = report;
  const notes = [uncheckedText(report) ?? '', customersText(report)].filter((note) => note !== '');
  return { agent, suite, passed, rules: rules.map((rule) => ({ ...rule })), summary: passedText(report), notes };
}

/** The latest verdicts of a run; null for a run that is not a gate, and for one that was stopped. */
export async function readGate(store: Pick<Store, 'notes'>, run: string): Promise<readonly KeptGate[] | null> {
  return ((await store.notes(run, journal)).at(-1) ?? null) as readonly KeptGate[] | null;
}

/** A new run of a gate, named by the time: each verdict is about what was played for it. */
export function gateRunName({ name }: Suite, now = new Date()): string {
  return `${name}-test-${now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)}`;
}

/** A misspelled task or fault is reported before anything is played. */
export function checkGateRules({ mustPass = [], allowFaults = [] }: GateRules, { scenes }: Suite): void {
  const tasks = scenes.flatMap(({ name, tasks }) => [name, ...tasks.flatMap((task) => nameOfTask(task) ?? [])]);
  const faults = detectors.map(({ name }) => name);
  for (const name of mustPass) if (!scenes.some((scene) => name.startsWith(`${scene.name}/`))) checkName('--must-pass', name, tasks);
  for (const name of allowFaults) checkName('--allow-fault', name, faults);
}

function checkName(option: string, name: string, available: readonly string[]): void {
  if (available.includes(name)) return;
  const listed = `${available.slice(0, 20).join(', ')}${available.length > 20 ? ', …' : ''}`;
  throw new Fault('input', `${option}: unknown name "${name.slice(0, 60)}".${didYouMean(name, available)} Available: ${listed}.`, {
    code: 'E_UNKNOWN_NAME',
  });
}
