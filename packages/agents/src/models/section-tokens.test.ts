import { Tokenizer } from '@huggingface/tokenizers';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { encodeSections } from './section-tokens.ts';

const letters = ['▁', 'a', 'b', '<', '>', '.', '\n', '▁a', 'ab', '▁▁', 'aa', 'ba', '>.', '<a'];
const added = [
  { content: '<a>', lstrip: false, rstrip: false },
  { content: '<a>b', lstrip: false, rstrip: false },
  { content: '<l>', lstrip: true, rstrip: false },
  { content: '<r>', lstrip: false, rstrip: true },
  { content: '(.)', lstrip: false, rstrip: false },
].map((item, i) => ({ ...item, id: 100 + i, single_word: false, normalized: false, special: true }));

/** Joins over whole texts, and begins the first section alone with a space. */
const tokenizer = new Tokenizer(
  {
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'BPE',
      vocab: Object.fromEntries([...letters, '<unk>'].map((piece, i) => [piece, i])),
      merges: [
        ['▁', 'a'],
        ['a', 'b'],
        ['▁', '▁'],
        ['a', 'a'],
        ['b', 'a'],
        ['>', '.'],
        ['<', 'a'],
      ],
      unk_token: '<unk>',
      fuse_unk: true,
    },
  },
  {},
);
const whole = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids;
const marks = new Map(added.map(({ content, id }) => [content, id]));

describe('tokens by sections', () => {
  it('equal those of the whole text, for any special tokens and handling of spaces', () => {
    const encode = encodeSections(whole, marks);
    const dice = rng(1, 'sections');
    const pieces = ['a', 'b', 'ab', ' ', '  ', '\n', '.', '<', '>', 'x', 'é', ...marks.keys()];
    for (let i = 0; i < 3000; i++) {
      const text = Array.from({ length: dice.int(12) }, () => pieces[dice.int(pieces.length)]!).join('');
      expect([text, encode(text)]).toEqual([text, whole(text)]);
    }
  });

  it('reuse sections that were already encoded', () => {
    const asked: string[] = [];
    const encode = encodeSections((text) => {
      asked.push(text);
      return whole(text);
    }, marks);
    encode('ab<a>ab<a>');
    encode('ab<a>ab<a>aa<a>');
    encode('ab<a>ab<a>aa<a>');
    expect(asked).toEqual(['ab<a>', '<a>ab<a>', '<a>aa<a>']);
  });

  it('fall back to the encoder itself without special tokens', () => {
    expect(encodeSections(whole, new Map())).toBe(whole);
  });
});
