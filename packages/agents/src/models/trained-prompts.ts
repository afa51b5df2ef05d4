/**
 * @file Prompts as weights were trained on them, token for token: by the tokenizer of the base file and the chat template that travels with an
 * adapter, and not by what a library makes of either.
 */

import { canonical, Fault, type Json, type Prompt, type PromptForm, parsePromptForm } from '@ludus-agents/kernel/internal/core/index';
import type { Codec } from './codec.ts';
import { type GgufMetadata, readGgufMetadata } from './gguf-metadata.ts';
import { readTokenizer } from './tokenizer.ts';

/** Where a GGUF adapter says how it was asked. */
export const promptKey = 'ludus.prompt';

/** How the adapters over a base were asked, and what writes such prompts; the second is missing where the first names no template. */
export interface TrainedPrompts {
  readonly form: PromptForm;
  readonly codec?: Codec;
}

export async function readTrainedPrompts(base: string, adapters: readonly string[]): Promise<TrainedPrompts | undefined> {
  const forms = adapters.flatMap((path) => {
    const written = headOf(path)[promptKey];
    return written === undefined ? [] : [{ path, form: parsePromptForm(String(written), path) }];
  });
  const [first, ...others] = forms;
  if (first === undefined) return undefined;
  const other = others.find(({ form }) => !isSame(form, first.form));
  if (other !== undefined)
    throw new Fault(
      'input',
      `${first.path} and ${other.path} were trained on different prompts, so they cannot be combined. Use one of them.`,
    );
  const { form, path } = first;
  if (form.template === undefined) return { form };
  const { text, values } = form.template;
  const codec = await readTokenizer(base, { chat: text, ...(values === undefined ? {} : { template: values }) });
  const { probe } = form;
  if (probe !== undefined && !isSame(codec.encode({ messages: probe.messages }), probe.tokens))
    throw new Fault(
      'input',
      `${path} was trained on a model that tokenizes prompts differently from ${base}. Use the model that it was trained on.`,
    );
  return { form, codec };
}

/** What a file is worth that cannot be read is found out by anyone who loads it. */
function headOf(path: string): GgufMetadata {
  try {
    return readGgufMetadata(path);
  } catch {
    return {};
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return canonical(a as Json) === canonical(b as Json);
}

/** The tokens of the prompt that a sequence is asked now. */
export interface AskedTokens {
  prompt: Prompt;
  tokens: readonly number[];
}

interface WrapperLike {
  generateContextState(state: { chatHistory: readonly unknown[] }): object;
}

/** A chat wrapper of node-llama-cpp that stops where its own would, and asks what it is told to, whatever the history reads like. */
export function exactWrapper<Wrapper extends WrapperLike>(wrapper: Wrapper, codec: Codec, askedTokens: AskedTokens): Wrapper {
  const generateContextState: WrapperLike['generateContextState'] = (state) => {
    const { stopGenerationTriggers } = wrapper.generateContextState(state) as { readonly stopGenerationTriggers?: unknown };
    const soFar = answerIn(state.chatHistory.at(-1));
    const tokens = soFar === '' ? askedTokens.tokens : [...askedTokens.tokens, ...(codec.answer?.(askedTokens.prompt, soFar) ?? [])];
    return { stopGenerationTriggers, contextText: { tokenize: () => [...tokens] } };
  };
  // Everything else (how thoughts are marked, what ends a turn) stays as it is.
  return Object.create(wrapper, { generateContextState: { value: generateContextState } }) as Wrapper;
}

/** What a model has written so far in the turn under way. */
function answerIn(item: unknown): string {
  const { type, response = [] } = (item ?? {}) as { readonly type?: string; readonly response?: readonly unknown[] };
  return type === 'model' ? response.filter((part) => typeof part === 'string').join('') : '';
}
