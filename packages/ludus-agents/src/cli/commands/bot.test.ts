/** @file Bots from the command line: checked, and seated wherever an agent is named. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeServers, startServer } from '@ludus-agents/agents/internal/bot/bot.cases';
import type { BotCheck } from '@ludus-agents/agents/internal/bot/check';
import { formatCommand } from '@ludus-agents/agents/internal/bot/command-words';
import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

afterEach(closeServers);

/** A bot that keeps names by a key. */
const remembering = `const names = new Map();
export function bot(message, { session }) {
  const [, name] = /My name is (\\w+)/.exec(message) ?? [];
  if (name) names.set(KEY, name);
  return /What is my name/.test(message) ? 'You are ' + (names.get(KEY) ?? 'unknown') + '.' : 'Good day.';
}
`;

describe('ludus desk bot', () => {
  const check = async (cwd: string, bot: string) => {
    const { code, out } = await ludus(cwd, ['desk', 'bot', bot, '--json']);
    return [code, JSON.parse(out) as BotCheck] as const;
  };

  it('reports whether a function remembers, and isolates its conversations', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'good.mjs'), remembering.replaceAll('KEY', 'session'));
    writeFileSync(join(cwd, 'leaky.mjs'), remembering.replaceAll('KEY', '0'));
    writeFileSync(join(cwd, 'dull.mjs'), 'export default () => "Hm.";');
    expect(await check(cwd, './good.mjs')).toMatchObject([
      0,
      { fine: true, via: 'function', remembers: true, separate: true, problems: [] },
    ]);
    const [code, leaky] = await check(cwd, './leaky.mjs');
    expect([code, leaky.separate, leaky.problems]).toEqual([1, false, [expect.stringContaining('not separate')]]);
    expect(await check(cwd, './dull.mjs')).toMatchObject([
      0,
      { remembers: false, separate: null, notes: [expect.stringContaining('did not remember')] },
    ]);
    expect((await ludus(cwd, ['desk', 'bot', './good.mjs'])).out).toMatch(/remembers +yes\n +separate sessions +yes/);
  });

  it('reads bot.json, talks to a server, and explains failures', async () => {
    const cwd = folder();
    const { url, received } = await startServer(({ body }) =>
      (body as JsonObject)['text'] === undefined
        ? { x: 1 }
        : { out: '', choices: [{ message: { tool_calls: [{ function: { name: 'lookup' } }] } }] },
    );
    const write = (settings: JsonObject) => writeFileSync(join(cwd, 'bot.json'), JSON.stringify({ name: 'shop', kind: 'bot', settings }));
    write({ url, request: { text: '{message}' }, reply: 'out' });
    expect(await check(cwd, './bot.json')).toMatchObject([0, { bot: 'shop', tools: ['lookup'], milliseconds: { length: 4 } }]);
    expect(received.map(({ body }) => (body as JsonObject)['text'])).toEqual([
      'Hello!',
      expect.stringMatching(/^My name is Ada/),
      'What is my name?',
      'What is my name?',
    ]);
    write({ url });
    expect(await check(cwd, './bot.json')).toMatchObject([
      1,
      { fine: false, remembers: null, problems: [expect.stringContaining('set "reply" to its path')] },
    ]);
    const { code, err } = await ludus(cwd, ['desk', 'bot', 'random']);
    expect([code, err]).toEqual([2, expect.stringContaining('"random" is not a bot')]);
  });
});

describe('a bot in a seat', () => {
  it('is named by file, process, or URL in play and plans, and its messages are stored', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'bot.mjs'), 'export default (message) => "Re: " + message;');
    writeFileSync(
      join(cwd, 'lines.mjs'),
      `import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify({ reply: 'Line: ' + JSON.parse(line).message }));`,
    );
    const { url } = await startServer(({ body }) => ({ reply: `Web: ${(body as JsonObject)['message']}` }));
    const cmd = `cmd:${formatCommand([process.execPath, join(cwd, 'lines.mjs')])}`;
    for (const [bot, mark] of [
      ['./bot.mjs', 'Re'],
      [cmd, 'Line'],
      [`bot:${url}`, 'Web'],
    ] as const) {
      const { code, out, err } = await ludus(cwd, ['play', 'chat', '--character', bot, '--user', 'scripted', '--seed', '1']);
      expect([code, err]).toEqual([
        0,
        mark === 'Web' ? expect.stringMatching(/^Spent: \d+ model calls, tokens unknown, price unknown\.\n$/) : '',
      ]);
      expect(out).toContain(`${mark}: Good evening. Who are you?`);
    }
    writeFileSync(
      join(cwd, 'plan.json'),
      JSON.stringify({ name: 'bots', environments: ['chat'], seeds: 3, casts: [{ character: './bot.mjs', user: 'scripted' }] }),
    );
    const ran = await ludus(cwd, ['run', 'plan.json', '--json']);
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/"over": ?3/);
  });

  it('receives no more messages than --max-calls, as the command reports', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'c.csv'), `input,expected\n${Array.from({ length: 12 }, (_, i) => `What is ${i}+1?,${i + 1}`).join('\n')}`);
    const { url, received } = await startServer(() => ({ reply: '1' }));
    const { out } = await ludus(cwd, ['eval', './c.csv', '--agents', `bot:${url}`, '--yes', '--max-calls', '3', '--json']);
    expect(received).toHaveLength(3);
    expect(JSON.parse(out)).toMatchObject({ spent: { calls: 3, money: null }, spending: { calls: 3, money: null } });
    expect(JSON.parse(out).stopped).toBe('calls');
  });

  it('is called again for more repeats, which shows changing answers', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'c.csv'), 'input,expected\nWhat is 1+1?,2\nWhat is 2+2?,4\n');
    const counts = new Map<string, number>();
    const { url, received } = await startServer(({ body }) => {
      const message = String((body as JsonObject)['message']);
      counts.set(message, (counts.get(message) ?? 0) + 1);
      return { reply: counts.get(message) === 1 ? (message.includes('1+1') ? '2' : '4') : 'no idea' };
    });
    writeFileSync(join(cwd, 'bot.json'), JSON.stringify({ name: 'shop', kind: 'bot', settings: { url, version: '1' } }));
    const evaluated = async (seeds: string) =>
      JSON.parse((await ludus(cwd, ['eval', './c.csv', '--agents', './bot.json', '--yes', '--seeds', seeds, '--json'])).out);
    const scoreOf = ({ agents }: { agents: readonly { agent: string; value: number }[] }) =>
      agents.find(({ agent }) => agent === 'shop')?.value;
    expect([scoreOf(await evaluated('1')), received.length]).toEqual([1, 2]);
    expect([scoreOf(await evaluated('2')), received.length]).toEqual([0.5, 4]);
  });

  it('from "ludus new bot" passes the bot check', async () => {
    const cwd = folder();
    expect((await ludus(cwd, ['new', 'bot', 'shop-bot', '--json'])).code).toBe(0);
    const { code, out } = await ludus(cwd, ['desk', 'bot', './shop-bot.json', '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([0, { fine: true, via: 'function', remembers: true, separate: true, notes: [] }]);
  });
});
