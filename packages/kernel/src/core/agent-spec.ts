/** @file The shapes of an agent's spec and its sampling settings. */

import type { AgentSpec } from './agent.ts';
import type { Sampling } from './model.ts';
import type { Fields, Shape } from './shape.ts';
import { anything, list, number, object, one, optional, record, required, text, whole, withWords, words } from './shape.ts';

export const specFields: Fields<AgentSpec> = {
  name: required(words, 'its name in logs and tables'),
  kind: required(words, 'the kind of agent: "random", "scripted:NAME", "llm", "llm:MODEL" …'),
  model: optional(text, 'the model of a language agent'),
  persona: optional(anything, 'a persona document; in a plan also a name of the gallery, a file, or a population'),
  population: optional(anything, 'in a plan: people to play one after the other, {"of": "./people.json", "number": 20, "seed": 1}'),
  texts: optional(record(text), 'instructions, skills, playbook entries: each a named text'),
  notes: optional(list(text), 'long-term memory'),
  tools: optional(list(text), 'toolboxes it may use'),
  settings: optional(record(anything), 'settings of this kind of agent'),
  parent: optional(text, 'hash of the spec that this one was derived from'),
};

/** Other tools' names for the instruction. */
const elsewhere = Object.fromEntries(
  ['prompt', 'system', 'systemPrompt', 'instruction', 'instructions'].map((name) => [name, '"texts": { "instruction": "…" }']),
);

export const specShape: Shape<AgentSpec> = object(specFields, { elsewhere });

/** A spec in its own file. */
export const specDocument: Shape<AgentSpec> = object(specFields, { document: true, elsewhere });

export type SamplingSettings = Omit<Sampling, 'tokens' | 'schema' | 'choices'>;

export const samplingFields: Fields<SamplingSettings> = {
  maxTokens: optional(whole(1, 1_000_000)),
  temperature: optional(number(0, 2)),
  topP: optional(number(0, 1)),
  stop: optional(withWords('a list of strings', list(text))),
  seed: optional(whole(0)),
  reasoning: optional(one('off', 'low', 'medium', 'high'), 'reasoning effort, for models that reason before they answer'),
};
