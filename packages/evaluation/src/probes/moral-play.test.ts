/** @file Moral levels in play: what players of known fidelity are given, by level and in the villain gap. */

import { type Persona, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { type Fault, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { expect, it } from 'vitest';
import { measureMoralPlay, moralControl, readMoralScenes, turnsIn } from './moral-play.ts';
import { encoderReader, wordReader } from './moral-readers.ts';

const at = (name: string, level?: number): Persona =>
  parsePersona({ name, ...(level === undefined ? {} : { identity: { personal: { moral: { level } } } }) });
const cast = [at('Saint', 1), at('Ben', 2), at('Miser', 3), at('Vole', 4)];
const scenes = readMoralScenes(
  [
    {
      scene: 'The mill burns.',
      ways: ['carry water all night', 'wake the neighbors', 'save your grain first', 'bolt the door from outside'],
      turns: ['And then?'],
    },
    {
      scene: 'A letter comes for another.',
      ways: ['deliver it unopened', 'deliver it late, ashamed', 'read it and keep quiet', 'forge a crueler letter'],
    },
    { scene: 'The ferry is full.', ways: ['give up your seat', 'share the bench', 'pay to stay', 'push a boy overboard'] },
  ],
  'scenes.json',
);
const play = (control: string, personas = cast) =>
  measureMoralPlay(personas, { scenes, agent: (persona, probe) => moralControl(control, persona, probe) });

it('gives full fidelity at every level to a player that acts at the level of its card', async () => {
  const report = await play('plays');
  expect(report).toMatchObject({ design: 'set', scenes: 3, unread: 0, villainGap: { value: 0, scenes: 3 } });
  expect(report.rows.map(({ level, personas, fidelity, shown, n }) => [level, personas, fidelity, shown, n])).toEqual([
    [1, ['Saint'], 1, 1, 3],
    [2, ['Ben'], 1, 2, 3],
    [3, ['Miser'], 1, 3, 3],
    [4, ['Vole'], 1, 4, 3],
  ]);
});

it('shows a player that is kind in every role in the villain gap, and measures nothing without a level', async () => {
  const kind = await play('kind');
  expect(kind.rows.map(({ fidelity }) => fidelity)).toEqual([2 / 3, 1, 2 / 3, 1 / 3].map((value) => expect.closeTo(value) as number));
  expect(kind.villainGap?.value).toBeCloseTo(1 / 3);
  // Three scenes that all came out alike prove little.
  expect(kind.villainGap?.interval[0]).toBeLessThan(0);
  expect(kind.rows[1]?.interval?.[0]).toBeLessThan(0.5);
  const failing = { name: 'broken', act: () => Promise.reject(new Error('no connection')) };
  expect(await measureMoralPlay(cast, { scenes, agent: () => failing })).toMatchObject({ villainGap: null, unread: 0, broken: 12 });
  const refusal = scripted('refusing', () => ({ text: "I'm sorry, but I can't help with that request." }));
  expect(await measureMoralPlay(cast, { scenes, agent: () => refusal })).toMatchObject({ villainGap: null, broken: 0, refused: 12 });
  expect(await play('ignores')).toMatchObject({ villainGap: null, unread: 12 });
});

it('plays one card at all four levels over several turns, and stores the fidelity of each scene', async () => {
  const store = memoryStore();
  const report = await measureMoralPlay([at('Ann')], {
    ...{ scenes, store, run: 'moral' },
    agent: (persona, probe) => {
      expect(probe.kind).toBe(`level ${persona.identity.personal.moral.level}`);
      return moralControl('plays', persona, probe);
    },
  });
  expect(report).toMatchObject({ design: 'versions', villainGap: { value: 0 } });
  const episodes = (await store.episodes({ run: 'moral' })).map(({ id }) => id);
  expect(episodes).toHaveLength(12);
  const events = await store.events(episodes[0]!);
  const spoken = events.filter((event) => event.kind === 'action' && event.seat === 'character').length;
  expect([2, 3]).toContain(spoken);
  expect((await store.scores(episodes[0]!))[0]).toMatchObject({
    name: 'moral-fidelity',
    value: 1,
    parts: { level: expect.any(Number) as number },
  });
  expect(turnsIn(scenes[0]!)).toHaveLength(2);
});

it('rejects a set that does not cover or state the levels', async () => {
  const code = (personas: readonly Persona[]) => play('plays', [...personas]).catch((thrown: Fault) => thrown.code);
  expect(await code([at('Saint', 1), at('Nobody')])).toBe('E_NO_MORAL_LEVEL');
  expect(await code([at('Saint', 1), at('Vole', 4)])).toBe('E_MISSING_MORAL_LEVEL');
  expect(() => readMoralScenes([{ scene: 'x', ways: ['a', 'b'] }], 'scenes.json')).toThrow('scenes.json');
});

it('reads by meaning with an encoder, and states that it reads by words without one', async () => {
  const vectors: Readonly<Record<string, readonly number[]>> = { fire: [1, 0], help: [0, 1] };
  const encoder = {
    ...{ name: 'toy', basis: 'model' as const, likeness: [0, 1] as const },
    embed: async (texts: readonly string[]) => texts.map((text) => Float32Array.from(vectors[/burn|fire/.test(text) ? 'fire' : 'help']!)),
  };
  const ways = ['help', 'set it on fire', 'fire again', 'burn'];
  expect(await encoderReader(encoder).read('', ways, rng(1))).toBeNull();
  expect(await encoderReader(encoder).read('I lend a hand.', ways, rng(1))).toBe(1);
  // Three ways are equally near: that shows no level.
  expect(await encoderReader(encoder).read('It burns.', ways, rng(1))).toBeNull();
  expect(wordReader.name).toContain('stand-in');
});
