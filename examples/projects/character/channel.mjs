/**
 * A loop like a chat server's: each input line is "CHANNEL AUTHOR: TEXT", and the character answers in the channel where it was spoken to.
 * Every channel has its own store, so that the character remembers each channel, and goes on there after a restart.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

function answer(channel, text) {
  const store = `channel-${channel}.sqlite`;
  const words = ['ludus', 'chat', './innkeeper.json', '--store', store, '--seed', '1', ...(existsSync(store) ? ['--resume'] : [])];
  const { stdout, stderr, status } = spawnSync('npx', words, { input: `${text}\n`, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.split('Maud\n').at(-1).split('\n\nyou ›')[0];
}

for await (const row of createInterface({ input: process.stdin })) {
  const [, channel, author, text] = /^(\S+) (\S+): (.*)$/.exec(row) ?? [];
  if (channel !== undefined) console.log(`#${channel} @${author} ${answer(channel, text)}`);
}
