/** @file `evaluate` and `test`: agents play a suite or a desk for a report or a release decision. */

import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { type GateOptions, type GateReport, runGate } from '@ludus-agents/desk/internal/gate';
import type { EvaluateOptions, EvaluateReport } from '@ludus-agents/evaluation/internal/evaluate';
import { evaluateRun, evaluate as evaluateSuite } from '@ludus-agents/evaluation/internal/evaluate';
import { loadSuite } from '@ludus-agents/evaluation/internal/loaders';
import type { Suite } from '@ludus-agents/evaluation/internal/scoring/suites/suite';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import '@ludus-agents/servers/internal/kinds';
import { type AgentRef, programTrust, type Ref, specOf } from './refs.ts';

/** The options of `evaluate`. */
export interface EvaluateRequest extends Omit<EvaluateOptions, 'trust' | 'agents' | 'suite' | 'perform' | 'makeAgent'> {
  /** A suite, its name or file, or a desk folder. */
  readonly suite: Ref<Suite>;
  /** The agents under test; the suite's baselines play, too, unless `floors` is false. */
  readonly agents: readonly AgentRef[];
}

/** The options of `test`. */
export interface TestRequest
  extends Omit<EvaluateRequest, 'agents' | 'floors'>,
    Pick<GateOptions, 'failUnder' | 'mustPass' | 'allowFaults' | 'strict'> {
  /** The agent under test: a bot, a spec, a file, or an object in memory. */
  readonly agent: AgentRef;
}

export function evaluate(request: EvaluateRequest): Promise<EvaluateReport> {
  const { cwd = process.cwd(), agents, ...rest } = request;
  return evaluateSuite({ ...rest, cwd, agents: agents.map(specOf), trust: programTrust(cwd) });
}

export async function test(request: TestRequest): Promise<GateReport> {
  const { cwd = process.cwd(), agent, failUnder, mustPass, allowFaults, strict, store = memoryStore(), ...rest } = request;
  const trust = programTrust(cwd);
  const suite = typeof rest.suite === 'string' ? await loadSuite(rest.suite, cwd, trust) : rest.suite;
  const named = specOf(agent);
  const spec = typeof named === 'string' ? await readSpec(named, cwd, trust) : named;
  const run = rest.run ?? `${suite.name}-test`;
  const { report } = await evaluateRun({ ...rest, suite, agents: [spec], floors: false, run, store, cwd, trust });
  if (report.stopped !== null)
    throw new Fault('input', `The test stopped before every case was played, so there is no verdict: ${report.why ?? report.stopped}.`);
  return runGate(store, { suite: suite.name, run, agent: spec.name, failUnder, mustPass, allowFaults, strict });
}
