/** @file A model's own tokenizer and chat template as a codec: from a folder, from a GGUF header, or from the server of the model. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault, type JsonObject, type Prompt, parseJson, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import type { Codec } from './codec.ts';
import { readGgufMetadata } from './gguf-metadata.ts';
import { filesOfGguf, type GgufTokenizer, type TokenizerFiles } from './gguf-tokenizer.ts';
import { encodeSections } from './section-tokens.ts';
import { withWordCuts } from './word-cuts.ts';

export interface TokenizerSettings {
  /** Variables of the chat template: `enable_thinking: false`, `date_string`. */
  readonly template?: JsonObject;
  /** Replaces the tokenizer's own chat template. */
  readonly chat?: string;
}

/** Loads a folder with tokenizer.json and tokenizer_config.json, or a GGUF file. */
export async function readTokenizer(path: string, settings: TokenizerSettings = {}): Promise<Codec> {
  if (!existsSync(path))
    throw new Fault('input', `No tokenizer at ${path}. Use a folder with tokenizer.json, or a GGUF file.`, { code: 'E_NOT_FOUND' });
  return codecOf(statSync(path).isDirectory() ? filesIn(path) : filesOfGguf(ggufTokenizer(path)), settings);
}

/** Builds it from a server's report: files as in a folder, or the lists of a GGUF header. */
export async function tokenizerFrom(jsonObject: JsonObject, settings: TokenizerSettings = {}): Promise<Codec> {
  const { gguf, tokenizer, config } = jsonObject as { gguf?: GgufTokenizer } & Partial<TokenizerFiles>;
  if (gguf !== undefined) return codecOf(filesOfGguf(gguf), settings);
  if (tokenizer !== undefined) return codecOf({ tokenizer, config: config ?? {} }, settings);
  throw new Fault('model', 'The server named a tokenizer that is not supported. Use a folder with its tokenizer.json.', {
    code: 'E_UNSUPPORTED',
  });
}

function ggufTokenizer(path: string): GgufTokenizer {
  const metadata = readGgufMetadata(path);
  const prefix = 'tokenizer.ggml.';
  const ownEntries = Object.entries(metadata).filter(([name]) => name.startsWith(prefix));
  const fields = Object.fromEntries(ownEntries.map(([name, value]) => [name.slice(prefix.length), value])) as unknown as GgufTokenizer;
  if (fields.tokens === undefined) throw new Fault('input', `${path} has no tokenizer in its header. Use a folder with tokenizer.json.`);
  const template = metadata['tokenizer.chat_template'];
  return { ...fields, ...(typeof template === 'string' ? { chat_template: template } : {}) };
}

function filesIn(folder: string): TokenizerFiles {
  const read = (name: string) => parseJson(readFileSync(join(folder, name), 'utf8'), { bytes: 2 ** 28 }) as JsonObject;
  try {
    const config = existsSync(join(folder, 'tokenizer_config.json')) ? read('tokenizer_config.json') : {};
    const apart = join(folder, 'chat_template.jinja');
    return {
      tokenizer: read('tokenizer.json'),
      config: existsSync(apart) ? { ...config, chat_template: readFileSync(apart, 'utf8') } : config,
    };
  } catch (thrown) {
    throw new Fault('input', `The tokenizer in ${folder} cannot be read: ${sentenceOf(thrown)}`, { code: 'E_UNREADABLE_FILE' });
  }
}

async function codecOf({ tokenizer, config }: TokenizerFiles, settings: TokenizerSettings): Promise<Codec> {
  const [{ Tokenizer }, { Template }] = await Promise.all([import('@huggingface/tokenizers'), import('@huggingface/jinja')]);
  const chat = settings.chat ?? config['chat_template'];
  if (typeof chat !== 'string')
    throw new Fault('input', 'The tokenizer has no chat template, so it cannot be used for chat. Use an instruction-tuned model.');
  const ownTokenizer = new Tokenizer(withWordCuts(tokenizer), config);
  const [bos, eos, eot] = ['bos_token', 'eos_token', 'eot_token'].map((name) => nameIn(config[name]));
  const template = new Template(chat);
  const added = [...ownTokenizer.get_added_tokens_decoder().values()];
  // Normalized tokens are matched in the normalized text.
  const marks = new Map(added.filter(({ normalized }) => !normalized).map(({ content, id }) => [content, id]));
  const ids = encodeSections((text) => ownTokenizer.encode(text, { add_special_tokens: false }).ids, marks);
  const specials = added.filter(({ special }) => special).map(({ content }) => content);
  const render = ({ messages }: Prompt): string => {
    // Players' text must not contain marks of the template: it could end their turn and begin another.
    const clean = messages.map(({ role, content }) => ({
      role,
      content: specials.reduce((text, mark) => text.replaceAll(mark, ''), content),
    }));
    const text = template.render({ ...settings.template, messages: clean, add_generation_prompt: true, bos_token: bos, eos_token: eos });
    return bos !== undefined && config['add_bos_token'] === true && !text.startsWith(bos) ? bos + text : text;
  };
  // The end of an answer is the text that the template appends to one.
  const stop = [...new Set([endOf(template, { bos, eos, settings }, specials), eot, eos])]
    .map((mark) => (mark === undefined ? undefined : ownTokenizer.token_to_id(mark)))
    .filter((id) => id !== undefined);
  return {
    encode: (prompt) => ids(render(prompt)),
    answer: (prompt, text) => {
      const before = render(prompt);
      const [prefix, whole] = [ids(before), ids(before + text)];
      const joined = prefix.some((token, i) => whole[i] !== token);
      return joined ? ids(text) : whole.slice(prefix.length);
    },
    // The tokenizer rejects an empty list, which is the answer of a model that stops at once.
    decode: (tokens) =>
      tokens.length === 0 ? '' : ownTokenizer.decode([...tokens], { skip_special_tokens: false, clean_up_tokenization_spaces: false }),
    stop: stop.slice(0, 3),
    template: { text: chat, ...(settings.template === undefined ? {} : { values: settings.template }) },
  };
}

function nameIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const content = (value as { readonly content?: unknown } | null | undefined)?.content;
  return typeof content === 'string' ? content : undefined;
}

/** The special token that the template appends to an assistant's message. */
function endOf(
  template: { render(items: Record<string, unknown>): string },
  { bos, eos, settings }: { readonly bos: string | undefined; readonly eos: string | undefined; readonly settings: TokenizerSettings },
  specials: readonly string[],
): string | undefined {
  const mark = 'ANSWER';
  const messages = [
    { role: 'user', content: 'QUESTION' },
    { role: 'assistant', content: mark },
  ];
  const text = template.render({ ...settings.template, messages, add_generation_prompt: false, bos_token: bos, eos_token: eos });
  const rest = text.slice(text.lastIndexOf(mark) + mark.length).trimStart();
  return specials.find((special) => rest.startsWith(special));
}
