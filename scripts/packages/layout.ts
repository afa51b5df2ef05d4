/** @file Where every file goes: layout.tsv, and the tests which import what is above their package and so go to the package on top. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { parseSync } from 'oxc-parser';

export const root = join(import.meta.dirname, '..', '..');

/** Packages from the ground up, each with those that it may import. */
export const below: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  store: ['kernel'],
  environments: ['kernel'],
  agents: ['kernel', 'store', 'environments'],
  evaluation: ['kernel', 'store', 'environments', 'agents'],
  desk: ['kernel', 'store', 'environments', 'agents', 'evaluation'],
  learning: ['kernel', 'store', 'environments', 'agents', 'evaluation', 'desk'],
  societies: ['kernel', 'store', 'environments', 'agents', 'evaluation'],
  servers: ['kernel', 'store', 'environments', 'agents', 'evaluation', 'desk', 'learning', 'societies'],
  studio: ['kernel', 'servers'],
  'ludus-agents': ['kernel', 'store', 'environments', 'agents', 'evaluation', 'desk', 'learning', 'societies', 'servers'],
};

/** The package that users install; all others have a scope. */
export const umbrella = 'ludus-agents';

export function packageName(name: string): string {
  return name === umbrella ? umbrella : `@ludus-agents/${name}`;
}

const rows = readFileSync(join(import.meta.dirname, 'layout.tsv'), 'utf8')
  .split('\n')
  .filter((row) => row !== '' && !row.startsWith('#'))
  .map((row) => row.split('\t') as [string, string, string])
  .sort(([a], [b]) => b.length - a.length);

const isTest = (file: string) => /\.(test|cases)\.tsx?$/.test(file);

/** The package and the place of a file of src by the table. */
function byTable(file: string): { readonly package: string; readonly to: string } {
  const exact = (path: string) => rows.find(([from]) => from === path);
  // lists.test.ts and lists.cases.ts go with lists.ts.
  const subject = file.replace(/(\.long)?\.(test|cases)\.ts$/, '.ts');
  const row = exact(file) ?? (isTest(file) ? exact(subject) : undefined);
  if (row !== undefined) {
    const [from, name, to] = row;
    const called = file === from ? to : join(dirname(to), to.replace(/^.*\//, '').replace(/\.ts$/, file.slice(from.length - '.ts'.length)));
    return { package: name, to: `packages/${name}/src/${called}` };
  }
  const prefix = rows.find(([from]) => file.startsWith(`${from}/`));
  if (prefix === undefined) throw new Error(`layout.tsv says nothing about ${file}; add its folder.`);
  const [from, name, to] = prefix;
  return { package: name, to: posix.join(`packages/${name}/src`, to, file.slice(from.length + 1)) };
}

export interface ParsedFile {
  readonly text: string;
  /** Every specifier with its place in the text, quotes included. */
  readonly specifiers: readonly { readonly start: number; readonly end: number; readonly value: string }[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Calls `visit` for every node of a syntax tree. */
export function walk(node: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(node)) for (const one of node) walk(one, visit);
  else if (typeof node === 'object' && node !== null) {
    if (typeof (node as Node).type === 'string') visit(node as Node);
    for (const [key, value] of Object.entries(node)) if (key !== 'parent') walk(value, visit);
  }
}

export function parse(file: string, text: string) {
  const parsed = parseSync(file, text);
  if (parsed.errors.length > 0) throw new Error(`${file} cannot be parsed: ${parsed.errors[0]?.message}`);
  return parsed.program as unknown as Node;
}

/** Static and dynamic imports, exports from, and import types. */
export function specifiersOf(file: string, text: string): ParsedFile['specifiers'] {
  const specifiers: { start: number; end: number; value: string }[] = [];
  walk(parse(file, text), (node) => {
    const source = (node['source'] ?? (node.type === 'TSImportType' ? (node['argument'] ?? node['source']) : undefined)) as
      | Node
      | undefined;
    const literal = source?.type === 'TSLiteralType' ? (source['literal'] as Node) : source;
    if (literal?.type === 'Literal' && typeof literal['value'] === 'string')
      specifiers.push({ start: literal.start, end: literal.end, value: literal['value'] });
  });
  return specifiers;
}

export interface Layout {
  /** Every tracked file. */
  readonly files: readonly string[];
  readonly tracked: ReadonlySet<string>;
  /** Where a file goes; files that stay are not in it. */
  readonly moves: ReadonlyMap<string, string>;
  /** Where a file or a folder is afterwards. */
  locate(path: string): string;
  /** The package that a file is in afterwards, or null for those of the repository. */
  packageOf(file: string): string | null;
}

export function planLayout(): Layout {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .trim()
    .split('\n')
    .filter((file) => existsSync(join(root, file)));
  const tracked = new Set(files);
  const moves = new Map<string, string>();
  for (const file of files) {
    if (file.startsWith('src/')) moves.set(file, byTable(file).to);
    else if (file.startsWith('studio/')) moves.set(file, `packages/${file}`);
    else if (file.startsWith('bin/') || file.startsWith('schemas/')) moves.set(file, `packages/${umbrella}/${file}`);
  }
  const packageAt = (file: string) => /^packages\/([^/]+)\//.exec(moves.get(file) ?? '')?.[1] ?? null;

  // What a test reaches directly, through files of test/ and benchmarks/, and through cases that have gone up.
  const imports = new Map<string, readonly string[]>();
  for (const file of files.filter((one) => /\.tsx?$/.test(one) && (isTest(one) || !one.startsWith('src/'))))
    imports.set(
      file,
      specifiersOf(file, readFileSync(join(root, file), 'utf8'))
        .filter(({ value }) => value.startsWith('.'))
        .map(({ value }) => posix.join(posix.dirname(file), value))
        .filter((target) => tracked.has(target)),
    );
  const reached = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
    const names = new Set<string>();
    for (const target of imports.get(file) ?? []) {
      const name = packageAt(target);
      if (name !== null) names.add(name);
      else if (!seen.has(target)) for (const one of reached(target, seen.add(target))) names.add(one);
    }
    return names;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const file of files.filter((one) => one.startsWith('src/') && isTest(one))) {
      const name = packageAt(file) as string;
      if (name === umbrella || [...reached(file)].every((one) => one === name || below[name]!.includes(one))) continue;
      moves.set(file, `packages/${umbrella}/test/${file.slice('src/'.length)}`);
      changed = true;
    }
  }

  const taken = new Map<string, string>();
  for (const file of files) {
    const to = moves.get(file) ?? file;
    if (taken.has(to)) throw new Error(`${file} and ${taken.get(to)} would both be ${to}; tell them apart in layout.tsv.`);
    taken.set(to, file);
  }

  const locate = (path: string): string => {
    const file = moves.get(path);
    if (
      file !== undefined ||
      (!path.startsWith('src/') && !path.startsWith('studio') && !path.startsWith('bin') && !path.startsWith('schemas'))
    )
      return file ?? path;
    if (/^(studio|bin|schemas)(\/|$)/.test(path)) return path.startsWith('studio') ? `packages/${path}` : `packages/${umbrella}/${path}`;
    const row = rows.find(([from]) => path === from || path.startsWith(`${from}/`));
    return row === undefined ? path : posix.join(`packages/${row[1]}/src`, row[2], path.slice(row[0].length));
  };
  return { files, tracked, moves, locate, packageOf: packageAt };
}

/** True for a folder of today. */
export function isFolder(path: string): boolean {
  return existsSync(join(root, path)) && statSync(join(root, path)).isDirectory();
}
