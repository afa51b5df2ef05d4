/** @file Library first: every command has a public function under the same path, which its file calls. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands as declared } from './cli/catalog.ts';
import { type CommandEntry, type CommandParts, declarationOf } from './cli/command.ts';
import { commands } from './commands.ts';

const folder = join(import.meta.dirname, 'cli', 'commands');

/** The paths of all commands that do something. */
async function pathsOf(entries: Readonly<Record<string, CommandEntry>> | CommandParts, before: readonly string[] = []): Promise<string[]> {
  const paths: string[] = [];
  for (const [name, entry] of Object.entries(entries)) {
    const { load, parts: below = {} } = await declarationOf(entry);
    if (load !== undefined) paths.push([...before, name].join(' '));
    paths.push(...(await pathsOf(below, [...before, name])));
  }
  return paths;
}

const all = await pathsOf(declared);

/** The function under the path of a command. */
function functionOf(path: string): unknown {
  return path.split(' ').reduce((node: unknown, name) => Reflect.get(Object(node), name), commands);
}

/** Commands that are a conversation with a person, or serve until they are stopped, and the public functions that they are made of. */
const parts: Readonly<Record<string, readonly string[]>> = {
  studio: ['serve', 'studioRoutes'],
  play: ['loadEnvironment', 'loadAgent', 'play', 'recordEpisode'],
  'play scene': ['readScene', 'play'],
  chat: ['loadPersona', 'play'],
  fork: ['fork'],
  'serve openenv': ['serve', 'openEnvRoutes'],
  'serve mcp': ['serve', 'mcpRoutes', 'mcpStdio'],
  'serve proxy': ['serve', 'proxyRoutes'],
  'serve a2a': ['serve', 'a2aRoutes'],
  'serve all': ['serve', 'openEnvRoutes', 'mcpRoutes', 'proxyRoutes', 'a2aRoutes', 'studioRoutes'],
  'fleet worker': ['Worker', 'startWorkers'],
  'fleet status': ['openSharedStore', 'fleetView'],
};

/** Commands that ask and report between the steps of their function: both call this function of a package. */
const shared: Readonly<Record<string, string>> = {
  eval: 'evaluateRun',
  test: 'playGate',
  train: 'trainRun',
  improve: 'createImproveServices',
  survey: 'planSurvey',
  attack: 'attackAgent',
};

/** The text of a command's files: its own, and those in `cli/commands` that it is made of. */
function textOf(path: string): string {
  const words = path.split(' ');
  const candidates = words.map((_, i) => join(folder, `${words.slice(0, i + 1).join('/')}.ts`));
  return candidates.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')).join('\n');
}

describe('commands', () => {
  it('have a function each under the same path', () => {
    expect(all.length).toBeGreaterThan(80);
    const without = all.filter((path) => typeof functionOf(path) !== 'function' && !Object.hasOwn(parts, path));
    expect(without).toEqual([]);
  });

  it('call their function', () => {
    const apart = all.filter((path) => {
      if (typeof functionOf(path) !== 'function') return false;
      const text = textOf(path);
      const name = shared[path];
      return name === undefined ? !/from '(\.\.\/)+library\/[\w-]+\.ts'/.test(text) : !text.includes(name);
    });
    expect(apart).toEqual([]);
  });

  it('without a function consist of public functions', async () => {
    const doors = await Promise.all(
      ['index', 'personas', 'scoring', 'learning', 'servers', 'testing'].map((door) => import(`./${door}.ts`)),
    );
    const names = new Set(doors.flatMap((door) => Object.keys(door as object)));
    for (const [path, functions] of Object.entries(parts)) {
      expect(all, path).toContain(path);
      expect(functionOf(path), path).toBeUndefined();
      expect(
        functions.filter((name) => !names.has(name)),
        path,
      ).toEqual([]);
    }
  });

  it('have functions that belong to no other command', () => {
    const paths = (node: object, before: readonly string[] = []): string[] =>
      Object.entries(node).flatMap(([name, part]) => [
        ...(typeof part === 'function' ? [[...before, name].join(' ')] : []),
        ...paths(part as object, [...before, name]),
      ]);
    // "ludus models pull", "setup" and "test" are words of one command; "ludus improve experience" also writes packs and gives them.
    const words = ['models pull', 'models setup', 'models test', 'improve pack', 'improve takePack'];
    expect(paths(commands).filter((path) => !all.includes(path) && !words.includes(path))).toEqual([]);
  });

  it('keep their functions in files that print nothing', () => {
    for (const file of readdirSync(join(import.meta.dirname, 'library')))
      expect(readFileSync(join(import.meta.dirname, 'library', file), 'utf8'), file).not.toMatch(/\/cli\/|process\.std(out|err)|console\./);
  });
});
