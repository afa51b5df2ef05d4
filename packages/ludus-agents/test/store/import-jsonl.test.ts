/** @file What imports take by a short cut is what they take without it: nothing passes that the full check refuses. */

import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { type Json, type JsonObject, type Score, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { EpisodeLines } from '@ludus-agents/store/internal/episode-lines';
import { importJsonl } from '@ludus-agents/store/internal/import-jsonl';
import { rejectionOf } from '@ludus-agents/store/internal/logs.cases';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { deepest, eventProblem, isUsualEvent, scoreProblem } from '@ludus-agents/store/internal/records';
import { readScoreLine } from '@ludus-agents/store/internal/score-lines';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { fc } from '../../../../test/fixtures/property.ts';

const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: null };
const score: Score = {
  name: 'won',
  value: 0.5,
  status: 'ok',
  seat: 'first',
  evidence: [{ event: 3 }, { event: 4 }],
  cost,
} as unknown as Score;

const random = scriptedPolicy('random', ({ ask, rng }) => ({ text: rng.pick(ask.choices as string[]) }));
const [log] = await rollout(kuhnPoker, { first: random, second: random }, { seeds: [1] });
const events: readonly Json[] = [...(log as unknown as readonly Json[]), { kind: 'action', seat: 'a', action: { text: '' }, calls: [{}] }];

/** A value that is odd wherever it stands. */
const odd = fc.oneof(
  fc.constantFrom<Json | undefined>(null, true, '', 'over', 'message', 0, -1, 1.5, 2 ** 60, [], [1], ['a'], {}, { text: 'a' }, { a: 'b' }),
  fc.constant(Number.POSITIVE_INFINITY),
  fc.constant(undefined),
);

/** The value with one of its places, at any depth, changed or taken away. */
function changed(value: Json, place: number, to: Json | undefined): Json {
  const places: (readonly (string | number)[])[] = [];
  const walk = (at: Json, path: readonly (string | number)[]) => {
    places.push(path);
    if (at !== null && typeof at === 'object') for (const key of Object.keys(at)) walk((at as JsonObject)[key]!, [...path, key]);
  };
  walk(value, []);
  const path = places[place % places.length]!;
  const copy = { root: structuredClone(value) } as Record<string, Json>;
  let inside = copy as Record<string | number, Json>;
  const whole = ['root', ...path];
  for (const key of whole.slice(0, -1)) inside = inside[key] as unknown as Record<string | number, Json>;
  const last = whole.at(-1)!;
  if (to === undefined) delete inside[last];
  else inside[last] = to;
  return copy['root']!;
}

describe('an import', () => {
  it('[S26] accepts rollout events on the fast path, and no event that the full check rejects', () => {
    expect(events.filter((event) => !isUsualEvent(event))).toEqual([]);
    const counts = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(fc.constantFrom(...events), fc.nat(), odd, (event, place, to) => {
        const value = changed(event, place, to);
        const isTaken = isUsualEvent(value);
        counts[isTaken ? 'taken' : 'refused']++;
        if (isTaken) expect(eventProblem(value, 0)).toBeNull();
      }),
      { seed: 1, numRuns: 1500 },
    );
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(amount(50, 100));
  });

  it('[S26] accepts no score on the fast path that the full check rejects', () => {
    const counts = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(fc.nat(), odd, fc.nat(), odd, (first, item, second, other) => {
        const scores = [score as unknown as Json, changed(changed(score as unknown as Json, first, item) ?? null, second, other)];
        const line = JSON.stringify({ kind: 'scores', episode: 'e1', scores });
        const read = readScoreLine(line);
        counts[read === null ? 'refused' : 'taken']++;
        if (read === null) return;
        const whole = JSON.parse(line) as { readonly scores: readonly Json[] };
        expect(read).toEqual(JSON.parse(line, (key, value) => (key === 'kind' ? undefined : value)));
        expect(whole.scores.map(scoreProblem)).toEqual([null, null]);
      }),
      { seed: 1, numRuns: 600 },
    );
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(amount(50, 100));
  });

  it('[S26] accepts no score line on the fast path that is not JSON', () => {
    const line = JSON.stringify({ kind: 'scores', episode: 'e1', scores: [score, { ...score, name: 'said },{"name":"x"' }] });
    expect(readScoreLine(line)?.scores).toEqual([score, { ...score, name: 'said },{"name":"x"' }]);
    const changes = fc.tuple(
      fc.nat(line.length),
      fc.nat(3),
      fc.constantFrom('', ',', '"', '}', '{', '[', ']', '\\', '0', '\n', '},{"name":"y"'),
    );
    fc.assert(
      fc.property(changes, ([at, cut, put]) => {
        const text = line.slice(0, at) + put + line.slice(at + cut);
        const read = readScoreLine(text);
        if (read !== null) expect({ kind: 'scores', ...read }).toEqual(JSON.parse(text));
      }),
      { seed: 1, numRuns: 1500 },
    );
  });

  it('[S26] shares repeated scores as frozen objects', () => {
    const line = (episode: string) => JSON.stringify({ kind: 'scores', episode, scores: [score] });
    const [item, other] = [readScoreLine(line('a')), readScoreLine(line('b'))];
    expect(item?.scores[0]).toBe(other?.scores[0]);
    expect(Object.isFrozen(item?.scores[0]?.cost)).toBe(true);
  });

  it('[S26] accepts no episode line on the fast path that is not JSON, and keeps all others', () => {
    const statement = { kind: 'message', to: ['a'], text: 'said },{"kind":"x"', data: [{ a: 1 }, { b: 2 }] };
    const line = JSON.stringify({ kind: 'episode', id: 'e1', run: 'r', events: [...events, statement] });
    const lines = () => new EpisodeLines((packed) => packed);
    expect(lines().read(line)).toEqual({ id: 'e1', run: 'r', events: [...events, statement] });
    // Cut where an event goes on.
    expect(
      lines().read(JSON.stringify({ kind: 'episode', id: 'e1', run: 'r', events: [...events, { ...statement, data: events }] })),
    ).toBeNull();
    const changes = fc.tuple(
      fc.nat(line.length),
      fc.nat(3),
      fc.constantFrom('', ',', '"', '}', '{', '[', ']', '\\', '0', '\n', '},{"kind":"y"', ']}', '],"id":"e2","more":[1'),
    );
    const counts = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(changes, ([at, cut, put]) => {
        const text = line.slice(0, at) + put + line.slice(at + cut);
        const read = lines().read(text);
        counts[read === null ? 'refused' : 'taken']++;
        if (read === null) return;
        expect({ kind: 'episode', ...read }).toEqual(JSON.parse(text));
        expect(read.events.map(eventProblem)).toEqual(read.events.map(() => null));
      }),
      { seed: 1, numRuns: 1500 },
    );
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(amount(50, 100));
  });

  it('[S26] shares repeated events and their references as frozen objects', () => {
    const lines = new EpisodeLines(() => ({ kind: 'message', to: ['a'], text: 'long' }));
    const line = (id: string, text: string) =>
      `{"kind":"episode","id":"${id}","run":null,"events":[${JSON.stringify(events[0])},{"kind":"message","to":["a"],"text":${text}}]}`;
    const [episodeLine, other] = [lines.read(line('a', '"short"')), lines.read(line('b', '"short"'))];
    expect(episodeLine?.events[1]).toBe(other?.events[1]);
    expect(episodeLine?.events[1]).toSatisfy(({ to }: { readonly to: readonly string[] }) => Object.isFrozen(to));
    for (const reference of ['{"~":"0"}', '{"\\u007e":"0"}', '{"\\u007E":"0"}'])
      expect(lines.read(line('c', reference))?.events[1]).toEqual({ kind: 'message', to: ['a'], text: 'long' });
  });

  it('[S26] reads lines as a whole if they repeat little', () => {
    const lines = new EpisodeLines((packed) => packed);
    const line = (i: number) =>
      JSON.stringify({
        kind: 'episode',
        id: `e${i}`,
        run: null,
        events: [events[0]!, { kind: 'message', to: ['a'], text: `${i}`.repeat(300) }],
      });
    const read = Array.from({ length: 400 }, (_, i) => lines.read(line(i)) !== null);
    expect([read[0], read.at(-1)]).toEqual([true, false]);
  });

  it('[S26] rejects a line that nests too deeply anywhere', async () => {
    const nested = (levels: number): Json => (levels === 0 ? 0 : [nested(levels - 1)]);
    const start = events[0] as JsonObject;
    const lineWith = (event: Json, more: JsonObject = {}) =>
      JSON.stringify({ kind: 'episode', id: 'e', run: null, events: [event], ...more });
    const take = (line: string) =>
      importJsonl(memoryStore(), ['{"kind":"ludus","version":1}', line, '{"kind":"end","episodes":1,"events":1}']);
    // The line, its events and one of them are levels too.
    expect((await take(lineWith({ ...start, more: nested(deepest - 3) }))).episodes).toBe(1);
    const deep = [
      lineWith({ ...start, more: nested(deepest - 2) }),
      lineWith({ ...start, more: { '~': 'a', '+': nested(deepest - 3) } }),
      lineWith({ ...start, more: { '~': nested(deepest) } }),
      lineWith({ ...start, '~~': nested(deepest - 2) }),
      lineWith(start, { more: nested(deepest) }),
    ];
    for (const line of deep) expect(await rejectionOf(take(line))).toMatch(/^Line 2: expected JSON of at most 200 levels/);
    const scores = (levels: number) => `{"kind":"scores","episode":"e","scores":[{"name":"a","parts":${JSON.stringify(nested(levels))}}]}`;
    expect(readScoreLine(scores(deepest - 3))).not.toBeNull();
    expect(readScoreLine(scores(deepest - 2))).toBeNull();
  });
});
