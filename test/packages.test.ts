/** @file Order between the packages: imports point downwards only, the kernel imports nothing, and every file says what it is. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

const core = ['kernel', 'store', 'environments', 'agents', 'evaluation'];
/** Every package, from the ground up, and those that it may import. */
const below: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  store: ['kernel'],
  environments: ['kernel'],
  agents: ['kernel', 'store', 'environments'],
  evaluation: ['kernel', 'store', 'environments', 'agents'],
  desk: core,
  learning: [...core, 'desk'],
  societies: core,
  servers: [...core, 'desk', 'learning', 'societies'],
  studio: ['kernel', 'servers'],
  'ludus-agents': [...core, 'desk', 'learning', 'societies', 'servers'],
  'create-ludus-agents': [],
};
/** Packages that use no other package and no module of Node, so that they run anywhere. */
const pure = ['kernel', 'environments'];

const nameOf = (name: string) => (name.endsWith('ludus-agents') ? name : `@ludus-agents/${name}`);
const isTest = (file: string) => /\.(test|cases)\.tsx?$/.test(file) || /^packages\/[^/]+\/test\//.test(file);
const read = (file: string) => readFileSync(join(root, file), 'utf8');

function filesIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${folder}/${file}`);
}

const files = Object.keys(below).flatMap((name) => [...filesIn(`packages/${name}/src`), ...filesIn(`packages/${name}/test`)]);
const sources = files.filter((file) => !isTest(file));
const knownNames = new Set(files);

function importsOf(file: string): string[] {
  const statements = /^(?:import|export|\})[^'"\n]*\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm;
  return [...read(file).matchAll(statements)].map((match) => (match[1] ?? match[2] ?? match[3]) as string);
}

function packageOf(file: string): string {
  return file.split('/')[1]!;
}

/** The package that a specifier names, and its file where it is an internal one; null for what is not ours. */
function ours(specifier: string): { readonly name: string; readonly internal: string | null } | null {
  const match = /^(?:@ludus-agents\/([\w-]+)|(ludus-agents))(?:\/internal\/(.+)|\/[\w-]+)?$/.exec(specifier);
  return match === null ? null : { name: (match[1] ?? match[2])!, internal: match[3] ?? null };
}

/** What is wrong with one import, or null. */
function problem(file: string, target: string): string | null {
  const name = packageOf(file);
  if (target.startsWith('.')) {
    const resolved = relative(root, join(root, dirname(file), target));
    // Tests share fixtures at the root of the repository, and tables of numbers.
    if (resolved.startsWith(`packages/${name}/`) || (isTest(file) && /^(test|benchmarks|scripts)\/|\.json$/.test(resolved))) return null;
    return `${file} imports ${resolved}, which is outside its package`;
  }
  const other = ours(target);
  if (other === null)
    return pure.includes(name) && !isTest(file) ? `${file} imports ${target}, but ${name} uses no package and no module of Node` : null;
  // Programs that "ludus new" writes import the package on top, and are texts here.
  if (other.name === name) return name === 'ludus-agents' && other.internal === null ? null : `${file} imports its own package by name`;
  return below[name]!.includes(other.name)
    ? null
    : `${file} imports ${target}, but ${name} may use ${below[name]!.join(', ') || 'none'} only`;
}

/** The file that an import by value loads, where it is one of ours. */
function resolve(file: string, target: string): string | null {
  const other = ours(target);
  const path = target.startsWith('.')
    ? join(dirname(file), target)
    : other === null || other.name === packageOf(file)
      ? null
      : `packages/${other.name}/src/${other.internal ?? 'index'}.ts`;
  return path !== null && knownNames.has(path) ? path : null;
}

/** Every file that is loaded at once with this one: what it imports by value, and so on. */
function loadedWith(file: string, visited = new Set<string>()): ReadonlySet<string> {
  if (visited.has(file)) return visited;
  visited.add(file);
  for (const [, target] of read(file).matchAll(/^(?:import|export)\s(?!type\b)(?:[^;'"]*?from\s+)?'([^']+)'/gm)) {
    const path = resolve(file, target!);
    if (path !== null) loadedWith(path, visited);
  }
  return visited;
}

describe('packages', () => {
  it('are all listed', () => {
    expect(readdirSync(join(root, 'packages')).sort()).toEqual(Object.keys(below).sort());
  });

  it('import only packages below them, including in tests', () => {
    expect(files.flatMap((file) => importsOf(file).flatMap((target) => problem(file, target) ?? []))).toEqual([]);
  });

  it('are reported for upward imports, packages in the kernel, and paths into a neighbor (control)', () => {
    expect(problem('packages/kernel/src/core/rng.ts', '@ludus-agents/store/internal/memory')).not.toBeNull();
    expect(problem('packages/kernel/src/core/rng.ts', 'node:crypto')).not.toBeNull();
    expect(problem('packages/desk/src/gate.ts', '@ludus-agents/learning')).not.toBeNull();
    expect(problem('packages/agents/src/random.ts', '../../kernel/src/core/rng.ts')).not.toBeNull();
    expect(problem('packages/learning/src/kinds.ts', '@ludus-agents/desk/internal/kinds')).toBeNull();
    expect(importsOf('packages/kernel/src/engine/rollout.ts')).toContain('./course.ts');
  });

  it('are listed bottom-up, so that cycles are impossible', () => {
    const order = Object.keys(below);
    for (const [name, allowed] of Object.entries(below))
      for (const other of allowed) expect(order.indexOf(other), `${name} → ${other}`).toBeLessThan(order.indexOf(name));
  });

  it('declare exactly the dependencies that they import', () => {
    for (const name of Object.keys(below)) {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(read(`packages/${name}/package.json`)) as Record<string, object>;
      const imported = new Set(
        sources
          .filter((file) => packageOf(file) === name)
          .flatMap(importsOf)
          .flatMap((target) => ours(target)?.name ?? [])
          .filter((other) => other !== name),
      );
      const declared = Object.keys({ ...dependencies, ...devDependencies }).flatMap((item) => ours(item)?.name ?? []);
      expect(declared.sort(), name).toEqual([...imported].sort());
    }
  });

  it('have a public entry point, an internal one, and a descriptive README', () => {
    for (const name of Object.keys(below).filter((item) => !['studio', 'create-ludus-agents'].includes(item))) {
      const { exports, name: called } = JSON.parse(read(`packages/${name}/package.json`)) as {
        exports: Record<string, string>;
        name: string;
      };
      const internal = name === 'ludus-agents' ? undefined : './src/*.ts';
      expect([called, exports['.'], exports['./internal/*']]).toEqual([nameOf(name), './src/index.ts', internal]);
      expect(read(`packages/${name}/src/index.ts`)).not.toMatch(/export \*/);
      const lines = read(`packages/${name}/README.md`).split('\n').length;
      expect([name, lines > 5 && lines < 70]).toEqual([name, true]);
    }
  });

  it('keep internal entry points private: examples and documents use public ones', () => {
    const outside = [...filesIn('examples'), 'README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
    const matches = outside.filter((file) => /\.(ts|md)$/.test(file) && /ludus-agents(\/\w+)?\/internal\//.test(read(file)));
    expect(matches).toEqual([]);
  });
});

describe('source files', () => {
  it('load few modules for the help of a command', () => {
    const declarations = sources.filter((file) => file.startsWith('packages/ludus-agents/src/cli/declarations/'));
    expect(declarations.length).toBeGreaterThan(20);
    const dear = ['packages/ludus-agents/src/cli/main.ts', ...declarations].filter((file) => loadedWith(file).size > 40);
    expect(dear).toEqual([]);
    const doing = declarations.filter((file) =>
      [...loadedWith(file)].some((item) => /^packages\/(servers\/src\/(?!access|kinds)|learning\/src\/training\/)/.test(item)),
    );
    expect(doing).toEqual([]);
    expect(loadedWith('packages/ludus-agents/src/cli/commands/train.ts').size).toBeGreaterThan(200);
  });

  it('begin with a description', () => {
    expect(sources.filter((file) => !/^(#!.*\n)?\/\*\*\s*(\n \* )?@file /.test(read(file)))).toEqual([]);
  });

  it('give every exported type a name that no other package uses', () => {
    const packages = new Map<string, Set<string>>();
    for (const file of sources.filter((source) => packageOf(source) !== 'studio'))
      for (const [, name] of read(file).matchAll(/^export (?:abstract )?(?:class|interface|type) (\w+)/gm))
        packages.set(name!, (packages.get(name!) ?? new Set()).add(packageOf(file)));
    expect([...packages].filter(([, where]) => where.size > 1).map(([name, where]) => `${name}: ${[...where].join(', ')}`)).toEqual([]);
  });

  it('have at most 400 lines', () => {
    const long = files
      .filter((file) => !file.endsWith('.test.ts') && packageOf(file) !== 'studio')
      .map((file) => [file, read(file).split('\n').length] as const)
      .filter(([, lines]) => lines > 400);
    expect(long).toEqual([]);
  });

  it('use no clock and no unseeded randomness in pure packages', () => {
    const impure = sources
      .filter((file) => pure.includes(packageOf(file)))
      .filter((file) => /\bDate\.now|new Date\(|Math\.random|randomUUID|performance\.now|\bfetch\(/.test(read(file)));
    expect(impure).toEqual([]);
  });
});
