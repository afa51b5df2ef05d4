/**
 * @file How weights were asked in training. It travels in their file (the key "ludus.prompt" of a GGUF adapter, the field "ludus" of PEFT's
 * adapter_config.json), so that they are asked by the same prompts wherever they are at work: a trained policy is one of its prompts.
 */

import type { AgentSpec } from './agent.ts';
import { Fault } from './fault.ts';
import { isObject, type JsonObject } from './json.ts';
import type { ChatMessage, Model } from './model.ts';
import { parseJson } from './parse-json.ts';
import { anything, list, number, object, one, optional, readAs, record, required, type Shape, text, whole } from './shape.ts';

export type PromptForm = {
  readonly version: 1;
  /** Settings of the language agent that writes the prompts. {"prompt": "view"} is what the seat has seen, and nothing else. */
  readonly settings: JsonObject;
  /** Tools that it had. A file cannot open them: a spec that wants to play so names them itself. */
  readonly tools?: readonly string[] | undefined;
  /** The chat template of the prompts, and its parameters. */
  readonly template?: { readonly text: string; readonly values?: JsonObject | undefined } | undefined;
  /** A chat and the tokens it was in training: a tokenizer that reads it otherwise is of another model. */
  readonly probe?: { readonly messages: readonly ChatMessage[]; readonly tokens: readonly number[] } | undefined;
};

const roles = ['system', 'user', 'assistant'] as const;

/** What a file may set of an agent: how prompts are written and how long answers are. Not what the agent may do. */
const settings = object({
  prompt: required(one('view', 'compact', 'full')),
  answer: optional(text),
  context: optional(text),
  memory: optional(one('off')),
  architecture: optional(one('plain', 'react')),
  steps: optional(whole(0)),
  budget: optional(whole(0)),
  tail: optional(whole(0)),
  memo: optional(whole(0)),
  maxTokens: optional(whole(1)),
  temperature: optional(number(0, 2)),
});

const shape = object({
  version: required(one(1)),
  settings: required(settings),
  tools: optional(list(text)),
  template: optional(object({ text: required(text), values: optional(record(anything)) })),
  probe: optional(
    object({
      messages: required(list(object({ role: required(one(...roles)), content: required(text) }))),
      tokens: required(list(whole(0))),
    }),
  ),
}) as Shape<PromptForm>;

/** The longest form that is read: a chat template has a few thousand letters. */
const mostBytes = 2 ** 20;

/** A form as a file holds it. */
export function parsePromptForm(written: string, where: string): PromptForm {
  let value: unknown;
  try {
    value = parseJson(written, { bytes: mostBytes });
  } catch {
    throw new Fault('input', `${where} has its training prompt format, but not as JSON. Export the adapter again.`);
  }
  const version = isObject(value) ? value['version'] : undefined;
  if (typeof version === 'number' && version > 1)
    throw new Fault(
      'input',
      `${where} was trained with version ${version} of the prompt format, but this version of Ludus only knows version 1. Update Ludus.`,
    );
  return readAs(shape, value, { where, called: 'a form of prompts' });
}

/**
 * The spec of a language agent over a model with its own form: what was true in training, except for what the spec or the settings of the
 * process say. A spec with a persona, with texts or notes, or with a "prompt" of its own asks for prompts that the form does not have, and
 * stays as it is.
 */
export function withPromptForm(spec: AgentSpec, { id, form, usual = {} }: Pick<Model, 'id' | 'form' | 'usual'>): AgentSpec | null {
  const { persona, texts = {}, notes = [], tools = [], settings: ownEntry = {} } = spec;
  const isOther = persona !== undefined || Object.keys(texts).length + notes.length > 0 || (ownEntry['prompt'] ?? null) !== null;
  if (form === undefined || isOther) return null;
  const { settings: trained, tools: had = [] } = form;
  if (tools.length !== had.length || had.some((name) => !tools.includes(name)))
    throw new Fault(
      'input',
      `${id} was trained with ${had.length === 0 ? 'no tools' : `the tools ${had.join(', ')}`}, but ${spec.name} has ${tools.join(', ') || 'none'}. Set the same "tools", or set a "prompt".`,
    );
  const retainedEntries = Object.entries(trained).filter(([name]) => !Object.hasOwn(usual, name));
  return { ...spec, settings: { ...Object.fromEntries(retainedEntries), ...ownEntry } };
}
