/** @file The settings of a language agent: parsed once from its spec, each with a default. Errors are reported in a sentence. */

import { type SamplingSettings, samplingFields } from '@ludus-agents/kernel/internal/core/agent-spec';
import { type AgentSpec, Fault, isObject, type Json, type JsonObject, type Sampling } from '@ludus-agents/kernel/internal/core/index';
import {
  anything,
  boolean,
  either,
  list,
  number,
  object,
  one,
  optional,
  readAs,
  type Shape,
  text,
  whole,
  withDefault,
  withWords,
} from '@ludus-agents/kernel/internal/core/shape';
import { type Experience, experienceShape } from '../mind/experience.ts';
import { type KnowledgeName, knowledgeNames } from '../mind/knowledge.ts';
import { type EmotionalStrategy, emotionalStrategies } from '../mind/rank.ts';
import type { RankSettings } from '../mind/recall.ts';
import { type ContextMode, contextModes } from '../mind/window.ts';
import { type Persona, parsePersona } from '../personas/index.ts';
import { type TeamGraph, teamGraphShape } from '../team/settings.ts';
import { type Expansion, expansionShape } from '../tools/digests.ts';
import { type ToolContextSettings, toolModes } from '../tools/tool-context.ts';
import { type ToolGraph, toolGraphShape } from '../tools/tool-graph.ts';
import { type AnswerForm, answerForms } from './answer.ts';
import { isWritten } from './profile-writer.ts';

export const architectures = ['plain', 'react', 'code', 'role-play', 'solo-performance', 'jekyll-hyde', 'look-ahead'] as const;
export type ArchitectureName = (typeof architectures)[number];

/** generative: recency, importance, and relevance equally weighted. relevant: by relevance, then recency; for long histories. */
const memoryRankings = ['generative', 'relevant', 'emotional', 'off'] as const;
type MemoryRanking = (typeof memoryRankings)[number];

export interface LlmSettings {
  readonly architecture: ArchitectureName;
  readonly answer: AnswerForm;
  readonly context: ContextMode;
  /**
   * full: the whole mind. compact: a short persona and plain answers; the default for contexts of up to 4,096 tokens. view: the seat's
   * observations, word for word; weights trained on views declare this in their file.
   */
  readonly prompt: 'full' | 'compact' | 'view';
  /** Whether a compact prompt may contain the persona's secrets. */
  readonly secrets: boolean;
  /**
   * sample: the model writes its move. score: the legal move with the highest probability under the model, if all moves are listed. listed:
   * as sample, but constrained to the listed moves, even if the environment accepts others.
   */
  readonly choose: 'sample' | 'score' | 'listed';
  /** The most tokens of a prompt; null: 2,400, or the size of rules and persona plus 1,200 if that is more. */
  readonly budget: number | null;
  /** The most tokens of the part that changes every turn, excluding moves. */
  readonly tail: number;
  readonly memo: number;
  /** How memories are ranked, or null for none. */
  readonly rank: RankSettings | null;
  readonly memories: number;
  /** Whether the agent may write down facts for itself. */
  readonly remember: boolean;
  /** Whether it remembers earlier episodes. */
  readonly lasting: boolean;
  /** Structures over the facts it wrote down. */
  readonly knowledge: readonly KnowledgeName[];
  /** Experience from earlier episodes. */
  readonly experience: Experience | undefined;
  /** Whether a separate call writes down what messages reveal about others. */
  readonly writer: boolean;
  readonly affect: boolean;
  /** Whether it declares the style and emotion of its speech. */
  /** How many of the latest images it is shown; null: two if the model accepts images, else none. */
  readonly images: number | null;
  /** Omits the text that describes an image. */
  readonly imagesOnly: boolean;
  readonly spoken: boolean;
  readonly plan: boolean;
  /** Whether a reflection may take a separate call. */
  readonly reflect: boolean;
  /** How often the agent may edit its texts during an episode: the maximum number, and the number of turns between them. */
  readonly revise: { readonly most: number; readonly every: number };
  /** freeze: triggered lore stays in the history, so the beginning of prompts stays the same. tail: it is shown only while triggered. */
  readonly lore: 'freeze' | 'tail';
  /** The most tool calls in one turn, and rounds of comparing two answers. */
  readonly steps: number;
  /** The cost of each model call in environments with a clock. */
  readonly ticks: number;
  /** The tools that this agent may use: names, or prefixes that end in a star. */
  readonly allow: readonly string[];
  /** The tools it is shown, and the form of their results. */
  readonly toolContext: ToolContextSettings;
  /** Whether separate calls of the model decide which tools it no longer needs, and plan routes through its tool graph. */
  readonly toolSteps: { readonly removal: 'rule' | 'model'; readonly plan: boolean };
  readonly others: readonly Persona[];
  /** The name of the other side in the persona's texts. */
  readonly user: string | null;
  /** The agent's answer to its role in role-play prompting. */
  readonly feedback: string | null;
  readonly sampling: Sampling;
}

interface GivenSettings extends SamplingSettings {
  readonly architecture?: ArchitectureName;
  readonly answer?: AnswerForm;
  readonly prompt?: 'full' | 'compact' | 'view';
  readonly secrets?: boolean;
  readonly choose?: 'sample' | 'score' | 'listed';
  readonly context?: ContextMode;
  readonly budget?: number;
  readonly tail?: number;
  readonly memo?: number;
  readonly memory?: MemoryRanking;
  readonly strategy?: EmotionalStrategy;
  readonly decay?: number;
  readonly memories?: number;
  readonly remember?: boolean;
  readonly lasting?: boolean;
  readonly knowledge?: readonly KnowledgeName[];
  readonly experience?: Experience;
  readonly writer?: boolean;
  readonly affect?: boolean;
  readonly images?: number;
  readonly imagesOnly?: boolean;
  readonly spoken?: boolean;
  readonly plan?: boolean;
  readonly reflect?: boolean;
  readonly revise?: number;
  readonly reviseEvery?: number;
  readonly lore?: 'freeze' | 'tail';
  readonly steps?: number;
  readonly ticks?: number;
  readonly allow?: readonly string[];
  readonly toolMode?: ToolContextSettings['mode'];
  readonly toolCap?: number;
  readonly toolWindow?: number;
  readonly digests?: boolean | Expansion;
  readonly toolGraph?: ToolGraph;
  readonly toolRemoval?: 'rule' | 'model';
  readonly toolPlan?: boolean;
  readonly others?: readonly Json[];
  readonly user?: string;
  readonly feedback?: string;
  readonly tokens?: boolean;
  readonly team?: TeamGraph;
}

const shape: Shape<GivenSettings> = object<GivenSettings>({
  architecture: optional(one(...architectures)),
  answer: optional(one(...answerForms), 'format of the model’s answers'),
  prompt: optional(one('full', 'compact', 'view'), 'compact suits small models; view has only its texts and what the seat has seen'),
  secrets: optional(boolean, "whether the prompt tells the model the persona's secrets"),
  choose: optional(one('sample', 'score', 'listed'), 'how a move is chosen'),
  context: optional(one(...contextModes)),
  budget: optional(whole(200, 10_000_000), 'maximum tokens in a prompt'),
  tail: optional(whole(50, 100_000), 'maximum tokens in the part that changes every turn'),
  memo: optional(whole(20, 100_000)),
  memory: optional(one(...memoryRankings)),
  strategy: optional(one(...emotionalStrategies), 'strategy of emotional memory'),
  memories: optional(whole(0, 100)),
  remember: optional(boolean, 'whether the agent may write down facts'),
  lasting: optional(boolean, 'whether it remembers across episodes'),
  knowledge: optional(list(one(...knowledgeNames)), 'structured memories that are recalled every turn'),
  experience: optional(experienceShape, 'lessons from earlier play, as written by "ludus improve experience"'),
  writer: optional(boolean, 'whether a separate call after each answer, with the text "writer", updates the profile and the register'),
  affect: optional(boolean),
  images: optional(whole(0, 32), 'how many of the latest images it sees (default: two if the model accepts images, otherwise none)'),
  imagesOnly: optional(boolean, 'whether the text for an image is left out'),
  spoken: optional(boolean, 'whether it states the style and emotion of its messages'),
  plan: optional(boolean),
  reflect: optional(boolean, 'whether a reflection may use a separate call'),
  revise: optional(whole(0, 64), 'edits of its texts during play, each in a separate call'),
  reviseEvery: optional(whole(1, 1000), 'turns between two revisions'),
  lore: optional(one('freeze', 'tail')),
  steps: optional(whole(0, 200), 'maximum tool calls per turn, rounds of comparing two answers, or moves to look ahead'),
  ticks: optional(whole(0, 1000), 'clock ticks per model call, if the environment has a clock'),
  allow: optional(withWords('a list of tool names', list(text)), 'tools it may use: names, or prefixes with *'),
  toolMode: optional(one(...toolModes), 'which tools it sees: all, those that fit the turn, those it looks up, or both'),
  toolCap: optional(whole(1, 128), 'maximum number of tools shown at once, unless all are shown'),
  toolWindow: optional(whole(1, 200), 'tool results kept in full in one turn; older ones are removed'),
  digests: optional(
    either<boolean | Expansion>('true, false, or a learned policy', boolean, expansionShape),
    'whether long tool results are shown as digests, with relevant passages in full',
  ),
  toolGraph: optional(toolGraphShape, 'inputs, outputs, costs, and quality of tools, from which it can request the best route'),
  toolRemoval: optional(one('rule', 'model'), 'how tools are removed: by relevance and use, or by the model in a separate call'),
  toolPlan: optional(
    boolean,
    'whether the model writes sub-tasks before each turn in a separate call and gets the best route in the tool graph',
  ),
  others: optional(withWords('a list of personas', list(anything))),
  user: optional(withWords('a name', text), 'the name of the user in the persona’s texts'),
  feedback: optional(text),
  ...samplingFields,
  tokens: optional(boolean, 'ask for token ids and logprobs'),
  team: optional(teamGraphShape, 'makes it a team: its members, who hears whom, and who answers'),
  decay: optional(number(0, 1)),
});

/** The name of every setting. */
export const settingNames: readonly string[] = Object.keys(shape.schema['properties'] as JsonObject);

/** Null means unset, which restores a setting's default. */
export const settingsShape: Shape<GivenSettings> = {
  ...shape,
  schema: {
    ...shape.schema,
    properties: Object.fromEntries(
      Object.entries(shape.schema['properties'] as JsonObject).map(([name, schema]) => [name, { anyOf: [schema, { type: 'null' }] }]),
    ),
  },
  read: (value, problems) =>
    shape.read(isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null)) : value, problems),
};

const settingsOf = object<{ settings: GivenSettings }>({ settings: withDefault(settingsShape, {}) });

/** Texts may have any name, but a misspelled "instruction" would be shown under a heading instead, so it is rejected. */
function checkTexts({ name: who, texts: named = {} }: AgentSpec): void {
  for (const [name, text] of Object.entries(named)) {
    if (typeof text !== 'string') throw new Fault('input', `${who}: the text "${name}" must be a string, but got ${JSON.stringify(text)}.`);
    if (isSlip(name.toLowerCase(), 'instruction') && name !== 'instruction')
      throw new Fault('input', `${who}: there is a text called "${name}"; did you mean "instruction"?`);
  }
}

/** Whether a word has the same beginning as another and differs in one place, by at most two letters. */
function isSlip(word: string, meant: string): boolean {
  let [from, end] = [0, 0];
  while (from < word.length && word[from] === meant[from]) from++;
  while (end < word.length - from && end < meant.length - from && word.at(-1 - end) === meant.at(-1 - end)) end++;
  return from > 0 && Math.max(word.length, meant.length) - from - end <= 2;
}

/** A context up to this many tokens gets compact prompts. */
const smallContext = 4096;

export function readSettings(spec: AgentSpec, persona: Persona | null, holds?: number): LlmSettings {
  const { settings } = readAs(settingsOf, { settings: spec.settings }, { where: spec.name, called: 'a language agent' });
  checkTexts(spec);
  const lively = persona !== null;
  const { prompt = holds !== undefined && holds <= smallContext ? 'compact' : 'full' } = settings;
  const isSmall = prompt === 'compact';
  const {
    lasting = false,
    writer = false,
    knowledge = writer ? ['profile'] : [],
    experience,
    memory = lasting || experience !== undefined || knowledge.length > 0 || (lively && !isSmall) ? 'generative' : 'off',
    answer = isSmall ? 'plain' : 'labels',
    strategy,
    decay,
    others = [],
    user = null,
    feedback = null,
  } = settings;
  return {
    architecture: settings.architecture ?? 'plain',
    answer,
    prompt,
    secrets: settings.secrets ?? !isSmall,
    choose: settings.choose ?? 'sample',
    context: settings.context ?? 'window',
    budget: settings.budget ?? null,
    tail: settings.tail ?? (isSmall ? 96 : 320),
    memo: settings.memo ?? 200,
    rank: rankOf(memory, strategy, decay),
    memories: settings.memories ?? 4,
    // If a writer maintains the facts, the agent itself does not write them down.
    remember:
      settings.remember ??
      ((lively || (lasting && !writer) || knowledge.some((name) => !writer || !isWritten(name))) && memory !== 'off' && answer !== 'plain'),
    lasting,
    knowledge,
    experience,
    writer,
    affect: settings.affect ?? (lively && !isSmall),
    images: settings.images ?? null,
    imagesOnly: settings.imagesOnly ?? false,
    spoken: settings.spoken ?? false,
    plan: settings.plan ?? false,
    reflect: settings.reflect ?? false,
    revise: { most: settings.revise ?? 0, every: settings.reviseEvery ?? 4 },
    lore: settings.lore ?? 'freeze',
    steps: settings.steps ?? 4,
    ticks: settings.ticks ?? 0,
    allow: settings.allow ?? ['*'],
    toolContext: {
      mode: settings.toolMode ?? 'all',
      cap: settings.toolCap ?? 8,
      window: settings.toolWindow,
      digests: settings.digests ?? false,
      graph: settings.toolGraph,
    },
    toolSteps: { removal: settings.toolRemoval ?? 'rule', plan: settings.toolPlan ?? false },
    others: others.map((item) => personaOf(item, spec.name)),
    user,
    feedback,
    sampling: samplingOf(settings),
  };
}

function rankOf(memory: MemoryRanking, strategy: EmotionalStrategy | undefined, decay = 0.99): RankSettings | null {
  if (memory === 'off') return null;
  if (memory === 'relevant') return { by: 'generative', weights: { decay, recency: 0.1, importance: 0 } };
  return memory === 'generative' ? { by: 'generative', weights: { decay } } : { by: 'emotional', strategy: strategy ?? 'C-A' };
}

function samplingOf({ maxTokens, temperature, topP, stop, seed, reasoning, tokens }: GivenSettings): Sampling {
  const sampling = { maxTokens, temperature, topP, stop, seed, reasoning, tokens };
  return Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined)) as Sampling;
}

/** A persona in a spec: complete, or only the parts that an author wrote. */
export function personaOf(input: Json, who: string): Persona {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new Fault(
      'input',
      `${who}: persona: expected an object with at least a name, got ${JSON.stringify(input).slice(0, 80)}. Names and files of personas are only resolved in files, plans, and commands; in a program, pass the persona as an object.`,
    );
  return parsePersona(input);
}
