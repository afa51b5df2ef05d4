/** @file Answers that are kept: an unchanged bot is not asked again, a changed one is, and repeats stay repeats. */

import { expect, it } from 'vitest';
import { botServices, callsIn, converse, saidIn, seatBot } from './bot.cases.ts';

it('is not asked again while its version is the same; what is new is asked after the conversation was told', async () => {
  const disk = new Map<string, string>();
  const messages: string[] = [];
  let count = 0;
  const bot = (message: string) => {
    messages.push(message);
    return `${message} ${++count}`;
  };
  // Each stands for a process of its own over the same disk.
  const seat = (version: string) => {
    const keep = { read: (name: string) => disk.get(name) ?? null, write: (name: string, text: string) => void disk.set(name, text) };
    return seatBot({ name: 'kept', kind: 'bot', settings: { file: 'x', version } }, botServices({ bot, keep }));
  };
  const first = await seat('1');
  expect([saidIn(await converse(first, 'a', 'b')), saidIn(await converse(first, 'a', 'b'))]).toEqual([
    ['a 1', 'b 2'],
    ['a 3', 'b 4'],
  ]);
  messages.length = 0;
  const again = await seat('1');
  const logs = [await converse(again, 'a', 'b'), await converse(again, 'a', 'b')];
  expect([logs.map(saidIn), messages]).toEqual([
    [
      ['a 1', 'b 2'],
      ['a 3', 'b 4'],
    ],
    [],
  ]);
  expect(callsIn(logs[0]!)[0]?.kept).toBe(true);
  expect(callsIn(logs[0]!)[0]?.notes).toEqual(['Answered from what was kept of this version of the bot.']);
  expect(saidIn(await converse(await seat('1'), 'a', 'c'))).toEqual(['a 1', 'c 6']);
  expect(messages).toEqual(['a', 'c']);
  messages.length = 0;
  await converse(await seat('2'), 'a');
  expect(messages).toEqual(['a']);
});
