import { type Json, sha256 } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/fixtures/property.ts';
import { addressOf, Packer, type Piece, referencesIn, Unpacker } from './pack.ts';

/** A packer with its shared values, and the way back through text. */
function box() {
  const pieces = new Map<string, Piece>();
  let characters = 0;
  let handed = 0;
  const packer = new Packer(({ hash, parent, part }) => {
    handed++;
    characters += hash.length + (parent?.length ?? 0) + part.length;
    pieces.set(hash, { parent, part: JSON.parse(part) });
  });
  return {
    packer,
    pieces,
    pack: (value: Json) => packer.pack(value, '$'),
    unpack: (text: string) => new Unpacker((address) => pieces.get(address)).unpack(JSON.parse(text)),
    get characters() {
      return characters;
    },
    get handed() {
      return handed;
    },
  };
}

/** Texts of all lengths, with half characters, tildes and pluses among them. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('~', '~~', '+', '__proto__', 'constructor', 'toJSON', '\ud800', '\udfff\ud800', '0', '10'),
  fc
    .tuple(
      fc.string({ unit: fc.constantFrom('a', '\ud83d', '\ude00', '"', '\\', '\0', 'é'), minLength: 1 }),
      fc.integer({ min: 190, max: 4200 }),
    )
    .map(([unit, length]) => unit.repeat(length / unit.length + 1).slice(0, length)),
);
const trees = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'medium' },
    fc.oneof(texts, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('tree'), { maxLength: 6 }),
    fc.array(texts, { maxLength: 15 }),
    fc.array(fc.tuple(texts, tie('tree')), { maxLength: 6 }).map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries)))),
  ),
})).tree;

describe('packing', () => {
  it('[S16] restores any plain JSON exactly, after any other packing', () => {
    const shelf = box();
    fc.assert(
      fc.property(trees, fc.integer({ min: 0, max: 9 }), (value, chance) => {
        const text = shelf.pack(value);
        expect(JSON.stringify(shelf.unpack(text))).toBe(JSON.stringify(value));
        expect(shelf.pack(value)).toBe(text);
        for (const address of referencesIn(JSON.parse(text))) expect(shelf.pieces.has(address)).toBe(true);
        if (chance === 0) shelf.packer.forget();
      }),
      { seed: 20261115, numRuns: 200 },
    );
  });

  it('[S16] writes small values exactly as JSON, and mistakes no real object for a reference', () => {
    const { pack, unpack } = box();
    for (const value of [{ kind: 'turn', asks: [{ seat: 'a' }] }, -0, 'x'.repeat(199), [1, null, true, '\ud800']] as Json[])
      expect(pack(value)).toBe(JSON.stringify(value));
    for (const value of [{ '~': 'x' }, { '~': ['x'], '+': [] }, { '~~~': { '~': null } }, { '+': 1 }, { '~a': 1 }] as Json[]) {
      expect(unpack(pack(value))).toEqual(value);
      expect(referencesIn(JSON.parse(pack(value))).size).toBe(0);
    }
    expect(pack({ '~': 'x', '~~': 1, '~a': 2 })).toBe('{"~~":"x","~~~":1,"~a":2}');
  });

  it('[S17] shares a long text and the common prefix of texts and lists', () => {
    const shelf = box();
    const rules = 'You play a game with simple rules. '.repeat(20);
    expect(shelf.pack({ text: rules })).toBe(shelf.pack({ text: `${rules}` }));
    expect(shelf.handed).toBe(1);
    const items = Array.from({ length: 100 }, (_, i) => ({ role: 'user', content: `message number ${i}` }));
    const before = shelf.handed;
    shelf.pack(items);
    const whole = shelf.handed - before;
    expect(whole).toBeGreaterThan(5);
    // One item more, in fresh objects: nothing of the beginning is shared again.
    shelf.pack(structuredClone([...items, { role: 'user', content: 'one more' }]));
    expect(shelf.handed - before - whole).toBeLessThanOrEqual(1);
    // A change at the start is a different chain from there on.
    shelf.pack([{ role: 'user', content: 'changed' }, ...items.slice(1)]);
    expect(shelf.handed - before - whole).toBeGreaterThanOrEqual(whole);
    const story = 'Once upon a time, there was a log. '.repeat(1000);
    shelf.pack(story);
    const told = shelf.handed;
    shelf.pack(`${story}The end.`);
    expect(shelf.handed - told).toBeLessThanOrEqual(1);
  });

  it('[S18] grows linearly with the turns if every call has the full chat, token ids, and more memory', () => {
    const stored = (turns: number) => {
      const shelf = box();
      const messages: Json[] = [{ role: 'system', content: 'You bargain. '.repeat(60) }];
      const ids: number[] = [];
      const memory: string[] = [];
      let own = 0;
      let raw = 0;
      for (let i = 0; i < turns; i++) {
        messages.push({ role: 'user', content: `Offer ${i}: ${(i * 7919) % 1000} coins, ${'take it or leave it; '.repeat(1 + (i % 4))}` });
        for (let k = 0; k < 30; k++) ids.push((i * 104729 + k * 7919) % 50_000);
        memory.push(`They offered ${(i * 7919) % 1000} at turn ${i}.`);
        const event: Json = {
          kind: 'action',
          mind: { memory },
          calls: [{ prompt: { messages: structuredClone(messages) }, promptTokenIds: ids }],
        };
        own += shelf.pack(event).length;
        raw += JSON.stringify(event).length;
      }
      return { packed: own + shelf.characters, raw };
    };
    const [a, b] = [stored(120), stored(240)];
    expect(b.raw / a.raw).toBeGreaterThan(3.8);
    expect(b.packed / a.packed).toBeGreaterThan(1.8);
    expect(b.packed / a.packed).toBeLessThan(2.1);
    expect(b.packed).toBeLessThan(b.raw / 12);
  });

  it('[S16] writes a shared value once, and again after `forget`', () => {
    const shelf = box();
    const text = 'a long text '.repeat(30);
    const packed = shelf.pack([text, text]);
    shelf.pack([text]);
    expect(shelf.handed).toBe(1);
    expect(shelf.packer.size).toBeGreaterThan(text.length);
    shelf.packer.forget();
    expect(shelf.packer.size).toBe(0);
    expect(shelf.pack([text, text])).toBe(packed);
    expect(shelf.handed).toBe(2);
  });

  it('[S16] addresses a part by its SHA-256, like the kernel', () => {
    const part = JSON.stringify('héllo \ud800 😀'.repeat(99));
    expect(addressOf(null, part)).toBe(sha256(part));
    expect(addressOf('00ff', part)).toBe(sha256(`00ff${part}`));
    expect(addressOf(null, JSON.stringify('\ud800'))).not.toBe(addressOf(null, JSON.stringify('\ud801')));
  });

  it('[S16] packs up to a thousand levels of nesting and rejects deeper values', () => {
    const { pack, unpack } = box();
    const nested = (depth: number, wrap: (inner: Json) => Json) => {
      let value: Json = 1;
      for (let i = 0; i < depth; i++) value = wrap(value);
      return value;
    };
    for (const wrap of [(inner: Json) => [inner], (inner: Json) => ({ in: inner }), (inner: Json) => ['x'.repeat(300), inner, '~']]) {
      const value = nested(1000, wrap);
      expect(JSON.stringify(unpack(pack(value)))).toBe(JSON.stringify(value));
      expect(() => pack(nested(1001, wrap))).toThrow('more than 1000 levels deep');
      expect(() => pack(nested(100_000, wrap))).toThrow('more than 1000 levels deep');
    }
  });

  it('[S16] reports a missing shared value', () => {
    expect(() => new Unpacker(() => undefined).unpack({ '~': 'abcdef0123456789' })).toThrow(
      'that is missing. The data is damaged or incomplete.',
    );
  });
});
