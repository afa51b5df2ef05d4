import { readRule, type SeenTransition, sentenceFor } from '@ludus-agents/agents/internal/induced-rules';
import { type EpisodeEvent, hash, type Json, type Lesson, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { drawHalf, effectsOf } from './credit.ts';
import { together, weed } from './engines/playbook.ts';
import type { Delta, Playbook } from './playbook.ts';
import { applyDeltas, bookIn, entriesOffered, Numbering, planEviction, readProposal, repeats, SeenEntries, withBook } from './playbook.ts';
import { dropUngrounded } from './proposers/grounded.ts';
import { inducing, RuleBook, transitionsIn } from './proposers/induce.ts';
import { toySpec } from './toy.cases.ts';

const entry = (id: string, text = `text ${id}`, helpful = 0, harmful = 0) => ({ id, text, helpful, harmful });

/** Changes that all apply, one after the other. */
function anyDeltas(book: Playbook, numbering: Numbering, dice: Rng): readonly Delta[] {
  let now = book;
  return Array.from({ length: 1 + dice.int(6) }, (): readonly Delta[] => {
    const partialId = now.length > 0 ? dice.pick(now).id : null;
    const deltas: readonly Delta[] =
      partialId === null || dice.int(3) === 0
        ? [{ op: 'add', entry: entry(numbering.next()), at: dice.int(now.length + 1) }]
        : dice.int(3) === 0
          ? [{ op: 'remove', id: partialId }]
          : dice.int(2) === 0
            ? [{ op: 'update', id: partialId, text: `new ${dice.int(100)}` }]
            : [{ op: 'count', id: partialId, helpful: 1, harmful: dice.int(2) }];
    now = applyDeltas(now, deltas).book;
    return deltas;
  }).flat();
}

describe('playbook', () => {
  it('is restored exactly when changes are undone, and keeps untouched entries', () => {
    for (let seed = 0; seed < 300; seed++) {
      const dice = rng(seed, 'playbook');
      const numbering = new Numbering();
      const book = applyDeltas([], anyDeltas([], numbering, dice)).book;
      const deltas = anyDeltas(book, numbering, dice);
      const { book: after, undo } = applyDeltas(book, deltas);
      expect(hash(applyDeltas(after, undo).book as unknown as Json)).toBe(hash(book as unknown as Json));
      const touched = new Set(deltas.flatMap((delta) => (delta.op === 'add' ? [] : [delta.id])));
      for (const playbookEntry of book) if (!touched.has(playbookEntry.id)) expect(after).toContainEqual(playbookEntry);
    }
  });

  it('never reuses a number after a removal', () => {
    const numbering = new Numbering();
    const ids = Array.from({ length: 50 }, () => numbering.next());
    expect(new Set(ids).size).toBe(50);
    expect(ids[6]).toBe('00007');
    const further = new Numbering({ 'playbook/00012': 'x', 'playbook/own': 'y', 'hint/00099': 'z' }, 'playbook');
    expect(further.next()).toBe('00013');
    expect(bookIn({ 'playbook/own': 'y', instruction: 'z' }, 'playbook')).toEqual([entry('own', 'y')]);
    expect(entriesOffered({ a: '', model: 'm', b: '', 'setting/x': '1', c: '' }, 4)).toEqual(['b', 'c', 'a']);
  });

  it('rejects changes to missing entries and duplicate numbers', () => {
    expect(() => applyDeltas([], [{ op: 'update', id: '00009', text: 'x' }])).toThrow(/no entry 00009/);
    expect(() => applyDeltas([], [{ op: 'remove', id: '00009' }])).toThrow(/no entry 00009/);
    expect(() => applyDeltas([entry('1')], [{ op: 'add', entry: entry('1'), at: 0 }])).toThrow(/already/);
  });

  it('evicts the least helpful and then the oldest entries to stay within its size', () => {
    const book = [entry('1', 'aaaa', 3, 0), entry('2', 'bbbb', 1, 1), entry('3', 'cccc', 0, 2), entry('4', 'dddd', 1, 1)];
    expect(planEviction(book, 16)).toEqual([]);
    expect(planEviction(book, 15)).toEqual([{ op: 'remove', id: '3' }]);
    expect(planEviction(book, 9)).toEqual([
      { op: 'remove', id: '3' },
      { op: 'remove', id: '2' },
    ]);
    for (let room = 0; room < 20; room++) {
      const left = applyDeltas(book, planEviction(book, room)).book;
      expect(left.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(room);
    }
  });

  it('parses a proposal: new lines are added, emptied entries removed, and others kept in place', () => {
    const book = [entry('00001', 'keep'), entry('00002', 'old'), entry('00003', 'gone')];
    const before = withBook({ instruction: 'a\nb', model: 'm' }, book, 'playbook');
    const { 'playbook/00003': _, ...others } = before;
    const proposed = { ...others, instruction: 'a\nc\nnew line', 'playbook/00002': 'newer' };
    const numbering = new Numbering();
    for (let i = 0; i < 3; i++) numbering.next();
    const { deltas, edits } = readProposal(before, proposed, { book, kind: 'playbook', numbering });
    expect(deltas).toEqual([
      { op: 'update', id: '00002', text: 'newer' },
      { op: 'remove', id: '00003' },
      { op: 'add', entry: entry('00004', 'new line'), at: 2 },
    ]);
    expect(edits).toEqual([{ component: 'instruction', at: 1, take: 'b', put: 'c' }]);
    expect(applyDeltas(book, deltas).book.map(({ text }) => text)).toEqual(['keep', 'newer', 'new line']);
  });

  it('merges several proposals: a removal wins, and all additions stay', () => {
    const first: readonly Delta[] = [
      { op: 'update', id: '1', text: 'x' },
      { op: 'add', entry: entry('5'), at: 1 },
    ];
    const second: readonly Delta[] = [
      { op: 'remove', id: '1' },
      { op: 'add', entry: entry('6'), at: 1 },
    ];
    const both = together(first, second);
    expect(applyDeltas([entry('1'), entry('2')], both).book.map(({ id }) => id)).toEqual(['2', '5', '6']);
    expect(repeats([entry('1', 'Be brief.'), entry('2', 'be  brief')])).toEqual([{ op: 'remove', id: '2' }]);
    const seenEntries = new SeenEntries();
    expect([seenEntries.fresh({ a: 'x\ny' }), seenEntries.fresh({ b: 'y', c: 'x' }), seenEntries.fresh({ a: 'x' })]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

/** Six entries that are always cited together, two of which harm. */
const truth = [0.08, 0.08, -0.15, 0.08, -0.15, 0.08];

/** How often the two lowest effects are the two that harm. */
function found(rollouts: number, seeds: number): number {
  let right = 0;
  for (let seed = 0; seed < seeds; seed++) {
    const dice = rng(seed, 'credit', rollouts);
    const rows = Array.from({ length: rollouts }, () => drawHalf(6, dice));
    const scores = rows.map((row) => (dice.next() < 0.5 + row.reduce((sum, on, i) => sum + (on ? truth[i]! : 0), 0) ? 1 : 0));
    const effects = effectsOf(rows, scores)?.map(({ effect }) => effect) ?? [];
    const lowest = effects.map((effect, i) => ({ effect, i })).toSorted((a, b) => a.effect - b.effect);
    if (lowest[0] !== undefined && lowest[1] !== undefined && truth[lowest[0].i]! < 0 && truth[lowest[1].i]! < 0) right++;
  }
  return right / seeds;
}

describe('credit by randomized dropout', () => {
  it('finds both harmful entries in 90% of seeds at 200 plays, and in 98% at 400', () => {
    expect(found(200, 200)).toBeGreaterThanOrEqual(0.9);
    expect(found(400, 100)).toBeGreaterThanOrEqual(0.98);
    expect(found(50, 200)).toBeLessThan(0.75);
  });

  it('separates entries that counters cannot, because they always occur together', () => {
    let right = 0;
    for (let seed = 0; seed < 300; seed++) {
      const dice = rng(seed, 'counters');
      const counts = truth.map(() => 0);
      for (let i = 0; i < 200; i++) {
        const won = dice.next() < 0.5 + truth.reduce((sum, value) => sum + value, 0);
        counts.forEach((_, k) => {
          counts[k] = counts[k]! + (won ? 1 : -1);
        });
      }
      const order = dice.shuffle(counts.map((count, i) => ({ count, i }))).toSorted((a, b) => a.count - b.count);
      if (order.slice(0, 2).every(({ i }) => truth[i]! < 0)) right++;
    }
    expect(right / 300).toBeLessThan(0.15);
  });

  it('recovers exact effects without noise', () => {
    const dice = rng(2, 'exact');
    const rows = Array.from({ length: 40 }, () => drawHalf(6, dice));
    const scores = rows.map((row) => 0.5 + row.reduce((sum, on, i) => sum + (on ? truth[i]! : 0), 0));
    effectsOf(rows, scores)?.forEach(({ effect, error }, i) => {
      expect(effect).toBeCloseTo(truth[i]!, 6);
      expect(error).toBeLessThan(1e-6);
    });
    expect(effectsOf(rows.slice(0, 7), scores)).toBeNull();
  });

  it('removes harmful entries and keeps the rest', () => {
    const dice = rng(3, 'weed');
    const book = truth.map((_, i) => entry(String(i)));
    const trials = Array.from({ length: 200 }, () => {
      const on = drawHalf(6, dice);
      const score = 0.5 + on.reduce((sum, item, i) => sum + (item ? truth[i]! : 0), 0) + 0.1 * (dice.next() - 0.5);
      return { on: new Set(book.flatMap(({ id }, i) => (on[i] ? [id] : []))), score };
    });
    const { book: left, words } = weed(book, trials, 1);
    expect(left.map(({ id }) => id)).toEqual(['0', '1', '3', '5']);
    expect(left.every(({ helpful }) => helpful === 1)).toBe(true);
    expect(words).toHaveLength(2);
    // Plays with an entry that is gone would speak for others.
    expect(
      weed(
        book.slice(0, 2),
        trials.filter(({ on }) => on.has('2')),
        1,
      ).book,
    ).toHaveLength(2);
  });
});

const lesson = (text: string): Lesson => {
  const events: EpisodeEvent[] = [{ kind: 'message', to: ['clerk'], text }];
  return { episode: { id: 'e', events }, seat: 'clerk', scores: [] };
};

describe('quotes in proposals', () => {
  it('must occur verbatim in the episodes, and are stripped', () => {
    const spec = toySpec('Be kind.');
    const propose = (line: string) =>
      dropUngrounded(spec, toySpec(`Be kind.\n${line}`), [lesson('The parcel never came.')]).texts?.['instruction'];
    expect(propose('Ask for the parcel. <- "The parcel never came."')).toBe('Be kind.\nAsk for the parcel.');
    expect(propose('Ask for money. <- "I demand money."')).toBe('Be kind.');
    expect(propose('A rule without a quote.')).toBe('Be kind.\nA rule without a quote.');
  });
});

describe('rule induction', () => {
  const moves = ['up', 'down', 'left', 'right'] as const;
  const kinds = ['ice', 'hole', 'wall', 'goal'] as const;
  const law = (kind: string, move: string) =>
    kind === 'wall' ? 'you bump' : kind === 'hole' ? 'you fall' : kind === 'goal' ? 'you win' : `you slide ${move}`;
  const transition = (dice: Rng): SeenTransition => {
    const [situation, move] = [dice.pick(kinds), dice.pick(moves)];
    return { situation, move, effect: law(situation, move) };
  };

  it('predicts all held-out transitions once it has seen each cell with each move', () => {
    const dice = rng(1, 'grid');
    const heldOut = Array.from({ length: 100 }, () => transition(rng(2, dice.int(2 ** 31))));
    const book = new RuleBook();
    let before = 0;
    for (let i = 0; i < 400; i++) {
      book.observe(transition(dice));
      const right = heldOut.filter((seenTransition) => book.predict(seenTransition) === seenTransition.effect).length;
      expect(right).toBeGreaterThanOrEqual(before);
      before = right;
    }
    expect(before).toBe(100);
  });

  it('flags a rule at its first violation and then makes no prediction', () => {
    const book = new RuleBook();
    book.observe({ situation: 'ice', move: 'up', effect: 'you slide up' });
    book.observe({ situation: 'ice', move: 'up', effect: 'you fall' });
    expect(book.rules[0]).toMatchObject({ confirmed: 1, violated: 1 });
    expect(book.predict({ situation: 'ice', move: 'up' })).toBeNull();
    expect(book.sure(1)).toEqual([]);
  });

  it('writes rules that it can parse, and removes one that an episode contradicts', async () => {
    const episode = (effect: string): Lesson => ({
      episode: {
        id: 'e',
        events: [
          { kind: 'message', to: ['hero'], text: 'You see:\nice' },
          { kind: 'action', seat: 'hero', action: { text: 'up' } },
          { kind: 'message', to: ['hero'], text: effect },
        ],
      },
      seat: 'hero',
      scores: [],
    });
    expect(transitionsIn(episode('you slide up').episode, 'hero')).toEqual([{ situation: 'ice', move: 'up', effect: 'you slide up' }]);
    const round = { rng: rng(1), components: ['instruction'], many: 1, edits: 4, tried: [], paid: () => {} };
    const improve = inducing().improver(round);
    const signal = new AbortController().signal;
    const [agentSpec] = await improve.improve(toySpec('Win.'), [episode('you slide up'), episode('you slide up')], signal);
    const text = agentSpec?.texts?.['instruction'] ?? '';
    expect(text).toBe('Win.\nWhen “ice”: up → “you slide up” (2 times)');
    expect(readRule(text.split('\n')[1]!)).toMatchObject({ move: 'up', confirmed: 2 });
    expect(sentenceFor(readRule(text.split('\n')[1]!) as never)).toBe(text.split('\n')[1]);
    const [revised] = await improve.improve(toySpec(text), [episode('you fall')], signal);
    expect(revised?.texts?.['instruction']).toBe('Win.');
  });
});
