/** @file Agents from plain words: kept only if they fit, may be cast and play; nothing that a model writes starts a program. */

import { describe, expect, it } from 'vitest';
import { folder } from '../cli/terminal.cases.ts';
import { builtInEnvironment } from '../environments/index.ts';
import { fakeModel } from '../models/fake.ts';
import { agentFromWords } from './agent-from-words.ts';

async function made(answers: readonly string[], tries = answers.length) {
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
  const found = agentFromWords({
    name: 'mine',
    words: 'a careful player',
    model,
    modelName: 'fake',
    environment,
    place: { cwd, env: {} },
    tries,
  });
  return { found, prompts };
}

describe('an agent from words', () => {
  it('is written once it plays, and what was wrong before is said to the model', async () => {
    const { found, prompts } = await made([
      'I would write one, but how?',
      '{"name": "x", "kind": "team", "settings": {"members": []}}',
      'Here it is:\n```json\n{"name": "x", "kind": "search", "settings": {"simulations": 20}}\n```',
    ]);
    expect(await found).toMatchObject({
      spec: { name: 'mine', kind: 'search' },
      episodes: 3,
      problems: [expect.any(String), expect.stringContaining('members')],
    });
    expect(prompts[2]).toContain('cannot be used');
  });

  it.each([
    ['{"name": "x", "kind": "cmd:rm -rf ."}', /./],
    ['{"name": "x", "kind": "wizard"}', /There is no agent "wizard"/],
    ['{"name": "x", "kind": "random", "spell": 1}', /spell/],
  ])('is refused where it is %s', async (answer, why) => {
    const { found } = await made([answer]);
    await expect(found).rejects.toThrow(/nothing was written/);
    await expect((await made([answer])).found).rejects.toThrow(why);
  });
});
