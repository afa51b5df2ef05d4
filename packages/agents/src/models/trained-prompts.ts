/**
 * @file Prompts exactly as in training, token for token: by the tokenizer of the base file and the chat template stored with an adapter,
 * instead of a library's interpretation of either.
 */

import { canonical, Fault, type Json, type Prompt, type PromptForm, parsePromptForm } from '@ludus-agents/kernel/internal/core/index';
import type { Codec } from './codec.ts';
import { type GgufMetadata, readGgufMetadata } from './gguf-metadata.ts';
import { readTokenizer } from './tokenizer.ts';

/** The metadata key for the prompt format of a GGUF adapter. */
export const promptKey = 'ludus.prompt';

/** The prompt format of the adapters of a base, and its codec, which is missing if the format names no template. */
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

/** An unreadable file is reported when it is loaded. */
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

/** The tokens of a sequence's current prompt. */
export interface AskedTokens {
  prompt: Prompt;
  tokens: readonly number[];
}

interface WrapperLike {
  generateContextState(state: { chatHistory: readonly unknown[] }): object;
}

/** A chat wrapper of node-llama-cpp with the original stops, but exactly the given prompt tokens, whatever the history contains. */
export function exactWrapper<Wrapper extends WrapperLike>(wrapper: Wrapper, codec: Codec, askedTokens: AskedTokens): Wrapper {
  const generateContextState: WrapperLike['generateContextState'] = (state) => {
    const { stopGenerationTriggers } = wrapper.generateContextState(state) as { readonly stopGenerationTriggers?: unknown };
    const soFar = answerIn(state.chatHistory.at(-1));
    const tokens = soFar === '' ? askedTokens.tokens : [...askedTokens.tokens, ...(codec.answer?.(askedTokens.prompt, soFar) ?? [])];
    return { stopGenerationTriggers, contextText: { tokenize: () => [...tokens] } };
  };
  // Everything else (marks of thoughts, the end of a turn) stays unchanged.
  return Object.create(wrapper, { generateContextState: { value: generateContextState } }) as Wrapper;
}

/** The text that a model has written so far in the current turn. */
function answerIn(item: unknown): string {
  const { type, response = [] } = (item ?? {}) as { readonly type?: string; readonly response?: readonly unknown[] };
  return type === 'model' ? response.filter((part) => typeof part === 'string').join('') : '';
}
