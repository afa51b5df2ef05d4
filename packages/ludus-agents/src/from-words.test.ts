/** @file Agents, environments and plans from plain words: kept only if they pass all checks; nothing that a model writes starts a program. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from './cli/terminal.cases.ts';
import { documentFromWords, type WrittenKind } from './from-words.ts';

async function made(answers: readonly string[], what: WrittenKind = 'agent') {
  const prompts: string[] = [];
  let next = 0;
  const model = fakeModel({
    answers(prompt) {
      prompts.push(String(prompt.messages[0]?.content));
      return answers[next++] ?? '';
    },
  });
  const cwd = folder();
  const environment = await builtInEnvironment('tic-tac-toe');
  const document = documentFromWords({
    what,
    name: 'mine',
    words: 'a careful player',
    model,
    modelName: 'fake',
    environment,
    place: { cwd, env: {} },
    tries: answers.length,
  });
  return { found: document, prompts };
}

describe('an agent from a description', () => {
  it('is written once it plays, after the model has seen earlier problems', async () => {
    const { found, prompts } = await made([
      'I would write one, but how?',
      '{"name": "x", "kind": "team", "settings": {"members": []}}',
      'Here it is:\n```json\n{"name": "x", "kind": "search", "settings": {"simulations": 20}}\n```',
    ]);
    expect(await found).toMatchObject({
      document: { name: 'mine', kind: 'search' },
      episodes: 3,
      problems: [expect.any(String), expect.stringContaining('members')],
    });
    expect(prompts[2]).toContain('cannot be used');
  });

  it.each([
    ['{"name": "x", "kind": "cmd:rm -rf ."}', /./],
    ['{"name": "x", "kind": "wizard"}', /Unknown agent "wizard"/],
    ['{"name": "x", "kind": "random", "spell": 1}', /spell/],
  ])('is rejected with the reason: %s', async (answer, why) => {
    const { found } = await made([answer]);
    await expect(found).rejects.toThrow(/nothing was written/);
    await expect((await made([answer])).found).rejects.toThrow(why);
  });
});

/** A lamp in a tower: the match is needed, and the night comes after four moves. */
const tower = (change: (text: string) => string = (text) => text) =>
  change(
    JSON.stringify({
      kind: 'story',
      name: 'x',
      about: 'Light the lamp.',
      begins: 'shore',
      turns: 4,
      places: {
        shore: { text: 'A shore.', moves: { '[take match]': { to: 'shore', gives: ['match'] }, '[climb]': { to: 'tower', text: 'Up.' } } },
        tower: { text: 'A tower.', moves: { '[light]': { to: 'lit', needs: ['match'], takes: ['match'] }, '[go down]': { to: 'shore' } } },
        lit: { text: 'Light!', over: true, pays: 1 },
      },
    }),
  );

describe('an environment from a description', () => {
  it('passes the contract, is played from its file, and rewards looking ahead', async () => {
    const { found } = await made(['A nice story.', tower((text) => text.replace('"to":"lit"', '"to":"heaven"')), tower()], 'environment');
    const { document, problems } = await found;
    expect(problems[1]).toContain('leads to "heaven", which is not a place');
    const cwd = folder();
    writeFileSync(join(cwd, 'mine.json'), JSON.stringify(document));
    writeFileSync(join(cwd, 'search.json'), JSON.stringify({ name: 's', kind: 'search', settings: { strategy: 'exact' } }));
    expect((await resolveEnvironment('./mine.json', cwd, Trust.commandLine)).id).toMatch(/^mine@/);
    const { out } = await ludus(cwd, ['play', './mine.json', '--agents', './search.json', '--seed', '1']);
    expect(out).toContain('Light!');
    expect((await ludus(cwd, ['env', 'check', './mine.json'])).code).toBe(0);
  });

  it.each([
    [tower((text) => text.replace('"pays":1', '"pays":0')), /every path through the story pays 0/],
    [tower((text) => text.replace('"turns":4', '"turns":2')), /within 2 moves/],
    [tower((text) => text.replace('[light]', 'light')), /square brackets/],
    [tower((text) => text.replace('"story"', '"spell"')), /"kind": "story"/],
    ['{"id": "x@1", "start": "process.exit()"}', /"kind": "story"/],
  ])('is rejected if it cannot be won or is not a story (%#)', async (answer, why) => {
    await expect((await made([answer], 'environment')).found).rejects.toThrow(why);
  });
});

describe('a plan from a description', () => {
  it('is accepted once its agents have played, and rejected with unknown names or programs', async () => {
    const plan = (agent: string) => JSON.stringify({ environments: ['tic-tac-toe'], seeds: 3, casts: [{ X: agent, O: 'random' }] });
    const { found } = await made([plan('wizard'), plan('cmd:rm x'), plan('scripted')], 'plan');
    expect(await found).toMatchObject({ problems: [/wizard/, /./].map((why) => expect.stringMatching(why)), document: { seeds: 3 } });
  });
});
