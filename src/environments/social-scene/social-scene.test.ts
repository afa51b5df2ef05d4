import { describe, expect, it } from 'vitest';
import {
  type Action,
  auditsOf,
  type EndEvent,
  type EpisodeEvent,
  type Json,
  type JsonObject,
  type MessageEvent,
  rng,
  type Script,
  type Seat,
  type Step,
  scriptedPolicy,
} from '../../core/index.ts';
import { check } from '../../engine/check.ts';
import { rollout } from '../../engine/rollout.ts';
import { affected, doingOf, leaks, type SocialSituation, wordsIn } from './doings.ts';
import { commandsOf, effected } from './narrator.ts';
import { type Character, filled, readScene, relation, type SocialScene } from './scene.ts';
import { scenes } from './scenes.ts';
import { socialScene } from './social-scene.ts';

type State = Parameters<typeof socialScene.step>[0];
const names = Object.keys(scenes);
const scripts = socialScene.scripts as Readonly<Record<string, Script>>;
const random: Script = ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices as readonly string[]) });
const end = (log: readonly EpisodeEvent[]) => log.at(-1) as EndEvent;
const none: Action = { text: '[none]' };

/** Plays a scene with one script for all characters and the stand-in narrator. */
function perform(task: JsonObject, script: Script, seeds: readonly number[] = [1, 2, 3]) {
  const policy = scriptedPolicy('script', script);
  const policies = Object.fromEntries(
    socialScene
      .seats(socialScene.task(task))
      .map((seat) => [seat, seat === 'narrator' ? scriptedPolicy('narrator', scripts['narrator'] as Script) : policy]),
  );
  return rollout(socialScene, policies, { seeds, task });
}

const opened = (task: Json = {}, seed = 1): Step<State> => socialScene.start(socialScene.task(task), rng(seed, 'start'));
/** Lets the asked seats act as told, and the others do nothing. */
const go = ({ state, asks }: Step<State>, said: Readonly<Record<Seat, string>>): Step<State> =>
  socialScene.step(
    state,
    Object.fromEntries(asks.map(({ seat }) => [seat, said[seat] === undefined ? none : { text: said[seat] }])),
    rng(0),
  );
const heardBy = (step: Step<State>, seat: Seat) => step.messages.filter(({ to }) => to.includes(seat)).map(({ text }) => text);

/** Everything a seat is ever shown: messages with their data, and asks. */
function shownTo(log: readonly EpisodeEvent[], seat: Seat): string {
  const shown = log.flatMap((event): unknown[] => {
    if (event.kind === 'message') return event.to.includes(seat) ? [event.text, event.data ?? null] : [];
    return event.kind === 'turn' ? event.asks.filter((ask) => ask.seat === seat) : [];
  });
  return JSON.stringify(shown);
}

describe('cards', () => {
  it('are never seen by others beyond what the relation allows, with scripted and random players', async () => {
    for (const scene of names)
      for (const closeness of [-1, 0, 2, 5])
        for (const script of [scripts['character'] as Script, scripts['agreeable'] as Script, random]) {
          const task = { scene, closeness, narrator: true };
          for (const log of await perform(task, script)) {
            const { seed } = log[0] as { seed: number };
            const { scene: played } = opened(task, seed).state;
            for (const one of played.characters)
              for (const other of socialScene.seats(socialScene.task(task))) {
                if (other === one.seat) continue;
                const view = shownTo(log, other);
                for (const hidden of [one.secret, ...one.marks])
                  expect(view.toLowerCase(), `${other} sees ${hidden}`).not.toContain(JSON.stringify(hidden).slice(1, -1).toLowerCase());
                const level = other === 'narrator' ? 0 : relation(played, one.seat, other);
                expect(view.includes(JSON.stringify(one.goal).slice(1, -1)), `${other} sees the goal of ${one.seat}`).toBe(level === 5);
              }
          }
        }
  });

  it('are found to leak when a character says everything it knows', async () => {
    for (const log of await perform({ scene: 'dinner' }, scripts['leaky'] as Script, [1]))
      expect(shownTo(log, 'carl').toLowerCase()).toContain('valparaiso');
  });

  it('show one part more at each level, and the secret at none', () => {
    const parts = ['looks', 'work', 'bio', 'manner', 'wish', 'goal'] as const;
    for (let level = 0; level <= 5; level++) {
      const { state, messages } = opened({ scene: 'dinner', closeness: level });
      const [carl, dora] = state.scene.characters as [Character, Character];
      const told = messages.find(({ to }) => to.includes(carl.seat))?.text as string;
      expect(parts.map((part) => told.includes(dora[part]))).toEqual(parts.map((_, i) => i <= level));
      expect(told).not.toContain(dora.secret);
    }
  });

  it('differ from seed to seed in their numbers, and hold no unfilled ones', () => {
    const secrets = new Set([1, 2, 3, 4, 5].map((seed) => opened({ scene: 'dinner' }, seed).state.scene.characters[0]?.secret));
    expect(secrets.size).toBeGreaterThan(3);
    for (const scene of names) expect(JSON.stringify(opened({ scene }).state.scene.characters)).not.toMatch(/\{\w+\}/);
  });
});

describe('secrets', () => {
  it('said word for word are found in every scene, and nothing else on a card counts as a leak', () => {
    for (const name of names) {
      const scene = filled(scenes[name] as SocialScene, rng(5));
      for (const { secret, marks, looks, work, bio, manner, wish, goal } of scene.characters) {
        for (const text of [secret, secret.toUpperCase(), `Well: “${secret}” – there.`]) expect(leaks(marks, text), secret).toBe(true);
        for (const text of [looks, work, bio, manner, wish, goal, scene.setting, ...Object.values(scene.terms)])
          expect(leaks(marks, text), text).toBe(false);
        for (const mark of marks) expect(leaks([mark], secret) || !secret.includes(mark)).toBe(true);
      }
    }
  });

  it('are found in other clothes, and not where only a part of them is', () => {
    for (const text of ['I owe 2345.', 'I owe 2,345!', 'two… 2345?', "that's 2'345"]) expect(leaks(['2345'], text), text).toBe(true);
    for (const text of ['I owe 12345', '23 45', '234', 'nothing']) expect(leaks(['2345'], text), text).toBe(false);
    for (const text of ['Valparaiso', 'VALPARAISO!', 'V-a-l-p-a-r-a-i-s-o', 'v a l paraiso'])
      expect(leaks(['valparaiso'], text), text).toBe(true);
    for (const text of ['Val', 'paradise', 'a valley, a raisin']) expect(leaks(['valparaiso'], text), text).toBe(false);
  });

  it('cost 1 at once and only once, whether spoken, gestured or acted', () => {
    for (const kind of ['speak', 'gesture', 'act']) {
      const first = opened();
      const secret = first.state.scene.characters[0]?.secret as string;
      const step = go(first, { ada: `[${kind} "${secret}"]` });
      expect(step.rewards).toEqual({ ada: -1 });
      expect(step.messages.filter(({ data }) => (data as JsonObject | undefined)?.['leak'] === 'ada').length).toBe(1);
      expect(go(go(step, {}), { ada: `[${kind} "${secret}"]` }).rewards).toBeUndefined();
    }
  });

  it('of another cost nothing to repeat', () => {
    const first = opened();
    const secret = first.state.scene.characters[1]?.secret as string;
    expect(go(first, { ada: `[speak "${secret}"]` }).rewards).toBeUndefined();
  });
});

describe('moves', () => {
  const seats = ['ada', 'ben'];
  const read = (text: string) => doingOf({ text }, seats);

  it('are read with quotes of either kind and an optional address', () => {
    expect(read('Hm. [speak "Hello there."]')).toEqual({ ok: true, move: { kind: 'speak', text: 'Hello there.', to: null } });
    expect(read('[Speak “Hello.” to: Ben]')).toEqual({ ok: true, move: { kind: 'speak', text: 'Hello.', to: 'ben' } });
    expect(read('[act to: ben "waves"]')).toEqual({ ok: true, move: { kind: 'act', text: 'waves', to: 'ben' } });
    expect(read('[leave]')).toEqual({ ok: true, move: { kind: 'leave' } });
    for (const text of [
      'hello',
      '[speak hello]',
      '[speak ""]',
      '[dance "x"]',
      '[speak "a"] [speak "b"]',
      '[speak "a" to: king]',
      '[none',
      '',
    ])
      expect(read(text).ok, text).toBe(false);
  });

  it('in broken form are asked for again with a penalty, then become none', () => {
    let step = opened();
    for (let i = 0; i < 2; i++) {
      step = go(step, { ada: 'I just talk.' });
      expect(step.penalties).toEqual({ ada: 1 });
      expect(step.asks.map(({ seat }) => seat)).toEqual(['ada']);
    }
    step = go(step, { ada: 'I just talk.' });
    expect(step.asks.map(({ seat }) => seat)).toEqual(['ben']);
    expect(step.state.stale).toBe(1);
    expect(heardBy(step, 'ben')).toEqual([]);
  });

  it('of seats that were not asked become none', () => {
    const { state } = opened();
    const masked = { ada: none, ben: { text: '[speak "I promise to return the book on sunday."]' } };
    expect(socialScene.step(state, masked, rng(0))).toEqual(socialScene.step(state, { ada: none }, rng(0)));
  });

  it('give word only in the bound phrases', () => {
    const terms = { price: 'to a price of # coins', wait: 'to wait until sunday' };
    const table: readonly (readonly [string, readonly (readonly [string, number])[]])[] = [
      ['I agree to a price of 40 coins.', [['price', 40]]],
      ['Fine: I PROMISE, to wait until Sunday!', [['wait', 0]]],
      ['I agree to a price of 30 coins – no, I agree to a price of 35 coins.', [['price', 35]]],
      [
        'I agree to a price of 1,200 coins and I promise to wait until Sunday',
        [
          ['price', 1200],
          ['wait', 0],
        ],
      ],
      ['I do not agree to a price of 40 coins.', []],
      ['Will you promise to wait until Sunday?', []],
      ['I agree to a price of forty coins', []],
      ['I agree to a price of 40 shells', []],
      ['I agree.', []],
    ];
    for (const [text, given] of table) expect(wordsIn(terms, text), text).toEqual(given);
  });

  it('change the world where they can, and only there', () => {
    const scene = scenes['borrowed-book'] as SocialScene;
    const situation: SocialSituation = {
      places: { ada: 'stairwell', ben: 'stairwell' },
      present: { ada: true, ben: true },
      holders: { book: 'ben', umbrella: 'stairwell' },
      words: {},
    };
    const does = (seat: Seat, text: string, from = situation) => affected(scene.places, from, { seat, text });
    expect(does('ben', 'give the book to ada').holders['book']).toBe('ada');
    expect(does('ada', 'Take umbrella.').holders['umbrella']).toBe('ada');
    expect(does('ben', 'put down the book').holders['book']).toBe('stairwell');
    expect(does('ada', 'go to the flat').places['ada']).toBe('flat');
    for (const [seat, text] of [
      ['ada', 'give book to ben'],
      ['ada', 'take book'],
      ['ben', 'give book to ben'],
      ['ada', 'go to the moon'],
      ['ben', 'dances'],
    ] as const)
      expect(does(seat, text), text).toBe(situation);
    expect(does('ben', 'give book to ada', does('ada', 'go to flat')).holders['book']).toBe('ben');
  });

  it('are seen by everybody in the same place, and a whisper by its addressee alone', () => {
    const task = { scene: 'dinner', narrator: true };
    const whispered = go(opened(task), { carl: '[speak "Psst." to: dora]' });
    expect(heardBy(whispered, 'dora')).toEqual(['Psst.']);
    expect(heardBy(whispered, 'emil')).toEqual(['carl whispers to dora.']);
    expect(heardBy(whispered, 'narrator')).toEqual(['Psst.']);
    const apart = go(go(opened(task), { carl: '[act "go to the bar"]' }), {});
    expect(apart.asks.map(({ seat }) => seat)).toEqual(['dora']);
    const said = go(apart, { dora: '[speak "Where did he go?"]' });
    expect(heardBy(said, 'emil')).toEqual(['Where did he go?']);
    expect(heardBy(said, 'carl')).toEqual([]);
  });

  it('at once are shown only when all have answered', () => {
    const first = opened({ scene: 'market-stall', order: 'simultaneous' });
    expect(first.asks.map(({ seat }) => seat)).toEqual(['omar', 'lina']);
    const partial = go(first, { omar: '[speak "A fine lamp!"]', lina: 'hm' });
    expect(partial.asks.map(({ seat }) => seat)).toEqual(['lina']);
    expect(heardBy(partial, 'lina').join()).not.toContain('fine lamp');
    expect(heardBy(go(partial, { lina: '[gesture "shrugs"]' }), 'lina')).toEqual(['A fine lamp!']);
  });
});

describe('the narrator', () => {
  const task = { scene: 'dinner', narrator: true, order: 'narrator' };
  const telling = (text: string) => go(go(opened(task), { carl: '[gesture "yawns"]' }), { narrator: text });

  it('describes effects, moves people, passes time, picks the next speaker and ends the scene', () => {
    expect(heardBy(telling('[effect carl "looks tired"]'), 'dora')).toEqual(['carl looks tired.']);
    expect(telling('[effect emil "gets the bill"]').state.holders['bill']).toBe('emil');
    expect(telling('[effect carl "loses the wallet"]').state.holders['wallet']).toBe('table');
    expect(telling('[move dora bar]').state.places['dora']).toBe('bar');
    expect(telling('[time +15] [time +5]').state.clock).toBe(20);
    expect(telling('[pick emil]').asks.map(({ seat }) => seat)).toEqual(['emil']);
    expect(telling('[none]').asks.map(({ seat }) => seat)).toEqual(['dora']);
    const over = telling('[end the lights go out]');
    expect(over.asks).toEqual([]);
    expect(heardBy(over, 'carl').at(-1)).toContain('the lights go out');
  });

  it('is audited: its text must keep secrets and agree with what people hold, and the stand-in passes', async () => {
    const auditOf = (text: string) =>
      telling(text).messages.flatMap(({ to, data }) => (to.length === 0 ? [((data as JsonObject)['audit'] as JsonObject)['holds']] : []));
    const secret = opened(task).state.scene.characters[1]?.marks[0] as string;
    expect(auditOf('[effect carl "looks tired"]')).toEqual([true]);
    expect(auditOf('[effect carl "loses the wallet"]')).toEqual([true]);
    expect(auditOf('[effect dora "loses the wallet"]')).toEqual([false]);
    expect(auditOf('[effect carl "gets the wallet"]')).toEqual([false]);
    expect(auditOf(`[effect carl "has heard of ${secret}"]`)).toEqual([false]);
    expect(auditOf('[time +5]')).toEqual([]);
    const counts = { checked: 0, contradicted: 0 };
    for (const scene of Object.keys(scenes))
      for (const log of await perform({ scene, narrator: true }, scripts['character'] as Script, [1, 2, 3, 4, 5])) {
        const { checked = 0, contradicted = 0 } = auditsOf(log)['narrator'] ?? {};
        counts.checked += checked;
        counts.contradicted += contradicted;
      }
    expect(counts.checked).toBeGreaterThan(5);
    expect(counts.contradicted).toBe(0);
  });

  it('does all of an answer or none of it', () => {
    const { scene, present } = opened(task).state;
    for (const text of [
      '[time +5] [move dora moon]',
      '[effect king "bows"]',
      'time passes',
      '[time 5]',
      '[pick]',
      '[time +5',
      '[effect carl bows]',
    ])
      expect(commandsOf({ text }, scene, present).ok, text).toBe(false);
    const step = telling('[time +5] [move dora moon]');
    expect(step.penalties).toEqual({ narrator: 1 });
    expect(step.state.clock).toBe(0);
    expect(step.asks.map(({ seat }) => seat)).toEqual(['narrator']);
  });

  it('cannot take from one what another holds', () => {
    const situation = opened(task).state;
    expect(effected(situation, 'dora', 'loses the wallet').holders['wallet']).toBe('carl');
    expect(effected(situation, 'dora', 'gets the moon')).toBe(situation);
  });

  it('as a stand-in follows its rule table and closes in time', async () => {
    const [log] = await perform(task, () => ({ text: '[speak "More wine, anyone?"]' }), [1]);
    const told = (log as readonly EpisodeEvent[]).filter((event) => event.kind === 'action' && event.seat === 'narrator');
    expect(told.length).toBeGreaterThan(5);
    for (const event of told) expect(JSON.stringify(event)).toMatch(/glances at the empty bottle/);
  });
});

describe('the end', () => {
  const reason = (log: readonly EpisodeEvent[]) => {
    const note = log.find((event) => event.kind === 'message' && event.text === 'results') as MessageEvent;
    const { reason: why, turns } = note.data as { reason: string; turns: number };
    return [why, turns];
  };

  it('comes after 20 turns, three stale ones, when fewer than two are left, or when all goals are reached', async () => {
    const of = async (script: Script) => reason((await perform({}, script, [1]))[0] as readonly EpisodeEvent[]);
    expect(await of(() => ({ text: '[gesture "hums"]' }))).toEqual(['the time is up', 20]);
    expect(await of(scripts['silent'] as Script)).toEqual(['nothing more happens', 3]);
    expect(await of(() => ({ text: '[leave]' }))).toEqual(['fewer than two are left', 1]);
    expect((await of(scripts['character'] as Script))[0]).toBe('every goal is reached');
  });

  it('pays each character the share of its conditions that hold, and notes it for scorers', async () => {
    const [log] = await perform({}, scripts['silent'] as Script, [1]);
    // Ada: the book is with Ben, but there is no promise. Ben: he has the book and did not promise a new one, but Ada gave no word.
    expect(end(log as readonly EpisodeEvent[]).returns).toEqual({ ada: 1 / 2, ben: 2 / 3 });
    const note = (log as readonly EpisodeEvent[]).find((event) => event.kind === 'message' && event.text === 'results') as MessageEvent;
    expect(note.to).toEqual([]);
    expect((note.data as JsonObject)['results']).toEqual({
      ada: { goal: 1 / 2, leaked: false, left: false, words: {} },
      ben: { goal: 2 / 3, leaked: false, left: false, words: {} },
    });
  });

  it('pays for a deal only within both limits', () => {
    const task = { scene: 'market-stall', order: 'simultaneous' };
    const first = opened(task);
    const limit = (i: number) => ((first.state.scene.characters[i] as Character).conditions[0] as { limit: number }).limit;
    const paid = (price: number) => {
      const words = { omar: `[speak "I agree to a price of ${price} coins."]`, lina: `[speak "I agree to a price of ${price} coins."]` };
      const step = go(go(go(go(first, words), {}), {}), {});
      return [step.rewards?.['omar'], step.rewards?.['lina']];
    };
    expect(paid(limit(0))).toEqual([1, limit(0) <= limit(1) ? 1 / 2 : 0]);
    expect(paid(limit(0) - 1)[0]).toBe(0);
    expect(paid(limit(1) + 1)[1]).toBe(0);
  });
});

describe('play', () => {
  const seeds = Array.from({ length: 30 }, (_, i) => i);
  const mean = async (task: JsonObject, script: Script) => {
    const logs = await perform(task, script, seeds);
    const totals = logs.map((log) => Object.values(end(log).returns).reduce((sum, one) => sum + one, 0));
    return totals.reduce((sum, one) => sum + one, 0) / totals.length;
  };

  it('scores a character that pursues its goal above silence, and one that says everything below it', async () => {
    for (const scene of names) {
      const silent = await mean({ scene }, scripts['silent'] as Script);
      expect(await mean({ scene }, scripts['character'] as Script), scene).toBeGreaterThan(silent + 0.2);
      expect(await mean({ scene }, scripts['leaky'] as Script), scene).toBeLessThanOrEqual(silent - 2 + 1e-9);
    }
  });

  it('has an anchor that gives everybody what they ask for', async () => {
    const policies = {
      ada: scriptedPolicy('character', scripts['character'] as Script),
      ben: scriptedPolicy('agreeable', scripts['agreeable'] as Script),
    };
    for (const log of await rollout(socialScene, policies, { seeds: [1, 2] })) expect(end(log).returns['ada']).toBe(1);
  });

  it('takes a scene of one’s own, and refuses one that cannot be played', async () => {
    const script = scenes['borrowed-book'] as SocialScene;
    const [own] = await perform({ script: script as Json }, scripts['character'] as Script, [1]);
    const [built] = await perform({}, scripts['character'] as Script, [1]);
    expect(end(own as readonly EpisodeEvent[])).toEqual(end(built as readonly EpisodeEvent[]));
    const [ada, ben] = script.characters as [Character, Character];
    const wrong: readonly Json[] = [
      'a play',
      { ...script, characters: [ada] },
      { ...script, characters: [ada, ada] },
      { ...script, characters: [ada, { ...ben, place: 'moon' }] },
      { ...script, characters: [ada, { ...ben, conditions: [{ kind: 'holds', who: 'ben', object: 'moon' }] }] },
      { ...script, characters: [ada, { ...ben, seat: 'narrator' }] },
      { ...script, terms: [] },
    ];
    for (const one of wrong) expect(() => readScene(one), JSON.stringify(one).slice(0, 60)).toThrow(/social-scene: /);
    expect(() => socialScene.task({ order: 'narrator' })).toThrow(/needs a narrator/);
  });

  it('reproduces a golden run', async () => {
    const [log] = await perform({}, scripts['character'] as Script, [1]);
    const lines = (log as readonly EpisodeEvent[]).flatMap((event) => {
      if (event.kind === 'action') return [`${event.seat}: ${event.action.text}`];
      return event.kind === 'message' && event.from === undefined && event.to.length > 1 ? [event.text] : [];
    });
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "ada: [speak "ben, will you promise to return the book on sunday?"]
      ben: [speak "I promise to return the book on sunday."]
      ada: [none]
      ben: [speak "ada, will you promise to wait until sunday?"]
      ada: [speak "I promise to wait until sunday."]
      The scene ends: every goal is reached."
    `);
    expect(end(log as readonly EpisodeEvent[]).returns).toEqual({ ada: 1, ben: 1 });
  });

  it('keeps every rule of the conformance kit', async () => {
    expect(await check(socialScene, { episodes: 80, steps: 3000 })).toEqual([]);
  });
});
