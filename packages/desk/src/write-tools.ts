/**
 * @file Writes the tools of a desk from its policy alone: a model proposes the tables and the effects of tools on them, and every
 * tool must work on generated records before it is accepted. Objections are returned to the model, which proposes again.
 */

import { charged, Fault, isFault, type Json, type Model, rng } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import { type DeskTool, deskShape } from './environment/document.ts';
import { blueprintCases, drawDatabase, entitiesOf, identityIn } from './environment/make/blueprint.ts';
import { isWrite } from './environment/tools.ts';

interface ToolWriteOptions {
  readonly model: Model;
  /** The maximum number of proposals, including the first. */
  readonly rounds: number;
  readonly seed: number;
  readonly signal?: AbortSignal | undefined;
}

export interface WrittenTools {
  readonly tools: readonly DeskTool[];
  /** The number of times the model was asked. */
  readonly rounds: number;
}

export async function writeTools(policy: string, { model, rounds, seed, signal }: ToolWriteOptions): Promise<WrittenTools> {
  const dice = rng(seed, 'desk', 'tools');
  let [draft, objection] = ['', ''];
  for (let round = 1; round <= rounds; round++) {
    const { text } = await charged(model).complete(
      { messages: [{ role: 'user', content: promptFor(policy, draft, objection) }] },
      { maxTokens: 2500, temperature: 0.5, seed: dice.int(2 ** 31) },
      signal ?? new AbortController().signal,
    );
    draft = text;
    const checked = checkTools(text, policy, seed);
    if (typeof checked !== 'string') return { tools: checked, rounds: round };
    objection = checked;
  }
  throw new Fault('input', `The model proposed no tools that work in ${rounds} rounds. The last objection: ${objection}`);
}

const jsonList = linear(/\[[\s\S]*\]/);

/** The tools proposed in a text, or the reason for rejecting them. */
function checkTools(text: string, policy: string, seed: number): readonly DeskTool[] | string {
  const json = jsonList.exec(text)?.[0];
  if (json === undefined) return 'The answer has no JSON list.';
  let tools: readonly DeskTool[];
  try {
    tools = readAs(
      deskShape,
      { name: 'desk', policy, tools: jsonFrom(json, 'The list') as Json },
      { where: 'The list', called: 'a desk' },
    ).tools;
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown;
    return thrown.message;
  }
  const broken = tools.flatMap((tool) => problemOf(tool, policy) ?? [])[0];
  if (broken !== undefined) return broken;
  const identity = identityIn(policy);
  const isIdentifying = ({ does }: DeskTool) => does.find === 'customers' && Object.hasOwn(does.where ?? {}, identity);
  if (!tools.some(isIdentifying)) return `No tool finds a record of the table customers by its ${identity}.`;
  const writes = tools.filter(isWrite);
  if (writes.length === 0) return 'No tool changes anything.';
  const database = drawDatabase(entitiesOf(tools), 4, rng(seed, 'desk', 'records'), identity);
  for (const tool of writes) {
    const cases = blueprintCases([tool], database, rng(seed, 'desk', 'tasks'), policy);
    if (cases.length === 0) return `${tool.name} does nothing to any record.`;
    if (tool.does.if !== undefined && cases.every(({ refuse }) => refuse)) return `No record meets the condition of ${tool.name}.`;
  }
  return tools;
}

/** A tool must name its arguments, act on tables, and be mentioned by the policy. */
function problemOf({ name, does, parameters }: DeskTool, policy: string): string | null {
  const table = does.get ?? does.find ?? does.set ?? does.remove ?? does.add;
  if (table === undefined) return `${name} acts on no table: "does" needs get, find, set, add, or remove.`;
  const declared = isObject(parameters['properties']) ? Object.keys(parameters['properties']) : [];
  const used = [...JSON.stringify(does).matchAll(/"\{(\w+)\}"/g)].map(([, argument]) => argument);
  const unknown = used.find((argument) => !declared.includes(argument));
  if (unknown !== undefined) return `${name} uses {${unknown}}, which is not one of its parameters.`;
  if ((does.get ?? does.set ?? does.remove) !== undefined && !/^\{\w+\}$/.test(does.id ?? ''))
    return `${name} must name its record by "id": "{argument}".`;
  if (does.get !== undefined || does.find !== undefined) return null;
  const [verb = '', ...objects] = name.toLowerCase().split('_');
  // "set_hives" sets something; which action of the policy that is, its other words say.
  const names = anyChange.test(verb) && objects.length > 0 ? objects : [verb];
  const isMentioned = names.some((word) => policy.toLowerCase().includes(word.replace(/(?:s|e|y|ies)$/, '')));
  return isMentioned ? null : `The policy says nothing about ${name}.`;
}

/** Verbs that say only that something changes. */
const anyChange = /^(?:set|update|change|edit|modify|adjust|put|write|record)$/;

function promptFor(policy: string, draft: string, objection: string): string {
  const example = JSON.stringify([
    {
      name: 'find_customer',
      description: 'Finds a customer.',
      parameters: { type: 'object', properties: { email: { type: 'string' } }, required: ['email'] },
      does: { find: 'customers', where: { email: '{email}' } },
    },
    {
      name: 'cancel_order',
      description: 'Cancels a pending order.',
      parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
      does: { set: 'orders', id: '{order}', if: { status: 'pending' }, to: { status: 'cancelled' } },
    },
  ]);
  return [
    'You design the tools of a service desk. They read and change tables of records; every record but those of "customers" belongs to a customer.',
    `The policy:\n${policy}`,
    `"does" is one of {"get": TABLE, "id"}, {"find": TABLE, "where"}, {"set": TABLE, "id", "if", "to"}, {"add": TABLE, "to"}, {"remove": TABLE, "id", "if"}. A condition of the policy belongs into "if". Values may be {argument}. One tool finds a customer by its ${identityIn(policy)}.`,
    ...(objection === ''
      ? []
      : [`You proposed:\n${draft.slice(0, 4000)}\nThis is wrong with it: ${objection}\nPropose the whole list again.`]),
    `Answer with one JSON list in this form and nothing else:\n${example}`,
  ].join('\n\n');
}
