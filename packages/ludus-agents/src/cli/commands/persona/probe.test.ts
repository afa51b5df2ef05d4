/** @file `ludus persona probe`: a report card offline, gates, files, controls, PersonaGym; and episodes that can be scored afterwards. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../terminal.cases.ts';

const here = folder();

async function probed(...words: string[]) {
  const { code, out, err } = await ludus(here, ['persona', 'probe', ...words, '--json']);
  return { code, err, card: out === '' ? null : JSON.parse(out) };
}

describe('probe', () => {
  it('gives a card for a scripted character, the same every time, and keeps its episodes', async () => {
    const words = ['villain', '--agent', 'scripted', '--items', '6', '--turns', '12'];
    const one = await probed(...words);
    expect({ code: one.code, err: one.err }).toEqual({ code: 0, err: '' });
    expect(one.card.parts.map(({ section }: { section: string }) => section)).toContain('knowledge');
    expect((await probed(...words)).card).toEqual(one.card);
    const scored = await ludus(here, ['score', one.card.run, '--scorers', 'secrets', '--json']);
    expect(JSON.parse(scored.out).scored).toBeGreaterThan(20);
  });

  it('is stopped by Ctrl-C with a plain word and no card', async () => {
    const asked = Promise.withResolvers<void>();
    Object.assign(globalThis, { probeAsked: asked.resolve });
    const waits =
      "act: (_, signal) => new Promise((_, fail) => { signal.addEventListener('abort', () => fail(signal.reason)); globalThis.probeAsked(); })";
    writeFileSync(join(here, 'mute.mjs'), `export const mute = { name: 'mute', ${waits} };`);
    const during = (interrupt: () => void) => void asked.promise.then(interrupt);
    const { code, out, err } = await ludus(here, ['persona', 'probe', 'villain', '--agent', './mute.mjs', '--only', 'moral'], { during });
    expect({ code, out }).toEqual({ code: 130, out: '' });
    expect(err).toContain('Stopped before it was finished.');
    expect(err).not.toContain('Something went wrong');
  });

  it('tells controls apart, fails under a mark, and writes pages whose texts are escaped', async () => {
    const gate = ['villain', '--only', 'secrets', '--fail-under', '0.6'];
    expect((await probed(...gate, '--agent', 'control:plays')).code).toBe(0);
    const leaky = await probed(...gate, '--agent', 'control:leaks', '-o', 'card.md');
    expect(leaky.code).toBe(1);
    expect(leaky.err).toContain('is under 0.6');
    expect(readFileSync(join(here, 'card.md'), 'utf8')).toMatch(/## What to mend[\s\S]*tells what it should hide/);
    await probed('villain', '--only', 'moral', '--agent', 'llm:fake/<img src=x>', '-o', 'card.html');
    const page = readFileSync(join(here, 'card.html'), 'utf8');
    expect(page).toContain('Cassian Vole');
    expect(page).not.toContain('<img');
  });

  it('runs PersonaGym by rules and by two judges', async () => {
    const played = await probed('villain', '--gym', '--agent', 'control:plays');
    const ignored = await probed('villain', '--gym', '--agent', 'control:ignores');
    expect(played.card.personaScore).toBeGreaterThan(ignored.card.personaScore);
    expect(Object.keys(played.card.tasks)).toEqual(['action', 'justification', 'habits', 'consistency', 'toxicity']);
    const judged = await probed('villain', '--gym', '--agent', 'scripted', '--items', '2', '--judge', 'fake:honest', 'fake:honest');
    expect(Object.keys(judged.card.judges)).toHaveLength(2);
    expect(judged.card.personaScore).toBeGreaterThanOrEqual(1);
  });

  it('reads topic dialogues blindly, with a gate', async () => {
    const words = ['villain', '--dialogues', '--items', '2', '--fail-under', '0.5', '--agent'];
    const played = await probed(...words, 'control:plays');
    expect([played.code, played.card.success, played.card.pairRate]).toEqual([0, 1, 1]);
    const plain = await ludus(here, ['persona', 'probe', ...words, 'control:ignores']);
    expect(plain.code).toBe(1);
    expect(plain.out).toContain('chance is 0.50');
    expect((await ludus(here, ['persona', 'probe', ...words, 'control:leaks'])).err).toMatch(/no control "leaks" for dialogues/);
  });

  it('hears names and no macros of a card: in probes, in a scene and in what was learned there', async () => {
    const data = (name: string, more: object) => ({ name, first_mes: 'Good day, {{user}}.', ...more });
    const card = (file: string, of: object) =>
      writeFileSync(join(here, file), JSON.stringify({ spec: 'chara_card_v3', spec_version: '3.0', data: of }));
    const description = '{{char}} is a clockmaker in Harrowgate. {{char}} repairs tower clocks and distrusts {{user}}.';
    const mes_example = '<START>\n{{user}}: Broken?\n{{char}}: Nothing is broken, {{user}}.';
    card('ada.json', data('Ada Fenn', { description, mes_example }));
    card('bo.json', data('Bo', { description: '{{char}} is a carter.' }));
    const setting = 'Everybody knows it: Ada Fenn repairs tower clocks and distrusts Bo.';
    writeFileSync(join(here, 'shop.json'), JSON.stringify({ setting, characters: [{ persona: './ada.json' }, { persona: './bo.json' }] }));
    const store = ['--store', 'macros.sqlite'];
    await ludus(here, ['persona', 'probe', './ada.json', '--agent', 'control:plays', '--items', '4', '--turns', '8', ...store]);
    const scene = await ludus(here, ['scene', './shop.json', '--seed', '1', ...store]);
    expect(scene.out).toContain('learned from the world: Ada Fenn repairs tower clocks');
    const episodes = JSON.parse((await ludus(here, ['list', 'episodes', '--json', ...store])).out) as readonly { id: string }[];
    expect(episodes.length).toBeGreaterThan(4);
    for (const { id } of episodes) expect((await ludus(here, ['show', id, ...store])).out).not.toMatch(/\{\{/);
    expect(scene.out).not.toMatch(/\{\{/);
  });

  it('lets a model read the answers, within a budget', async () => {
    const read = await probed('villain', '--only', 'knowledge', '--items', '4', '--agent', 'control:plays', '--judge', 'fake/refuse');
    expect(read.card.reader).toContain('fake');
    expect(read.card.parts[0].rows[1]).toMatchObject({ name: 'over-refusal', value: 1 });
    const few = await ludus(here, ['persona', 'probe', 'villain', '--only', 'moral', '--agent', 'llm:fake', '--max-calls', '2']);
    expect(few.code).not.toBe(0);
    expect(few.err).toMatch(/2 calls|calls/);
  });

  it.each([
    [['villain', '--only', 'looks'], /--only takes parts/],
    [['villain', '--agent', 'control:sings'], /no control/],
    [['nobody'], /nobody of that name/],
    [['villain', '--gym', '--fail-under', '0.9'], /above 1 and at most 5 with --gym, since a PersonaScore is never below 1/],
    [['./bare.json', '--only', 'moral'], /Bare says nothing that could be asked about in moral; give it a moral level/],
    [['villain', '--fail-under', '2'], /--fail-under is at most 1, but came as "2"/],
    [['villain', '--only', 'moral', '-o', 'card.pdf'], /ends in .html, .md or .json/],
  ])('refuses %j in a sentence', async (words, sentence) => {
    writeFileSync(
      join(here, 'bare.json'),
      '{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Bare","description":"Bare is a cook."}}',
    );
    expect((await ludus(here, ['persona', 'probe', ...words])).err).toMatch(sentence);
  });
});
