/** @file `ludus serve proxy` from the command line to the dataset: a program calls, Ctrl-C stops, and the recorded calls are exported. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gallery } from '@ludus-agents/agents/internal/personas/index';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { loadTrainedModel } from '@ludus-agents/learning/internal/training/trained-agents';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { scriptedServer, whole } from '../../../../../../test/fixtures/scripted-server.ts';
import { folder, ludus } from '../../terminal.cases.ts';

const here = folder();

/** Serves until `use` has done what it wants. */
async function served(words: readonly string[], use: (url: string) => Promise<void>) {
  let used: Promise<void> = Promise.resolve();
  const outcome = await ludus(here, ['serve', 'proxy', '--port', '0', '--no-token', ...words], {
    during(interrupt, written) {
      used = written(/http:\/\/127\.0\.0\.1:\d+/)
        .then(use)
        .finally(interrupt);
    },
  });
  await used;
  return outcome;
}

describe('ludus serve proxy', () => {
  it('records calls to a server, and the records are training data', async () => {
    const upstream = await scriptedServer(whole('[bet]', { token_ids: [4], logprobs: { content: [{ token: 'x', logprob: -1 }] } }));
    const { code, out } = await served(['--upstream', upstream.url, '--run', 'tried'], async (url) => {
      const openai = new OpenAI({ baseURL: `${url}/r/tried/e/1/s/first/v1`, apiKey: 'x', maxRetries: 0 });
      await openai.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Your card is K.' }] });
      await fetch(`${url}/r/tried/e/1/end`, { method: 'POST', body: '{"rewards":{"first":1}}' });
    });
    await upstream.close();
    expect([code, out]).toEqual([0, expect.stringContaining('/v1')]);
    const rows = await ludus(here, ['data', 'export', '--format', 'trl-sft', '--run', 'tried']);
    expect(
      rows.out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      {
        prompt: [{ role: 'user', content: 'Your card is K.' }],
        completion: [{ role: 'assistant', content: '[bet]' }],
        reward: 1,
        seat: 'first',
      },
    ]);
    const { out: replayed } = await ludus(here, ['replay', 'tried.1']);
    expect(replayed).toContain('Identical');
  });

  it('serves local characters, including from a card', async () => {
    writeFileSync(join(here, 'iago.json'), JSON.stringify({ ...gallery['villain'], id: 'iago', name: 'Iago' }));
    const { code } = await served(['--persona', 'iago.json', '--json'], async (url) => {
      const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'x', maxRetries: 0 });
      const answer = await openai.chat.completions.create({
        model: 'persona/iago',
        messages: [{ role: 'user', content: 'Whom do you serve?' }],
      });
      expect(answer.choices[0]?.message.content).toMatch(/\S/);
    });
    expect(code).toBe(0);
  });

  it('serves a trained model, which plays its policy', async () => {
    expect((await ludus(here, ['train', 'kuhn-tabular', '--games', '20000', '--name', 'table', '--json'])).code).toBe(0);
    const kuhn = await builtInEnvironment('kuhn-poker');
    const learner = await loadTrainedModel('local/table@best', here);
    await served([], async (url) => {
      const openai = new OpenAI({ baseURL: `${url}/r/t/e/1/s/first/v1`, apiKey: 'x', maxRetries: 0 });
      expect((await Array.fromAsync(await openai.models.list())).map(({ id }) => id)).toContain('local/table@best');
      for (let seed = 0; seed < 6; seed++) {
        const { messages, asks } = kuhn.start(kuhn.task({}), rng(seed));
        const observations = messages.filter(({ to }) => to.includes('first')).map((message) => ({ kind: 'message' as const, ...message }));
        const ask = asks[0]!;
        const [alone] = await learner.policy({ temperature: 0 }).act([{ view: { seat: 'first', seen: observations }, ask, rng: rng(0) }]);
        const chat = observations.map(({ text, from }) => ({
          role: 'user' as const,
          content: text,
          ...(from === undefined ? {} : { name: from }),
        }));
        const extra = { guided_choice: ask.choices } as object;
        const answer = await openai.chat.completions.create({ model: 'local/table@best', messages: chat, temperature: 0, ...extra });
        expect(answer.choices[0]?.message.content).toBe(alone?.action.text);
      }
      const unlisted = openai.chat.completions.create({ model: 'local/table@best', messages: [{ role: 'user', content: 'x' }] });
      await expect(unlisted).rejects.toMatchObject({ status: 400, message: expect.stringContaining('guided_choice') });
    });
    const traces = await ludus(here, ['data', 'export', '--format', 'trace', '--run', 't']);
    const turns = traces.out
      .trimEnd()
      .split('\n')
      .flatMap((line) => JSON.parse(line).turns);
    expect(turns).toHaveLength(6);
    expect(turns.every(({ loss_mask: mask }) => mask.join('') === '01')).toBe(true);
  });

  it.each([
    [['--upstream', 'ftp://x'], 'The upstream must be an address such as http://localhost:8000/v1'],
    [['--persona', 'nobody.json'], 'nobody.json cannot be read'],
    [['--port', 'x'], '--port: expected an integer'],
  ])('rejects %j with an explanation', async (words, sentence) => {
    const { code, err } = await ludus(here, ['serve', 'proxy', ...words]);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  });
});
