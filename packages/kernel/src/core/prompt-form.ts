/**
 * @file The prompt format in which weights were trained. It is stored in their file (the key "ludus.prompt" of a GGUF adapter, the field
 * "ludus" of PEFT's adapter_config.json), so that they get the same prompts wherever they are used: a trained policy depends on its
 * prompts.
 */

import type { AgentSpec } from './agent.ts';
import { Fault } from './fault.ts';
import { isObject, type JsonObject } from './json.ts';
import type { ChatMessage, Model } from './model.ts';
import { parseJson } from './parse-json.ts';
import { anything, list, number, object, one, optional, readAs, record, required, type Shape, text, whole } from './shape.ts';

export type PromptForm = {
  readonly version: 1;
  /** Settings of the language agent that writes the prompts. {"prompt": "view"} shows only the seat's observations. */
  readonly settings: JsonObject;
  /** Its tools in training. A file cannot open tools, so a spec that wants them must name them itself. */
  readonly tools?: readonly string[] | undefined;
  /** The chat template of the prompts, and its parameters. */
  readonly template?: { readonly text: string; readonly values?: JsonObject | undefined } | undefined;
  /** A chat and its tokens in training: a tokenizer with a different result belongs to another model. */
  readonly probe?: { readonly messages: readonly ChatMessage[]; readonly tokens: readonly number[] } | undefined;
};

const roles = ['system', 'user', 'assistant'] as const;

/** Agent settings that a file may contain: how prompts are written and how long answers are, but no permissions. */
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

/** The longest accepted form: a chat template has a few thousand characters. */
const mostBytes = 2 ** 20;

/** Parses a form from a file. */
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
 * The spec of a language agent over a model with its own form: the training settings, unless the spec or the process settings override
 * them. A spec with a persona, texts, notes, or its own "prompt" needs prompts outside the form, and stays unchanged.
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
