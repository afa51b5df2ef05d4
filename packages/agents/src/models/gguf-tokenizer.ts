/** @file Converts the tokenizer in the header of a GGUF file to the format of Hugging Face's library. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

/** The fields after "tokenizer.ggml.", and the chat template. */
export interface GgufTokenizer {
  readonly model: string;
  readonly tokens: readonly string[];
  readonly pre?: string;
  readonly scores?: readonly number[];
  readonly token_type?: readonly number[];
  readonly merges?: readonly string[];
  readonly bos_token_id?: number;
  readonly eos_token_id?: number;
  readonly eot_token_id?: number;
  readonly add_bos_token?: boolean;
  readonly add_space_prefix?: boolean;
  readonly chat_template?: string | null;
}

export interface TokenizerFiles {
  readonly tokenizer: Readonly<Record<string, unknown>>;
  readonly config: Readonly<Record<string, unknown>>;
}

const control = 3;
const userDefined = 4;

/** How byte-level vocabularies split texts into words before merging, by the name in the header. */
const cuts: Readonly<Record<string, string>> = {
  'llama-bpe':
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  qwen2: "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  'gpt-2': "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
};

export function filesOfGguf(gguf: GgufTokenizer): TokenizerFiles {
  const { tokens, token_type: types = [], bos_token_id: bos, eos_token_id: eos, eot_token_id: eot, chat_template } = gguf;
  const vocab = Object.fromEntries(tokens.map((token, i) => [token, i]));
  const special = (i: number) => types[i] === control || types[i] === userDefined;
  const base = {
    version: '1.0',
    added_tokens: tokens.flatMap((content, id) =>
      special(id)
        ? [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: types[id] === control }]
        : [],
    ),
    post_processor: null,
  };
  const config = {
    ...(chat_template ? { chat_template } : {}),
    ...(bos === undefined ? {} : { bos_token: tokens[bos] }),
    ...(eos === undefined ? {} : { eos_token: tokens[eos] }),
    ...(eot === undefined ? {} : { eot_token: tokens[eot] }),
    // If the header has no setting, sentencepiece vocabularies begin texts with a token and byte-level ones do not.
    add_bos_token: gguf.add_bos_token ?? gguf.model === 'llama',
  };
  if (gguf.model === 'llama') return { tokenizer: { ...base, ...sentencepiece(gguf, vocab) }, config };
  if (gguf.model === 'gpt2') return { tokenizer: { ...base, ...byteLevel(gguf, vocab) }, config };
  throw new Fault('input', `The GGUF file has an unsupported tokenizer "${gguf.model}". Use a folder with its tokenizer.json instead.`);
}

function sentencepiece(gguf: GgufTokenizer, vocab: Readonly<Record<string, number>>) {
  const { add_space_prefix = true } = gguf;
  return {
    normalizer: {
      type: 'Sequence',
      normalizers: [
        ...(add_space_prefix ? [{ type: 'Prepend', prepend: '▁' }] : []),
        { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      ],
    },
    pre_tokenizer: null,
    decoder: {
      type: 'Sequence',
      decoders: [{ type: 'Replace', pattern: { String: '▁' }, content: ' ' }, { type: 'ByteFallback' }, { type: 'Fuse' }],
    },
    model: { type: 'BPE', vocab, merges: mergesByScore(gguf, vocab), unk_token: '<unk>', fuse_unk: true, byte_fallback: true },
  };
}

/** Sentencepiece joins the pair that makes the likeliest piece, so every way to build a piece is a merge, the likeliest pieces first. */
function mergesByScore({ tokens, scores = [], token_type: types = [] }: GgufTokenizer, vocab: Readonly<Record<string, number>>) {
  const matches: { readonly pair: readonly [string, string]; readonly score: number }[] = [];
  for (const [id, token] of tokens.entries()) {
    if (types[id] !== undefined && types[id] !== 1) continue;
    const letters = [...token];
    for (let cut = 1; cut < letters.length; cut++) {
      const pair = [letters.slice(0, cut).join(''), letters.slice(cut).join('')] as const;
      if (Object.hasOwn(vocab, pair[0]) && Object.hasOwn(vocab, pair[1])) matches.push({ pair, score: scores[id] ?? 0 });
    }
  }
  return matches.toSorted((a, b) => b.score - a.score).map(({ pair }) => pair);
}

function byteLevel({ pre = 'gpt-2', merges = [] }: GgufTokenizer, vocab: Readonly<Record<string, number>>) {
  const cut = cuts[pre];
  if (cut === undefined)
    throw new Fault('input', `The GGUF file has an unknown pre-tokenizer "${pre}". Use a folder with its tokenizer.json instead.`);
  return {
    normalizer: pre === 'qwen2' ? { type: 'NFC' } : null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: cut }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
      ],
    },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', vocab, merges, ignore_merges: pre === 'llama-bpe' },
  };
}
