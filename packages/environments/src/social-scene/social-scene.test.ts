import { type EpisodeEvent, type JsonObject, rng, type Script, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { applyAct, doingsOf, leaks, type SocialSituation, wordsIn } from './doings.ts';
import { type Character, fillScene, relation } from './scene.ts';
import { scenes } from './scenes.ts';
import { go, messagesTo, names, none, openScene, perform, scripts } from './social-scene.cases.ts';
import { socialScene } from './social-scene.ts';

const random: Script = ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices as readonly string[]) });

/** Everything a seat is ever shown: messages with their data, and asks. */
function shownTo(log: readonly EpisodeEvent[], seat: Seat): string {
  const visible = log.flatMap((event): unknown[] => {
    if (event.kind === 'message') return event.to.includes(seat) ? [event.text, event.data ?? null] : [];
    return event.kind === 'turn' ? event.asks.filter((ask) => ask.seat === seat) : [];
  });
  return JSON.stringify(visible);
}

describe('character cards', () => {
  it('reveal nothing beyond the relation, for scripted and random players', async () => {
    for (const scene of names)
      for (const closeness of [-1, 0, 2, 5])
        for (const script of [scripts['character']!, scripts['agreeable']!, random]) {
          const task = { scene, closeness, narrator: true };
          for (const log of await perform(task, script)) {
            const { seed } = log[0] as { seed: number };
            const { scene: played } = openScene(task, seed).state;
            for (const character of played.characters)
              for (const other of socialScene.seats(socialScene.task(task))) {
                if (other === character.seat) continue;
                const view = shownTo(log, other);
                for (const hidden of [character.secret, ...character.marks])
                  expect(view.toLowerCase(), `${other} sees ${hidden}`).not.toContain(JSON.stringify(hidden).slice(1, -1).toLowerCase());
                const level = other === 'narrator' ? 0 : relation(played, character.seat, other);
                expect(view.includes(JSON.stringify(character.goal).slice(1, -1)), `${other} sees the goal of ${character.seat}`).toBe(
                  level === 5,
                );
              }
          }
        }
  });

  it('leak when a character says everything it knows', async () => {
    for (const log of await perform({ scene: 'dinner' }, scripts['leaky']!, [1]))
      expect(shownTo(log, 'carl').toLowerCase()).toContain('valparaiso');
  });

  it('reveal one more part per level of closeness, and never the secret', () => {
    const parts = ['looks', 'work', 'bio', 'manner', 'wish', 'goal'] as const;
    for (let level = 0; level <= 5; level++) {
      const { state, messages } = openScene({ scene: 'dinner', closeness: level });
      const [carl, dora] = state.scene.characters as [Character, Character];
      const observedText = messages.find(({ to }) => to.includes(carl.seat))?.text as string;
      expect(parts.map((part) => observedText.includes(dora[part]))).toEqual(parts.map((_, i) => i <= level));
      expect(observedText).not.toContain(dora.secret);
    }
  });

  it('vary their numbers by seed and have no unfilled placeholders', () => {
    const secrets = new Set([1, 2, 3, 4, 5].map((seed) => openScene({ scene: 'dinner' }, seed).state.scene.characters[0]?.secret));
    expect(secrets.size).toBeGreaterThan(3);
    for (const scene of names) expect(JSON.stringify(openScene({ scene }).state.scene.characters)).not.toMatch(/\{\w+\}/);
  });
});

describe('character secrets', () => {
  it('are detected verbatim in every scene, and no other card text counts as a leak', () => {
    for (const name of names) {
      const scene = fillScene(scenes[name]!, rng(5));
      for (const { secret, marks, looks, work, bio, manner, wish, goal } of scene.characters) {
        for (const text of [secret, secret.toUpperCase(), `Well: “${secret}” – there.`]) expect(leaks(marks, text), secret).toBe(true);
        for (const text of [looks, work, bio, manner, wish, goal, scene.setting, ...Object.values(scene.terms)])
          expect(leaks(marks, text), text).toBe(false);
        for (const mark of marks) expect(leaks([mark], secret) || !secret.includes(mark)).toBe(true);
      }
    }
  });

  it('are detected in other spellings, but not in parts', () => {
    for (const text of ['I owe 2345.', 'I owe 2,345!', 'two… 2345?', "that's 2'345"]) expect(leaks(['2345'], text), text).toBe(true);
    for (const text of ['I owe 12345', '23 45', '234', 'nothing']) expect(leaks(['2345'], text), text).toBe(false);
    for (const text of ['Valparaiso', 'VALPARAISO!', 'V-a-l-p-a-r-a-i-s-o', 'v a l paraiso'])
      expect(leaks(['valparaiso'], text), text).toBe(true);
    for (const text of ['Val', 'paradise', 'a valley, a raisin']) expect(leaks(['valparaiso'], text), text).toBe(false);
  });

  it('cost 1 once, whether spoken, gestured, or acted out', () => {
    for (const kind of ['speak', 'gesture', 'act']) {
      const first = openScene();
      const secret = first.state.scene.characters[0]?.secret as string;
      const step = go(first, { ada: `[${kind} "${secret}"]` });
      expect(step.rewards).toEqual({ ada: -1 });
      expect(step.messages.filter(({ data }) => (data as JsonObject | undefined)?.['leak'] === 'ada').length).toBe(1);
      expect(go(go(step, {}), { ada: `[${kind} "${secret}"]` }).rewards).toBeUndefined();
    }
  });

  it('of other characters are free to repeat', () => {
    const first = openScene();
    const secret = first.state.scene.characters[1]?.secret as string;
    expect(go(first, { ada: `[speak "${secret}"]` }).rewards).toBeUndefined();
  });
});

describe('social-scene moves', () => {
  const seats = ['ada', 'ben'];
  const read = (text: string) => doingsOf({ text }, seats);

  it('accept either kind of quotes and an optional addressee', () => {
    expect(read('Hm. [speak "Hello there."]')).toEqual({ ok: true, move: [{ kind: 'speak', text: 'Hello there.', to: null }] });
    expect(read('[Speak “Hello.” to: Ben]')).toEqual({ ok: true, move: [{ kind: 'speak', text: 'Hello.', to: 'ben' }] });
    expect(read('[act to: ben "waves"]')).toEqual({ ok: true, move: [{ kind: 'act', text: 'waves', to: 'ben' }] });
    expect(read('[speak hello there]')).toEqual({ ok: true, move: [{ kind: 'speak', text: 'hello there', to: null }] });
    expect(read('[speak "Hello there.]')).toEqual({ ok: true, move: [{ kind: 'speak', text: 'Hello there.', to: null }] });
    expect(read('[leave]')).toEqual({ ok: true, move: [{ kind: 'leave' }] });
    for (const text of ['[speak ""]', '[dance "x"]', '[speak "a"] [speak "b"]', '[speak "a" to: king]', '[none', ' ', ''])
      expect(read(text).ok, text).toBe(false);
  });

  it.each([
    ['Good evening, friends.', 'Good evening, friends.'],
    ['"Good evening, friends."', 'Good evening, friends.'],
    ['"Good evening, friends. I was', 'Good evening, friends. I was'],
    ['She said: Good evening.”', 'She said: Good evening.'],
    ['Speech: Good evening.', 'Good evening.'],
    ['[smiles] Good evening.\nSit down.', '(smiles) Good evening. Sit down.'],
    ['I said “no” to [him].', 'I said “no” to (him).'],
    ['Good evening.\n[none]', 'Good evening.'],
  ])('in plain text are speech: %j', (text, message) => {
    expect(read(text)).toEqual({ ok: true, move: [{ kind: 'speak', text: message, to: null }] });
  });

  it('are combined with the text around them', () => {
    const step = go(openScene(), { ada: 'Good night, Ben. [leave]' });
    expect(messagesTo(step, 'ben')).toEqual(['Good night, Ben.', 'ada leaves.', expect.stringContaining('The scene ends')]);
  });

  it('list speaking as a legal move', () => {
    const [ask] = openScene().asks;
    expect(ask?.choices).toContain('[speak "…"]');
    for (const choice of ask?.choices ?? []) expect(read(choice).ok, choice).toBe(true);
  });

  it('that are malformed are asked for again with a penalty, then skipped', () => {
    let step = openScene();
    for (let i = 0; i < 2; i++) {
      step = go(step, { ada: '[dance]' });
      expect(step.penalties).toEqual({ ada: 1 });
      expect(step.messages).toMatchObject([{ to: ['ada'], data: { refused: '[dance]' } }]);
      expect(step.asks.map(({ seat }) => seat)).toEqual(['ada']);
    }
    step = go(step, { ada: '[dance]' });
    expect(step.asks.map(({ seat }) => seat)).toEqual(['ben']);
    expect(step.state).toMatchObject({ stale: 1, refused: 3, performed: 0 });
    expect(messagesTo(step, 'ben')).toEqual([]);
  });

  it('from seats that were not asked are ignored', () => {
    const { state } = openScene();
    const masked = { ada: none, ben: { text: '[speak "I promise to return the book on sunday."]' } };
    expect(socialScene.step(state, masked, rng(0))).toEqual(socialScene.step(state, { ada: none }, rng(0)));
  });

  it('make promises only in the recognized phrases', () => {
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
    for (const [text, inputs] of table) expect(wordsIn(terms, text), text).toEqual(inputs);
  });

  it('change the environment only where possible', () => {
    const scene = scenes['borrowed-book']!;
    const situation: SocialSituation = {
      places: { ada: 'stairwell', ben: 'stairwell' },
      present: { ada: true, ben: true },
      holders: { book: 'ben', umbrella: 'stairwell' },
      words: {},
    };
    const does = (seat: Seat, text: string, from = situation) => applyAct(scene.places, from, { seat, text });
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

  it('are visible to everyone in the same place, and whispers only to the addressee', () => {
    const task = { scene: 'dinner', narrator: true };
    const whispered = go(openScene(task), { carl: '[speak "Psst." to: dora]' });
    expect(messagesTo(whispered, 'dora')).toEqual(['Psst.']);
    expect(messagesTo(whispered, 'emil')).toEqual(['carl whispers to dora.']);
    expect(messagesTo(whispered, 'narrator')).toEqual(['Psst.']);
    const apart = go(go(openScene(task), { carl: '[act "go to the bar"]' }), {});
    expect(apart.asks.map(({ seat }) => seat)).toEqual(['dora']);
    const step = go(apart, { dora: '[speak "Where did he go?"]' });
    expect(messagesTo(step, 'emil')).toEqual(['Where did he go?']);
    expect(messagesTo(step, 'carl')).toEqual([]);
  });

  it('made simultaneously are shown once all seats have answered', () => {
    const first = openScene({ scene: 'market-stall', order: 'simultaneous' });
    expect(first.asks.map(({ seat }) => seat)).toEqual(['omar', 'lina']);
    const partial = go(first, { omar: '[speak "A fine lamp!"]', lina: '[hm]' });
    expect(partial.asks.map(({ seat }) => seat)).toEqual(['lina']);
    expect(messagesTo(partial, 'lina').join()).not.toContain('fine lamp');
    expect(messagesTo(go(partial, { lina: '[gesture "shrugs"]' }), 'lina')).toEqual(['A fine lamp!']);
  });
});

it('a condition on somebody who is not in the scene is refused with those who are', () => {
  const [script] = Object.values(scenes);
  const [first, ...others] = script!.characters;
  const characters = [{ ...first, conditions: [{ kind: 'at', who: 'zoe', place: script!.places[0] }] }, ...others];
  expect(() => socialScene.task({ script: { ...script, characters } })).toThrow(
    expect.objectContaining({ code: 'E_UNKNOWN_NAME', message: expect.stringContaining(first!.seat) }),
  );
});
