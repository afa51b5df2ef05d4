/** @file A survey of two hundred people of a population; `fake` stands for any model behind an API. */

import { survey } from 'ludus-agents';

const questionnaire = { name: 'trains', items: [{ id: 'night_train', text: 'Would you take a night train?', options: ['yes', 'no'] }] };
const { answers, tables } = await survey({ questionnaire, population: 'customers', number: 200, agent: 'fake' });

console.log(`${answers.length} answers`);
const percent = (share: number) => (100 * share).toFixed(0);
for (const { item, shares } of tables)
  for (const { label, value, interval } of shares)
    console.log(`${item}, ${label}: ${percent(value)} % (${percent(interval[0])} to ${percent(interval[1])})`);
