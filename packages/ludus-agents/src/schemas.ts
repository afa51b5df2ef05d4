/** @file JSON Schemas of users' documents, derived from their parsers. `npm run generate` writes them to schemas/. */

import { botSettingsSchema } from '@ludus-agents/agents/internal/bot/settings';
import { guardedShape } from '@ludus-agents/agents/internal/guarded';
import { settingsShape } from '@ludus-agents/agents/internal/llm/settings';
import { form as personaShape } from '@ludus-agents/agents/internal/personas/form';
import { describeFields, fieldTexts } from '@ludus-agents/agents/internal/personas/form-descriptions';
import { populationShape } from '@ludus-agents/agents/internal/personas/population/specification';
import { searchShape } from '@ludus-agents/agents/internal/search/settings';
import { teamShape } from '@ludus-agents/agents/internal/team/settings';
import { configShape } from '@ludus-agents/agents/internal/workspace/config-shape';
import type { SchemaName } from '@ludus-agents/agents/internal/workspace/schema-link';
import { deskDocumentShape } from '@ludus-agents/desk/internal/environment/document';
import { rubricShape } from '@ludus-agents/evaluation/internal/rubric-file';
import { suiteShape } from '@ludus-agents/evaluation/internal/scoring/suites/suite';
import { specDocument } from '@ludus-agents/kernel/internal/core/agent-spec';
import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { schemaProperty } from '@ludus-agents/kernel/internal/core/shape';
import { planShape } from '@ludus-agents/kernel/internal/engine/plan-shape';
import { recipeShape } from '@ludus-agents/learning/internal/rl/recipe-shape';

/** The schema of a file: editors support this revision best. */
function documentSchema(title: string, schema: JsonObject): JsonObject {
  return { $schema: 'http://json-schema.org/draft-07/schema#', title, ...schema };
}

export const schemas: Readonly<Record<SchemaName, JsonObject>> = {
  plan: documentSchema('A plan of Ludus: environments × tasks × seeds × casts', planShape.schema),
  suite: documentSchema('A suite of Ludus: a benchmark as data', suiteShape.schema),
  agent: documentSchema('An agent of Ludus as data', agentSchema()),
  persona: documentSchema('A character file of Ludus (persona/1)', describeFields(personaShape.schema, fieldTexts)),
  recipe: documentSchema('A recipe of Ludus: a training method as data', recipeSchema()),
  rubric: documentSchema('A Ludus rubric: what a judge is asked', rubricShape.schema),
  population: documentSchema('A population of Ludus: shares, joint tables, constraints, quotas', populationShape.schema),
  desk: documentSchema('A desk of Ludus: policy, tools, database and cases', deskDocumentShape.schema),
  config: documentSchema('The configuration of a working folder', configShape().schema),
};

/** The settings of language agents, bots, teams, and searches are known; other kinds define their own. */
function agentSchema(): JsonObject {
  return {
    ...specDocument.schema,
    allOf: [
      { anyOf: [{ properties: { kind: { not: { pattern: '^llm(:|$)' } } } }, { properties: { settings: settingsShape.schema } }] },
      { anyOf: [{ properties: { kind: { not: { const: 'bot' } } } }, { properties: { settings: botSettingsSchema } }] },
      {
        anyOf: [
          { properties: { kind: { not: { const: 'team' } } } },
          { properties: { settings: teamShape.schema }, required: ['settings'] },
        ],
      },
      { anyOf: [{ properties: { kind: { not: { const: 'search' } } } }, { properties: { settings: searchShape.schema } }] },
      { anyOf: [{ properties: { kind: { not: { const: 'guarded' } } } }, { properties: { settings: guardedShape.schema } }] },
    ],
  };
}

/** A file defines all fields, or extends a base with changes. */
function recipeSchema(): JsonObject {
  const about = { $schema: schemaProperty, base: { type: 'string', description: 'the recipe that this one changes' } };
  const { schema } = recipeShape;
  const loose = withoutRequired(schema);
  const needed = (schema['required'] as readonly string[]).filter((name) => !['name', 'method', 'source', 'differs'].includes(name));
  return {
    ...loose,
    properties: { ...about, ...(loose['properties'] as JsonObject) },
    required: ['name'],
    anyOf: [{ required: ['base'] }, { required: needed }],
  };
}

/** The same schema with all parts optional. List items stay complete: a list is replaced, not merged. */
function withoutRequired(schema: JsonObject): JsonObject {
  const { required: _, ...rest } = schema;
  const { properties, anyOf } = rest;
  const each = (item: Json): Json => (isObject(item) ? withoutRequired(item) : item);
  return {
    ...rest,
    ...(isObject(properties) && { properties: Object.fromEntries(Object.entries(properties).map(([name, item]) => [name, each(item)])) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(each) }),
  };
}
