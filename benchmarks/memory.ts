/**
 * @file What each memory of a language agent is worth: questions about facts that were told in talks of 10, 100 and 1,000 messages, at one size of
 * prompt: `npm run bench -- memory [--seeds=20] [--first=101] [--only=NAME] [--model=gguf:FILE] [--turns=10,100] [--questions=8]`.
 *
 * The agent is the usual one; only its model is replaced by a reader without weights, which answers with the sentence of the prompt that is nearest
 * to the question. So a figure says what the memory brought into the prompt and a plain reader found there; a language model may read better.
 * With --model, a language model reads.
 */

import { basename } from 'node:path';
import { calibrateEncoder, type Embedder, likeness } from '@ludus-agents/agents/internal/encoders/encoder';
import { installedEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { calibrationPairs } from '@ludus-agents/agents/internal/encoders/pairs';
import { llmAgent } from '@ludus-agents/agents/internal/llm/agent';
import { emptyMemory, type Memory, remember } from '@ludus-agents/agents/internal/mind/memory';
import type { Mind } from '@ludus-agents/agents/internal/mind/mind';
import { lexicalEmbedder } from '@ludus-agents/evaluation/internal/scoring/small/lexical';
import { bootstrap } from '@ludus-agents/evaluation/internal/scoring/statistics/bootstrap';
import { type JsonObject, type Model, rng, type Seen } from '@ludus-agents/kernel/internal/core/index';
import { loadModel } from 'ludus-agents';
import { type AskedFact, everyValue, type LongTalk, longTalk } from './_long-talk.ts';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

/** Tokens of every prompt, and memories that are recalled into it. */
const budget = 800;
const memories = 6;
/** Tokens of a language model's answer. */
const longestAnswer = 40;

interface Structure {
  readonly name: string;
  readonly settings: JsonObject;
  /** Recall by the encoder. */
  readonly meaning?: true;
  /** Facts that a perfect writer noted: an upper bound of what a model would write. */
  readonly notes?: true;
}

const structures: readonly Structure[] = [
  { name: 'none', settings: { memory: 'off' } },
  { name: 'summary by rule', settings: { memory: 'off', context: 'summary' } },
  { name: 'routed', settings: { memory: 'off', context: 'routed' } },
  { name: 'generative, words', settings: { memory: 'generative' } },
  { name: 'generative, meaning', settings: { memory: 'generative' }, meaning: true },
  { name: 'relevant, words', settings: { memory: 'relevant' } },
  { name: 'relevant, meaning', settings: { memory: 'relevant' }, meaning: true },
  { name: 'graph of events', settings: { memory: 'generative', memories: 0, knowledge: ['graph'] } },
  { name: 'graph and relevant, meaning', settings: { memory: 'relevant', knowledge: ['graph'] }, meaning: true },
  { name: 'register, perfect notes', settings: { memory: 'generative', memories: 0, knowledge: ['register'] }, notes: true },
];

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const seeds = sizeOf(flags, 'seeds', 20, 2);
  const first = Number(flags['first'] ?? 101);
  const lengths =
    flags['smoke'] === true
      ? [10]
      : String(flags['turns'] ?? '10,100,1000')
          .split(',')
          .map(Number);
  const questions = Number(flags['questions'] ?? 8);
  const language = typeof flags['model'] === 'string' ? await loadModel(flags['model']) : null;
  const encoder = await installedEncoder();
  const reader = encoder ?? lexicalEmbedder;
  const figures: Figure[] = [];
  for (const [name, embedder] of [['words', lexicalEmbedder] as const, ...(encoder === null ? [] : [[encoder.name, encoder] as const])]) {
    const { separation } = await calibrateEncoder(embedder, calibrationPairs);
    figures.push({ name: `paraphrases told from other sentences, ${name}`, value: separation, unit: 'share', note: 'chance 0.5' });
  }
  for (const structure of structures.filter(({ name }) => flags['only'] === undefined || name === flags['only'])) {
    if (structure.meaning === true && encoder === null) {
      const note = 'needs "ludus models setup minilm"';
      figures.push({ name: `${structure.name}, right answers`, value: null, unit: 'share', note });
      continue;
    }
    for (const turns of lengths)
      figures.push(...(await measureStructure(structure, { turns, seeds, first, questions, reader, encoder, language })));
  }
  return figures;
}

interface Setup {
  readonly turns: number;
  readonly seeds: number;
  readonly first: number;
  readonly questions: number;
  readonly reader: Embedder;
  readonly encoder: Embedder | null;
  /** Reads the prompts in place of the reader without weights. */
  readonly language: Model | null;
}

interface Answered {
  readonly isRight: boolean;
  readonly isInPrompt: boolean;
  readonly tokens: number;
}

async function measureStructure(structure: Structure, setup: Setup): Promise<readonly Figure[]> {
  const { turns, seeds, first, reader } = setup;
  const talks: (readonly Answered[])[] = [];
  for (let seed = first; seed < first + seeds; seed++) {
    const talk = longTalk(turns, seed);
    const answers: Answered[] = [];
    for (const fact of talk.asked.slice(0, setup.questions)) answers.push(await ask(structure, talk, fact, setup));
    talks.push(answers);
  }
  const share = (of: (answer: Answered) => number) => (sample: readonly (readonly Answered[])[]) => mean(sample.flat().map(of));
  const right = share(({ isRight }) => Number(isRight));
  const [low, high] = bootstrap(talks, right, { seed: first }).interval;
  const inPrompt = share(({ isInPrompt }) => Number(isInPrompt))(talks);
  const tokens = share((answer) => answer.tokens)(talks);
  const by = setup.language === null ? '' : `, read by ${basename(setup.language.id)}`;
  const label = `${structure.name}, ${turns} messages${by}`;
  const note = `95% ${low.toFixed(2)} to ${high.toFixed(2)}; in the prompt ${inPrompt.toFixed(2)}; ${Math.round(tokens)} tokens an answer; read by ${setup.language?.id ?? reader.name}`;
  return [{ name: label, value: right(talks), unit: 'right', note }];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

async function ask(
  { settings, meaning, notes }: Structure,
  talk: LongTalk,
  fact: AskedFact,
  { reader, encoder, language }: Setup,
): Promise<Answered> {
  let prompt = '';
  const model: Model = {
    id: 'reader',
    ...(language?.context === undefined ? {} : { context: language.context.bind(language) }),
    async complete(requestedPrompt, _sampling, signal) {
      prompt = requestedPrompt.messages.map(({ content }) => String(content)).join('\n');
      if (language !== null) return language.complete(requestedPrompt, { temperature: 0, maxTokens: longestAnswer }, signal);
      const text = `Speech: ${await nearestSentence(prompt, fact, reader)}`;
      return { model: 'reader', prompt: requestedPrompt, text, finish: 'stop', usage: { promptTokens: 0, completionTokens: 0 }, cost: 0 };
    },
  };
  const agent = await llmAgent({
    spec: { name: 'host', kind: 'llm', settings: { budget, memories, ...settings } },
    seat: 'host',
    model,
    encoder: meaning === true && encoder !== null ? encoder : undefined,
  });
  const observations = withReplies(talk.seen, fact.question);
  const acted = observations.filter(({ kind }) => kind === 'action').length;
  let memory: Memory = emptyMemory;
  for (const { key, text, at } of notes === true ? talk.notes : [])
    memory = remember(memory, { kind: 'fact', key, text, owner: 'host' }, Math.floor((acted * at) / talk.seen.length));
  const mind: Mind = { kind: 'mind/1', count: observations.length - 1, turn: acted, opening: 1, start: 1, memory };
  const turn = { view: { seat: 'host', seen: observations }, ask: { seat: 'host' }, mind: mind, rng: rng(1) };
  const { action, mind: after } = await agent.act(turn, new AbortController().signal);
  const named = everyValue.filter((value) => action.text.includes(value));
  return {
    isRight: named.length === 1 && named[0] === fact.value,
    isInPrompt: bearsFact(prompt, fact),
    tokens: (after as Mind).prompt?.tokens ?? 0,
  };
}

/** The agent says little after every tenth message, and again before the question. */
function withReplies(talk: readonly Seen[], question: string): readonly Seen[] {
  const reply: Seen = { kind: 'action', action: { text: 'I see.' } };
  const observations: Seen[] = [
    { kind: 'message', to: ['host'], text: 'You are a guest among friends who talk. Answer when you are asked.' },
  ];
  for (const [i, item] of talk.entries()) observations.push(item, ...(i % 10 === 9 && i < talk.length - 1 ? [reply] : []));
  return [...observations, reply, { kind: 'message', to: ['host'], from: 'Ines', text: question }];
}

/** Whether some part of the prompt has the person and the value together. */
function bearsFact(prompt: string, { person, value }: AskedFact): boolean {
  return partsOf(prompt).some((part) => part.toLowerCase().includes(person.toLowerCase()) && part.includes(value));
}

function partsOf(prompt: string): readonly string[] {
  return prompt.split('\n');
}

/** Reads as a person in a hurry would: of the parts that name the person and a value, the one nearest to the question, the later of equals. */
async function nearestSentence(prompt: string, { question, person }: AskedFact, reader: Embedder): Promise<string> {
  const parts = partsOf(prompt).filter(
    (part) => part.toLowerCase().includes(person.toLowerCase()) && everyValue.some((value) => part.includes(value)),
  );
  const [request, ...vectors] = await reader.embed([question, ...parts]);
  let [best, nearest] = [-1, 'I do not know.'];
  for (const [i, vector] of vectors.entries()) {
    const near = likeness(request, vector);
    if (near >= best) [best, nearest] = [near, parts[i]];
  }
  return nearest;
}
