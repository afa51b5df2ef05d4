/** @file Mood to the digit, budgets to the token, windows, reflections, plans and the ledger. */

import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/fixtures/property.ts';
import { emotions, parsePersona } from '../personas/index.ts';
import { affectWords, calm, type Emotion, emotionPlaces, intensityAt, moodAt, moodVector, stir } from './affect.ts';
import { appraise, emotionVector, importanceOf } from './appraise.ts';
import { cutTo, estimate, packParcels } from './budget.ts';
import { factsOf, leaks, ledger } from './ledger.ts';
import { planIn, planWords } from './plan.ts';
import { insightsIn, weigh } from './reflect.ts';
import { type ContextLine, digest, routeWorth, select } from './window.ts';

describe('affect', () => {
  const temper = { baseline: [0.2, 0, -0.1], reactivity: 1, halfLifeTurns: { emotion: 15, mood: 60 } };
  const angry = stir(calm(temper), [{ emotion: 'anger', intensity: 8, cause: 'x' }], 0, temper);

  it('halves an emotion in exactly one half-life', () => {
    const [felt] = angry.felt;
    if (felt === undefined) throw new Error('nothing was felt');
    expect([0, 15, 30, 45].map((turn) => intensityAt(felt, turn, temper))).toEqual([8, 4, 2, 1]);
  });

  it("halves the mood's distance from its baseline in exactly one half-life", () => {
    const away = (turn: number) => moodAt(angry, turn, temper).map((value, i) => value - temper.baseline[i]!);
    const start = away(0);
    start.forEach((value, i) => {
      expect(value).toBeCloseTo(0.3 * 0.8 * emotionPlaces.anger[i]!, 12);
      expect(away(60)[i]).toBeCloseTo(value / 2, 12);
      expect(away(120)[i]).toBeCloseTo(value / 4, 12);
    });
    expect(moodAt(calm(temper), 1000, temper)).toEqual([...temper.baseline]);
  });

  it('does not depend on how often it is read or updated in between', () => {
    const later = stir(angry, [{ emotion: 'joy', intensity: 0, cause: 'y' }], 30, temper);
    expect(later).toBe(angry);
    const once = stir(angry, [{ emotion: 'joy', intensity: 5, cause: 'y' }], 60, temper);
    expect(once.felt.find(({ emotion }) => emotion === 'anger')).toEqual(angry.felt[0]);
    const drop = stir(once, [{ emotion: 'joy', intensity: 5, cause: 'y' }], 61, temper);
    expect(drop.felt.map(({ emotion }) => emotion)).not.toContain('anger');
  });

  it('respects thresholds and bounds', () => {
    const stoic = { ...temper, thresholds: { anger: 9 } };
    expect(stir(calm(stoic), [{ emotion: 'anger', intensity: 8, cause: 'x' }], 0, stoic)).toEqual(calm(stoic));
    let state = calm(temper);
    for (let i = 0; i < 200; i++) state = stir(state, [{ emotion: 'hate', intensity: 10, cause: 'x' }], i, temper);
    for (const value of state.mood) expect(Math.abs(value)).toBeLessThanOrEqual(1);
    expect(state.felt.length).toBeLessThanOrEqual(6);
  });

  it('covers the emotions of personas and describes them in text', () => {
    expect(Object.keys(emotionPlaces)).toEqual([...emotions]);
    expect(affectWords(angry, 0, temper)).toBe('slightly dependent; strong anger (x)');
    expect(affectWords(angry, 15, temper)).toContain('anger (x)');
    expect(affectWords(calm({ ...temper, baseline: [0, 0, 0] }), 0, temper)).toBe('');
    expect(moodVector(angry, 0, temper)).toEqual([1, 1, 1, 1, 1, 1, expect.closeTo(8.2, 12), 1]);
  });

  it('appraises messages and rewards by rule', () => {
    const said = (text: string) => appraise({ kind: 'message', to: ['me'], from: 'ann', text }, { names: ['Bea'] });
    expect(said('You are a liar, Bea!')).toEqual([{ emotion: 'anger', intensity: 4 }]);
    expect(said('He is a liar.')).toEqual([{ emotion: 'anger', intensity: 2.5 }]);
    expect(said('Pass the salt.')).toEqual([]);
    expect(appraise({ kind: 'reward', reward: 7, penalty: 0 }, { names: [] })).toEqual([{ emotion: 'joy', intensity: 9 }]);
    expect(appraise({ kind: 'reward', reward: 0, penalty: 1 }, { names: [] })[0]?.emotion satisfies Emotion | undefined).toBe('distress');
    expect(appraise({ kind: 'action', action: { text: 'liar' } }, { names: [] })).toEqual([]);
    expect(emotionVector('I am afraid, afraid')).toEqual([1, 1, 7, 1, 1, 1, 1, 1]);
    expect(importanceOf('You betrayed me, Bea, for 30 coins', ['Bea'])).toBeGreaterThan(importanceOf('Pass the salt', ['Bea']));
  });
});

describe('token budget', () => {
  it('packs items by score and skips those that do not fit', () => {
    const items = [
      { id: 'plan', score: 0.9, tokens: 300 },
      { id: 'fact1', score: 0.8, tokens: 500 },
      { id: 'fact2', score: 0.75, tokens: 250 },
      { id: 'old', score: 0.2, tokens: 100 },
    ];
    const ids = (budget: number) => packParcels(items, budget).map(({ id }) => id);
    expect(ids(600)).toEqual(['plan', 'fact2']);
    expect(ids(800)).toEqual(['plan', 'fact1']);
    expect(ids(0)).toEqual([]);
    expect(packParcels(items, 360, true).map(({ id }) => id)).toEqual(['plan']);
  });

  it('estimates one token per four ASCII characters or per non-ASCII character', () => {
    expect([estimate(''), estimate('abcd'), estimate('abcde'), estimate('日本'), estimate('añb')]).toEqual([0, 1, 2, 2, 2]);
  });

  it('cuts text as little as needed, never inside a grapheme', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: 'grapheme' }), fc.nat(80), (text, budget) => {
        const cut = cutTo(text, budget, estimate);
        expect(estimate(cut)).toBeLessThanOrEqual(Math.max(budget, 0));
        expect(cut.isWellFormed()).toBe(true);
        if (estimate(text) <= budget) expect(cut).toBe(text);
      }),
      { numRuns: 300, seed: 2 },
    );
    expect(cutTo('x'.repeat(400), 20, estimate).length).toBeGreaterThan(70);
  });
});

describe('context window', () => {
  const lines: readonly ContextLine[] = Array.from({ length: 40 }, (_, i) => ({
    index: i,
    text: `line ${i}`,
    own: i % 4 === 3,
    tokens: 10,
  }));
  const indexes = (contextLines: readonly ContextLine[]) => contextLines.map(({ index }) => index);

  it('moves in strides and stays fixed in between', () => {
    let start = 0;
    const starts: number[] = [];
    for (let n = 1; n <= 40; n++) {
      const contextSelection = select(lines.slice(0, n), { mode: 'window', tokens: 100, start, fresh: n - 1 });
      expect(contextSelection.shown.length).toBeLessThanOrEqual(10);
      expect(contextSelection.shown.at(-1)?.index).toBe(n - 1);
      if (contextSelection.start !== start) starts.push(contextSelection.start);
      start = contextSelection.start;
    }
    // A window of ten lines is emptied to four and filled again.
    expect(starts.length).toBeLessThanOrEqual(6);
  });

  it('requests a memo before it is full and returns the lines that left it', () => {
    expect(select(lines.slice(0, 8), { mode: 'summary', tokens: 100, start: 0, fresh: 7 }).due).toBe(true);
    expect(select(lines.slice(0, 7), { mode: 'summary', tokens: 100, start: 0, fresh: 6 }).due).toBe(false);
    const moved = select(lines.slice(0, 11), { mode: 'summary', tokens: 100, start: 0, fresh: 10 });
    expect(indexes(moved.left)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('shows only the previous turn in constant mode, however long the history', () => {
    for (const n of [9, 41, 401]) {
      const many = Array.from({ length: n }, (_, index): ContextLine => ({ index, text: 'x', own: index % 4 === 3, tokens: 10 }));
      const { shown } = select(many, { mode: 'constant', tokens: 1000, start: 0, fresh: n - 1 });
      expect(indexes(shown)).toEqual([n - 2, n - 1]);
    }
  });

  it('selects the most valuable lines within the budget, in order', () => {
    const worth = (line: ContextLine) => (line.index === 2 || line.index === 5 ? 1 : 0.1);
    const { shown } = select(lines.slice(0, 20), { mode: 'routed', tokens: 70, start: 0, fresh: 19, worth });
    expect(indexes(shown)).toEqual([2, 5, 15, 16, 17, 18, 19]);
    expect(routeWorth({ role: 1, stage: 1, distance: 0 })).toBeCloseTo(2, 12);
    expect(routeWorth({ role: 0, stage: 0, distance: 1 })).toBeCloseTo(0.4 * Math.exp(-0.3), 12);
  });

  it('never exceeds its budget, for any lines', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.boolean()), { maxLength: 30 }),
        fc.nat(120),
        fc.nat(30),
        fc.constantFrom('window' as const, 'summary' as const, 'constant' as const, 'routed' as const),
        (samples, tokens, start, mode) => {
          const contextLines = samples.map(([size, own], index): ContextLine => ({ index, text: 'x', own, tokens: size }));
          const { shown } = select(contextLines, { mode, tokens, start, fresh: Math.max(0, contextLines.length - 2) });
          expect(shown.reduce((sum, line) => sum + line.tokens, 0)).toBeLessThanOrEqual(tokens);
          expect(indexes(shown)).toEqual([...indexes(shown)].sort((a, b) => a - b));
        },
      ),
      { numRuns: 500, seed: 4 },
    );
  });

  it('keeps important lines in a rule-based memo within its budget', () => {
    const left = lines.slice(0, 12).map((line) => ({ ...line, importance: line.index === 5 ? 9 : 1 }));
    const memo = digest('Before that, much.', left, 12, estimate);
    expect(memo).toContain('line 5');
    expect(memo).toContain('Before');
    expect(estimate(memo)).toBeLessThanOrEqual(12);
  });
});

describe('reflection', () => {
  it('triggers once in thirty events of importance five', () => {
    let [load, fired] = [0, 0];
    for (let i = 0; i < 30; i++) {
      const weighed = weigh(load, 5);
      load = weighed.load;
      if (weighed.due) fired++;
    }
    expect([fired, load]).toEqual([1, 0]);
  });

  it('accepts only insights that cite existing records', () => {
    const answer = '1. Tomas needs money (because of 1, 3)\n- No evidence at all\n* Wrong numbers (7, 9)\nShe lies (2, 9).';
    expect(insightsIn(answer, ['e1', 'e2', 'm5'], 'me').map(({ text, evidence }) => [text, evidence])).toEqual([
      ['Tomas needs money', ['e1', 'm5']],
      ['She lies', ['e2']],
    ]);
  });

  it('parses plans in common list formats', () => {
    expect(planIn('1. look\n2) ask\n- wait', 3)).toEqual({ steps: ['look', 'ask', 'wait'], madeAt: 3 });
    expect(planIn('look; ask', 1)?.steps).toEqual(['look', 'ask']);
    expect(planIn('  ', 1)).toBeUndefined();
    expect(planWords({ steps: ['a', 'b'], madeAt: 0 })).toBe('1. a 2. b');
  });
});

describe('fact ledger', () => {
  const secret = 'Beatrix has signed the sale of the house to the nephew';
  const cast = {
    bea: parsePersona({
      name: 'Beatrix',
      secrets: [secret],
      statements: [{ text: 'Beatrix keeps a pistol under the piano', visibility: { min: 'friend' } }],
      relations: [{ to: 'Ines', kind: 'friend' }],
    }),
    ines: parsePersona({ name: 'Ines' }),
    tom: parsePersona({ name: 'Tomas' }),
  };
  const said = (from: string, to: readonly string[], text: string): readonly EpisodeEvent[] => [
    { kind: 'action', seat: from, action: { text } },
    { kind: 'message', from, to, text },
  ];

  it('records who learned each fact, from whom, and when', () => {
    const events = [
      ...said('bea', ['ines'], 'I tell you alone: I have signed the sale of the house, to the nephew.'),
      ...said('ines', ['tom'], 'She signed the sale of the house to his nephew!'),
    ];
    expect(ledger(events, cast).filter(({ fact }) => fact === 'bea/x1')).toEqual([
      { fact: 'bea/x1', seat: 'bea', from: null, at: -1 },
      { fact: 'bea/x1', seat: 'ines', from: 'bea', at: 1 },
      { fact: 'bea/x1', seat: 'tom', from: 'ines', at: 3 },
    ]);
    expect(leaks(events, cast)).toEqual([]);
  });

  it.each([
    'Rain. The talk is of who signed the sale of the house to the nephew.',
    'Rain. The talk is of the sale of the house, signed to the nephew.',
    'Your goal: Talk about the sale of the house, signed to the nephew.',
    'Who signed the sale of the house to the nephew?',
    'Did you sign the sale of the house to the nephew?',
    'I wonder whether somebody signed the sale of the house to the nephew.',
    'If Beatrix had signed the sale of the house to the nephew, we would know.',
    'I never signed the sale of the house to the nephew.',
    'Listen, nobody signed the sale of the house to his nephew: I asked.',
  ])('does not treat a question or a denial as a statement: %j', (text) => {
    const topic: EpisodeEvent = { kind: 'message', to: ['tom', 'ines'], text };
    expect(ledger([topic], cast).filter(({ at }) => at >= 0)).toEqual([]);
    expect(leaks(said('tom', ['ines'], text), cast)).toEqual([]);
  });

  it.each([
    'It was Beatrix who signed the sale of the house to the nephew.',
    'I know. She has signed the sale of the house to her nephew.',
  ])('learns a fact from %j', (text) => {
    expect(ledger(said('ines', ['tom'], text), cast).filter(({ at }) => at >= 0)).toMatchObject([{ fact: 'bea/x1', seat: 'tom' }]);
  });

  it('reports only facts stated by a seat that could not know them', () => {
    const early = said('tom', ['bea'], 'You signed the sale of the house to the nephew, I am sure.');
    expect(leaks(early, cast)).toEqual([
      { fact: 'bea/x1', seat: 'tom', owner: 'bea', at: 0, text: early[0]?.kind === 'action' ? early[0].action.text : '' },
    ]);
    expect(leaks(said('tom', ['bea'], 'A fine house. Is there soup?'), cast)).toEqual([]);
    // All its words, but far apart, as in any long text.
    const apart = 'I signed in. It rained. The sale was on. It rained. Your house is cold. It rained. His nephew coughs.';
    expect(leaks(said('tom', ['bea'], apart), cast)).toEqual([]);
    expect(leaks(said('bea', ['tom'], secret), cast)).toEqual([]);
    // A friend may know of the pistol; a stranger may not.
    const pistol = 'There is a pistol under the piano, she keeps it there.';
    expect(leaks(said('ines', ['tom'], pistol), cast)).toEqual([]);
    expect(leaks(said('tom', ['ines'], pistol), cast)).toHaveLength(1);
  });

  it('ignores notes sent to no seat, and accepts the environment as a source', () => {
    const note: EpisodeEvent = { kind: 'message', to: [], text: secret };
    const letter: EpisodeEvent = { kind: 'message', to: ['tom'], text: `A letter: ${secret}.` };
    const tell = said('tom', ['ines'], secret);
    expect(leaks([note, ...tell], cast)).toHaveLength(1);
    expect(leaks([letter, ...tell], cast)).toEqual([]);
    expect(factsOf(cast).map(({ id }) => id)).toEqual(['bea/x1', 'bea/s1']);
  });

  it('accepts a custom judge', () => {
    const says = (text: string) => text.includes('§');
    expect(leaks(said('tom', [], '§'), cast, { says })).toHaveLength(2);
  });
});
