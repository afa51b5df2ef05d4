/** @file An option has one form in every command that has it, and one description unless the command says more exactly what it means there. */

import { Command } from 'commander';
import { expect, it } from 'vitest';
import { commands } from './catalog.ts';
import { type CommandEntry, type CommandParts, declarationOf } from './command.ts';
import { flag, sharedFlags } from './flags.ts';

/** Options that mean something else in each of two or three commands. This list may only become shorter. */
const homonyms =
  '--at --budget --by --cases --force --format --from --judge --like --margin --metrics --most --name --on --pairs --persona --rate --rounds --samples --status --strict --tasks --try --words --seat --agent --resume --engine --policy --customer'.split(
    ' ',
  );

async function describeFlags(
  entries: Readonly<Record<string, CommandEntry>> | CommandParts,
): Promise<readonly (readonly [long: string, description: string, form: string])[]> {
  const rows: (readonly [string, string, string])[] = [];
  for (const [name, entry] of Object.entries(entries)) {
    const declaration = await declarationOf(entry);
    const command = new Command(name);
    declaration.declare(command);
    for (const { long, description, flags } of command.options) rows.push([long ?? '', description, flags]);
    if (declaration.parts !== undefined) rows.push(...(await describeFlags(declaration.parts)));
  }
  return rows;
}

it('each option has the same form and description in every command', async () => {
  const byFlag = Map.groupBy(await describeFlags(commands), ([long]) => long);
  const shared = new Map(sharedFlags.map((name) => [/--[\w-]+/.exec(flag(name)[0])?.[0] ?? '', flag(name)[0]]));
  const several = [...byFlag].flatMap(([long, uses]) => {
    const isShared = uses.every(([, , form]) => form === shared.get(long));
    const words = new Set(uses.map(([, description]) => (isShared ? '' : description)));
    return words.size > 1 && !homonyms.includes(long) ? [`${long}: ${[...words].join(' | ')}`] : [];
  });
  expect(several).toEqual([]);
});

it('flag() adds a default or a clause to the shared description', () => {
  expect(flag('seed', '(default: 1)')[1]).toBe(`${flag('seed')[1]} (default: 1)`);
  expect(flag('seed', 'the first seed')[1]).toBe('the first seed');
  expect(flag('seed', 'with --on')[1]).toBe(`${flag('seed')[1]}; with --on`);
});
