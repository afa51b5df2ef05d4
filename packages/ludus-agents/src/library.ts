/** @file One function for each command. Each takes one options object and returns data; dependencies are loaded when it is called. */

import type { GateReport } from '@ludus-agents/desk/internal/gate';
import type { Coverage } from '@ludus-agents/evaluation/internal/coverage';
import type { EvaluateReport } from '@ludus-agents/evaluation/internal/evaluate';
import type { Exploited } from '@ludus-agents/evaluation/internal/exploit';
import type { Plan } from '@ludus-agents/kernel/internal/core/index';
import { checkNeeds, checkOptions } from '@ludus-agents/kernel/internal/core/options';
import type { AttackReport } from '@ludus-agents/learning/internal/improving/attack';
import type { ImproveReport } from '@ludus-agents/learning/internal/prompts/report';
import type { TrainingReport } from '@ludus-agents/learning/internal/training/train';
import type { AttackRequest } from './library/attack.ts';
import type { CoverageOptions, ExploitRequest } from './library/env.ts';
import type { EvaluateRequest, TestRequest } from './library/evaluate.ts';
import type { ImproveOptions } from './library/improve.ts';
import { optionTables, planNeeds } from './library/options.ts';
import type { PlanRequest, RunOutcome, RunRequest } from './library/run.ts';
import type { SurveyOptions, SurveyOutcome } from './library/survey.ts';
import type { TrainOptions } from './library/train.ts';

/**
 * Plays a plan: environments × tasks × seeds × casts. Episodes that the store already has are not played again, unless what plays them has
 * changed. Objects in memory cannot be fingerprinted: they are played again every time, unless `reuse` is true.
 *
 * ```ts
 * const { results } = await run({ environments: ['kuhn-poker'], seeds: 50, casts: [{ first: 'random', second: 'scripted' }] });
 * ```
 */
export async function run(plan: Plan | PlanRequest, options: RunRequest = {}): Promise<RunOutcome> {
  checkOptions('run', options, optionTables.run);
  checkNeeds('run', plan, planNeeds);
  return (await import('./library/run.ts')).run(plan, options);
}

/**
 * Plays a suite, scores it, and compares the agents with the baselines of the suite.
 *
 * ```ts
 * const { agents } = await evaluate({ suite: 'games-core', agents: [myAgent, 'random'], seeds: 2 });
 * ```
 */
export async function evaluate(request: EvaluateRequest): Promise<EvaluateReport> {
  checkOptions('evaluate', request, optionTables.evaluate);
  return (await import('./library/evaluate.ts')).evaluate(request);
}

/**
 * Plays a suite or a desk folder and decides whether the agent passes, as `ludus test` does before a release.
 *
 * ```ts
 * const { passed, rules } = await test({ suite: './shop', agent: 'bot:http://localhost:3000/chat', failUnder: 0.9 });
 * ```
 */
export async function test(request: TestRequest): Promise<GateReport> {
  checkOptions('test', request, optionTables.test);
  return (await import('./library/evaluate.ts')).test(request);
}

/**
 * Trains an agent with a recipe, in any environment.
 *
 * ```ts
 * const { exploitability } = await train({ recipe: 'kuhn-tabular', environment: myGame, games: 200_000 });
 * ```
 */
export async function train(request: TrainOptions): Promise<TrainingReport> {
  checkOptions('train', request, optionTables.train);
  return (await import('./library/train.ts')).train(request);
}

/**
 * Improves the texts of an agent on a suite. The report is about tasks that the proposer has not seen.
 *
 * ```ts
 * const { words } = await improve({ agent: './agent.json', suite: './suite.json', proposer: 'openai/gpt-5-mini' });
 * ```
 */
export async function improve(options: ImproveOptions): Promise<ImproveReport> {
  checkOptions('improve', options, optionTables.improve);
  return (await import('./library/improve.ts')).improve(options);
}

/**
 * Runs a questionnaire on people from a population.
 *
 * ```ts
 * const { tables } = await survey({ questionnaire: './questions.json', population: 'customers', number: 200, agent: 'openai/gpt-5-mini' });
 * ```
 */
export async function survey(request: SurveyOptions): Promise<SurveyOutcome> {
  checkOptions('survey', request, optionTables.survey);
  return (await import('./library/survey.ts')).survey(request);
}

/**
 * Searches for inputs that make an agent fail, then measures on fresh seeds how many get through. With `rounds` it also searches for a defence.
 *
 * ```ts
 * const { harm, ways } = await attack({ agent: './agent.json', with: 'guard', budget: 50 });
 * ```
 */
export async function attack(request: AttackRequest): Promise<AttackReport> {
  checkOptions('attack', request, optionTables.attack);
  return (await import('./library/attack.ts')).attack(request);
}

/**
 * Computes a model's exploitability in a small game: how much a perfect opponent wins. 0 is perfect play.
 *
 * ```ts
 * const { exploitability, uniform } = await exploit({ agent: 'local/kuhn-lm-1@best', environment: 'kuhn-poker' });
 * ```
 */
export async function exploit(request: ExploitRequest): Promise<Exploited> {
  checkOptions('exploit', request, optionTables.exploit);
  return (await import('./library/env.ts')).exploit(request);
}

/**
 * Counts the states and moves of an environment that players reach, with intervals over repetitions.
 *
 * ```ts
 * const { rows } = await coverage({ environment: myGame, agents: ['random', 'explorer'], episodes: 100 });
 * ```
 */
export async function coverage(request: CoverageOptions): Promise<Coverage> {
  checkOptions('coverage', request, optionTables.coverage);
  return (await import('./library/env.ts')).coverage(request);
}
