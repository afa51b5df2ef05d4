/** @file An option means the same in every command that has it, and is described once. */

import { Command } from 'commander';
import { expect, it } from 'vitest';
import { commands } from './catalog.ts';
import type { CommandEntry } from './command.ts';
import { flag, sharedFlags } from './flags.ts';

/** Options that mean something else in each of two or three commands. This list may only become shorter. */
const homonyms =
  '--at --budget --by --cases --format --from --judge --like --margin --metrics --most --name --on --pairs --persona --rate --rounds --samples --status --strict --tasks --try --words --seat --agent --resume --engine'.split(
    ' ',
  );

async function describeFlags(entries: Readonly<Record<string, CommandEntry>>): Promise<readonly (readonly [string, string])[]> {
  const rows: (readonly [string, string])[] = [];
  for (const [name, { load }] of Object.entries(entries)) {
    const declaration = await load();
    const command = new Command(name);
    declaration.declare(command);
    for (const { long, description } of command.options) rows.push([long ?? '', description]);
    if (declaration.parts !== undefined) rows.push(...(await describeFlags(declaration.parts)));
  }
  return rows;
}

it('is described in the same words by every command', async () => {
  const byFlag = Map.groupBy(await describeFlags(commands), ([long]) => long);
  const shared = new Map(sharedFlags.map((name) => [/--[\w-]+/.exec(flag(name)[0])?.[0] ?? '', flag(name)[1]]));
  const several = [...byFlag].flatMap(([long, uses]) => {
    const common = shared.get(long);
    const words = new Set(uses.map(([, description]) => (common !== undefined && description.startsWith(common) ? common : description)));
    return words.size > 1 && !homonyms.includes(long) ? [`${long}: ${[...words].join(' | ')}`] : [];
  });
  expect(several).toEqual([]);
});

it('adds a default or a clause to the shared description', () => {
  expect(flag('seed', '(default: 1)')[1]).toBe(`${flag('seed')[1]} (default: 1)`);
  expect(flag('seed', 'the first of several')[1]).toBe(`${flag('seed')[1]}; the first of several`);
});
