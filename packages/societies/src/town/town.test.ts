import { type EpisodeEvent, type JsonObject, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { parseTownPlan } from './day.ts';
import { places, townspeople } from './places.ts';
import { town } from './town.ts';

interface Measures {
  readonly curve: readonly number[];
  readonly know: number;
  readonly density: number;
  readonly invented: number;
  readonly from: Readonly<Record<string, string>>;
}

async function played(
  task: JsonObject,
  scriptOf: (seat: string) => Script,
  seed = 1,
): Promise<{ log: readonly EpisodeEvent[]; measures: Measures }> {
  const cast = Object.fromEntries(town.seats(town.task(task)).map((seat) => [seat, scriptedPolicy(seat, scriptOf(seat))]));
  const [log] = await rollout(town, cast, { seeds: [seed], task });
  const note = (log as readonly EpisodeEvent[]).findLast((event) => event.kind === 'message' && event.to.length === 0);
  return { log: log as readonly EpisodeEvent[], measures: (note as unknown as { data: { measures: Measures } }).data.measures };
}

const scripts = town.scripts as Readonly<Record<string, Script>>;

/** A person who follows a timetable, and tells the news once they know it. */
function timetable(
  seat: string,
  meetings: readonly (readonly (readonly string[])[])[],
  tells: (hour: number) => boolean = () => true,
): Script {
  let hour = 0;
  return ({ ask }) => {
    const { knows, news } = ask.data as { knows: boolean; news: string };
    const group = (meetings[hour] ?? []).findIndex((pair) => pair.includes(seat));
    const says = knows && tells(hour) ? ` ${news}` : '';
    hour++;
    return { text: `[go ${group < 0 ? 'home' : (['square', 'park'] as const)[group]}]${says}` };
  };
}

describe('news in town', () => {
  const [a, b, c, d, e] = townspeople as [string, string, string, string, string];
  const task = { people: 5, hours: 3, wake: 10, plan: false };
  const meetings = [
    [[a, b]],
    [[b, c]],
    [
      [a, d],
      [c, e],
    ],
  ];

  it('travels along the meetings in order', async () => {
    const { measures } = await played(task, (seat) => timetable(seat, meetings));
    expect(measures.curve).toEqual([1, 2, 3, 5]);
    expect(measures.from).toEqual({ [a]: a, [b]: a, [c]: b, [d]: a, [e]: c });
    expect(measures.density).toBeCloseTo(4 / 10, 12);
    const reversed = await played(task, (seat) => timetable(seat, meetings.toReversed()));
    expect(reversed.measures.know).toBe(3);
    expect(Object.keys(reversed.measures.from).sort()).toEqual([a, b, d]);
  });

  it('reaches 2.375 people on average if each tells with probability 0.5', async () => {
    // Four meetings matter: every way of telling or not is played once.
    let sum = 0;
    for (let way = 0; way < 16; way++) {
      const told = (seat: string, hour: number) => {
        const bit = hour === 0 ? 0 : hour === 1 ? 1 : seat === a || seat === d ? 2 : 3;
        return ((way >> bit) & 1) === 1;
      };
      sum += (await played(task, (seat) => timetable(seat, meetings, (hour) => told(seat, hour)))).measures.know;
    }
    expect(sum / 16).toBe(2.375);
  });

  it('stays with a person that tells or meets no one, and is not learned from a fabricated source', async () => {
    expect((await played({ people: 6 }, () => scripts['discreet']!)).measures.know).toBe(1);
    expect((await played({ people: 6 }, () => scripts['hermit']!)).measures).toMatchObject({ know: 1, density: 0 });
    const liar = await played({ people: 3, plan: false, hours: 2 }, (seat) => ({ ask }) => ({
      text: seat === a ? '[go home]' : `[go square] I heard of a ${(ask.data as { news: string }).news}.`,
    }));
    expect(liar.measures).toMatchObject({ know: 1, invented: 4 });
  });

  it('reaches all at once if all meet, and is forgotten overnight without memory', async () => {
    const crier = () => scripts['crier']!;
    expect((await played({ people: 25, hours: 2 }, crier)).measures).toMatchObject({ curve: [1, 25, 25], density: 1 });
    const quiet: Script = ({ ask }) => ({ text: ask.choices === undefined ? 'none' : '[go home]' });
    const once = (): Script => {
      let turns = 0;
      return (turn) => (turns++ < 2 ? scripts['crier']!(turn) : quiet(turn));
    };
    const days = { people: 4, days: 2, hours: 1 };
    expect((await played(days, once)).measures.curve).toEqual([1, 4, 4]);
    expect((await played({ ...days, memory: false }, once)).measures.curve).toEqual([1, 4, 1]);
  });

  it('is hidden from people without memory of it', async () => {
    const windows: (number | undefined)[] = [];
    const watching: Script = (turn) => {
      if (turn.ask.choices !== undefined && turn.ask.seat === b)
        windows.push(turn.view.seen.filter((item) => item.kind === 'message').length);
      return scripts['crier']!(turn);
    };
    await played({ people: 2, days: 2, hours: 1, plan: false, memory: false }, () => watching);
    // The rules and the question on the first day; the morning and the question on the second.
    expect(windows).toEqual([2, 2]);
  });

  it('offers only places that are open', async () => {
    const { log } = await played({ people: 2, hours: 12, wake: 8, plan: false }, () => scripts['gossip']!);
    const turns = log.filter((event) => event.kind === 'turn');
    const listed = turns.map((event) => (event as unknown as { asks: { choices: string[] }[] }).asks[0]?.choices ?? []);
    listed.forEach((choices, i) => {
      for (const { name, open } of places) expect(choices.includes(`[go ${name}]`)).toBe(8 + i >= open[0] && 8 + i < open[1]);
    });
  });
});

describe('a day in town', () => {
  const rich = { people: 5, days: 2, hours: 3, wake: 8, hourly: true, reactions: true, reflection: true, objects: true, interviews: true };
  const texts = (log: readonly EpisodeEvent[], seat: string) =>
    log.flatMap((event) => (event.kind === 'message' && event.to.includes(seat) ? [event.text] : []));

  it.each([
    ['08:00 cafe, 09:00 market, 10:00 park', ['cafe', 'market', 'park']],
    ['At 9 I go to the market. At 10:00 the library, then home.', ['', 'market', 'library']],
    ['First the cafe, then the park.', ['cafe', 'park', '']],
    ['I see what comes.', ['', '', '']],
    ['25 cafe, 7 tavern', ['', '', '']],
  ])('has a plan "%s" split into hours', (text, plan) => {
    expect(parseTownPlan(text, 8, 3)).toEqual(plan);
  });

  it('shows each person the plan of the hour and counts adherence', async () => {
    const { log, measures } = await played(rich, () => scripts['villager']!);
    expect(texts(log, 'ada').filter((text) => text.includes('Your plan for this hour: ')).length).toBe(6);
    expect((measures as unknown as { plansKept: number }).plansKept).toBe(1);
    const { measures: other } = await played(
      rich,
      () => (turn) => (turn.ask.choices === undefined ? scripts['villager']!(turn) : { text: '[go home]' }),
    );
    expect((other as unknown as { plansKept: number }).plansKept).toBeLessThan(0.7);
  });

  it('lets people who meet react in the same hour, by passing on news and changing plans', async () => {
    const meet: Script = ({ ask }) => {
      const { phase, knows, news } = ask.data as { phase?: string; knows: boolean; news: string };
      if (phase === 'react') return { text: knows ? `${news} [replan tavern]` : '[nothing]' };
      return { text: ask.choices === undefined ? '08 square 09 park 10 park' : '[go square]' };
    };
    const { log, measures } = await played({ ...rich, days: 1 }, () => meet);
    expect(measures.curve).toEqual([1, 5, 5, 5]);
    expect(texts(log, 'ada')).toContainEqual(expect.stringMatching(/^It is 09:00.*Your plan for this hour: tavern\.$/));
    expect(texts(log, 'ben')).toContainEqual(expect.stringMatching(/^It is 09:00.*Your plan for this hour: park\.$/));
    // Actions in brackets are not heard.
    expect(log.some((event) => event.kind === 'message' && event.from !== undefined && event.text.includes('['))).toBe(false);
  });

  it('repeats evening reflections in the morning, unless there is no memory', async () => {
    const mornings = async (more: object) =>
      texts((await played({ ...rich, ...more }, () => scripts['villager']!)).log, 'ada').filter((text) => text.startsWith('Day 2 begins.'));
    expect(await mornings({})).toEqual([expect.stringContaining('You have in mind: I spent the day with ')]);
    expect((await mornings({ memory: false }))[0]).not.toContain('in mind');
    expect((await mornings({ reflection: false }))[0]).not.toContain('in mind');
  });

  it('keeps objects in their last state', async () => {
    const tending: Script = ({ ask }) => ({ text: ask.choices === undefined ? 'none' : '[go cafe, use stove]' });
    const idle: Script = ({ ask }) => ({ text: ask.choices === undefined ? 'none' : '[go cafe]' });
    const { log } = await played({ people: 2, hours: 2, objects: true, plan: false }, (seat) => (seat === 'ada' ? tending : idle));
    expect(texts(log, 'ben').filter((text) => text.startsWith('Day'))).toEqual([
      'Day 1, 08:00. You are at the cafe, with ada. ada tends the stove. The stove is hot.',
      'Day 1, 09:00. You are at the cafe, with ada. ada tends the stove. The stove is cold.',
    ]);
  });

  it('interviews all people, and only those who remember answer correctly', async () => {
    const shares = async (script: Script, more: object = {}) =>
      (await played({ ...rich, ...more }, () => script)).measures as unknown as Record<string, number>;
    expect(await shares(scripts['villager']!)).toMatchObject({
      ...{ selfRight: 1, memoryRight: 1, plansRight: 1, reactionsRight: 1, reflectionsRight: 1, believable: 1 },
    });
    const forgetful = await shares(scripts['villager']!, { memory: false });
    expect(forgetful).toMatchObject({ selfRight: 1, memoryRight: 0 });
    const all: Script = (turn) => {
      const { phase } = turn.ask.data as { phase?: string };
      return phase === 'interview'
        ? { text: `${townspeople.join(' ')} ${places.map(({ name }) => name).join(' ')}` }
        : scripts['villager']!(turn);
    };
    // A person who spent equal time with all others may name them all.
    expect((await shares(all))['believable']).toBeLessThan(0.1);
    expect(await shares(scripts['villager']!, { plan: false, hourly: false })).not.toHaveProperty('plansRight');
  });

  it('has announcements that inform all people at a time or a threshold', async () => {
    const quiet = () => scripts['discreet']!;
    const observations = [{ name: 'crier', when: { from: 2 }, tell: 'Hear, hear: party on Saturday!' }];
    expect((await played({ people: 4, hours: 3, interventions: observations }, quiet)).measures).toMatchObject({
      curve: [1, 1, 4, 4],
      from: { ben: 'announcement' },
    });
    const never = [{ name: 'crier', when: { measure: 'know', least: 2 }, tell: 'Hear, hear: party on Saturday!' }];
    expect((await played({ people: 4, hours: 3, interventions: never }, quiet)).measures.know).toBe(1);
    expect(() => town.task({ interventions: [{ name: 'x', tell: 'y', to: ['zeno'] }] })).toThrow(/is for "zeno"/);
  });
});
