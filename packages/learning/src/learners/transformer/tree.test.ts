/** @file Trees of tokens: who shares a row, who sees whom, and that a text read in two parts is the text read at once. */

import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import type { Sizes } from './network.ts';
import { hasRuntime, runtime } from './runtime.ts';
import { TokenMemory } from './token-memory.ts';
import { TransformerTrainer } from './trainer.ts';
import { after, type Layout, layOut, layOutUnread, placesOf, rootNode, type TextNode } from './tree.ts';

/** What a layout depends on of a network. */
const small = { context: 64, width: 16 };
const grown = (root: TextNode, tokens: readonly number[]) => tokens.reduce(after, root);

/** Which tokens a node sees, by its row of the layout. */
function seenBy(node: TextNode, wanted: readonly TextNode[]): readonly number[] {
  const { placeOf, length, past, sees, packed } = layOutUnread(wanted, 64)[0]!;
  const place = placeOf.get(node) as number;
  const row = packed[Math.floor(place / length)];
  const ownEntry = sees.subarray(place * (past + length), (place + 1) * (past + length));
  const tokens: number[] = [];
  for (const [other, column] of row?.past ?? []) if (ownEntry[column] === 0) tokens.push(other.token);
  for (const [other, column] of row?.fresh ?? []) if (ownEntry[past + column] === 0) tokens.push(other.token);
  return tokens.sort((a, b) => a - b);
}

describe('token tree', () => {
  it('stores shared text once', () => {
    const root = rootNode();
    const [a, b] = [grown(root, [1, 2, 3, 4]), grown(root, [1, 2, 5])];
    const { rows, placeOf } = layOut([a, b], small);
    expect([rows, placeOf.size]).toEqual([1, 5]);
  });

  it('lets every token see only itself and its ancestors', () => {
    const root = rootNode();
    const [a, b] = [grown(root, [1, 2, 3, 4]), grown(root, [1, 2, 5])];
    expect(seenBy(a, [a, b])).toEqual([1, 2, 3, 4]);
    expect(seenBy(b, [a, b])).toEqual([1, 2, 5]);
    expect(seenBy(b.parent as TextNode, [a, b])).toEqual([1, 2]);
  });

  it('reuses text that was read before', () => {
    const root = rootNode();
    const [a, b] = [grown(root, [1, 2, 3]), grown(root, [1, 2, 5, 6])];
    for (let node: TextNode | null = grown(root, [1, 2]); node !== null && node.depth >= 0; node = node.parent) node.memory = node.depth;
    const [{ placeOf, past }] = layOutUnread([a, b], 64) as [Layout];
    expect([placeOf.size, past]).toEqual([3, 2]);
    expect(seenBy(b, [a, b])).toEqual([1, 2, 5, 6]);
  });

  it('places unrelated texts side by side and starts a new row when one is full', () => {
    const root = rootNode();
    const dice = rng(1);
    const texts = Array.from({ length: 9 }, (_, i) => grown(root, [100 + i, ...Array.from({ length: 39 }, () => dice.int(50))]));
    const layout = layOut(texts, small);
    expect([layout.rows, layout.length]).toEqual([4, 128]);
    const places = placesOf(texts, layout);
    expect(new Set(places).size).toBe(places.length);
    expect(() => layOut([grown(root, new Array(65).fill(7))], small)).toThrow(/65 tokens exceeds the context of 64/);
  });
});

describe('training rows', () => {
  /** Four stems of 48 tokens, each with eight endings of 16. */
  const groups = (root: TextNode) =>
    Array.from({ length: 32 }, (_, i) => grown(root, [i >> 3, ...new Array(47).fill(50), 10 + (i % 8), ...new Array(15).fill(51)]));

  it('are longer if many texts share a stem, which is then read fewer times', () => {
    const { rows, length } = layOut(groups(rootNode()), { context: 64, width: 128 });
    expect([rows, length]).toEqual([8, 128]);
  });

  it('stay short in a narrow network, where long rows cost more than the stem', () => {
    const { rows, length } = layOut(groups(rootNode()), { context: 64, width: 1 });
    expect([rows, length]).toEqual([32, 64]);
  });

  it.each([64, 100])('stay short if nothing is shared (%s tokens per text)', (tokens) => {
    const root = rootNode();
    const texts = Array.from({ length: 16 }, (_, i) => grown(root, [i, ...new Array(tokens - 1).fill(50)]));
    const { rows, length } = layOut(texts, { context: 128, width: 128 });
    expect([rows, length]).toEqual([16, tokens === 64 ? 64 : 128]);
  });
});

describe('reading rows', () => {
  /** Texts with their own beginning that was read before, and so many tokens after it. */
  const unread = (root: TextNode, sizes: readonly (readonly [before: number, fresh: number])[]) =>
    sizes.map(([before, fresh], i) => {
      const head = grown(root, [i, ...new Array(before - 1).fill(50)]);
      for (let node: TextNode | null = head; node !== null && node.depth >= 0; node = node.parent) node.memory = 0;
      return grown(head, new Array(fresh).fill(51));
    });

  it('match the number of texts and the longest length without padding', () => {
    const [only, ...others] = layOutUnread(unread(rootNode(), new Array(5).fill([33, 11])), 512) as [Layout];
    expect(others).toEqual([]);
    expect([only.rows, only.length, only.past]).toEqual([5, 11, 33]);
  });

  it('of very different sizes are split into several runs', () => {
    const wanted = unread(rootNode(), [...new Array(3).fill([60, 100]), ...new Array(200).fill([20, 9])]);
    const layouts = layOutUnread(wanted, 512);
    const area = layouts.reduce((sum, { rows, length, past }) => sum + rows * length * (past + length), 0);
    expect(layouts.length).toBe(2);
    expect(wanted.every((node) => layouts.filter(({ placeOf }) => placeOf.has(node)).length === 1)).toBe(true);
    // As one layout, all of some seventy rows would be as large as the largest.
    expect(area).toBeLessThan((70 * 100 * 160) / 4);
  });
});

describe.skipIf(!hasRuntime())('transformer reading', () => {
  const sizes: Sizes = { vocabulary: 60, context: 64, width: 16, layers: 2, heads: 2 };

  it('gives the same result in several runs as text by text', async () => {
    const trainer = new TransformerTrainer({ ...sizes, context: 300 }, { runtime: await runtime(), seed: 3 });
    const dice = rng(4);
    const common = [7, 8, 9];
    const texts = Array.from({ length: 70 }, (_, i) => [...common, ...Array.from({ length: i < 3 ? 280 : 5 }, () => dice.int(60))]);
    const root = rootNode();
    const textNodes = texts.map((text) => grown(root, text));
    expect(layOutUnread(textNodes, 300).length).toBeGreaterThan(1);
    const memory = new TokenMemory(sizes);
    await trainer.read(textNodes, memory);
    for (const i of [0, 2, 3, 69]) {
      const alone = grown(rootNode(), texts[i]!);
      await trainer.read([alone], new TokenMemory(sizes));
      for (let token = 0; token < 60; token++)
        expect(Math.abs(alone.logprobs![token]! - textNodes[i]!.logprobs![token]!)).toBeLessThan(1e-5);
    }
  });

  it('gives the same result in two parts as at once and in training', async () => {
    const trainer = new TransformerTrainer(sizes, { runtime: await runtime(), seed: 3 });
    const dice = rng(2);
    const heads = Array.from({ length: 5 }, () => Array.from({ length: 3 + dice.int(20) }, () => dice.int(60)));
    const texts = heads.flatMap((head) => Array.from({ length: 3 }, () => [...head, ...Array.from({ length: 6 }, () => dice.int(60))]));
    const [whole, parts] = [rootNode(), rootNode()];
    const [first, second] = [new TokenMemory(sizes), new TokenMemory(sizes)];
    const atOnce = texts.map((text) => grown(whole, text));
    await trainer.read(atOnce, first);
    await trainer.read(
      heads.map((head) => grown(parts, head)),
      second,
    );
    const inParts = texts.map((text) => grown(parts, text));
    await trainer.read(inParts, second);
    const rows = texts.map((text) => [...text, 1]);
    const trained = await trainer.logprobs(rows, 'current');
    texts.forEach((text, i) => {
      const [a, b] = [atOnce[i]?.logprobs as Float32Array, inParts[i]?.logprobs as Float32Array];
      for (let token = 0; token < 60; token++) expect(Math.abs(a[token]! - b[token]!)).toBeLessThan(1e-5);
      expect(Math.abs(a[1]! - (trained[i]?.[text.length] as number))).toBeLessThan(1e-5);
    });
  });

  it('trains several answers to one prompt like separate rows', async () => {
    const wide: Sizes = { ...sizes, width: 64, layers: 1 };
    const dice = rng(5);
    const draw = (count: number) => Array.from({ length: count }, () => dice.int(60));
    const prompts = [draw(44), draw(44)];
    const rows = prompts.flatMap((prompt) =>
      Array.from({ length: 8 }, () => ({
        tokens: [...prompt, ...draw(16)],
        mask: [...new Array(44).fill(0), ...new Array(16).fill(0.01)],
      })),
    );
    const [combinedTrainer, apart] = await Promise.all(
      [0, 1].map(async () => new TransformerTrainer(wide, { runtime: await runtime(), seed: 3 })),
    );
    await combinedTrainer!.forwardBackward(rows, 'cross_entropy', {});
    for (const row of rows) await apart!.forwardBackward([row], 'cross_entropy', {});
    const [a, b] = await Promise.all([combinedTrainer!.optimStep({ rate: 1e-3 }), apart!.optimStep({ rate: 1e-3 })]);
    expect(Math.abs(a['norm']! / b['norm']! - 1)).toBeLessThan(1e-5);
    const [first, second] = await Promise.all(
      [combinedTrainer!, apart!].map((trainer) =>
        trainer.logprobs(
          rows.map(({ tokens }) => tokens),
          'current',
        ),
      ),
    );
    for (const [i, row] of first!.entries())
      for (const [j, value] of row.entries()) expect(Math.abs(value - second![i]![j]!)).toBeLessThan(1e-4);
  });
});
