import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { customers } from '@ludus-agents/agents/internal/personas/index';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type AgentSpec, scripted } from '@ludus-agents/kernel/internal/core/index';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { readAnswers } from './answers.ts';
import { planSurvey } from './plan.ts';
import { attributesIn, keepWeights, readStoredSurvey } from './stored-survey.ts';
import { itemTables } from './tables.ts';

describe('a survey in a store', () => {
  it('has the answers to open items, and how many they are', async () => {
    const questionnaire = { name: 'pets', items: [{ id: 'why', kind: 'open', text: 'Why?' }] };
    const survey = planSurvey({ questionnaire, population: customers as never, number: 60, agent: { name: 'random', kind: 'random' } });
    const store = await openStore('memory:');
    const agent = (spec: string | AgentSpec) => scripted(typeof spec === 'string' ? spec : spec.name, () => ({ text: 'Because.' }));
    await run(survey.plan, { store, environment: builtInEnvironment, agent, signal: new AbortController().signal });
    const stored = await readStoredSurvey((await store.run(survey.run))!, store);
    expect(stored?.open).toEqual([{ item: 'why', texts: Array.from({ length: 50 }, () => 'Because.'), count: 60 }]);
    await store.close();
  });

  it('has the shares and crosstabs of its plan, from the run alone', async () => {
    const questionnaire = { name: 'pets', items: [{ id: 'pet', text: 'Which?', options: ['dog', 'cat'] }] };
    const survey = planSurvey({ questionnaire, population: customers as never, number: 40, agent: { name: 'random', kind: 'random' } });
    const store = await openStore('memory:');
    const options = { store, environment: builtInEnvironment, agent: createAgentLoader({}), signal: new AbortController().signal };
    await run(survey.plan, options);
    const stored = await readStoredSurvey((await store.run(survey.run))!, store);
    // Exact shares need no weights, and a person's attributes are in the persona.
    const rows = (await readAnswers(survey, store)).map((row) => ({ ...row, weight: 1 }));
    const labels = () => ['dog', 'cat'];
    expect(stored?.tables).toEqual(itemTables(rows, { labels }));
    expect(stored?.people).toBe(40);
    // A draw with weights is counted by them once they are kept, and keeping them again changes nothing.
    const people = { ...survey.people, weighting: { ...survey.people.weighting, weights: rows.map((_, i) => 1 + (i % 3)) } };
    await keepWeights({ run: survey.run, people }, store);
    await keepWeights(survey, store);
    const weighed = rows.map((row, i) => ({ ...row, weight: 1 + (i % 3) }));
    expect((await readStoredSurvey((await store.run(survey.run))!, store))?.tables).toEqual(itemTables(weighed, { labels }));
    expect(itemTables(weighed, { labels })).not.toEqual(stored?.tables);
    const gender = stored?.crosstabs.find(({ by }) => by === 'gender');
    expect(gender?.tables).toEqual(itemTables(rows, { labels, by: 'gender' }));
    const { age: _, ...drawn } = survey.people.attributes[0]!;
    expect(attributesIn(survey.people.personas[0]!)).toMatchObject(drawn);
    expect(await readStoredSurvey({ id: 'x', plan: { ...survey.plan, environments: [{ environment: 'chat', tasks: [{}] }] } }, store)).toBe(
      null,
    );
    await store.close();
  });
});
