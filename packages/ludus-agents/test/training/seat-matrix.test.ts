/** @file Every way to name an agent, on a training seat: the same customer as a script, a file, a bot, a process, a server, a model and a team earns the learner the same. */

import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { loadEnvironment } from '@ludus-agents/agents/internal/workspace/loaders';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { seatingOf } from '@ludus-agents/learning/internal/training/seating';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { folder, ludus } from '../../src/cli/terminal.cases.ts';

const cwd = folder();
const isLong = amount(0, 1) === 1;
let server: Server;
let port = 0;
const requests: Record<string, number> = {};

/** A baker names prices; the customer takes what costs no more than it is worth. */
const bakery = `
const prices = ['[price 1]', '[price 2]', '[price 3]', '[price 4]'];
const ask = ({ loaf, price, worth }) => price === 0
  ? { asks: [{ seat: 'baker', choices: prices }], messages: [{ to: ['baker'], text: 'Loaf ' + loaf + ' of 3. Name a price.' }] }
  : { asks: [{ seat: 'customer', choices: ['[take]', '[leave]'] }], messages: [{ to: ['customer'], text: 'The baker asks ' + price + ' coins. The loaf is worth ' + worth + ' to you.' }] };
export default {
  id: 'bakery@1', about: { summary: 'A baker sells three loaves.', tasks: [{}], turns: 6 }, parameters: {},
  task: () => ({}), seats: () => ['baker', 'customer'], knows: (state) => state,
  start: (_, rng) => { const state = { loaf: 1, price: 0, worth: 2 + rng.int(2) }; return { state, ...ask(state) }; },
  step: (state, actions) => {
    const price = prices.indexOf(actions.baker?.text) + 1;
    const taken = actions.customer?.text === '[take]';
    const next = state.price === 0 ? { ...state, price } : { ...state, price: 0, loaf: state.loaf + 1 };
    const rewards = state.price === 0 ? {} : { rewards: { baker: taken ? state.price / 9 : 0, customer: 0 } };
    return next.loaf > 3 ? { state: next, messages: [], asks: [], ...rewards } : { state: next, ...ask(next), ...rewards };
  },
  scripts: { fair: ({ view }) => ({ text: decide(view.seen.filter((item) => item.kind === 'message').at(-1).text) }) },
};
export function decide(text) {
  const [, price, worth] = [...text.matchAll(/asks (\\d) coins\\. The loaf is worth (\\d)/g)].at(-1) ?? [];
  return Number(price) <= Number(worth) ? '[take]' : '[leave]';
}`;

const write = (name: string, content: string | object) =>
  writeFileSync(join(cwd, name), typeof content === 'string' ? content : JSON.stringify(content));

async function trained(seat: string, environment = './bakery.mjs', ...options: readonly string[]) {
  const words = ['train', 'spiral', '--environment', environment, '--set', `training.seats.customer=${seat}`, '--set', 'training.batch=8'];
  const { code, out, err } = await ludus(cwd, [...words, '--games', '16', '--name', 't', '--force', '--yes', '--json', ...options]);
  if (code !== 0) return { code, err, games: 0 };
  const { gain, games } = JSON.parse(out.trim().split('\n').at(-1)!) as {
    readonly gain: { readonly before: number };
    readonly games: number;
  };
  return { code, err, games, before: gain.before };
}

beforeAll(async () => {
  write('bakery.mjs', bakery);
  const { decide } = (await import(join(cwd, 'bakery.mjs'))) as { decide: (text: string) => string };
  server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    const path = String(request.url);
    if (request.method === 'POST') requests[path] = (requests[path] ?? 0) + 1;
    const content = decide(body);
    const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
    const completion = { id: 'c', object: 'chat.completion', created: 1, model: 'm', usage };
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(path.startsWith('/v1') ? { ...completion, choices } : { reply: content }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  const reader = `import { createInterface } from 'node:readline'; import { decide } from './bakery.mjs';
    for await (const line of createInterface({ input: process.stdin }))`;
  write(
    'agent.mjs',
    `import { decide } from './bakery.mjs';
    export default { name: 'own', act: async ({ view }) => ({ action: { text: decide(view.seen.filter((item) => item.kind === 'message').at(-1).text) } }) };`,
  );
  write('maker.mjs', `import own from './agent.mjs'; export default (seat) => ({ ...own, name: 'made for ' + seat });`);
  write('bot.mjs', `import { decide } from './bakery.mjs'; export const bot = (message) => 'I say ' + decide(message);`);
  write('json-lines.mjs', `${reader} console.log(JSON.stringify({ reply: decide(line) }));`);
  write('text-lines.mjs', `${reader} console.log(decide(line));`);
  write(
    'shared-lines.mjs',
    `${reader} { const { id, end } = JSON.parse(line); if (!end) console.log(JSON.stringify({ id, reply: decide(line) })); }`,
  );
  write('text.json', { name: 'lines', kind: 'bot', settings: { command: 'node text-lines.mjs', lines: 'text' } });
  write('shared.json', { name: 'shared', kind: 'bot', settings: { command: 'node shared-lines.mjs', shared: true } });
  write('spec.json', {
    name: 'ann',
    kind: 'llm',
    model: `http://127.0.0.1:${port}/v1#m`,
    persona: { name: 'Ann', statements: ['Ann counts her coins.'] },
  });
  write('team.json', {
    name: 'pair',
    kind: 'team',
    settings: {
      protocol: 'rounds',
      members: [
        { name: 'a', kind: './agent.mjs' },
        { name: 'b', kind: 'random' },
      ],
    },
  });
});

afterAll(() => {
  server.close();
});

describe('an agent on a training seat', () => {
  it('earns the learner the same, however it is named', async () => {
    const { before } = await trained('fair');
    expect(before).toBeGreaterThan(0.2);
    const programs = ['scripted:fair', './agent.mjs', './maker.mjs', './bot.mjs', 'bot:./bot.mjs'];
    // A process for each of 144 episodes takes 10 s.
    const processes = ['./shared.json', ...(isLong ? ['./text.json', 'cmd:node json-lines.mjs', 'bot:cmd:node json-lines.mjs'] : [])];
    const servers = ['bot:http://HOST/chat', 'bot:openai:http://HOST/v1#m', 'llm:http://HOST/v1#m', './spec.json'];
    for (const seat of [...programs, ...processes]) expect(await trained(seat), seat).toMatchObject({ code: 0, games: 16, before });
    // A busy machine may lose an answer, and a game that failed is left out.
    for (const seat of servers) {
      const result = await trained(seat.replace('HOST', `127.0.0.1:${port}`));
      expect(result, seat).toMatchObject({ code: 0, games: 16 });
      expect(Math.abs(result.before! - before!), seat).toBeLessThan(0.15);
    }
    expect(requests['/chat']).toBeGreaterThan(100);
    expect(requests['/v1/chat/completions']).toBeGreaterThan(300);
  });

  it('can be a team, a trained agent, or chance', async () => {
    for (const seat of ['./team.json', 'random', 'llm:fake']) expect(await trained(seat), seat).toMatchObject({ code: 0, games: 16 });
    expect(await trained('fair', './bakery.mjs', '--name', 'first')).toMatchObject({ code: 0 });
    expect(await trained('local/first@best')).toMatchObject({ code: 0, games: 16 });
  });

  it('can be the customers of a desk folder, in desks only', async () => {
    await ludus(cwd, ['new', 'desk', 'shop']);
    const desk = await loadEnvironment('./shop', cwd, Trust.commandLine);
    const { training } = builtInRecipe('service-desk-lm');
    const seats = { agent: 'learner', customer: './shop' };
    const { mine, others } = await seatingOf({ training: { ...training, task: {}, seats } }, desk, cwd, Trust.commandLine);
    expect([mine, others['customer']?.name]).toEqual([['agent'], 'scripted:customer']);
    expect((await trained('./shop')).err).toContain('seats "agent" and "customer" of desks');
    if (!isLong) return;
    const options = ['--learner', 'transformer', '--set', 'training.sizes={"width":16,"layers":1,"heads":2,"context":96,"answer":8}'];
    expect(await trained('./shop', './shop', ...options)).toMatchObject({ code: 0, games: 16 });
  });

  it('stops at the number of calls that it may make', async () => {
    const before = requests['/v1/chat/completions'] ?? 0;
    const { code, err } = await trained(`llm:http://127.0.0.1:${port}/v1#m`, './bakery.mjs', '--max-calls', '10');
    expect([code === 0, (requests['/v1/chat/completions'] ?? 0) - before]).toEqual([false, 10]);
    expect(err).toContain('10 model calls');
    expect((await trained('llm:fake', './bakery.mjs')).err).toContain('plays in 16 games of training and may call models');
  });
});
