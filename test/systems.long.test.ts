/** @file Every command of docs/systems.md runs as it stands, in a folder with the files of that page; trainings are shortened. */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { folder, ludus } from '../packages/ludus-agents/src/cli/terminal.cases.ts';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs', 'systems.md'), 'utf8');
const rows = [...page.matchAll(/^\| (\d+) \| ([^|]+) \| `(ludus .+)` \| [^|]+ \|$/gm)].map(([, number, system, command]) => ({
  number: Number(number),
  system: system as string,
  command: command as string,
}));
const files = [...page.matchAll(/^`([\w./-]+)`[^\n]*\n\n```\w+\n([\s\S]*?)^```/gm)];
const first = (/First, once:\n\n```sh\n([\s\S]*?)^```/m.exec(page)?.[1] ?? '').trim().split('\n');

/** Recipes whose learner is a language model in this process: a few games take as long as a thousand of a table. */
const slow = /train (?:mua-rl|many-lm|mem1|supo|verl-tool|artist|datamind|a3t|chord)\b/;

function wordsOf(command: string): string[] {
  const args = command.slice('ludus '.length).match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return args.map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));
}

/** A training that would take a reader minutes takes seconds here. */
function shortened({ number, command }: (typeof rows)[number]): string {
  if (!command.startsWith('ludus train ')) return command;
  const compared = /--teacher \S*,|train \S*,|--seeds/.test(command);
  return `${command} --games ${slow.test(command) ? 32 : 1024}${compared ? '' : ` --name system-${number}`}`;
}

describe('the commands in docs/systems.md', () => {
  const place = folder();
  let episode = '';

  beforeAll(async () => {
    cpSync(join(root, 'examples'), join(place, 'examples'), { recursive: true });
    for (const [, name, text] of files) {
      mkdirSync(dirname(join(place, name as string)), { recursive: true });
      writeFileSync(join(place, name as string), text as string);
    }
    for (const command of first) expect(await ludus(place, wordsOf(command)), command).toMatchObject({ code: 0 });
    const { out } = await ludus(place, ['play', 'tic-tac-toe', '--agents', 'scripted,random', '--seed', '1', '--json']);
    episode = (JSON.parse(out) as { episode: string }).episode;
  });

  it('are 215, each listed once', () =>
    expect(rows.map(({ number }) => number).sort((a, b) => a - b)).toEqual(Array.from({ length: 215 }, (_, i) => i + 1)));

  for (const row of rows)
    it(`${row.number} ${row.system}: ${row.command}`, async () => {
      const { code, err } = await ludus(place, wordsOf(shortened(row).replace('EPISODE', episode)));
      // So few games may all pay the same, which is said and is exit code 1; nothing else may end so.
      const unlearned = row.command.startsWith('ludus train ') && err.includes('Nothing was learned');
      expect({ code: unlearned ? 0 : code, err: code === 0 || unlearned ? '' : err }).toEqual({ code: 0, err: '' });
    });
});
