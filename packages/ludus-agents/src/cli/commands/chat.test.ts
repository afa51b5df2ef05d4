/** @file Talking with a character: the display, the stored log, and removing or copying a branch. */

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gallery } from '@ludus-agents/agents/internal/personas/index';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { EpisodeEvent, EpisodeRecord } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const villain = gallery['villain']!;

async function episodes(here: string): Promise<(EpisodeRecord & { log: EpisodeEvent[] })[]> {
  const rows = JSON.parse((await ludus(here, ['list', 'episodes', '--json'])).out) as EpisodeRecord[];
  return Promise.all(rows.map(async ({ id }) => JSON.parse((await ludus(here, ['show', id, '--json'])).out)));
}

const said = (log: readonly EpisodeEvent[]) =>
  log.flatMap((event) => (event.kind === 'action' ? [`${event.seat}: ${event.action.text}`] : []));

describe('chat with authored rules', () => {
  it('answers by the rules of a document, shows the mood, and starts the next chat with part of it', async () => {
    const here = folder();
    const file = new URL('../../../../../examples/ferryman.json', import.meta.url).pathname;
    expect((await ludus(here, ['persona', 'check', file])).code).toBe(0);
    const first = await ludus(here, ['chat', file, '--model', 'none', '--seed', '1'], { typed: 'You old fool!\n/mood\n/quit\n' });
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out).toContain('Then swim, the visitor.');
    expect(first.out).toMatch(/mood −1\.80 of 10; feels anger 6\.0; towards the visitor −0\.30/);
    const [kept] = await episodes(here);
    expect(await replay(await builtInEnvironment('chat'), kept!.log)).toBeNull();
    const second = await ludus(here, ['chat', file, '--model', 'none', '--seed', '2'], { typed: 'Good evening.\n/mood\n/quit\n' });
    // Half the mood is left, less one turn. The anger is nearly gone, and the relationship still reflects the conversation.
    expect(second.out).toContain('Evening. Across');
    expect(second.out).toMatch(/mood −0\.89 of 10; feels anger 0\.4; towards the visitor −0\.30/);
  });
});

describe('chat', () => {
  it('greets, answers with the lines on the card, and keeps a log that replays', async () => {
    const here = folder();
    const { code, out, err } = await ludus(here, ['chat', 'villain', '--seed', '1'], { typed: 'Have you no shame?\n/why\n/quit\n' });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Ah, my friend.');
    expect(out).toContain('I held a lamp.');
    expect(out).toMatch(/based on +e2: user: You have ruined him/);
    for (const { text } of villain.secrets) expect(out).not.toContain(text);
    const [kept] = await episodes(here);
    expect(kept).toMatchObject({ environment: 'chat@1', status: 'over', seed: 1 });
    expect(replay(await builtInEnvironment('chat'), kept?.log ?? [])).toBeNull();
  });

  it('undoes, branches, and stores each branch', async () => {
    const here = folder();
    const typed =
      'Is Marsh not an honest man?\nHave you no shame?\n/undo\nDo you drink?\n/fork\nHave you no shame?\n/save talk.txt\n/quit\n';
    const { out } = await ludus(here, ['chat', 'villain'], { typed });
    expect(out).toContain('Undone.');
    expect(out).toContain('. You are now in a copy.');
    const [last, middle, first] = await episodes(here);
    expect(first).toMatchObject({ status: 'abort' });
    expect(middle).toMatchObject({ status: 'abort' });
    expect(said(first?.log ?? []).filter((line) => line.startsWith('user'))).toEqual([
      'user: Is Marsh not an honest man?',
      'user: Have you no shame?',
    ]);
    expect(said(last?.log ?? []).filter((line) => line.startsWith('user'))).toEqual([
      'user: Is Marsh not an honest man?',
      'user: Do you drink?',
      'user: Have you no shame?',
      'user: /quit',
    ]);
    expect(last?.log[0]).toMatchObject({ fork: { episode: middle?.id, before: { episode: first?.id } } });
    for (const { log } of [last, middle, first] as { log: EpisodeEvent[] }[])
      expect(replay(await builtInEnvironment('chat'), log)).toBeNull();
    const text = readFileSync(join(here, 'talk.txt'), 'utf8');
    expect(text).toMatch(/^Cassian Vole: Ah[\s\S]*You: Do you drink\?[\s\S]*I held a lamp/);
    // What is shown is shown once, though a fork yields the whole log again.
    expect(out.match(/Ah, my friend/g)).toHaveLength(1);
  });

  it('is played by a model and shows its thoughts only on request', async () => {
    const here = folder();
    const answer = 'Thought: now slowly.\nSpeech: Honest, my friend? Why, for all I know.\nRemember: visitor = curious';
    const words = ['chat', 'villain', '--model', `fake/${answer}`];
    const { code, out } = await ludus(here, words, { typed: 'Is Marsh honest?\n/why\n' });
    expect(code).toBe(0);
    expect(out.slice(out.indexOf('Is Marsh'), out.indexOf('/why'))).not.toContain('slowly');
    expect(out).toMatch(/thought +now slowly\./);
    expect(out).toMatch(/prompt +\d+ tokens/);
    expect(out).toMatch(/1 model call, [\d,]+ tokens, \$0/);
    const [kept] = await episodes(here);
    expect(said(kept?.log ?? [])).toContain('character: Honest, my friend? Why, for all I know.');
  });

  it('shows both sides of a resumed conversation, and counts each model call once across branches, without earlier ones', async () => {
    const here = folder();
    const words = ['chat', 'villain', '--model', 'fake/Aye.', '--seed', '1'];
    const first = await ludus(here, words, { typed: 'Is Marsh honest?\n/again\n/fork\nAnd you?\n' });
    expect(first.out).toContain('· 3 model calls,');
    const resumed = await ludus(here, [...words, '--resume'], { typed: 'Good.\n' });
    expect(resumed.out).toContain('· 1 model call,');
    expect(resumed.out).toContain('you › And you?');
  });

  it('shows the text of activated lore entries', async () => {
    const { out } = await ludus(folder(), ['chat', 'innkeeper', '--model', 'fake/Aye.', '--seed', '1'], {
      typed: 'Do you like tolls?\n/why\n',
    });
    const page = / {2}lore +(\d+ by the key “toll[\s\S]*?)\n {2}(?:\w|\n)/.exec(out)?.[1]?.replace(/\s+/g, ' ') ?? '';
    expect(page).not.toBe('');
    const entries = gallery['innkeeper']!.lore.entries.map(({ content }) => content);
    expect(entries.some((content) => page.includes(content))).toBe(true);
  });

  it('reads a stream piece by piece and prints every word once', async () => {
    const pieces = [
      'Thought: slo',
      'wly.\nSpee',
      'ch: Honest, my',
      ' friend? …',
      ' Why, for all',
      ' I know.\nRem',
      'ember: visitor = curious',
    ];
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const content of pieces) response.write(`data: ${JSON.stringify({ choices: [{ delta: { content }, index: 0 }] })}\n\n`);
      response.write(
        `data: ${JSON.stringify({ choices: [{ delta: {}, index: 0, finish_reason: 'stop' }], usage: { prompt_tokens: 9, completion_tokens: 9 } })}\n\n`,
      );
      response.end('data: [DONE]\n\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const model = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1#vole`;
      const { code, out } = await ludus(folder(), ['chat', 'villain', '--model', model], { typed: 'Is Marsh honest?\n' });
      expect(code).toBe(0);
      expect(out.match(/Honest, my friend\? … Why, for all I know\./g)).toHaveLength(1);
      expect(out).not.toMatch(/slowly|curious/);
      expect(out).toContain('price unknown');
    } finally {
      server.close();
    }
  });

  it('prints JSON to stdout and the conversation to stderr', async () => {
    const { out, err } = await ludus(folder(), ['chat', 'villain', '--json', '--turns', '1'], { typed: 'Hello?\n' });
    expect(JSON.parse(out)).toMatchObject({ environment: 'chat@1', reason: 'over', turns: 2 });
    expect(err).toContain('used up its turns');
  });

  const lastTalk = async (here: string) => said((await episodes(here))[0]!.log);

  it('starts with the chosen greeting, lists greetings, and restarts with another', async () => {
    const here = folder();
    const voice = { greetings: ['You are wet, {{user}}.', 'Back again, {{user}}?', 'Mind the rope.'] };
    writeFileSync(join(here, 'dock.json'), JSON.stringify({ name: 'Dock', voice }));
    writeFileSync(join(here, 'ludus.config.json'), JSON.stringify({ user: 'Ida' }));
    const { out } = await ludus(here, ['chat', 'dock.json', '--greeting', '2'], { typed: '/greeting\n/greeting 3\n/greeting 9\n/quit\n' });
    expect(out).toContain('Back again, Ida?');
    expect(out).not.toMatch(/Dock\nYou are wet, Ida\./);
    expect(out).toContain('  3. Mind the rope.');
    expect(out).toMatch(/Dock\nMind the rope\./);
    expect(out).toContain('The card has 3 greetings');
    const none = await ludus(here, ['chat', 'dock.json', '--greeting', '4'], { typed: '/quit\n' });
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('Dock has 3 greetings') });
  });

  it('answers questions about its identity with the lines on the card, if any', async () => {
    const here = folder();
    const turns = [
      { speaker: 'user', speech: 'Who are you?' },
      { speaker: 'char', speech: 'Dock. Ferry, or what is left of it.' },
    ];
    writeFileSync(join(here, 'dock.json'), JSON.stringify({ name: 'Captain Dock', voice: { examples: [{ turns }] } }));
    const { out } = await ludus(here, ['chat', 'dock.json', '--model', 'none'], { typed: 'Tell me, who are you?\n/quit\n' });
    expect(out).toContain('Dock. Ferry, or what is left of it.');
  });

  it('edits either side, continues without a message, and answers questions about its identity', async () => {
    const here = folder();
    writeFileSync(
      join(here, 'dock.json'),
      JSON.stringify({
        name: 'Dock',
        identity: { social: { occupation: { title: 'ferryman' } } },
        statements: ['Dock carries goats for free.'],
      }),
    );
    const typed = 'Who are you?\n/edit Do you take goats?\n/rewrite Never goats.\n/continue\n/quit\n';
    const { out } = await ludus(here, ['chat', 'dock.json', '--model', 'none'], { typed });
    expect(out).toContain('I am Dock, ferryman.');
    expect(out).toContain('I carry goats for free.');
    expect(await lastTalk(here)).toEqual([
      'user: Do you take goats?',
      'character: Never goats.',
      'user: ',
      expect.stringMatching(/^character: /),
      'user: /quit',
    ]);
    const log = (await episodes(here))[0]!.log;
    expect(log.filter((event) => event.kind === 'action' && event.edited === true)).toHaveLength(2);
    expect(replay(await builtInEnvironment('chat'), log)).toBeNull();
  });

  it('regenerates answers, restores an earlier one, and writes a message for the user', async () => {
    const here = folder();
    writeFileSync(join(here, 'dock.json'), JSON.stringify({ name: 'Dock' }));
    writeFileSync(
      join(here, 'model.mjs'),
      [
        'let n = 0;',
        'const usage = { promptTokens: 1, completionTokens: 1 };',
        'const say = () => "Speech: Answer " + n + ".\\nRemember: guest = Ida " + n;',
        'export default { id: "counting", async complete(prompt) {',
        '  const text = JSON.stringify(prompt).includes("You are Ida") ? "Is it far?" : (n++, say());',
        '  return { model: "counting", prompt, text, finish: "stop", usage, cost: 0 }; } };',
      ].join('\n'),
    );
    const typed = 'Hello.\n/again\n/again\n/swipe\n/swipe 1\n/memory\n/impersonate\n/quit\n';
    const { out } = await ludus(here, ['chat', 'dock.json', '--model', './model.mjs', '--user', 'Ida'], { typed });
    expect(out).toContain('  1. Answer 1.\n  2. Answer 2.\n  3. Answer 3.');
    expect(out).toContain('1. guest: Ida 1');
    expect(await lastTalk(here)).toEqual([
      'user: Hello.',
      'character: Answer 1.',
      'user: Is it far?',
      'character: Answer 4.',
      'user: /quit',
    ]);
    // The next conversation starts with the saved memories, unless memory is off.
    const again = await ludus(here, ['chat', 'dock.json', '--model', './model.mjs', '--user', 'Ida'], {
      typed: 'Hello.\n/memory\n/quit\n',
    });
    expect(again.out).toContain('guest: Ida 4');
    const off = await ludus(here, ['chat', 'dock.json', '--model', './model.mjs', '--user', 'Ida', '--no-memory'], {
      typed: 'Hello.\n/memory\n/quit\n',
    });
    expect(off.out).toContain('The character has no memories yet.');
  });

  it('remembers what it was told when the model writes no notes', async () => {
    const here = folder();
    writeFileSync(join(here, 'dock.json'), JSON.stringify({ name: 'Dock' }));
    const chat = ['chat', 'dock.json', '--model', 'fake/Aye.', '--user', 'Ida'];
    await ludus(here, chat, { typed: 'My dog is called Pip. And yours?\n/quit\n' });
    const { out } = await ludus(here, chat, { typed: 'Hello.\n/memory\n/quit\n' });
    expect(out).toContain('1. Ida said: My dog is called Pip.');
    const modelCalls = (await episodes(here)).flatMap(({ log }) =>
      log.flatMap((event) => (event.kind === 'action' ? (event.calls ?? []) : [])),
    );
    expect(modelCalls.filter(({ prompt }) => JSON.stringify(prompt).includes('- Ida said: My dog is called Pip.'))).not.toEqual([]);
  });

  it('remembers nothing that was edited away, undone, or swiped away', async () => {
    const here = folder();
    writeFileSync(join(here, 'dock.json'), JSON.stringify({ name: 'Dock' }));
    const chat = ['chat', 'dock.json', '--model', 'fake/Aye.', '--user', 'Ida'];
    const typed = 'My dog is called Pip.\n/edit My dog is called Rex.\nMy boat is red.\n/undo\n/again\n/swipe 1\n/quit\n';
    await ludus(here, chat, { typed });
    await ludus(here, chat, { typed: 'My hat is new.\n/quit\n' });
    const { out } = await ludus(here, chat, { typed: 'Hello.\n/memory\n/quit\n' });
    for (const [fact, isRemembered] of Object.entries({ Pip: false, Rex: true, boat: false, hat: true }))
      expect([fact, out.includes(fact)]).toEqual([fact, isRemembered]);
  });

  it('reports a failure if no character said anything', async () => {
    const here = folder();
    writeFileSync(join(here, 'dock.json'), JSON.stringify({ name: 'Dock' }));
    const codes: number[] = [];
    for (const words of [' ', 'Aye.']) {
      const { code } = await ludus(here, ['chat', 'dock.json', '--model', `fake/${words}`], { typed: 'Hello.\n/quit\n' });
      codes.push(code);
    }
    expect(codes).toEqual([1, 0]);
  });

  it('shows no words of the director, who only calls the next speaker', async () => {
    const here = folder();
    for (const name of ['Ann', 'Ben']) writeFileSync(join(here, `${name}.json`), JSON.stringify({ name }));
    writeFileSync(
      join(here, 'model.mjs'),
      [
        'const usage = { promptTokens: 1, completionTokens: 1 };',
        'export default { id: "told", async complete(prompt, sampling, signal, onText) {',
        '  const text = JSON.stringify(prompt).includes("You are Ann") ? "Speech: I am here." : "Speech: It is the turn of Ann now.";',
        '  onText?.(text);',
        '  return { model: "told", prompt, text, finish: "stop", usage, cost: 0 }; } };',
      ].join('\n'),
    );
    const { out } = await ludus(here, ['chat', './Ann.json', './Ben.json', '--model', './model.mjs', '--order', 'director'], {
      typed: 'Ann?\n/quit\n',
    });
    expect(out).toMatch(/Ann\nI am here\./);
    expect(out).not.toContain('narrator');
    expect(out).not.toContain('It is the turn of Ann');
  });

  it("puts the author's note at its depth, from the start or in the middle of a conversation", async () => {
    const here = folder();
    writeFileSync(join(here, 'dock.json'), JSON.stringify({ name: 'Dock' }));
    const typed = 'One.\nTwo.\nThree.\n/note Be brief.\nFour.\n/quit\n';
    await ludus(here, ['chat', 'dock.json', '--model', 'fake/Speech: Aye.', '--note', 'Speak in rhyme.', '--note-depth', '1'], { typed });
    const modelCalls = (await episodes(here))[0]!.log.flatMap((event) => (event.kind === 'action' ? (event.calls ?? []) : []));
    const text = (call: number) => JSON.stringify(modelCalls[call]?.prompt);
    const third = text(2);
    expect(third.indexOf('Two.')).toBeLessThan(third.indexOf('Speak in rhyme.'));
    expect(third.indexOf('Speak in rhyme.')).toBeLessThan(third.indexOf('Three.'));
    expect(text(3)).toContain('Be brief.');
    expect(text(3)).not.toContain('Speak in rhyme.');
  });

  it('says so when a model answers without any words', async () => {
    const here = folder();
    writeFileSync(join(here, 'dock.json'), JSON.stringify({ name: 'Dock' }));
    const { out } = await ludus(here, ['chat', 'dock.json', '--model', 'fake/Speech:'], { typed: 'One.\n/quit\n' });
    expect(out).toMatch(/Dock\n\(The model answered without any words\./);
  });

  it('counts the depth of notes from the first answer on, with the greeting as a message', async () => {
    const here = folder();
    const card = {
      ...{ spec: 'chara_card_v2', spec_version: '2.0' },
      data: { name: 'Dock', first_mes: 'Ahoy.', extensions: { depth_prompt: { prompt: 'His knee hurts.', depth: 2, role: 'system' } } },
    };
    writeFileSync(join(here, 'dock.json'), JSON.stringify(card));
    await ludus(here, ['chat', 'dock.json', '--model', 'fake/Speech: Aye.', '--note', 'In rhyme.', '--note-depth', '4'], {
      typed: 'One.\nTwo.\nThree.\n/quit\n',
    });
    const calls = (await episodes(here))[0]!.log.flatMap((event) => (event.kind === 'action' ? (event.calls ?? []) : []));
    const places = calls.map(({ prompt }) => {
      const text = JSON.stringify(prompt.messages.slice(1));
      return ['In rhyme.', 'His knee hurts.', 'Ahoy.', 'One.', 'Two.', 'Three.']
        .map((part) => ({ part, at: text.indexOf(part) }))
        .filter(({ at }) => at >= 0)
        .sort((a, b) => a.at - b.at)
        .map(({ part }) => part);
    });
    expect(places).toEqual([
      ['In rhyme.', 'His knee hurts.', 'Ahoy.', 'One.'],
      ['In rhyme.', 'Ahoy.', 'One.', 'His knee hurts.', 'Two.'],
      ['Ahoy.', 'One.', 'In rhyme.', 'Two.', 'His knee hurts.', 'Three.'],
    ]);
    // The notes have moved, so the third prompt is unchanged up to their earlier place at most.
    const stable = (await episodes(here))[0]!.log.flatMap((event) =>
      event.kind === 'action' && event.seat === 'character' ? [(event.mind as { prompt: { stable: number } }).prompt.stable] : [],
    );
    const system = JSON.stringify(calls[2]!.prompt.messages[0]).length / 3;
    expect(stable[2]).toBeLessThan(system + 30);
  });

  it('runs a group in free text, in which the addressed character answers', async () => {
    const here = folder();
    for (const [name, says] of [
      ['Ann', 'I mend clocks.'],
      ['Ben', 'I keep bees.'],
    ] as const)
      writeFileSync(
        join(here, `${name}.json`),
        JSON.stringify({ name, statements: [{ text: says, keys: ['work'], visibility: 'public' }] }),
      );
    const { code, out } = await ludus(here, ['chat', './Ann.json', './Ben.json', '--model', 'none'], { typed: 'Ben, your work?\n/quit\n' });
    expect(code).toBe(0);
    expect(out).toMatch(/Ben\nI keep bees\./);
    expect(out).not.toMatch(/Ann\nI mend clocks\./);
    expect((await episodes(here))[0]).toMatchObject({ environment: 'social-scene@1' });
    const alone = await ludus(here, ['chat', './Ann.json', '--order', 'one'], { typed: '/quit\n' });
    expect(alone).toMatchObject({ code: 2, err: expect.stringContaining('--order needs a group. Name more than one persona.') });
  });

  it('reports unknown commands and missing data', async () => {
    const { out } = await ludus(folder(), ['chat', 'villain'], { typed: '/why\n/undo\n/dance\n/save no\u0000/such\n' });
    expect(out).toContain('No answers yet.');
    expect(out).toContain('Nothing to undo yet.');
    expect(out).toContain('/dance is not a command. Commands:');
    expect(out).toContain('cannot be written');
  });

  it.each([
    [['chat', 'nobody'], 'Unknown persona or file'],
    [['chat', 'villain', '--model', 'nonsense'], 'Unknown model "nonsense"'],
  ])('reports an input error: %j', async (words, sentence) => {
    const { code, err } = await ludus(folder(), words);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
  });
});
