/** @file Scenes of personas: from a file to a play, offline and the same every time, with secrets where they belong. */

import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dinnerGuests, gallery } from '@ludus-agents/agents/internal/personas/index';
import { type EpisodeEvent, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../terminal.cases.ts';

const here = folder();
cpSync(join(import.meta.dirname, '../../../../../../examples/dinner.json'), join(here, 'dinner.json'));

async function logOf(words: readonly string[]): Promise<readonly EpisodeEvent[]> {
  const { episode } = JSON.parse((await ludus(here, ['play', 'scene', ...words, '--json'])).out) as { episode: string };
  return (JSON.parse((await ludus(here, ['show', episode, '--json'])).out) as { log: readonly EpisodeEvent[] }).log;
}

describe('scene', () => {
  it('plays the dinner with the fake model, identically every time', async () => {
    const words = ['play', 'scene', 'dinner.json', '--model', 'fake', '--seed', '1', '--json'];
    const first = await ludus(here, words);
    expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: '' });
    expect((await ludus(here, words)).out).toBe(first.out);
    expect((await ludus(folder(), ['play', 'scene', join(here, 'dinner.json'), ...words.slice(3)])).out).toBe(first.out);
    const played = JSON.parse(first.out);
    expect(played).toMatchObject({
      scene: 'dinner',
      seed: 1,
      reason: 'over',
      cast: { beatrix: 'Beatrix Hollow', narrator: 'scripted:narrator' },
    });
    expect(Object.keys(played.results)).toEqual(dinnerGuests.map(({ id }) => id));
    expect(played.said.length).toBeGreaterThan(5);
    const episodeEvents = (await logOf(words.slice(2, -1))).filter((event) => event.kind === 'action' && event.calls !== undefined);
    expect(played.models).toMatchObject({ calls: episodeEvents.length, cost: 0 });
    expect(played.models.stable).toBeGreaterThan(0.8);
    const outcome = await ludus(here, words.slice(0, -1));
    expect(outcome.out).toMatch(
      new RegExp(`${episodeEvents.length} model calls, [\\d,]+ tokens, \\$0, ${Math.round(100 * played.models.stable)}% of prompts`),
    );
    expect((await ludus(here, [...words.slice(0, -2), '2', '--json'])).out).not.toBe(first.out);
    const rows = JSON.parse((await ludus(here, ['list', 'episodes', '--json'])).out) as { id: string }[];
    expect(rows.filter(({ id }) => id === played.episode)).toHaveLength(1);
  });

  it('reports learned facts with their source, and statements that a seat could not know', async () => {
    const ann = { name: 'Ann', id: 'ann', secrets: ['Ann buried the silver spoons beneath the apple tree'] };
    const bob = { name: 'Bob', id: 'bob' };
    const model = 'fake/Action: [speak "The silver spoons are buried beneath the apple tree."]';
    const words = ['play', 'scene', 'kitchen.json', '--seed', '1', '--model', model];
    const ledgerOf = async (...cast: readonly object[]) => {
      const characters = cast.map((persona) => ({ persona }));
      writeFileSync(join(here, 'kitchen.json'), JSON.stringify({ setting: 'A kitchen.', turns: 4, characters }));
      const { ledger, said } = JSON.parse((await ludus(here, [...words, '--json'])).out);
      return { ledger, first: said[0].seat, shown: (await ludus(here, words)).out };
    };
    const observedLedger = await ledgerOf(ann, bob);
    expect(observedLedger.first).toBe('ann');
    expect(observedLedger.ledger).toMatchObject({ learned: [{ fact: 'ann/x1', seat: 'bob', from: 'ann' }], leaks: [] });
    expect(observedLedger.shown).toContain('Bob learned from Ann: Ann buried the silver spoons');
    const slipped = await ledgerOf(bob, ann);
    expect(slipped.first).toBe('bob');
    expect(slipped.ledger.leaks[0]).toMatchObject({ fact: 'ann/x1', seat: 'bob', owner: 'ann' });
    expect(slipped.shown).toContain('Bob could not know: Ann buried the silver spoons');
  });

  it.each(['Good evening, friends.', 'Speech: Good evening, friends.', '[speak "Good evening, friends."]'])(
    'accepts a model that answers %j',
    async (answer) => {
      writeFileSync(join(here, 'free.json'), JSON.stringify({ turns: 2, characters: [{ name: 'Oda' }, { name: 'Ulf' }] }));
      const { code, out } = await ludus(here, ['play', 'scene', 'free.json', '--seed', '1', '--model', `fake/${answer}`, '--json']);
      expect(code).toBe(0);
      const text = 'Good evening, friends.';
      expect(JSON.parse(out)).toMatchObject({
        said: [
          { seat: 'oda', text },
          { seat: 'ulf', text },
        ],
        performed: 2,
        refused: 0,
      });
    },
  );

  it('fails if no answer was understood, and shows every answer with the reason', async () => {
    const words = ['play', 'scene', 'free.json', '--seed', '1', '--model', 'fake/[dance]'];
    const { code, out, err } = await ludus(here, words);
    expect(code).toBe(1);
    expect(out).toContain('Not understood: "[dance]". [dance] is not a move here.');
    expect(err).toContain('No one said or did anything: 6 answers could not be understood.');
    const counted = await ludus(here, [...words, '--json']);
    expect(counted.code).toBe(1);
    expect(JSON.parse(counted.out)).toMatchObject({ said: [], performed: 0, refused: 6 });
    // Two people without a word on their cards pass until the end.
    const passed = await ludus(here, words.slice(0, 5));
    expect(passed).toMatchObject({ code: 1, err: expect.stringContaining('every character passed') });
  });

  it('plays with scripts instead of a model, as a readable screenplay', async () => {
    const { code, out } = await ludus(here, ['play', 'scene', 'dinner.json', '--seed', '1'], {
      tty: true,
      columns: 80,
      env: { NO_COLOR: '1' },
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^Beatrix {2}There you are at last\./m);
    expect(out).toContain('Beatrix, will you promise to look for the lost manuscript?');
    expect(out).toContain('The scene ends: every goal is reached.');
    expect(out).not.toContain('secret');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each([
    ['--seed', '1'],
    ['--seed', '1', '--model', 'fake'],
  ])('shows each character only its own secrets and goals: %j', async (...options) => {
    const log = await logOf(['dinner.json', ...options]);
    for (const guest of dinnerGuests) {
      const hidden = [
        ...guest.secrets.map(({ text }) => text),
        ...guest.goals.filter(({ visibility }) => visibility === 'self').map(({ text }) => text),
      ];
      for (const other of dinnerGuests.filter((dinnerGuest) => dinnerGuest !== guest)) {
        const visitedText = JSON.stringify(viewOf(log, other.id));
        const prompts = JSON.stringify(log.filter((event) => event.kind === 'action' && event.seat === other.id));
        for (const text of hidden) expect(visitedText.includes(text) || prompts.includes(text), `${other.id} sees "${text}"`).toBe(false);
      }
      expect(JSON.stringify(viewOf(log, guest.id))).toContain(guest.secrets[0]?.text);
    }
  });

  it('loads people from files next to it, and runs without goals to check', async () => {
    writeFileSync(join(here, 'ann.json'), JSON.stringify({ name: 'Ann Archer', voice: { greetings: ['Say "hello" [now].'] } }));
    const file = {
      topic: 'the weather',
      characters: ['./ann.json', 'tomas', { persona: { name: 'Анна' } }, { persona: { name: 'Ann Other' } }],
    };
    writeFileSync(join(here, 'talk.json'), JSON.stringify(file));
    const { code, out } = await ludus(here, ['play', 'scene', 'talk.json', '--seed', '1', '--json']);
    expect(code).toBe(0);
    const played = JSON.parse(out);
    expect(Object.keys(played.personas)).toEqual(['ann', 'tomas', 'guest', 'annb']);
    expect(played.said[0]).toMatchObject({ seat: 'ann', text: 'Say ‘hello’ now.' });
    expect(played.task.script.setting).toContain('The talk is of the weather.');
    expect(played.returns).toEqual({ ann: 0, tomas: 0, guest: 0, annb: 0 });
  });

  it('gives each pair of people the relation that both describe', async () => {
    const { out } = await ludus(here, ['play', 'scene', 'dinner.json', '--seed', '1', '--json']);
    expect(JSON.parse(out).task.script.relations).toEqual({
      'beatrix tomas': 4,
      'beatrix ines': 4,
      'beatrix pell': 2,
      'beatrix noor': 1,
      'tomas ines': 2,
      'tomas pell': 1,
      'tomas noor': 2,
      'pell noor': 0,
    });
    expect(Object.keys(gallery)).toContain('pell');
  });

  it.each([
    [{ characters: ['beatrix'] }, 'A scene has two to eight characters, but this one has 1.'],
    [{ characters: ['beatrix', 'nobody'] }, 'Unknown persona or file'],
    [{ characters: ['beatrix', 'tomas'], mood: 'grim' }, 'unknown field "mood"; a scene has name, setting'],
    [{ characters: ['beatrix', { persona: 'tomas', goals: 'x' }] }, 'unknown field "characters[1].goals"'],
    [{ characters: ['beatrix', 'tomas'], turns: 'many' }, 'turns must be a number from 1 to 200'],
    [{ characters: ['beatrix', { persona: 'tomas', place: 'moon' }] }, 'tomas must start in one of the places'],
    [['beatrix'], 'A scene must be an object such as {"characters"'],
  ])('rejects invalid scenes: %j', async (file, sentence) => {
    writeFileSync(join(here, 'bad.json'), JSON.stringify(file));
    const { code, err } = await ludus(here, ['play', 'scene', 'bad.json', '--json']);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    [['play', 'scene', 'nowhere.json'], 'The scene nowhere.json cannot be read: no such file or folder.'],
    [['play', 'scene', 'dinner.json', '--me', 'carl'], 'has no seat "carl"'],
    [['play', 'scene', 'talk.json', '--narrator', 'random'], 'This scene has no narrator'],
    [['play', 'scene', 'dinner.json', '--model', 'nonsense'], 'Unknown model "nonsense"'],
  ])('reports an input error: %j', async (words, sentence) => {
    const { code, err } = await ludus(here, words);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
  });
});
