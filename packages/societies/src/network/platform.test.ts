import { type EpisodeEvent, type JsonObject, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { cascadeFigures, externalInternal, modularity, opinionFigures } from './measures.ts';
import { platform } from './platform.ts';

const scripts = platform.scripts as Readonly<Record<string, Script>>;

async function played(task: JsonObject, script: Script, seed = 1) {
  const cast = Object.fromEntries(platform.seats(platform.task(task)).map((seat) => [seat, scriptedPolicy(seat, script)]));
  const [log] = (await rollout(platform, cast, { seeds: [seed], task })) as readonly (readonly EpisodeEvent[])[];
  const note = log!.findLast((event) => event.kind === 'message' && event.to.length === 0) as unknown as {
    data: { measures: Record<string, number> };
  };
  return { log: log!, measures: note.data.measures };
}

describe('network metrics', () => {
  it('are right for two triangles with one tie between them', () => {
    const ties = [
      [0, 1],
      [1, 2],
      [0, 2],
      [3, 4],
      [4, 5],
      [3, 5],
      [2, 3],
    ] as const;
    const campOf = (person: number) => (person < 3 ? 0 : 1);
    expect(modularity(ties, campOf)).toBeCloseTo(0.357143, 6);
    expect(externalInternal(ties, campOf)).toBeCloseTo(-0.714286, 6);
    expect(modularity([], campOf)).toBe(0);
  });

  it.each([
    [
      'a star',
      [
        [0, -1],
        [1, 0],
        [2, 0],
        [3, 0],
        [4, 0],
      ],
      { scale: 5, depth: 1, breadth: 4, virality: 1.6 },
    ],
    [
      'a path',
      [
        [0, -1],
        [1, 0],
        [2, 1],
        [3, 2],
      ],
      { scale: 4, depth: 3, breadth: 1, virality: 5 / 3 },
    ],
    ['one person', [[7, -1]], { scale: 1, depth: 0, breadth: 1, virality: 0 }],
    ['no people', [], { scale: 0, depth: 0, breadth: 0, virality: 0 }],
  ] as const)('are right for the cascade of %s', (_, passed, figures) => {
    expect(cascadeFigures(passed)).toEqual({ ...figures, virality: expect.closeTo(figures.virality, 9) });
  });

  it('are right for opinions', () => {
    expect(opinionFigures([-1, -1, 1, 1])).toEqual({ mean: 0, variance: 1, against: 0.5, for: 0.5 });
  });
});

describe('a platform', () => {
  it('asks a seat only while it is online, and continues by rule if no seat is', async () => {
    const { log } = await played({ people: 20, seats: 4, steps: 10, activity: 0.5 }, scripts['reader']!);
    const asked = log.flatMap((event) => (event.kind === 'turn' ? [event.asks.map(({ seat }) => seat)] : []));
    expect(new Set(asked.map((seats) => seats.length)).size).toBeGreaterThan(1);
    const share = asked.flat().length / (4 * 10);
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.75);
    const { log: empty, measures } = await played({ people: 20, seats: 2, steps: 10, activity: 0 }, scripts['reader']!);
    expect(empty.some((event) => event.kind === 'turn')).toBe(false);
    expect(measures).toMatchObject({ reached: 1, scale: 1 });
    expect(measures['variance']).toBe(measures['varianceAtStart']);
  });

  it('forms more camps with a feed of similar opinions than with a random feed', async () => {
    const task = { people: 150, seats: 1, steps: 25, activity: 1, confidence: 0.9, pull: 0.5, rumour: '' };
    for (let seed = 0; seed < 4; seed++) {
      const [near, any] = [
        await played({ ...task, recommend: 'similar' }, scripts['reader']!, seed),
        await played({ ...task, recommend: 'random' }, scripts['reader']!, seed),
      ];
      expect(near.measures['variance']).toBeGreaterThan(2 * any.measures['variance']!);
      expect(any.measures['variance']).toBeLessThan(0.5 * any.measures['varianceAtStart']!);
    }
  });

  it('spreads a rumor among followers and then a correction', async () => {
    const task = { people: 60, seats: 1, steps: 20, activity: 1, beta: 0.9, shown: 10, post: 0.05, reply: 0 };
    const free = (await played(task, scripts['reader']!)).measures;
    const corrected = (await played({ ...task, correction: 3 }, scripts['reader']!)).measures;
    const curve = (item: typeof free) => item['curve'] as unknown as readonly number[];
    expect(curve(free).slice(0, 4)).toEqual(curve(corrected).slice(0, 4));
    expect(free['reached']).toBeGreaterThan(20);
    expect(free['corrected']).toBe(0);
    expect(corrected['corrected']).toBeGreaterThan(5);
    expect(free['scale']).toBeGreaterThan(5);
    expect(curve(free).every((value, i, all) => i === 0 || value >= all[i - 1]!)).toBe(true);
    expect((await played({ ...task, beta: 0 }, scripts['reader']!)).measures['scale']).toBe(1);
  });

  it('lets seats post in their own words and perform the actions they choose', async () => {
    const task = {
      people: 6,
      seats: 2,
      steps: 4,
      activity: 1,
      graph: 'complete',
      post: 0,
      reply: 0,
      follow: 0,
      rumour: '',
      recommend: 'following',
    };
    let turns = 0;
    const first: Script = () => ({ text: turns++ === 0 ? '[post against] Leave the bridge alone!' : '[pass]' });
    const second: Script = ({ ask }) => ({ text: ask.choices?.includes('[leave 1]') === true ? '[leave 1]' : '[pass]' });
    const { log } = await played(task, (turn) => (turn.ask.seat === 'person-1' ? first(turn) : second(turn)));
    const observations = log.flatMap((event) => (event.kind === 'message' && event.to.includes('person-2') ? [event.text] : []));
    expect(observations[2]).toContain('[1] person-1: Leave the bridge alone!');
    // A person who unfollowed someone is no longer shown their posts.
    expect(observations[3]).toContain('There is nothing new for you.');
    const notes = log.flatMap((event) => (event.kind === 'message' && event.to.length === 0 ? [event.data as { leaves?: number }] : []));
    expect(notes.map(({ leaves }) => leaves).slice(0, 3)).toEqual([0, 1, 0]);
  });

  it('rejects more seats than people, and is deterministic per seed', async () => {
    expect(() => platform.task({ people: 4, seats: 5 })).toThrow(/"seats" can be at most/);
    const task = { people: 30, seats: 3, steps: 6 };
    const of = async () => JSON.stringify((await played(task, scripts['anything']!, 5)).log);
    expect(await of()).toBe(await of());
  });
});
