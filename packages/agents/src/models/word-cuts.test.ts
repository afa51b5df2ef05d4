import { Tokenizer } from '@huggingface/tokenizers';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { withWordCuts } from './word-cuts.ts';

const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`);
const merges = ['▁ a', 'a b', '▁ ▁', 'a a', 'b a', '▁a b', '▁▁ ▁▁', '. .', 'ab ab', '▁ b'];

function tokenizerWith(
  more: readonly string[],
  model: Readonly<Record<string, unknown>> = {},
  rest: Readonly<Record<string, unknown>> = {},
) {
  const all = [...merges, ...more];
  const pieces = ['<unk>', ...bytes, '▁', 'a', 'b', '.', ...new Set(all.map((pair) => pair.replace(' ', '')))];
  return {
    added_tokens: [],
    normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    model: {
      ...{ type: 'BPE', merges: all, unk_token: '<unk>', fuse_unk: true, byte_fallback: true, ...model },
      vocab: Object.fromEntries(pieces.map((piece, i) => [piece, i])),
    },
    ...rest,
  };
}

const pieces = ['a', 'b', 'ab', 'aab', ' ', '  ', '   ', '\n', '.', '..', 'é', '▁', '世'];

/** Whether both give the same tokens for thousands of texts. */
function expectSame(tokenizer: Readonly<Record<string, unknown>>): void {
  const [plain, cut] = [new Tokenizer(tokenizer, {}), new Tokenizer(withWordCuts(tokenizer), {})];
  const dice = rng(1, 'words');
  for (let i = 0; i < 3000; i++) {
    const text = Array.from({ length: 1 + dice.int(14) }, () => pieces[dice.int(pieces.length)]!).join('');
    expect([text, cut.encode(text).ids]).toEqual([text, plain.encode(text).ids]);
  }
}

describe('withWordCuts', () => {
  it('changes no tokens of a vocabulary whose pieces end with the word', () => {
    const tokenizer = tokenizerWith([]);
    expect(withWordCuts(tokenizer)['pre_tokenizer']).toMatchObject({ type: 'Split' });
    expectSame(tokenizer);
  });

  it('finds cuts in a million spaces', () => {
    for (const more of [[], ['\n \n']]) {
      const { pattern } = withWordCuts(tokenizerWith(more))['pre_tokenizer'] as { pattern: { Regex: string } };
      const text = `a${'▁'.repeat(2 ** 20)}`;
      expect(text.match(new RegExp(pattern.Regex, 'gu'))?.map(({ length }) => length)).toEqual([1, 2 ** 20]);
    }
  });

  it('adds no cut at line ends that a piece spans', () => {
    const tokenizer = tokenizerWith(['\n \n', '. \n']);
    expect(JSON.stringify(withWordCuts(tokenizer)['pre_tokenizer'])).not.toContain('\\n');
    expectSame(tokenizer);
  });

  it("adds its cuts after the tokenizer's existing ones", () => {
    const ownEntry = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first' };
    const tokenizer = tokenizerWith([], {}, { pre_tokenizer: ownEntry });
    expect(withWordCuts(tokenizer)['pre_tokenizer']).toMatchObject({ type: 'Sequence', pretokenizers: [ownEntry, { type: 'Split' }] });
    expectSame(tokenizer);
  });

  it('leaves tokenizers unchanged if a piece can span words or no space token exists', () => {
    const { vocab, ...model } = tokenizerWith([]).model;
    const { '▁': _, ...spaceless } = vocab as Record<string, number>;
    for (const tokenizer of [
      tokenizerWith(['a ▁']),
      tokenizerWith([], { ignore_merges: true }),
      tokenizerWith([], { end_of_word_suffix: '</w>' }),
      { ...tokenizerWith([]), model: { ...model, vocab: spaceless } },
    ])
      expect(withWordCuts(tokenizer)).toBe(tokenizer);
  });
});
