/** @file New scenes from lore, facts in files, and earlier scenes, without private knowledge. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { draftScene, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { type KnownPassage, playedPassages, recallPassages, sceneRequest } from '@ludus-agents/agents/internal/personas/scene-knowledge';
import type { Prompt } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const ann = {
  ...{ name: 'Ann', id: 'ann', statements: ['Ann polishes the silver of Hollow House.', 'Ann sings in the choir.'] },
  secrets: ['Ann pawned the silver spoons in Harbour Street'],
};
const bob = { name: 'Bob', id: 'bob', statements: [{ text: 'Bob saw the silver thief.', visibility: 'self' }] };

describe('scene draft', () => {
  it('uses lore and facts that fit, and later what was said in a played scene', async () => {
    const here = folder();
    for (const item of [ann, bob]) writeFileSync(join(here, `${item.id}.json`), JSON.stringify(item));
    writeFileSync(join(here, 'town.md'), '# Town\n\n- The silversmith closed in March.\n- Ferries leave at noon.\n');
    const words = ['persona', 'draft', 'the missing silver', '--cast', './ann.json', './bob.json', '--facts', 'town.md', '--json'];
    const draft = async (file: string) => {
      const { code, out, err } = await ludus(here, [...words, '-o', file]);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return JSON.parse(out) as { recalled: readonly KnownPassage[]; scene: { setting: string } };
    };
    const first = await draft('one.json');
    const spoken = { text: 'Ann said: The silver is beneath the apple tree.', kind: 'played' };
    expect(first.recalled).toContainEqual({ text: 'Ann polishes the silver of Hollow House.', kind: 'lore', source: 'ann' });
    // Other lore and other facts stay away, and so does what one of them keeps to itself.
    for (const other of ['choir', 'Ferries', 'Harbour', 'thief', 'apple tree']) expect(JSON.stringify(first)).not.toContain(other);
    const line = 'fake/Action: [speak "The silver is beneath the apple tree."]';
    const played = await ludus(here, ['play', 'scene', 'one.json', '--model', line, '--turns', '4', '--seed', '1', '--json']);
    expect(played.code).toBe(0);
    const second = await draft('two.json');
    expect(second.recalled).toContainEqual({ ...spoken, source: JSON.parse(played.out).episode });
    expect(second.scene.setting).toContain('beneath the apple tree');
    expect(JSON.parse(readFileSync(join(here, 'two.json'), 'utf8'))).toEqual(second.scene);
    // People who were in none of those scenes know nothing of them.
    const strangers = await ludus(here, [...words.slice(0, 3), '--cast', 'villain', 'patient', '--json', '-o', 'three.json']);
    expect(strangers.out).not.toContain('apple tree');
    expect((await ludus(here, ['persona', 'draft', 'x', '--cast', 'villain'])).err).toContain('two to eight characters');
    expect((await ludus(here, [...words.slice(0, 6), '--facts', 'none.md'])).err).toContain('none.md cannot be read');
  });

  it('uses only statements that all heard, the latest of duplicates, and relevant ones', async () => {
    const names = { ann: 'Ann', bob: 'Bob', cleo: 'Cleo' };
    const message = (text: string, to: readonly string[]) => ({ kind: 'message' as const, from: 'ann', to, text });
    const events = [message('The well is dry.', ['bob', 'cleo']), message('Only you know of the well.', ['bob'])];
    const knownPassages = playedPassages('e1', events, names);
    expect(knownPassages.map(({ text }) => text)).toEqual(['Ann said: The well is dry.']);
    const later = { ...knownPassages[0]!, source: 'e2' };
    expect(await recallPassages('the well', [...knownPassages, later], 5)).toEqual([later]);
    expect(await recallPassages('a wedding', knownPassages, 5)).toEqual([]);
  });

  it('shows recalled passages to a model, and returns a scene with the wrong cast', async () => {
    const prompts: Prompt[] = [];
    const scene = (...cast: readonly string[]) => ({
      name: 's',
      setting: 'A yard.',
      topic: 't',
      characters: cast.map((persona) => ({ persona })),
    });
    const inner = fakeModel({ answers: [JSON.stringify(scene('ann', 'cleo')), JSON.stringify(scene('ann', 'bob'))] });
    const model = {
      ...inner,
      complete: (...[prompt, ...rest]: Parameters<typeof inner.complete>) => {
        prompts.push(prompt);
        return inner.complete(prompt, ...rest);
      },
    };
    const knownPassage: KnownPassage = { text: 'The well is dry.', kind: 'fact', source: 'town.md' };
    const find = async (name: string) => parsePersona({ name, id: name });
    const drafted = await draftScene(model, sceneRequest('the well', ['ann', 'bob'], [knownPassage]), find, { cast: ['ann', 'bob'] });
    expect(drafted.scene).toEqual(scene('ann', 'bob'));
    expect(prompts[0]!.messages[1]!.content).toContain('1. The well is dry.');
    expect(prompts[1]!.messages.at(-1)!.content).toContain('characters must have the persona "bob"');
  });
});
