/** @file A case: an input, and a description of a good answer. A suite of cases needs no environment. */

import { Fault, isObject, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import type { MatchRule } from './match-rules.ts';

/** A case of a suite: an input, and the checks for its answer. */
export type TestCase = {
  /** Names the case in reports. */
  readonly id: string;
  readonly input: string;
  readonly expected?: Json;
  readonly match?: MatchRule;
  /** A regular expression that the answer must match somewhere. */
  readonly regex?: string;
  /** A JSON Schema that the answer, read as JSON, must satisfy. */
  readonly schema?: Json;
  /** Values at places of the answer, read as JSON: `{"items[0].name": "tea"}`. */
  readonly paths?: JsonObject;
  /** The rubric for a grader, one criterion per line. */
  readonly rubric?: string;
  /** What was said before the input: the agent reads it first, message by message. */
  readonly conversation?: readonly CaseMessage[];
  /** Other columns, available to a program that checks answers. */
  readonly data?: JsonObject;
};

export type CaseMessage = { readonly from: string; readonly text: string };

/** Messages with a speaker ("from", "speaker", "name" or "role") and a text ("text" or "content"). */
export function messagesIn(value: Json, where: string): readonly CaseMessage[] {
  if (!Array.isArray(value)) throw new Fault('input', `${where}: expected a list of messages, got ${JSON.stringify(value).slice(0, 60)}.`);
  return value.map((message, i) => {
    const fields = isObject(message) ? message : {};
    const from = fields['from'] ?? fields['speaker'] ?? fields['name'] ?? fields['role'];
    const text = fields['text'] ?? fields['content'];
    if (typeof from === 'string' && typeof text === 'string') return { from, text };
    throw new Fault(
      'input',
      `${where}, message ${i + 1}: expected {"from": "…", "text": "…"}, got ${JSON.stringify(message).slice(0, 60)}.`,
    );
  });
}

/** The name of the environment that asks one question and reads one answer. */
export const casesEnvironment = 'cases';

/** The name of a task that is a case; null for the tasks of other environments. */
export function caseName(task: Json): string | null {
  return isObject(task) && typeof task['id'] === 'string' && typeof task['input'] === 'string' ? task['id'] : null;
}

/** The criteria that need a grader; empty if rules suffice. */
export function criteriaOf({ rubric, match, expected }: TestCase): readonly string[] {
  const lines = (rubric ?? '')
    .split('\n')
    .map((text) => text.replace(/^[-*•]\s+/, '').trim())
    .filter((text) => text !== '');
  return match === 'meaning' ? [...lines, `It says the same as: ${textOf(expected ?? '')}`] : lines;
}

/** Whether rules can check an answer without a model. */
export function hasRules({ expected, match, regex, schema, paths }: TestCase): boolean {
  return (expected !== undefined && match !== 'meaning') || regex !== undefined || schema !== undefined || paths !== undefined;
}

export function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The supported keywords of JSON Schema. An unknown keyword would be ignored silently, so it is rejected. */
const keywords: ReadonlySet<string> = new Set(
  'type enum const minimum maximum minLength maxLength items properties required additionalProperties title description $schema default examples'.split(
    ' ',
  ),
);

const schemaTypes: readonly string[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

export function checkSchema(schema: Json, where: string): void {
  if (typeof schema === 'boolean') return;
  if (!isObject(schema))
    throw new Fault('input', `${where}: "schema" must be a JSON Schema object, got ${JSON.stringify(schema).slice(0, 60)}.`);
  const unsupported = Object.keys(schema).find((keyword) => !keywords.has(keyword));
  if (unsupported !== undefined)
    throw new Fault(
      'input',
      `${where}: "schema" uses the keyword "${unsupported}", which is not checked here. Supported: ${[...keywords].slice(0, 11).join(', ')}. Use a check program for the rest.`,
    );
  const wanted = schema['type'];
  const wrong = (Array.isArray(wanted) ? wanted : wanted === undefined ? [] : [wanted]).find((type) => !schemaTypes.includes(String(type)));
  if (wrong !== undefined)
    throw new Fault(
      'input',
      `${where}: "schema" has the unknown type ${JSON.stringify(wrong)}. Use one of ${schemaTypes.join(', ')}.${didYouMean(wrong, schemaTypes)}`,
    );
  if (isObject(schema['properties'])) for (const field of Object.values(schema['properties'])) checkSchema(field as Json, where);
  for (const field of ['items', 'additionalProperties']) if (schema[field] !== undefined) checkSchema(schema[field] as Json, where);
}
