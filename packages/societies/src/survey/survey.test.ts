import { type EpisodeEvent, type Json, type JsonObject, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { itemOrder, readInstrument } from './instrument.ts';
import type { SurveyAnswer } from './sitting.ts';
import { survey } from './survey.ts';

const scripts = survey.scripts as Readonly<Record<string, Script>>;

async function interview(questionnaire: Json, script: Script, seed = 1, task: JsonObject = {}) {
  const cast = { respondent: scriptedPolicy('r', script) };
  const [log] = await rollout(survey, cast, { seeds: [seed], task: { questionnaire, ...task } });
  const note = (log as readonly EpisodeEvent[]).findLast((event) => event.kind === 'message' && event.to.length === 0);
  return (note as unknown as { data: { survey: { ballot: string; turned: boolean; answers: readonly SurveyAnswer[] } } }).data.survey;
}

/** Answers with the option that has these words. */
const saying =
  (...words: readonly string[]): Script =>
  ({ view, ask }) => {
    const item = view.seen.findLast((item) => item.kind === 'message' && item.text.includes('[1]')) as unknown as { text: string };
    const line = item.text.split('\n').find((item) => words.some((word) => item.endsWith(`] ${word}`)));
    return {
      text:
        ask.choices?.find((choice) => line?.startsWith(choice) === true) ??
        ask.choices?.find((choice) => choice === '[done]') ??
        ask.choices?.[0] ??
        'So.',
    };
  };

const gate = {
  items: [
    { id: 'owns', text: 'Do you own a car?', options: ['yes', 'no'] },
    { id: 'brand', text: 'Which?', options: ['a', 'b', 'c'], when: { owns: 'yes' } },
    { id: 'why', kind: 'open', text: 'Why that one?', when: { brand: ['a', '2'] } },
    { id: 'bus', kind: 'scale', text: 'I like buses.', options: ['no', 'perhaps', 'yes'] },
  ],
};

describe('skip logic', () => {
  const statuses = async (script: Script) => (await interview(gate, script)).answers.map(({ item, status }) => `${item} ${status}`);
  it('asks items that follow from the answers, and skips dependents of a skipped item', async () => {
    expect(await statuses(saying('yes', 'a'))).toEqual(['owns answered', 'brand answered', 'why answered', 'bus answered']);
    expect(await statuses(saying('yes', 'b'))).toEqual(['owns answered', 'brand answered', 'why answered', 'bus answered']);
    expect(await statuses(saying('yes', 'c'))).toEqual(['owns answered', 'brand answered', 'why skipped', 'bus answered']);
    expect(await statuses(saying('no'))).toEqual(['owns answered', 'brand skipped', 'why skipped', 'bus answered']);
  });

  it('keeps an item after those it depends on, in any shuffled order', () => {
    const instrument = readInstrument({ ...gate, shuffle: true });
    const orders = new Set<string>();
    for (let seed = 0; seed < 200; seed++) {
      const order = itemOrder(instrument, rng(seed, 'order'));
      expect(order.toSorted()).toEqual([0, 1, 2, 3]);
      expect(order.indexOf(0)).toBeLessThan(order.indexOf(1));
      expect(order.indexOf(1)).toBeLessThan(order.indexOf(2));
      orders.add(order.join());
    }
    expect(orders.size).toBe(2);
  });
});

describe('orders and ballots', () => {
  const item = { id: 'x', text: 'X?', options: ['first', 'second', 'third', 'fourth'] };
  it('record the same answer in any order of options', async () => {
    const shown = new Set<string>();
    for (let seed = 0; seed < 60; seed++) {
      const { answers } = await interview({ items: [item], options: 'random' }, saying('third'), seed);
      expect(answers[0]).toMatchObject({ status: 'answered', codes: [3] });
      shown.add(answers[0]!.shown.join(''));
    }
    expect(shown.size).toBeGreaterThan(15);
  });

  it('reverse scales for one half of the people and never shuffle them', async () => {
    const visible: string[] = [];
    for (let seed = 0; seed < 100; seed++)
      visible.push(
        (await interview({ items: [{ ...item, kind: 'scale' }], options: 'random' }, saying('first'), seed)).answers[0]!.shown.join(''),
      );
    expect(new Set(visible)).toEqual(new Set(['1234', '4321']));
    const turned = visible.filter((item) => item === '4321').length;
    expect(turned).toBeGreaterThan(33);
    expect(turned).toBeLessThan(67);
  });

  it('assign ballots evenly, each with its own wording', async () => {
    const request = { ballots: ['a', 'b'], items: [{ id: 'x', versions: { a: 'Plain?', b: 'Loaded?' }, options: ['yes', 'no'] }] };
    const messages: string[] = [];
    let first = 0;
    for (let seed = 0; seed < 100; seed++) {
      const { ballot } = await interview(
        request,
        ({ view }) => {
          messages.push(view.seen.some((item) => item.kind === 'message' && item.text.includes('Plain?')) ? 'a' : 'b');
          return { text: '[1]' };
        },
        seed,
      );
      expect(messages.at(-1)).toBe(ballot);
      if (ballot === 'a') first++;
    }
    expect(first).toBeGreaterThan(33);
    expect(first).toBeLessThan(67);
  });
});

describe('kinds of items', () => {
  it('accept several options, ranks, free text, refusals, and malformed answers', async () => {
    const items = [
      { id: 'uses', kind: 'multiple', text: 'U?', options: ['a', 'b', 'c'], most: 2 },
      { id: 'best', kind: 'rank', text: 'B?', options: ['p', 'q', 'r'] },
    ];
    const picks = ['[3]', '[1]', '[2]', '[3]', '[1]'];
    let at = 0;
    const { answers } = await interview({ items }, () => ({ text: picks[at++]! }));
    expect(answers.map(({ codes }) => codes)).toEqual([
      [3, 1],
      [2, 3, 1],
    ]);
    const silent = await interview({ items }, scripts['refuser']!);
    expect(silent.answers.map(({ status, codes }) => [status, codes])).toEqual([
      ['refused', []],
      ['refused', []],
    ]);
    const broken = await interview({ items, refusal: false }, () => ({ text: 'whatever' }));
    expect(broken.answers.map(({ status }) => status)).toEqual(['broken', 'broken']);
    const none = await interview({ items: [items[0]!] }, () => ({ text: '[done]' }));
    expect(none.answers[0]).toMatchObject({ status: 'answered', codes: [] });
  });

  it.each<[Json, RegExp]>([
    [{ items: [] }, /items must be a list of 1/],
    [{ items: [{ id: 'a', text: 'A?', options: ['x'] }] }, /needs two "options" or more/],
    [{ items: [{ id: 'a', kind: 'open', text: 'A?', options: ['x', 'y'] }] }, /is open and has options/],
    [{ items: [{ id: 'a', options: ['x', 'y'] }] }, /has no "text"/],
    [{ items: [{ id: 'a', text: 'A?', options: ['x', 'x'] }] }, /the same option twice/],
    [{ items: [{ id: 'a', again: 'b' }] }, /puts "b" again, but no item before it/],
    [
      {
        items: [
          { id: 'a', text: 'A?', options: ['x', 'y'] },
          { id: 'b', text: 'B?', options: ['x', 'y'], when: { a: 'z' } },
        ],
      },
      /is asked when "a" is "z", but that has "x", "y"/,
    ],
    [{ items: [{ id: 'a', text: 'A?', options: ['x', 'y'], versions: { loaded: 'L?' } }] }, /a version for the ballot "loaded"/],
    [
      {
        items: [
          { id: 'a', text: 'A?', options: ['x', 'y'] },
          { id: 'a', text: 'A?', options: ['x', 'y'] },
        ],
      },
      /two items named "a"/,
    ],
  ])('reject %j with an explanation', (questionnaire, why) => {
    expect(() => survey.task({ questionnaire })).toThrow(why);
  });
});

describe('a panel', () => {
  const request = {
    ballots: ['a', 'b'],
    options: 'reversed',
    items: [
      { id: 'trust', kind: 'scale', text: 'Trust?', options: ['no', 'perhaps', 'yes'] },
      { id: 'move', text: 'Move?', options: ['yes', 'no'] },
      { id: 'why', kind: 'open', text: 'Why?', when: { move: 'yes' } },
    ],
    waves: [{ name: 'spring' }, { name: 'autumn', told: 'The bridge has fallen.', items: ['trust', 'why'] }],
  };
  /** The texts that the person sees when each item is put. */
  const watching = (observations: string[][], script: Script): Script => {
    return (turn) => {
      const { window } = turn.ask;
      const texts = turn.view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
      observations.push(window === undefined ? texts : texts.slice(-window));
      return script(turn);
    };
  };

  it('asks the same person again, with items that depend on answers in earlier waves', async () => {
    const { answers } = await interview(request, saying('yes'));
    expect(answers.map(({ wave, item, status }) => `${wave} ${item} ${status}`)).toEqual([
      'spring trust answered',
      'spring move answered',
      'spring why answered',
      'autumn trust answered',
      'autumn why answered',
    ]);
    for (let seed = 0; seed < 20; seed++) {
      const [first, , , again] = (await interview(request, saying('no'), seed)).answers;
      expect(again?.shown).toEqual(first?.shown);
    }
  });

  it.each([
    ['all', true, true],
    ['answers', false, true],
    ['none', false, false],
  ] as const)('with memory "%s" shows exactly what is remembered', async (memory, words, answers) => {
    const observations: string[][] = [];
    await interview({ ...request, memory }, watching(observations, saying('perhaps', 'yes')));
    const last = observations.at(-1)!.join('\n');
    expect(last).toContain('The bridge has fallen.');
    expect(last.includes('Move?')).toBe(words || answers);
    expect(last.includes('Here are some questions')).toBe(words);
    expect(/Last time you said: “Trust\?”: (perhaps|yes)\. “Move\?”: yes\./.test(last)).toBe(memory === 'answers');
  });

  it.each<[Json, RegExp]>([
    [[{ name: 'a' }, { name: 'a' }], /two waves named "a"/],
    [[{ name: 'a', items: ['height'] }], /the wave "a" asks the unknown item "height"\. Available: trust, move, why/],
  ])('rejects waves %j', (waves, why) => {
    expect(() => readInstrument({ ...request, waves })).toThrow(why);
  });
});
