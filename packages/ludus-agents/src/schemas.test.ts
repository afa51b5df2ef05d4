/** @file The published schemas, checked by an independent validator: both accept valid documents, and both reject broken ones. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fieldTexts } from '@ludus-agents/agents/internal/personas/form-descriptions';
import { customers, gallery, parsePersona, readSpecification } from '@ludus-agents/agents/internal/personas/index';
import { readAgent } from '@ludus-agents/agents/internal/workspace/agents';
import { readConfig } from '@ludus-agents/agents/internal/workspace/config';
import { type SchemaName, schemaLink, schemaNames, withSchema } from '@ludus-agents/agents/internal/workspace/schema-link';
import { readDesk } from '@ludus-agents/desk/internal/environment/document';
import { sampleInput } from '@ludus-agents/desk/internal/environment/sample';
import { readRubric } from '@ludus-agents/evaluation/internal/rubric-file';
import { rubrics } from '@ludus-agents/evaluation/internal/scoring/rubrics/index';
import { builtInSuite, readSuite, suiteNames } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { type Json, type JsonObject, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { recipes } from '@ludus-agents/learning/internal/rl/recipes/index';
import { readRecipe } from '@ludus-agents/learning/internal/training/recipe-file';
import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, it } from 'vitest';
import { schemas } from './schemas.ts';
import * as documents from './starters/documents.ts';
import type { Wanted } from './starters/programs.ts';

const root = join(import.meta.dirname, '../../..');
const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: false });
const validators = Object.fromEntries(schemaNames.map((name) => [name, ajv.compile(schemas[name])])) as Record<
  SchemaName,
  ValidateFunction
>;

/** The readers of each kind of document. A reader returns undefined for another kind. */
const readers: Readonly<Record<SchemaName, (value: Json) => unknown>> = {
  plan: (value) => readPlan(value),
  suite: (value) => readSuite(value),
  agent: (value) => readAgent(value, 'it'),
  persona: (value) => parsePersona(value),
  recipe: (value) => readRecipe(value, 'it'),
  rubric: (value) => readRubric(value, 'it'),
  population: (value) => readSpecification(value),
  desk: (value) => readDesk(value, 'it'),
  config: (value) => readConfig(value, 'it'),
};

/** Null where a reader takes it, otherwise why not. */
function refusal(kind: SchemaName, value: Json): string | null {
  try {
    return readers[kind](value) === undefined ? 'is something else' : null;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

const plan = {
  $schema: './node_modules/ludus-agents/schemas/plan.json',
  name: 'mine',
  environments: ['kuhn-poker', { environment: 'dilemma', tasks: [{ game: 'pd' }] }],
  seeds: { from: 3, count: 10 },
  casts: [{ '*': 'random' }, { first: { name: 'Eve', kind: 'llm', model: 'fake', texts: { instruction: 'Win.' } }, second: 'scripted' }],
  swap: true,
  limits: { turns: 40, seconds: 1.5 },
  budget: { money: 2, episodes: 100 },
};
const suite = {
  name: 'small',
  nulls: ['random'],
  scenes: [
    { environment: 'kuhn-poker', seats: ['first', ['second']], others: { '*': 'random' }, scale: [-2, 2], personas: { first: 'beatrix' } },
  ],
};
const agent = {
  $schema: 'x',
  name: 'Eve',
  kind: 'llm:fake',
  texts: { instruction: 'Win.' },
  settings: { temperature: 0.5, architecture: 'react', seed: null, stop: ['x'] },
  tools: ['sandbox'],
};
const persona = {
  name: 'Ann',
  statements: ['Ann bakes.', { text: 'Ann sings.', weight: 2 }],
  secrets: ['Ann lied.'],
  relations: [{ to: 'Bo' }],
};
const recipe = { name: 'mine', base: 'grpo', loss: { kl: { weight: 0.4 } }, rollout: { size: 4 }, training: { games: 100 } };
const config = {
  model: 'mine',
  endpoints: { mine: { url: 'http://localhost:8000/v1', key: 'MY_KEY', sampling: { temperature: 1 } } },
  budget: { money: 1, episodes: 3 },
  kinds: { scorers: { polite: './polite.ts' } },
};

/** What "ludus new" writes. */
const wanted = { name: 'mine', folder: root } as const;
const fresh = (textOf: (wanted: Wanted) => string): Json => JSON.parse(textOf(wanted));

const good: Readonly<Record<SchemaName, readonly Json[]>> = {
  plan: [plan, { environments: ['kuhn-poker'] }, { environments: ['x'], seeds: 4 }, { environments: ['x'], seeds: [1, 2] }],
  suite: [fresh(documents.suiteText), suite, ...((await Promise.all(suiteNames().map(builtInSuite))) as unknown as Json[])],
  agent: [agent, { name: 'r', kind: 'random' }, { name: 's', kind: 'scripted:careful', settings: { anything: [1] } }],
  persona: [fresh(documents.personaText), persona, ...(Object.values(gallery) as unknown as Json[])],
  recipe: [fresh(documents.recipeText), recipe, { name: 'b', base: 'kuhn-lm', training: { games: 10 } }, ...(recipes as unknown as Json[])],
  rubric: (await Promise.all(Object.values(rubrics).map((entry) => entry.load()))) as unknown as Json[],
  population: [
    fresh(documents.populationText),
    customers,
    { attributes: { a: { x: 1, y: 2 } }, quotas: [{ where: { a: ['x'] }, share: 0.5 }], traits: { O: {} } },
  ],
  desk: [sampleInput as unknown as Json, { name: 'small', policy: '- No.', tasks: [{ id: 'a', says: ['Hello.'] }] }],
  config: [config, {}],
};

it('the schemas are found from any folder of a project with the package installed', () => {
  const project = mkdtempSync(join(tmpdir(), 'ludus-schema-'));
  try {
    const installed = join(project, 'node_modules', 'ludus-agents', 'schemas');
    mkdirSync(installed, { recursive: true });
    mkdirSync(join(project, 'a', 'b'), { recursive: true });
    writeFileSync(join(installed, 'plan.json'), '{}');
    for (const folder of [project, join(project, 'a', 'b')])
      expect(resolve(folder, schemaLink('plan', folder))).toBe(join(installed, 'plan.json'));
    expect(schemaLink('plan', project)).toBe('./node_modules/ludus-agents/schemas/plan.json');
    expect(schemaLink('plan', join(project, 'a'))).toBe('../node_modules/ludus-agents/schemas/plan.json');
    expect(Object.keys(withSchema({ name: 'x' }, 'plan', project))).toEqual(['$schema', 'name']);
  } finally {
    rmSync(project, { recursive: true });
  }
});

describe.each(schemaNames)('the schema of a %s', (kind) => {
  it('accepts every valid document, like the reader', () => {
    for (const document of good[kind]) {
      expect(refusal(kind, document)).toBeNull();
      expect([validators[kind](document), validators[kind].errors]).toEqual([true, null]);
      expect(validators[kind]({ $schema: './schemas/x.json', ...(document as JsonObject) })).toBe(true);
      expect(refusal(kind, { $schema: './schemas/x.json', ...(document as JsonObject) })).toBeNull();
    }
  });
});

const broken: readonly (readonly [SchemaName, Json])[] = [
  ['plan', []],
  ['plan', {}],
  ['plan', { environments: [] }],
  ['plan', { ...plan, seeds: 0 }],
  ['plan', { ...plan, seeds: { from: 0 } }],
  ['plan', { ...plan, seed: 3 }],
  ['plan', { ...plan, casts: [{ '*': { kind: 'random' } }] }],
  ['plan', { ...plan, budget: { money: -1 } }],
  ['suite', { ...suite, nulls: [] }],
  ['suite', { ...suite, name: 'a b' }],
  ['suite', { ...suite, scenes: [{ environment: 'kuhn-poker' }] }],
  ['suite', { ...suite, scenes: [{ ...suite.scenes[0], scale: [1, 2, 3] }] }],
  ['agent', { name: 'x' }],
  ['agent', { ...agent, setings: {} }],
  ['agent', { ...agent, settings: { temperature: 3 } }],
  ['agent', { ...agent, settings: { budgets: 3 } }],
  ['agent', { ...agent, texts: { a: 1 } }],
  ['persona', { name: '' }],
  ['persona', { name: ' ' }],
  ['persona', { name: 'A', goals: 'win' }],
  ['persona', { name: 'A', statements: [{ kind: 'fact' }] }],
  ['persona', { name: 'A', affect: { baseline: [0, 0] } }],
  ['persona', { name: 'A', colour: 'red' }],
  ['recipe', { base: 'grpo' }],
  ['recipe', { ...recipe, training: { batch: -5 } }],
  ['recipe', { ...recipe, rollout: { kind: 'gruop', size: 2 } }],
  ['recipe', { ...recipe, loss: { clip: 'wide' } }],
  ['recipe', { name: 'a', loss: {}, training: {} }],
  ['rubric', { ...(good.rubric[0] as JsonObject), axes: [] }],
  ['rubric', { ...(good.rubric[0] as JsonObject), form: 'essay' }],
  ['rubric', { ...(good.rubric[0] as JsonObject), plants: ['boredom'] }],
  ['population', { attributes: { a: { x: -1 } } }],
  ['population', { attributes: { a: { x: 1 } }, people: 5 }],
  ['population', { attributes: { a: { x: 1 } }, traits: { Q: {} } }],
  ['population', { attributes: { a: { x: 1 } }, constraints: [{ sometimes: {} }] }],
  ['config', { modle: 'x' }],
  ['config', { endpoints: { mine: { url: 'localhost' } } }],
  ['config', { endpoints: { 'My Server': { url: 'http://a/v1' } } }],
  ['config', { endpoints: { mine: { url: 'http://a/v1', key: 'sk-secret' } } }],
  ['config', { kinds: { scorer: {} } }],
];

describe('an invalid document', () => {
  it.each(broken)('%s %j is rejected by the reader and by the schema', (kind, document) => {
    expect(refusal(kind, document)).toMatch(/must be|unknown field|is something else/);
    expect(validators[kind](document)).toBe(false);
  });
});

/** Rules that JSON Schema cannot say, by the sentence that tells them: here a reader refuses more than its schema. */
const beyond: Readonly<Record<SchemaName, RegExp>> = {
  plan: /must be an agent for each seat, or for "\*"/,
  suite: /two scenes named|the lower first/,
  agent: /is something else|is not a valid persona|persona: expected an object|did you mean "instruction"/,
  persona: /unique ids/,
  // A base may be another one than the schema was written for, and a choice that is changed needs all its settings.
  recipe: /unknown base recipe|but is missing|unknown field|is something else/,
  rubric: /the lower first|is something else/,
  population:
    /either a count or a share|uses \{|names? (the attribute|\{|at least|")|must add up|an object of weights|a weight of|at least one/,
  desk: /nothing is refused beyond the schema/,
  config: /already a kind of model|an address like/,
};

const replacements: readonly Json[] = [null, true, -1, 0, 1.5, 1e300, '', ' ', 'x', [], {}, ['x'], { x: 1 }, [0, 1], 'random'];

/** The document with one thing changed, at a place drawn from all of its places. */
function mutated(value: Json, dice: Rng): Json {
  const inner = Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0;
  if (inner === 0 || dice.int(6) === 0) return dice.pick(replacements);
  if (Array.isArray(value)) {
    const at = dice.int(value.length);
    if (dice.int(8) === 0) return [...value, value[at]!];
    if (dice.int(8) === 0) return value.filter((_, i) => i !== at);
    return value.map((item: Json, i) => (i === at ? mutated(item, dice) : item));
  }
  const name = dice.pick(Object.keys(value as JsonObject));
  const { [name]: chosen, ...rest } = value as JsonObject;
  const choice = dice.int(10);
  if (choice === 0) return rest;
  if (choice === 1) return { ...(value as JsonObject), [dice.pick(['x', `${name}s`, 'kind', 'name', 'size'])]: dice.pick(replacements) };
  return { ...(value as JsonObject), [name]: mutated(chosen as Json, dice) };
}

describe('random changes', () => {
  it.each(schemaNames)('are rejected by the reader of a %s if its schema rejects them, and otherwise by known rules', (kind) => {
    const counts = { both: 0, neither: 0, reader: 0 };
    for (let seed = 0; seed < 600; seed++) {
      const dice = rng(seed, 'mutate', kind);
      let document = dice.pick(good[kind]);
      for (let n = dice.int(2); n >= 0; n--) document = mutated(document, dice);
      const valid = validators[kind](document) as boolean;
      const why = refusal(kind, document);
      if (!valid && why === null)
        expect.fail(`the schema refuses ${JSON.stringify(validators[kind].errors)}, the reader takes ${JSON.stringify(document)}`);
      if (valid && why !== null) {
        expect(why, JSON.stringify(document).slice(0, 400)).toMatch(beyond[kind]);
        counts.reader++;
      } else if (valid) counts.neither++;
      else counts.both++;
    }
    // The changes are such that both answers are met often, so that agreement means something.
    expect(counts.both).toBeGreaterThan(100);
    expect(counts.neither).toBeGreaterThan(20);
  });
});

describe('the fields of a character file', () => {
  const described = (schema: Json | undefined): readonly string[] => {
    if (Array.isArray(schema)) return schema.flatMap(described);
    if (!isObject(schema)) return [];
    const texts = typeof schema['description'] === 'string' ? [schema['description']] : [];
    return [...texts, ...Object.values(schema).flatMap(described)];
  };

  it('are all described in the schema', () => {
    expect(described(schemas.persona)).toEqual(expect.arrayContaining(Object.values(fieldTexts)));
    const fields = Object.entries(schemas.persona['properties'] as JsonObject);
    expect(fields.filter(([, field]) => described(field).length === 0)).toEqual([]);
  });

  it('are all listed in the reference', () => {
    const page = readFileSync(join(root, 'docs/reference/character-files.md'), 'utf8');
    for (const [path, text] of Object.entries(fieldTexts))
      expect(page).toMatch(new RegExp(`\\| \`${path}\` \\|.*\\| ${text.replace(/[().]/g, '\\$&')} \\|`));
  });
});
