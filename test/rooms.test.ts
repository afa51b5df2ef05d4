/** @file Order in the house: rooms import downwards only, core imports nothing, and every file says what it is. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = join(import.meta.dirname, '..', 'src');

const leaves = ['core', 'files', 'engine', 'environments', 'personas', 'agents', 'models', 'learners', 'scoring', 'learning', 'store'];
/** What a user does, each room on those before it. */
const uses = ['workspace', 'training', 'evaluation', 'improving', 'datasets', 'surveys'];

/** Each room and the rooms it may import; nothing else, and never in a circle. */
const below: Readonly<Record<string, readonly string[]>> = {
  core: [],
  files: ['core'],
  engine: ['core'],
  environments: ['core'],
  personas: ['core'],
  agents: ['core', 'engine', 'personas'],
  models: ['core', 'files'],
  learners: ['core', 'files', 'models'],
  scoring: ['core', 'personas'],
  learning: ['core', 'engine', 'scoring'],
  store: ['core', 'files'],
  workspace: leaves,
  training: [...leaves, 'workspace'],
  evaluation: [...leaves, 'workspace', 'training'],
  improving: [...leaves, 'workspace', 'training', 'evaluation'],
  datasets: [...leaves, 'workspace', 'training', 'evaluation', 'improving'],
  surveys: [...leaves, 'workspace', 'training', 'evaluation'],
  fleet: [...leaves, ...uses],
  servers: [...leaves, ...uses, 'fleet'],
  cli: [...leaves, ...uses, 'fleet', 'servers'],
  exports: [...leaves, ...uses, 'fleet', 'servers'],
};

/** Packages a room may use besides its own code; node: modules count as packages. Rooms not named may use any. */
const packages: Readonly<Record<string, RegExp>> = {
  core: /^$/,
  engine: /^$/,
  environments: /^$/,
};

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const sources = files.filter((file) => !/\.(test|cases)\.ts$/.test(file) && file.includes('/'));

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8');
  const statements = /^(?:import|export|\})[^'"\n]*\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm;
  return [...text.matchAll(statements)].map((match) => (match[1] ?? match[2] ?? match[3]) as string);
}

/** Every file that is loaded at once with this one: what it imports by value, and so on. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  // Texts of new files have imports, too, of what is not here.
  if (seen.has(file) || !files.includes(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(src, file), 'utf8');
  for (const [, target] of text.matchAll(/^(?:import|export)\s(?!type\b)[^;'"]*?from\s+'(\.[^']+)'/gm))
    loadedWith(join(dirname(file), target!), seen);
  return seen;
}

function roomOf(file: string): string {
  return file.split('/')[0]!;
}

/** What is wrong with one import, or null. */
function problem(file: string, target: string): string | null {
  const room = roomOf(file);
  if (!target.startsWith('.')) {
    const allowed = packages[room];
    return allowed !== undefined && !allowed.test(target) ? `${file} imports the package ${target}, but ${room} uses none` : null;
  }
  const resolved = relative(src, join(src, dirname(file), target));
  const other = roomOf(resolved);
  if (resolved.startsWith('..')) return `${file} imports ${target}, which is outside src`;
  if (other === room) return null;
  if (!below[room]!.includes(other))
    return `${file} imports ${resolved}, but ${room} stands ${below[room]!.length === 0 ? 'alone' : `on ${(below[room]!).join(', ')} only`}`;
  return null;
}

describe('rooms', () => {
  it('has no room that the list does not know', () => {
    expect([...new Set(sources.map(roomOf))].filter((room) => !(room in below))).toEqual([]);
  });

  it('imports downwards only', () => {
    expect(sources.flatMap((file) => importsOf(file).flatMap((target) => problem(file, target) ?? []))).toEqual([]);
  });

  it('would notice an upward import, a foreign package and a sideways one', () => {
    expect(problem('core/rng.ts', '../engine/play.ts')).not.toBeNull();
    expect(problem('core/rng.ts', 'node:crypto')).not.toBeNull();
    expect(problem('models/fake.ts', '../store/sqlite.ts')).not.toBeNull();
    expect(problem('cli/main.ts', '../store/index.ts')).toBeNull();
    expect(importsOf('engine/rollout.ts')).toContain('./course.ts');
  });

  it('lists rooms from the ground up, so that no circle is possible', () => {
    const order = Object.keys(below);
    for (const [room, allowed] of Object.entries(below))
      for (const other of allowed) expect(order.indexOf(other), `${room} → ${other}`).toBeLessThan(order.indexOf(room));
  });

  it('loads little for the help of a command, and nothing of what it does', () => {
    const declarations = sources.filter((file) => file.startsWith('cli/declarations/'));
    expect(declarations.length).toBeGreaterThan(90);
    const dear = ['cli/main.ts', ...declarations].filter((file) => loadedWith(file).size > 40);
    expect(dear).toEqual([]);
    const doing = declarations.filter((file) => [...loadedWith(file)].some((one) => /^(fleet|servers|training)\/(?!access)/.test(one)));
    expect(doing).toEqual([]);
    expect(loadedWith('cli/commands/train.ts').size).toBeGreaterThan(200);
  });

  it('opens every file by saying what it is', () => {
    expect(sources.filter((file) => !/^(#!.*\n)?\/\*\*\s*(\n \* )?@file /.test(readFileSync(join(src, file), 'utf8')))).toEqual([]);
  });

  it('gives no two exported types of different rooms the same name', () => {
    const rooms = new Map<string, Set<string>>();
    for (const file of files.filter((one) => !/\.(test|cases)\.ts$/.test(one)))
      for (const [, name] of readFileSync(join(src, file), 'utf8').matchAll(/^export (?:abstract )?(?:class|interface|type) (\w+)/gm))
        rooms.set(name!, (rooms.get(name!) ?? new Set()).add(file.split('/')[0]!));
    expect([...rooms].filter(([, where]) => where.size > 1).map(([name, where]) => `${name}: ${[...where].join(', ')}`)).toEqual([]);
  });

  it('keeps files small enough to read at once', () => {
    const long = files
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => [file, readFileSync(join(src, file), 'utf8').split('\n').length] as const)
      .filter(([, lines]) => lines > 400);
    expect(long).toEqual([]);
  });

  it('calls no clock and no unseeded dice in the pure rooms', () => {
    const impure = sources
      .filter((file) => ['core', 'engine', 'environments'].includes(roomOf(file)))
      .filter((file) =>
        /\bDate\.now|new Date\(|Math\.random|randomUUID|performance\.now|\bfetch\(/.test(readFileSync(join(src, file), 'utf8')),
      );
    expect(impure).toEqual([]);
  });
});
