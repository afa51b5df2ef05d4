/** @file The texts of a new team, search, recipe, suite, population, persona, or scene: documents, each with a test that uses it once. */

import { template } from '@ludus-agents/agents/internal/personas/templates';
import { pretty } from '@ludus-agents/agents/internal/workspace/personas';
import { type SchemaName, withSchema } from '@ludus-agents/agents/internal/workspace/schema-link';
import { sampleInput } from '@ludus-agents/desk/internal/environment/sample';
import type { Wanted } from './programs.ts';
import { title } from './templates.ts';

/** A document that names its schema for editor completion. */
function writeDocument(document: object, schema: SchemaName, { folder }: Wanted): string {
  return pretty(withSchema(document, schema, folder));
}

function head({ name }: Wanted, what: string): string {
  return `/** @file Tests of the ${what} ${name}.json. Run them with "node --test ${name}.test.mts". */

import assert from 'node:assert/strict';
import { test } from 'node:test';
`;
}

export function teamText(wanted: Wanted): string {
  const document = {
    name: wanted.name,
    kind: 'team',
    settings: { protocol: 'rounds', members: ['scripted', 'scripted:lookahead', 'random'], rounds: 3 },
  };
  return writeDocument(document, 'agent', wanted);
}

export function searchText(wanted: Wanted): string {
  const document = { name: wanted.name, kind: 'search', settings: { strategy: 'mcts', simulations: 400 } };
  return writeDocument(document, 'agent', wanted);
}

/** A game of tic-tac-toe against a random player is enough to show that an agent plays. */
function agentTest(wanted: Wanted, what: string): string {
  return `${head(wanted, what)}import { loadAgent, loadEnvironment, play } from 'ludus-agents';

test('plays a game to its end', async () => {
  const game = await loadEnvironment('tic-tac-toe');
  const X = await loadAgent('./${wanted.name}.json', 'X', game, import.meta.dirname);
  const O = await loadAgent('random', 'O', game);
  for await (const event of play(game, { X, O }, { seed: 1 })) if (event.kind === 'end') assert.equal(event.reason, 'over', event.fault?.message);
});
`;
}

export function teamTest(wanted: Wanted): string {
  return agentTest(wanted, 'team');
}

export function searchTest(wanted: Wanted): string {
  return agentTest(wanted, 'search');
}

export function recipeText(wanted: Wanted): string {
  const document = {
    name: wanted.name,
    base: 'kuhn-tabular',
    method: 'kuhn-tabular with a weaker pull to the reference, and fewer games',
    loss: { kl: { weight: 0.4 } },
    training: { environment: 'kuhn-poker', games: 200_000 },
  };
  return writeDocument(document, 'recipe', wanted);
}

export function recipeTest(wanted: Wanted): string {
  return `${head(wanted, 'recipe')}import { train } from 'ludus-agents';

test('is harder to exploit than random play', async () => {
  const { exploitability } = await train({ recipe: './${wanted.name}.json', games: 20_000, seed: 1, cwd: import.meta.dirname });
  // Random play can be exploited by 0.9167 chips per hand.
  assert.ok(exploitability !== null && exploitability < 0.6, String(exploitability));
});
`;
}

export function suiteText(wanted: Wanted): string {
  const document = {
    name: wanted.name,
    about: 'Poker against random play, on both seats.',
    nulls: ['random'],
    seeds: 20,
    scenes: [
      {
        environment: 'kuhn-poker',
        seats: ['first', 'second'],
        others: { '*': 'random' },
        tasks: [{ rounds: 4 }],
        score: 'return',
        scale: [-8, 8],
        pass: 0,
        also: ['form'],
      },
    ],
  };
  return writeDocument(document, 'suite', wanted);
}

/** Cases of three kinds: an expected answer, a regular expression, and values in JSON. */
export function casesText(): string {
  return `id,input,expected,match,regex,paths
opening,"When do you open on Monday? Answer with the time only, like 9:00.",9:00,,,
refund,"Can I return a lamp after three weeks? Answer yes or no, then say why.",,,/^(yes|no)\\b/i,
total,"Two lamps at $15 each: what do I pay?",30,number,,
order,"Order two lamps. Answer with JSON: {""item"", ""count""}.",,,,"{""item"": ""lamp"", ""count"": 2}"
`;
}

export function suiteTest(wanted: Wanted): string {
  return `${head(wanted, 'suite')}import { loadEnvironment, loadScorer, loadSuite } from 'ludus-agents';

test('names environments, seats and scorers that exist', async () => {
  const suite = await loadSuite('./${wanted.name}.json', import.meta.dirname);
  for (const { environment, tasks, seats, score, also } of suite.scenes) {
    const world = await loadEnvironment(environment, import.meta.dirname);
    for (const task of tasks) for (const seat of seats.flat()) assert.ok(world.seats(world.task(task)).includes(seat), seat);
    for (const scorer of [score, ...also]) assert.equal((await loadScorer(scorer, import.meta.dirname)).name, scorer);
  }
});
`;
}

export function populationText(wanted: Wanted): string {
  const document = {
    name: title(wanted.name),
    attributes: { gender: { female: 51, male: 49 }, mood: { patient: 60, hurried: 40 } },
    joints: [{ of: ['age', 'work'], table: { '18-40': { baker: 2, clerk: 5 }, '41-80': { baker: 3, clerk: 1 } } }],
    constraints: [{ never: { age: '18-40', work: 'baker', mood: 'hurried' } }],
    quotas: [{ where: { age: '18-40' }, share: 0.5 }],
    statements: ['{name} is a {work}.', '{name} is {mood} today.'],
  };
  return writeDocument(document, 'population', wanted);
}

export function populationTest(wanted: Wanted): string {
  return `${head(wanted, 'population')}import { loadPopulation } from 'ludus-agents';
import { samplePopulation } from 'ludus-agents/personas';

test('samples the requested number of people within constraints and quotas', async () => {
  const { personas, attributes } = samplePopulation(await loadPopulation('./${wanted.name}.json', import.meta.dirname), 100, 1);
  assert.equal(personas.length, 100);
  assert.equal(attributes.filter(({ age }) => age === '18-40').length, 50);
  assert.equal(attributes.filter(({ age, work, mood }) => age === '18-40' && work === 'baker' && mood === 'hurried').length, 0);
});
`;
}

export function personaText(wanted: Wanted): string {
  return writeDocument(template(title(wanted.name)), 'persona', wanted);
}

export function personaTest(wanted: Wanted): string {
  return `${head(wanted, 'persona')}import { loadPersona } from 'ludus-agents';

test('is a valid persona', async () => {
  assert.equal((await loadPersona('./${wanted.name}.json', import.meta.dirname)).name, ${JSON.stringify(title(wanted.name))});
});
`;
}

/** Two gallery characters who each want a promise from the other. */
export function sceneText({ name }: Wanted): string {
  const wants = (term: string, who: string) => [{ kind: 'word', who, term }];
  return pretty({
    name,
    setting: 'Supper at Hollow House, on the evening the roof began to leak.',
    topic: 'who will pay for the roof',
    turns: 12,
    terms: { loan: 'to lend Tomas the money until Friday', pages: 'to send the first chapter on Monday' },
    characters: [
      { persona: 'beatrix', goal: 'Have Tomas promise the first chapter.', conditions: wants('pages', 'tomas') },
      { persona: 'tomas', goal: 'Borrow the money until Friday.', conditions: wants('loan', 'beatrix') },
    ],
  });
}

export function sceneTest(wanted: Wanted): string {
  return `${head(wanted, 'scene')}import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadEnvironment, loadPersona } from 'ludus-agents';
import { readScene } from 'ludus-agents/personas';

test('has a seat for every character', async () => {
  const written = JSON.parse(readFileSync(join(import.meta.dirname, '${wanted.name}.json'), 'utf8'));
  const { task, personas } = await readScene(written, (name) => loadPersona(name, import.meta.dirname));
  const rules = await loadEnvironment('social-scene');
  assert.deepEqual(rules.seats(rules.task(task)), Object.keys(personas));
});
`;
}

/** The sample desk in a user's file formats: one table as CSV, the other as JSON. */
export function deskFiles({ name }: Wanted): Readonly<Record<string, string>> {
  const { policy, tools, database, tasks, customers, forbidden, personas, about } = sampleInput;
  const people = Object.entries(database.customers);
  const columns = Object.keys(people[0]?.[1] ?? {});
  // Quotes keep digits that are no numbers, such as the end of a card, as they are.
  const rows = people.map(([id, row]) => [id, ...columns.map((column) => `"${String(row[column as keyof typeof row])}"`)].join(','));
  return {
    'policy.md': policy,
    'desk.json': pretty({ name, about, customers, forbidden, personas }),
    'tools.json': pretty(tools),
    'tasks.json': pretty(tasks),
    'database/customers.csv': `${['id', ...columns].join(',')}\n${rows.join('\n')}\n`,
    'database/orders.json': pretty(database.orders),
  };
}

export function deskTest(wanted: Wanted): string {
  return `${head(wanted, 'desk').replace(`${wanted.name}.json`, wanted.name)}import { loadSuite } from 'ludus-agents';

test('has its tasks, and generated cases that look for faults', async () => {
  const { scenes } = await loadSuite('./${wanted.name}', import.meta.dirname);
  assert.ok(scenes.some(({ name }) => name === 'tasks'));
  assert.ok(scenes.length > 1);
});
`;
}

/** A bot as a file that names a function; "url" or "command" instead of "file" would name a server or a process. */
export function botText(wanted: Wanted): string {
  return writeDocument({ name: wanted.name, kind: 'bot', settings: { file: `./${wanted.name}.bot.mts`, seconds: 30 } }, 'agent', wanted);
}

export function botFiles({ name }: Wanted): Readonly<Record<string, string>> {
  return {
    [`${name}.bot.mts`]: `/** @file The bot of ${name}.json: a function from a message to an answer. Call your own bot here, or name its address in ${name}.json as "url". */

const names = new Map<string, string>();

export function bot(message: string, { session }: { readonly session: string }): string {
  const statedName = /my name is (\\w+)/i.exec(message)?.[1];
  if (statedName !== undefined) names.set(session, statedName);
  if (/what is my name/i.test(message)) return names.has(session) ? \`You are \${names.get(session)}.\` : 'You have not told me.';
  return statedName === undefined ? 'Hello! How can I help you?' : \`Nice to meet you, \${statedName}.\`;
}
`,
  };
}

export function botTest(wanted: Wanted): string {
  return `${head(wanted, 'bot')}import { bot } from './${wanted.name}.bot.mts';

test('remembers a name in its session and in no other', () => {
  bot('My name is Ada.', { session: '1' });
  assert.match(bot('What is my name?', { session: '1' }), /Ada/);
  assert.doesNotMatch(bot('What is my name?', { session: '2' }), /Ada/);
});
`;
}
