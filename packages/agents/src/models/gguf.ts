/**
 * @file A GGUF model inside this process, through node-llama-cpp: an optional package that is loaded when such a model is named.
 *
 * Several sequences serve concurrent calls, and a prompt that begins like an earlier one is read only from where it differs. Uses as many
 * threads as the machine has idle cores, unless set otherwise. Choices become a grammar; an answer that repeats itself is stopped. A prompt
 * that does not fit is rejected, never cut: agents read the context size first, so their prompts fit.
 */

import { existsSync } from 'node:fs';
import type { Json, Model, ModelCall, Prompt, Sampling, ToolCall } from '@ludus-agents/kernel/internal/core/index';
import { canonical, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { type Escape, escapeTokens } from '../special-tokens.ts';
import { thinksByName } from './contexts.ts';
import { choiceGrammar, heldNote } from './enforcement.ts';
import { ModelFault } from './fault.ts';
import { priorityOf } from './gguf-batches.ts';
import { isGguf, readSpecialTokens } from './gguf-header.ts';
import { type Functions, functionsOf, historyOf } from './gguf-history.ts';
import { type GgufOptions, type LlamaResponse, type LoadedGguf, llamaLibrary, loadGguf } from './gguf-load.ts';
import { scoreTexts } from './gguf-score.ts';
import { limited, ModelRateLimit } from './limited.ts';
import { isStuck, unstuck } from './repetition.ts';
import { beginWait } from './waits.ts';

/** Loads the model at once, so that an unusable file is reported before the first episode. */
export async function ggufModel(options: GgufOptions): Promise<Model> {
  const { path, adapters = [], id = `gguf:${[path, ...adapters].join('+')}` } = options;
  const library = options.library ?? (await llamaLibrary());
  const loadedNow = beginWait(id, 'loads');
  const loaded = await loadGguf(library, options)
    .catch(async (thrown: unknown) => {
      for (const file of [path, ...adapters])
        if (existsSync(file) && !(await isGguf(file))) throw new ModelFault(`${file} is not a GGUF file.`, { status: 400 });
      throw new ModelFault(`${path} could not be loaded: ${sentenceOf(thrown).slice(0, 300)}`, { status: 400 });
    })
    .finally(loadedNow);
  const specialTokens = await readSpecialTokens(path);
  // A codec escapes special tokens itself, as it did in training.
  const toInert = loaded.trained?.codec === undefined ? escapeTokens(specialTokens) : (text: string) => text;
  const model: Model = {
    id,
    complete: async (prompt, sampling, signal, onText) => ({
      ...(await complete(loaded, id, { prompt: escapePrompt(prompt, toInert), sampling, signal, onText })),
      prompt,
    }),
  };
  return {
    ...limited({ ...model, score: scorer(loaded, id, toInert) }, new ModelRateLimit({ concurrency: loaded.lanes.size })),
    specialTokens,
    price: { prompt: 0, completion: 0 },
    tokens: (text) => loaded.weights.tokenize(text).length,
    context: async () => loaded.contextSize,
    ...(loaded.trained === undefined ? {} : { form: loaded.trained.form }),
    sees: false,
    ...(thinksByName(path) ? { thinks: true } : {}),
  };
}

/** The tokens of a prompt, up to the start of its answer. */
function tokensOf({ template, weights, trained }: LoadedGguf, prompt: Prompt, functions?: Functions): readonly number[] {
  if (trained?.codec !== undefined) return trained.codec.encode(prompt);
  const state = template.generateContextState({
    chatHistory: historyOf(prompt.messages),
    ...(functions && { availableFunctions: functions }),
  });
  return state.contextText.tokenize(weights.tokenizer);
}

/** Scores given answers by reading each after the prompt as if the model had written it. */
function scorer(loaded: LoadedGguf, id: string, toInert: Escape): NonNullable<Model['score']> {
  const { lanes, weights, contextSize } = loaded;
  const codec = loaded.trained?.codec;
  return async (prompt, texts, signal) => {
    const began = performance.now();
    const before = tokensOf(loaded, escapePrompt(prompt, toInert));
    const answers = texts.map((text) => codec?.answer?.(prompt, text) ?? weights.tokenize(text));
    const longest = Math.max(0, ...answers.map(({ length }) => length));
    if (before.length + longest + 1 > contextSize) throw tooLong(id, contextSize, before.length + longest + 1);
    const end = codec?.stop[0] ?? weights.tokens.eot ?? weights.tokens.eos;
    const logprobs = await lanes.use(before, ({ sequence }) => scoreTexts(sequence, { before, answers, end, signal }));
    const best = logprobs.indexOf(Math.max(...logprobs));
    const read = answers.reduce((sum, { length }) => sum + length + 1, 0);
    const milliseconds = Math.round(performance.now() - began);
    const usage = { promptTokens: before.length, completionTokens: read };
    return { logprobs, call: { model: id, prompt, text: texts[best] ?? '', finish: 'stop', usage, cost: 0, milliseconds } };
  };
}

function tooLong(id: string, contextSize: number, tokens: number): ModelFault {
  return new ModelFault(`${id} has a context window of ${contextSize} tokens, but the prompt alone has ${tokens}. Shorten the prompt.`, {
    status: 400,
  });
}

interface Call {
  readonly prompt: Prompt;
  readonly sampling: Sampling;
  readonly signal: AbortSignal;
  readonly onText: ((piece: string) => void) | undefined;
}

/** Escapes special tokens in messages; only the model's own template writes them around messages. */
function escapePrompt(prompt: Prompt, toInert: Escape): Prompt {
  return { ...prompt, messages: prompt.messages.map((message) => ({ ...message, content: toInert(message.content) })) };
}

async function complete(loaded: LoadedGguf, id: string, { prompt, sampling, signal, onText }: Call): Promise<ModelCall> {
  signal.throwIfAborted();
  const began = performance.now();
  const history = historyOf(prompt.messages);
  const functions = loaded.trained?.codec === undefined ? functionsOf(prompt) : undefined;
  const { lanes, contextSize } = loaded;
  const tokens = tokensOf(loaded, prompt, functions);
  const promptTokens = tokens.length;
  if (promptTokens >= contextSize) throw tooLong(id, contextSize, promptTokens);
  const choices = sampling.choices ?? [];
  const stuck = new AbortController();
  let soFar = '';
  let endWait = () => {};
  const hear = (piece: string) => {
    // A listener that receives text no longer waits.
    if (onText !== undefined) endWait();
    soFar += piece;
    onText?.(piece);
    if (isStuck(soFar)) stuck.abort();
  };
  const grammar = functions ? { functions } : await grammarFor(loaded, sampling);
  const written = { answer: 0, thought: 0 };
  const { response, read } = await lanes.use(tokens, async ({ chat, sequence, asked, place }, readSoFar) => {
    Object.assign(asked, { prompt, tokens });
    const toRead = Math.max(1, promptTokens - sharedStart(sequence.contextTokens ?? [], tokens));
    const isReading = () => written.answer + written.thought === 0;
    endWait = beginWait(id, 'reads', () => (isReading() ? { done: Math.min(toRead, readSoFar()), of: toRead } : undefined));
    const llamaResponse = await chat
      .generateResponse(history, {
        signal: AbortSignal.any([signal, stuck.signal]),
        evaluationPriority: priorityOf(place),
        // The text before the repetition still counts as an answer.
        stopOnAbortSignal: true,
        maxTokens: Math.min(sampling.maxTokens ?? contextSize, contextSize - promptTokens),
        temperature: sampling.temperature ?? 0.8,
        topP: sampling.topP ?? 1,
        onToken: ({ length }: readonly number[]) => {
          written.answer += length;
        },
        onResponseChunk: ({ type, tokens: subset }: { readonly type?: string; readonly tokens: readonly number[] }) => {
          if (type === 'segment') written.thought += subset.length;
        },
        onTextChunk: hear,
        ...(sampling.seed !== undefined && { seed: sampling.seed }),
        ...(sampling.reasoning !== undefined && { budgets: { thoughtTokens: thoughtBudgets[sampling.reasoning] } }),
        ...(sampling.stop && { customStopTriggers: [...sampling.stop] }),
        ...grammar,
      })
      .finally(endWait);
    return { response: llamaResponse, read: readSoFar() };
  });
  signal.throwIfAborted();
  // The meter counts the last token of a prompt as the first of the answer, because reading it generates that token.
  const cachedTokens = Math.max(0, promptTokens - 1 - read);
  const thinking = thinkingIn(response);
  const toolCalls = toolCallsIn(response);
  const isEnded = stuck.signal.aborted;
  const notes = [
    ...(isEnded ? ['The model repeated itself, so its answer was ended there.'] : []),
    ...(choices.length > 0 && functions === undefined ? [heldNote('a grammar')] : []),
    ...(sampling.tokens === true ? ['Token ids and logprobs were requested, but an in-process model does not return them.'] : []),
  ];
  return {
    model: id,
    prompt,
    text: isEnded ? unstuck(response.response) : response.response,
    finish: response.metadata.stopReason === 'maxTokens' || isEnded ? 'length' : toolCalls.length > 0 ? 'tool' : 'stop',
    usage: {
      promptTokens,
      completionTokens: written.answer + written.thought,
      cachedTokens,
      ...(written.thought > 0 ? { thinkingTokens: written.thought } : {}),
    },
    ...(thinking === '' ? {} : { thinking }),
    cost: 0,
    milliseconds: Math.round(performance.now() - began),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(notes.length > 0 && { notes }),
  };
}

/** The number of tokens that two prompts share at their start. */
function sharedStart(a: readonly number[], b: readonly number[]): number {
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++;
  return shared;
}

/** The most tokens of thought. */
const thoughtBudgets = { off: 0, low: 256, medium: 1024, high: 4096 } as const;

/** The model's thoughts, separate from its answer. */
function thinkingIn({ fullResponse = [] }: LlamaResponse): string {
  return fullResponse.map((part) => (typeof part === 'object' && part.segmentType === 'thought' ? (part.text ?? '') : '')).join('');
}

function toolCallsIn({ functionCalls = [] }: LlamaResponse): ToolCall[] {
  return functionCalls.map(({ functionName, params }, i) => ({ id: `call_${i}`, name: functionName, arguments: (params ?? {}) as Json }));
}

/** The grammar of a call that is constrained to choices or a schema. */
async function grammarFor({ llama, grammars }: LoadedGguf, { choices = [], schema }: Sampling): Promise<{ grammar?: object }> {
  if (choices.length === 0 && schema === undefined) return {};
  const key = canonical(choices.length > 0 ? { choices } : { schema: schema as Json });
  const make = () =>
    choices.length > 0 ? llama.createGrammar({ grammar: choiceGrammar(choices) }) : llama.createGrammarForJsonSchema(schema as Json);
  const grammar = grammars.get(key) ?? make();
  grammars.set(key, grammar);
  return { grammar: await grammar };
}
