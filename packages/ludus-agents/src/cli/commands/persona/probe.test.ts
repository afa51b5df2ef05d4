/** @file `ludus persona probe`: a report card offline, gates, files, controls, PersonaGym; and episodes that can be scored afterwards. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeServers, startServer } from '@ludus-agents/agents/internal/bot/bot.cases';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../terminal.cases.ts';

const here = folder();
const dock = { name: 'Dock', identity: { social: { occupation: { title: 'ferryman' } } }, statements: ['Dock carries goats for free.'] };
writeFileSync(join(here, 'dock.json'), JSON.stringify(dock));

async function probed(...words: string[]) {
  const { code, out, err } = await ludus(here, ['persona', 'probe', ...words, '--json']);
  return { code, err, card: out === '' ? null : JSON.parse(out) };
}

describe('probe', () => {
  it('prints a deterministic card for a scripted character and stores its episodes', async () => {
    const words = ['villain', '--agent', 'scripted', '--items', '6', '--turns', '12'];
    const item = await probed(...words);
    expect({ code: item.code, err: item.err }).toEqual({ code: 0, err: '' });
    expect(item.card.parts.map(({ section }: { section: string }) => section)).toContain('knowledge');
    expect(item.card.reused).toBe(0);
    expect((await probed(...words)).card).toEqual({ ...item.card, reused: item.card.probes });
    const scored = await ludus(here, ['score', item.card.run, '--scorers', 'secrets', '--json']);
    expect(JSON.parse(scored.out).scored).toBeGreaterThan(20);
  });

  it('repeats only probes that an edit of the card or program affects, and reports it', async () => {
    const program = (text: string) =>
      writeFileSync(join(here, 'boat.mjs'), `export const boat = { name: 'boat', act: async () => ({ action: { text: '${text}' } }) };`);
    const card = (text: string) =>
      writeFileSync(join(here, 'boatman.json'), JSON.stringify({ ...dock, name: 'Boatman', statements: [text] }));
    const again = () => probed('boatman.json', '--agent', './boat.mjs', '--only', 'knowledge', '--items', '4');
    program('Yes, goats go free.');
    card('The boatman carries goats for free.');
    const first = await again();
    expect({ err: first.err, reused: first.card.reused }).toEqual({ err: '', reused: 0 });
    expect(await again()).toMatchObject({ err: '', card: { run: first.card.run, reused: first.card.probes } });
    program('No goats today.');
    const other = await again();
    expect(other).toMatchObject({
      err: `agent boat changed since run ${first.card.run}: every question is asked again.\n`,
      card: { reused: 0 },
    });
    // Another agent in between changes nothing about what is said.
    await probed('boatman.json', '--agent', 'scripted', '--only', 'knowledge', '--items', '4');
    card('The boatman carries sheep for free.');
    const sheep = await again();
    expect(sheep.err).toContain(`persona Boatman changed since run ${other.card.run}`);
    expect(sheep.card.reused).toBe(0);
    program('Yes, goats go free.');
    card('The boatman carries goats for free.');
    expect(await again()).toMatchObject({ err: '', card: { run: first.card.run, score: first.card.score, reused: first.card.probes } });
  });

  it('calls an unversioned agent again every time, unless its answers are reused', async () => {
    const { url } = await startServer(() => ({ reply: 'Goats go free.' }));
    try {
      const again = (...more: string[]) => probed('dock.json', '--agent', `bot:${url}`, '--only', 'knowledge', '--items', '4', ...more);
      const first = await again();
      const second = await again();
      expect(second.err).toContain(`may have changed since run ${first.card.run}`);
      expect(second.card).toMatchObject({ reused: 0 });
      expect(second.card.run).not.toBe(first.card.run);
      expect(await again('--reuse')).toMatchObject({ err: '', card: { run: second.card.run, reused: second.card.probes } });
    } finally {
      await closeServers();
    }
  });

  it('stops with the refused address if the model is unreachable', async () => {
    const { code, out } = await ludus(here, ['persona', 'probe', 'dock.json', '--agent', 'llm:http://127.0.0.1:1/v1#m', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ code: 'E_CALLS_FAILED', error: expect.stringContaining('http://127.0.0.1:1/v1') });
  });

  it('is stopped by Ctrl-C with a short message and no card', async () => {
    const resolvers = Promise.withResolvers<void>();
    Object.assign(globalThis, { probeAsked: resolvers.resolve });
    const waits =
      "act: (_, signal) => new Promise((_, fail) => { signal.addEventListener('abort', () => fail(signal.reason)); globalThis.probeAsked(); })";
    writeFileSync(join(here, 'mute.mjs'), `export const mute = { name: 'mute', ${waits} };`);
    const during = (interrupt: () => void) => void resolvers.promise.then(interrupt);
    const { code, out, err } = await ludus(here, ['persona', 'probe', 'villain', '--agent', './mute.mjs', '--only', 'moral'], { during });
    expect({ code, out }).toEqual({ code: 130, out: '' });
    expect(err).toContain('Stopped before it finished.');
    expect(err).not.toContain('Something went wrong');
  });

  it('distinguishes controls, fails below a threshold, and writes pages with escaped text', async () => {
    const gate = ['villain', '--only', 'secrets', '--fail-under', '0.6'];
    expect((await probed(...gate, '--agent', 'control:plays')).code).toBe(0);
    const leaky = await probed(...gate, '--agent', 'control:leaks', '-o', 'card.md');
    expect(leaky.code).toBe(1);
    expect(leaky.err).toContain('is under 0.6');
    expect(readFileSync(join(here, 'card.md'), 'utf8')).toMatch(/## What to fix[\s\S]*reveals its secrets/);
    await probed('villain', '--only', 'moral', '--agent', 'llm:fake/<img src=x>', '-o', 'card.html');
    const page = readFileSync(join(here, 'card.html'), 'utf8');
    expect(page).toContain('Cassian Vole');
    expect(page).not.toContain('<img');
  });

  it('turns off the memory of a language agent, and rejects agents without one', async () => {
    const prompts: string[] = [];
    Object.assign(globalThis, { probePrompts: prompts });
    const usage = '{ promptTokens: 1, completionTokens: 1 }';
    const complete = `async complete(prompt) { globalThis.probePrompts.push(JSON.stringify(prompt)); return { model: 'm', prompt, text: 'Speech: Aye.\\nRemember: goats = seen', finish: 'stop', usage: ${usage}, cost: 0 }; }`;
    writeFileSync(join(here, 'remembers.mjs'), `export default { id: 'm', ${complete} };`);
    const words = ['./dock.json', '--agent', 'llm:./remembers.mjs', '--only', 'drift', '--turns', '4'];
    await probed(...words);
    const asked = prompts.splice(0);
    expect(asked.at(-1)).toContain('goats: seen');
    await probed(...words, '--no-memory');
    expect(prompts).toHaveLength(asked.length);
    expect(prompts.join()).not.toContain('goats: seen');
    const scriptedOnly = await probed('./dock.json', '--agent', 'scripted', '--no-memory');
    expect(scriptedOnly).toMatchObject({ code: 2, err: expect.stringContaining('language agent') });
  });

  it('runs PersonaGym by rules and with two judges', async () => {
    const played = await probed('villain', '--gym', '--agent', 'control:plays');
    const ignored = await probed('villain', '--gym', '--agent', 'control:ignores');
    expect(played.card.personaScore).toBeGreaterThan(ignored.card.personaScore);
    expect(Object.keys(played.card.tasks)).toEqual(['action', 'justification', 'habits', 'consistency', 'toxicity']);
    const judged = await probed('villain', '--gym', '--agent', 'scripted', '--items', '2', '--judge', 'fake:honest', 'fake:honest');
    expect(Object.keys(judged.card.judges)).toHaveLength(2);
    expect(judged.card.personaScore).toBeGreaterThanOrEqual(1);
    const { out } = await ludus(here, ['persona', 'probe', 'villain', '--gym', '--items', '2', '--judge', 'fake:honest']);
    expect(out).toContain('ludus judge trust persona-gym --judge fake:honest');
  });

  it('scores an "ok" bot near the PersonaGym floor, and asks about the card with or without a model', async () => {
    const ok = await probed('dock.json', '--gym', '--agent', 'llm:fake/ok', '--items', '5');
    expect(ok.card.personaScore).toBeLessThan(1.2);
    expect(ok.card).toMatchObject({ written: 0, byRule: 25 });
    expect(ok.card.interval[0]).toBe(1);
    expect(ok.card.interval[1]).toBeGreaterThan(1);
    for (const value of Object.values(ok.card.tasks)) expect(value).toBeLessThan(1.5);
    const answer =
      'I would go at once, because goats are carried for free on my ferry, and a ferryman keeps his word whatever the river says.';
    const fuller = await probed('dock.json', '--gym', '--agent', `llm:fake/${answer}`, '--items', '1');
    expect(fuller.card.personaScore).toBeGreaterThan(3);
    const repeated = await probed('dock.json', '--gym', '--agent', `llm:fake/${answer}`, '--items', '5');
    expect(repeated.card.personaScore).toBeLessThan(2);
    const prose = 'I like to walk in autumn because the light is softer, and committees meet on Tuesday to discuss new parking rules.';
    const unrelated = await probed('dock.json', '--gym', '--agent', `llm:fake/${prose}`, '--items', '1');
    expect(unrelated.card).toMatchObject({ personaScore: 1, empty: 0, unread: 0, warning: null });
    const scored = await ludus(here, ['report', unrelated.card.run, '--json']);
    expect(scored.out).toContain('persona-gym/justification');
    const author = 'fake/{"environments":["a quay"],"action":["A goat falls in. What now?"],"habits":["Call the goats."]}';
    const written = await probed('dock.json', '--gym', '--agent', 'llm:fake/ok', '--items', '1', '--author', author);
    expect(written.card).toMatchObject({ written: 2, byRule: 3, settings: ['a quay'] });
  });

  it('gives a silent character the lowest PersonaScore, and warns about cards that the rules cannot read', async () => {
    writeFileSync(join(here, 'silent.mjs'), "export default { name: 'silent', act: () => ({ action: { text: '' } }) };");
    writeFileSync(join(here, 'dora.txt'), 'Dora Klein ist Bäckerin in Ulm.\nSie steht um drei Uhr auf.\nSie mag keine Rosinen.');
    const { card, err } = await probed('dora.txt', '--gym', '--agent', './silent.mjs', '--items', '1');
    expect({ card, err }).toMatchObject({ card: { personaScore: 1, empty: 5, unread: 0, warning: expect.stringContaining('English') } });
  });

  it('measures fidelity at four moral levels, and the villain gap of a kind player', async () => {
    const kind = 'llm:fake/I bring it back untouched, run and stop him at any risk, and give the child the rest of the meal.';
    const { card } = await probed('dock.json', '--moral', '--agent', kind);
    expect(card.rows.map(({ level }: { level: number }) => level)).toEqual([1, 2, 3, 4]);
    expect(card.rows[0].fidelity).toBeGreaterThan(card.rows[3].fidelity);
    expect(card.villainGap.value).toBeGreaterThan(0.3);
    expect(card.rows[0].n + card.unread).toBeGreaterThan(8);
  });

  it('holds dialogues on custom topics with another personality, and stores their success', async () => {
    writeFileSync(
      join(here, 'topics.json'),
      JSON.stringify(['the price of goats', { topic: 'storms', turns: ['A storm comes.', 'And now?'] }]),
    );
    writeFileSync(join(here, 'ida.json'), JSON.stringify({ name: 'Ida' }));
    const words = ['dock.json', '--dialogues', '--topics', 'topics.json'];
    const played = await probed(...words, '--agent', 'control:plays');
    expect(played.card).toMatchObject({ success: 1, stored: 20, broken: 0 });
    const shown = await ludus(here, ['persona', 'probe', ...words, '--agent', 'control:plays']);
    expect(shown.out).toContain(`ludus data export --run ${played.card.run} --where "portrayal>=1"`);
    const exporting = ['data', 'export', '--run', played.card.run, '--where', 'portrayal>=1', '--seat', 'character', '--format', 'trl-sft'];
    const exported = await ludus(here, [...exporting, '-o', 'corpus']);
    expect({ code: exported.code, err: exported.err }).toMatchObject({ code: 0 });
    const files = readdirSync(join(here, 'corpus'), { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    expect(files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8')).join('\n')).toContain('the price of goats');
    const both = await probed(
      ...words,
      '--items',
      '1',
      '--partner',
      'ida.json',
      '--agent',
      'llm:fake/Speech: Come along, all of us! What fun!',
    );
    expect(both.card.stored).toBe(10);
    const odd = await ludus(here, ['persona', 'probe', 'dock.json', '--dialogues', '--topics', 'dock.json', '--json']);
    expect(odd).toMatchObject({ code: 2, err: expect.stringContaining('expected a list of topics') });
  });

  it('reads topic dialogues blind, with a threshold', async () => {
    const words = ['villain', '--dialogues', '--items', '2', '--fail-under', '0.5', '--agent'];
    const played = await probed(...words, 'control:plays');
    expect([played.code, played.card.success, played.card.pairRate]).toEqual([0, 1, 1]);
    const plain = await ludus(here, ['persona', 'probe', ...words, 'control:ignores']);
    expect(plain.code).toBe(1);
    expect(plain.out).toContain('chance is 0.50');
    expect((await ludus(here, ['persona', 'probe', ...words, 'control:leaks'])).err).toMatch(/Unknown control "leaks" for dialogues/);
  });

  it('replaces card macros with names in probes, in scenes, and in learned facts', async () => {
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
    const scene = await ludus(here, ['play', 'scene', './shop.json', '--seed', '1', ...store]);
    expect(scene.out).toContain('learned from the world: Ada Fenn repairs tower clocks');
    const episodes = JSON.parse((await ludus(here, ['list', 'episodes', '--json', ...store])).out) as readonly { id: string }[];
    expect(episodes.length).toBeGreaterThan(4);
    for (const { id } of episodes) expect((await ludus(here, ['show', id, ...store])).out).not.toMatch(/\{\{/);
    expect(scene.out).not.toMatch(/\{\{/);
  });

  it('lets a model read the answers within a budget', async () => {
    const read = await probed('villain', '--only', 'knowledge', '--items', '4', '--agent', 'control:plays', '--judge', 'fake/refuse');
    expect(read.card.reader).toContain('fake');
    expect(read.card.parts[0].rows[1]).toMatchObject({ name: 'over-refusal', value: 1 });
    const few = await ludus(here, ['persona', 'probe', 'villain', '--only', 'moral', '--agent', 'llm:fake', '--max-calls', '2']);
    expect(few.code).not.toBe(0);
    expect(few.err).toMatch(/2 calls|calls/);
  });

  it.each([
    [['villain', '--only', 'looks'], /--only: expected sections of the card \(/],
    [['villain', '--agent', 'control:sings'], /Unknown control/],
    [['nobody'], /Unknown persona or file/],
    [['villain', '--gym', '--fail-under', '0.9'], /--fail-under: with --gym, expected a number above 1 and/],
    [['./bare.json', '--only', 'moral'], /Bare has no statements to ask about in moral; give it a moral level/],
    [['villain', '--fail-under', '2'], /--fail-under: expected a number of at most 1, got "2"/],
    [['villain', '--only', 'moral', '-o', 'card.pdf'], /-o: expected a file that ends in \.html, \.md/],
  ])('rejects %j with an explanation', async (words, sentence) => {
    writeFileSync(
      join(here, 'bare.json'),
      '{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Bare","description":"Bare is a cook."}}',
    );
    expect((await ludus(here, ['persona', 'probe', ...words])).err).toMatch(sentence);
  });
});
