/** @file `survey`: asks people of a population a questionnaire and tabulates their answers. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { loadPopulation } from '@ludus-agents/agents/internal/workspace/loaders';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { type AnswerRow, readAnswers } from '@ludus-agents/societies/internal/surveys/answers';
import { planSurvey, type SurveyContents, surveyAgent } from '@ludus-agents/societies/internal/surveys/plan';
import { type ItemTable, itemTables } from '@ludus-agents/societies/internal/surveys/tables';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { type AgentRef, programTrust, type Ref, specOf } from './refs.ts';
import { type RunOutcome, type RunRequest, run } from './run.ts';

/** The options of `survey`. */
export interface SurveyOptions extends Omit<SurveyContents, 'questionnaire' | 'population' | 'agent'>, Omit<RunRequest, 'agent'> {
  /** A questionnaire, or its file. */
  readonly questionnaire: Ref<Json>;
  /** A population, its name, or its file. */
  readonly population: Ref<Json>;
  /** The agent that answers for the people: a model, a spec, or an agent in memory. */
  readonly agent: AgentRef;
  /** The attribute whose groups are tabulated. */
  readonly groupBy?: string;
}

/** The answers, one row each, and the shares with intervals. */
export interface SurveyOutcome extends RunOutcome {
  readonly answers: readonly AnswerRow[];
  readonly tables: readonly ItemTable[];
}

export async function survey(request: SurveyOptions): Promise<SurveyOutcome> {
  const { questionnaire, population, agent, groupBy, cwd = process.cwd(), store = memoryStore(), ...rest } = request;
  const trust = programTrust(cwd);
  const named = specOf(agent);
  const plan = planSurvey({
    ...rest,
    questionnaire:
      typeof questionnaire === 'string'
        ? jsonFrom(readFileSync(resolve(cwd, questionnaire), 'utf8'), `The questionnaire ${questionnaire}`)
        : questionnaire,
    population: typeof population === 'string' ? await loadPopulation(population, cwd, trust) : population,
    agent: typeof named === 'string' ? await readSpec(surveyAgent(named), cwd, trust) : named,
  });
  const outcome = await run(plan.plan, { ...rest, cwd, store });
  const answers = await readAnswers(plan, store);
  const labels = (item: string) => plan.instrument.items.find(({ id }) => id === item)?.options ?? [];
  return { ...outcome, answers, tables: itemTables(answers, { labels, ...(groupBy === undefined ? {} : { by: groupBy }) }) };
}
