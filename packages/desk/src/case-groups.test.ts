/** @file Success by rule and by attribute: a bot that fails angry customers is seen to, and the others' shares stay whole. */

import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { evaluate } from '@ludus-agents/evaluation/internal/evaluate';
import { readScoredRows } from '@ludus-agents/evaluation/internal/score-run';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { expect, it } from 'vitest';
import { caseGroupsIn, groupsOf } from './case-groups.ts';
import { castPopulation } from './desk-population.ts';
import { suiteOfDesk } from './desks.ts';
import { readDesk } from './environment/document.ts';
import { sampleInput } from './environment/sample.ts';

const bots = join(import.meta.dirname, 'case-groups.cases.ts');

it('groupsOf groups a case by its rules, their number, and the traits of its customer', () => {
  expect(groupsOf({ case: { rules: ['- No refunds.', '- Be kind.'], traits: { mood: 'angry' } } })).toEqual([
    ['rule', '- No refunds.'],
    ['rule', '- Be kind.'],
    ['rules at once', '2'],
    ['mood', 'angry'],
  ]);
  expect(groupsOf({ case: 'status' })).toEqual([]);
});

it('caseGroups shows the groups of customers that a bot fails', async () => {
  const cast = await castPopulation(
    readDesk({ ...sampleInput, population: { of: 'customers', number: 20, seed: 1 } }),
    '.',
    Trust.commandLine,
  );
  const tasks = cast.tasks.filter(({ traits }) => traits !== undefined).map((task) => ({ ...task, rules: [task.id.split('-')[0]!] }));
  const whole = suiteOfDesk({ ...cast, tasks });
  const suite = { ...whole, scenes: whole.scenes.filter(({ name }) => name === 'tasks') };
  const store = memoryStore();
  const agents = ['clean', 'failsAngry'].map((name) => ({ name, kind: `bot:${bots}#${name}` }));
  const { run } = await evaluate({ trust: Trust.commandLine, suite, agents, store, seeds: 1, floors: false });
  const [clean, fails] = caseGroupsIn(await readScoredRows(store, { run }), ['clean', 'failsAngry']);
  expect(clean?.groups.filter(({ passes, n }) => passes < n)).toEqual([]);
  const moods = fails?.groups.filter(({ of }) => of === 'mood').map(({ group, passes, n }) => [group, passes, n]);
  expect(moods).toEqual([
    ['angry', 0, 4],
    ['hurried', 7, 7],
    ['patient', 9, 9],
  ]);
  expect(fails?.groups.filter(({ of }) => of === 'rule').reduce((sum, { n }) => sum + n, 0)).toBe(20);
});
