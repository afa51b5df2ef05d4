/**
 * @file Tests many people played by a model, a thousand in the long tests. All of them wait for the model at once, so that a slow model is
 * fully used.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { customers } from '@ludus-agents/agents/internal/personas/index';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Model, ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { readAnswers } from './answers.ts';
import { planSurvey } from './plan.ts';

/** A model on its own clock: time passes when everyone waits, and a call takes 200 of its milliseconds. */
function clockedModel(people: number): { readonly model: Model; readonly elapsed: () => number; readonly calls: () => number } {
  const inner = fakeModel({ answers: ['[1]'] });
  let [waiting, elapsed, calls] = [[] as (() => void)[], 0, 0];
  const complete: Model['complete'] = async (...inputs): Promise<ModelCall> => {
    calls++;
    await new Promise<void>((release) => {
      waiting.push(release);
      if (waiting.length < people) return;
      const all = waiting;
      waiting = [];
      elapsed += 200;
      for (const one of all) one();
    });
    return inner.complete(...inputs);
  };
  return { model: { ...inner, complete }, elapsed: () => elapsed, calls: () => calls };
}

it('interviews all people concurrently in the time of one', async () => {
  const [people, items] = [amount(150, 1000), 2];
  const questionnaire = {
    refusal: false,
    items: Array.from({ length: items }, (_, i) => ({
      id: `q${i}`,
      kind: 'scale',
      text: `Statement ${i}.`,
      options: ['no', 'perhaps', 'yes'],
    })),
  };
  const survey = planSurvey({ questionnaire, population: customers, number: people, agent: { name: 'slow', kind: 'llm:slow' } });
  const { model, elapsed, calls } = clockedModel(people);
  const store = memoryStore();
  const agent = createAgentLoader({ ...createAgentServices(process.cwd(), Trust.commandLine), model: async () => model });
  const report = await run(survey.plan, { store, environment: builtInEnvironment, agent, concurrency: people });
  expect(report).toMatchObject({ played: people, ends: { over: people } });
  expect(calls()).toBe(people * items);
  // The ideal is the time of one interview: were anyone asked later than the others, the clock would never have gone on.
  expect(elapsed()).toBe(200 * items);
  const rows = await readAnswers(survey, store);
  expect(rows.filter(({ status }) => status === 'answered')).toHaveLength(people * items);
});
