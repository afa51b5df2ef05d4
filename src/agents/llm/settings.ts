/** @file The settings of a language agent: read once from its spec, each with a default, and refused in a sentence when wrong. */

import { type AgentSpec, Fault, type Json, type Sampling } from '../../core/index.ts';
import { type Persona, parsePersona } from '../../personas/index.ts';
import { type EmotionalStrategy, emotionalStrategies } from '../mind/rank.ts';
import type { RankSettings } from '../mind/recall.ts';
import { type ContextMode, contextModes } from '../mind/window.ts';
import { type AnswerForm, answerForms } from './answer.ts';

export const architectures = ['plain', 'react', 'role-play', 'solo-performance', 'jekyll-hyde'] as const;
export type ArchitectureName = (typeof architectures)[number];

export interface LlmSettings {
  readonly architecture: ArchitectureName;
  readonly answer: AnswerForm;
  readonly context: ContextMode;
  /** full: everything a mind has. compact: who one is in few words, and plain answers; for contexts of 4,096 tokens or less unless told. */
  readonly prompt: 'full' | 'compact';
  /** May a compact prompt tell the model what its persona keeps to itself? */
  readonly secrets: boolean;
  /** sample: the model writes its move. score: the likeliest legal move by the model's own chances, where all moves are listed. */
  readonly choose: 'sample' | 'score';
  /** Most tokens of a prompt; without one, 2,400 or what rules and persona need and 1,200 more. */
  readonly budget: number | null;
  /** Most tokens of the part that changes every turn, moves apart. */
  readonly tail: number;
  readonly memo: number;
  /** How memories are ranked, or null for none. */
  readonly rank: RankSettings | null;
  readonly memories: number;
  /** May the agent write facts down for itself? */
  readonly remember: boolean;
  readonly affect: boolean;
  readonly plan: boolean;
  /** May a reflection cost a call of its own? */
  readonly reflect: boolean;
  /** freeze: what lore is called up stays in the history, so that the beginning of prompts stays the same. tail: only while it is called up. */
  readonly lore: 'freeze' | 'tail';
  /** Tool calls in one turn, and rounds of comparison of two answers. */
  readonly steps: number;
  /** Which of its tools this agent may use: names, or beginnings with a star. */
  readonly allow: readonly string[];
  readonly others: readonly Persona[];
  /** The name by which the persona's texts call the other side. */
  readonly user: string | null;
  /** What an agent with role-play prompting is said to have answered to its role. */
  readonly feedback: string | null;
  readonly sampling: Sampling;
}

type Read<T> = (value: Json) => T | undefined;

const oneOf =
  <const T extends string>(...names: readonly T[]): Read<T> =>
  (value) =>
    names.find((name) => name === value);
const whole =
  (from: number, to: number): Read<number> =>
  (value) =>
    Number.isInteger(value) && (value as number) >= from && (value as number) <= to ? (value as number) : undefined;
const number =
  (from: number, to: number): Read<number> =>
  (value) =>
    typeof value === 'number' && value >= from && value <= to ? value : undefined;
const yesno: Read<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);
const text: Read<string> = (value) => (typeof value === 'string' ? value : undefined);
const texts: Read<readonly string[]> = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? (value as string[]) : undefined;
const list: Read<readonly Json[]> = (value) => (Array.isArray(value) ? value : undefined);

/** The name of every setting. */
export const settingNames: readonly string[] = [
  ...[
    'architecture',
    'answer',
    'prompt',
    'secrets',
    'choose',
    'context',
    'budget',
    'tail',
    'memo',
    'memory',
    'strategy',
    'memories',
    'remember',
    'affect',
    'plan',
    'reflect',
  ],
  ...['lore', 'steps', 'allow', 'others', 'user', 'feedback', 'temperature', 'topP', 'maxTokens', 'stop', 'seed', 'tokens', 'decay'],
];

/** Texts may have any name, but one that is all but "instruction" was meant to be it, and would be shown under a heading instead. */
function checkTexts({ name: who, texts: named = {} }: AgentSpec): void {
  for (const [name, words] of Object.entries(named)) {
    if (typeof words !== 'string')
      throw new Fault('input', `${who}: the text "${name}" must be a text, but came as ${JSON.stringify(words)}.`);
    if (isSlip(name.toLowerCase(), 'instruction') && name !== 'instruction')
      throw new Fault('input', `${who}: there is a text called "${name}"; did you mean "instruction"?`);
  }
}

/** Does a word begin like another and differ in one place, by two letters at most? */
function isSlip(word: string, meant: string): boolean {
  let [from, end] = [0, 0];
  while (from < word.length && word[from] === meant[from]) from++;
  while (end < word.length - from && end < meant.length - from && word.at(-1 - end) === meant.at(-1 - end)) end++;
  return from > 0 && Math.max(word.length, meant.length) - from - end <= 2;
}

/** A context up to this many tokens gets compact prompts. */
const smallContext = 4096;

export function readSettings(spec: AgentSpec, persona: Persona | null, holds?: number): LlmSettings {
  const given = spec.settings ?? {};
  for (const name of Object.keys(given))
    if (!settingNames.includes(name))
      throw new Fault('input', `${spec.name}: a language agent has no setting "${name}"; it knows ${settingNames.join(', ')}.`);
  checkTexts(spec);
  function setting<T>(name: string, wanted: string, read: Read<T>): T | undefined {
    const value = given[name];
    if (value === undefined || value === null) return undefined;
    const result = read(value);
    if (result === undefined)
      throw new Fault('input', `${spec.name}: the setting "${name}" must be ${wanted}, but came as ${JSON.stringify(value).slice(0, 80)}.`);
    return result;
  }
  const named = <const T extends string>(name: string, names: readonly T[]) => setting(name, `one of ${names.join(', ')}`, oneOf(...names));
  const lively = persona !== null;
  const prompt = named('prompt', ['full', 'compact']) ?? (holds !== undefined && holds <= smallContext ? 'compact' : 'full');
  const isSmall = prompt === 'compact';
  const memory = named('memory', ['generative', 'emotional', 'off']) ?? (lively && !isSmall ? 'generative' : 'off');
  const context = named('context', contextModes) ?? 'window';
  const answer = named('answer', answerForms) ?? (isSmall ? 'plain' : 'labels');
  return {
    architecture: named('architecture', architectures) ?? 'plain',
    answer,
    prompt,
    secrets: setting('secrets', 'true or false', yesno) ?? !isSmall,
    choose: named('choose', ['sample', 'score']) ?? 'sample',
    context,
    budget: setting('budget', 'a whole number from 200 to 10,000,000', whole(200, 10_000_000)) ?? null,
    tail: setting('tail', 'a whole number from 50 to 100,000', whole(50, 100_000)) ?? (isSmall ? 96 : 320),
    memo: setting('memo', 'a whole number from 20 to 100,000', whole(20, 100_000)) ?? 200,
    rank: rankOf(memory, named('strategy', emotionalStrategies), setting('decay', 'a number from 0 to 1', number(0, 1))),
    memories: setting('memories', 'a whole number from 0 to 100', whole(0, 100)) ?? 4,
    remember: setting('remember', 'true or false', yesno) ?? (lively && memory !== 'off' && answer !== 'plain'),
    affect: setting('affect', 'true or false', yesno) ?? (lively && !isSmall),
    plan: setting('plan', 'true or false', yesno) ?? false,
    reflect: setting('reflect', 'true or false', yesno) ?? false,
    lore: named('lore', ['freeze', 'tail']) ?? 'freeze',
    steps: setting('steps', 'a whole number from 0 to 64', whole(0, 64)) ?? 4,
    allow: setting('allow', 'a list of names of tools', texts) ?? ['*'],
    others: (setting('others', 'a list of personas', list) ?? []).map((one) => personaOf(one, spec.name)),
    user: setting('user', 'a name', text) ?? null,
    feedback: setting('feedback', 'a text', text) ?? null,
    sampling: samplingOf(setting),
  };
}

function rankOf(memory: 'generative' | 'emotional' | 'off', strategy: EmotionalStrategy | undefined, decay = 0.99): RankSettings | null {
  if (memory === 'off') return null;
  return memory === 'generative' ? { by: 'generative', weights: { decay } } : { by: 'emotional', strategy: strategy ?? 'C-A' };
}

function samplingOf(setting: <T>(name: string, wanted: string, read: Read<T>) => T | undefined): Sampling {
  const sampling = {
    maxTokens: setting('maxTokens', 'a whole number from 1 to 1,000,000', whole(1, 1_000_000)),
    temperature: setting('temperature', 'a number from 0 to 2', number(0, 2)),
    topP: setting('topP', 'a number from 0 to 1', number(0, 1)),
    stop: setting('stop', 'a list of texts', texts),
    seed: setting('seed', 'a whole number', whole(0, Number.MAX_SAFE_INTEGER)),
    tokens: setting('tokens', 'true or false', yesno),
  };
  return Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined)) as Sampling;
}

/** A persona as a spec holds it: whole, or only what an author wrote. */
export function personaOf(given: Json, who: string): Persona {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Fault('input', `${who}: a persona is an object with at least a name, but came as ${JSON.stringify(given).slice(0, 80)}.`);
  return parsePersona(given);
}
