/** @file The settings of every package, from what its sources import: package.json, its public entry, and the lockfile. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { below, packageName, parse, root, specifiersOf, umbrella, walk } from './layout.ts';
import { pages, readme } from './readmes.ts';

type Versions = Readonly<Record<string, string>>;
interface Settings {
  readonly version: string;
  readonly license: string;
  readonly engines: object;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly [key: string]: unknown;
}

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
};
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const isTest = (file: string) => /\.(test|cases)\.tsx?$/.test(file);

function sourcesIn(folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.([cm]?[jt]s|tsx)$/.test(file) && !/(^|\/)node_modules\//.test(file))
    .map((file) => posix.join(folder, file));
}

/** The packages that files import, by the part of the specifier that names them. */
function importedBy(files: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const file of files)
    for (const { value } of specifiersOf(file, read(file))) {
      if (/^[./]/.test(value) || value.startsWith('node:') || builtinModules.includes(value)) continue;
      names.add(
        value
          .split('/')
          .slice(0, value.startsWith('@') ? 2 : 1)
          .join('/'),
      );
    }
  return names;
}

const pick = (versions: Versions, names: ReadonlySet<string>): Versions =>
  Object.fromEntries(Object.entries(versions).filter(([name]) => names.has(name) || names.has(name.replace('@types/', ''))));

const sorted = (versions: Versions): Versions => Object.fromEntries(Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Found by an address that is put together when they run, or by a file of theirs. */
const byAddress: Readonly<Record<string, readonly string[]>> = { agents: ['@micropython/micropython-webassembly-pyscript'] };

/** Doors of the package on top. */
const doors = ['personas', 'scoring', 'learning', 'servers', 'testing'];

export function writePackages(): void {
  const today = JSON.parse(read('package.json')) as Settings;
  const { version, license, engines } = today;
  const runtime = today.dependencies ?? {};
  const siblingsOf = (names: ReadonlySet<string>, of: string) =>
    Object.keys(below)
      .map(packageName)
      .filter((name) => names.has(name) && name !== of);
  const left = new Set(Object.keys(runtime));
  const settings: Record<string, Settings> = {};
  for (const name of Object.keys(below)) {
    const called = packageName(name);
    const names = importedBy(sourcesIn(`packages/${name}/src`).filter((file) => !isTest(file)));
    const siblings = Object.fromEntries(siblingsOf(names, called).map((one) => [one, version]));
    const others = pick(runtime, new Set([...names, ...(byAddress[name] ?? [])]));
    for (const one of Object.keys(others)) left.delete(one);
    const isTop = name === umbrella;
    const about = isTop ? (today['description'] as string) : pages[name]!.about;
    if (name === 'studio') {
      const page = JSON.parse(read('packages/studio/package.json')) as Settings;
      settings[name] = {
        ...page,
        name: called,
        exports: { './internal/*': './src/*.ts' },
        devDependencies: sorted({ ...page.devDependencies, ...siblings }),
      };
    } else
      settings[name] = {
        name: called,
        version,
        description: about,
        license,
        type: 'module',
        engines,
        ...(isTop && { bin: { ludus: 'bin/ludus.js' } }),
        exports: {
          '.': './src/index.ts',
          ...(isTop && Object.fromEntries(doors.map((door) => [`./${door}`, `./src/${door}.ts`]))),
          ...(!isTop && { './internal/*': './src/*.ts' }),
          './package.json': './package.json',
        },
        files: [
          'dist',
          ...(isTop ? ['bin', 'docs', 'schemas', 'deploy', 'SPEC.md', 'SECURITY.md', 'ARCHITECTURE.md'] : []),
          ...(name === 'servers' ? ['page'] : []),
        ],
        ...(Object.keys({ ...siblings, ...others }).length > 0 && { dependencies: sorted({ ...siblings, ...others }) }),
        ...(isTop && today.optionalDependencies && { optionalDependencies: today.optionalDependencies }),
      } as Settings;
    write(`packages/${name}/package.json`, json(settings[name]));
    if (!isTop) write(`packages/${name}/README.md`, readme(name, called, Object.keys(siblings)));
  }
  if (left.size > 0) console.log(`No package imports ${[...left].join(', ')}: add them by hand where they are needed.`);

  // What the repository's own files import, and what tests of a package import that the package does not depend on.
  const outside = new Set(importedBy(['test', 'benchmarks', 'scripts', 'examples'].flatMap(sourcesIn)));
  for (const name of Object.keys(below)) {
    const tests = [...sourcesIn(`packages/${name}/src`).filter(isTest), ...sourcesIn(`packages/${name}/test`)];
    for (const one of importedBy(tests)) if (!Object.hasOwn(settings[name]?.dependencies ?? {}, one)) outside.add(one);
  }
  const {
    name: _,
    bin: ___,
    exports: ____,
    files: _____,
    dependencies: ______,
    optionalDependencies: _______,
    description,
    ...rest
  } = today as Settings & Record<string, unknown>;
  const rootSettings = {
    name: 'ludus-repository',
    private: true,
    description,
    ...rest,
    workspaces: ['packages/*'],
    scripts: rootScripts(today['scripts'] as Versions),
    devDependencies: sorted({
      ...today.devDependencies,
      ...pick(runtime, outside),
      ...Object.fromEntries(siblingsOf(outside, '').map((name) => [name, version])),
    }),
  };
  write('package.json', json(rootSettings));
  writeLock(rootSettings, settings);
  linkWorkspaces();
}

function rootScripts(scripts: Versions): Versions {
  return Object.fromEntries(
    Object.entries({ ...scripts, pack: 'node scripts/pack.mjs' }).map(([name, line]) => [
      name,
      line
        .replace('node bin/ludus.js', `node packages/${umbrella}/bin/ludus.js`)
        .replace('-p studio/tsconfig.json', '-p packages/studio/tsconfig.json'),
    ]),
  );
}

/** What `npm install` would write: the same archives, with the packages of the repository as links. */
function writeLock(rootSettings: Readonly<Record<string, unknown>>, settings: Readonly<Record<string, Settings>>): void {
  const lock = JSON.parse(read('package-lock.json')) as { name: string; version?: string; packages: Record<string, unknown> };
  const keep = ({
    name,
    version,
    license,
    dependencies,
    devDependencies,
    optionalDependencies,
    workspaces,
    engines,
    bin,
    hasInstallScript,
  }: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries({
        name,
        version,
        license,
        workspaces,
        dependencies,
        devDependencies,
        optionalDependencies,
        engines,
        bin,
        hasInstallScript,
      }).filter(([, value]) => value !== undefined),
    );
  const others = Object.entries(lock.packages).filter(
    ([path]) => path !== '' && !/(^|\/)studio$/.test(path) && path !== 'node_modules/@ludus/studio' && !path.startsWith('packages/'),
  );
  const before = lock.packages[''] as Record<string, unknown>;
  const own = Object.entries(settings).flatMap(([folder, one]) => [
    // npm leaves the name out where the folder has it.
    [`packages/${folder}`, keep(one['name'] === folder ? { ...one, name: undefined } : one)] as const,
    [`node_modules/${packageName(folder)}`, { resolved: `packages/${folder}`, link: true }] as const,
  ]);
  const packages = Object.fromEntries([
    ['', keep({ ...rootSettings, hasInstallScript: before['hasInstallScript'] })],
    ...[...others, ...own].sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
  write('package-lock.json', json({ ...lock, name: 'ludus-repository', packages }));
}

/** The links that `npm install` makes in node_modules. */
export function linkWorkspaces(): void {
  const modules = join(root, 'node_modules');
  mkdirSync(join(modules, '@ludus-agents'), { recursive: true });
  for (const name of Object.keys(below)) {
    const link = join(modules, packageName(name));
    rmSync(link, { recursive: true, force: true });
    symlinkSync(join(name === umbrella ? '..' : join('..', '..'), 'packages', name), link);
  }
  rmSync(join(modules, '@ludus', 'studio'), { recursive: true, force: true });
}

interface Exported {
  readonly name: string;
  readonly imported: string;
  readonly isType: boolean;
  readonly from: string;
}

interface Statement {
  readonly type: string;
  readonly exportKind?: string;
  readonly source?: { readonly value: string } | null;
  readonly specifiers?: readonly {
    readonly exportKind?: string;
    readonly local: { readonly name: string };
    readonly exported: { readonly name: string };
  }[];
  readonly declaration?: unknown;
}

function statementsOf(file: string): readonly Statement[] {
  return (parse(file, read(file)) as unknown as { readonly body: readonly Statement[] }).body;
}

/** The file of a package that a specifier means, from the root of the repository. */
function fileOf(file: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  const [, name, path] = /^(?:@ludus-agents\/)?([\w-]+)\/internal\/(.+)$/.exec(specifier) ?? [];
  return name === undefined ? null : `packages/${name}/src/${path}.ts`;
}

/** The file that declares what another one exports. */
function declaringFile(file: string, name: string): { readonly file: string; readonly name: string } | null {
  let through: { readonly file: string; readonly name: string } | null = null;
  for (const statement of statementsOf(file)) {
    if (statement.type === 'ExportAllDeclaration' && statement.source) {
      const target = fileOf(file, statement.source.value);
      through ??= target === null ? null : declaringFile(target, name);
    }
    if (statement.type !== 'ExportNamedDeclaration') continue;
    const specifier = statement.specifiers?.find(({ exported }) => exported.name === name);
    if (specifier !== undefined) {
      const target = statement.source ? fileOf(file, statement.source.value) : file;
      if (target === null) return null;
      return target === file
        ? { file, name }
        : (declaringFile(target, specifier.local.name) ?? { file: target, name: specifier.local.name });
    }
    let declares = false;
    walk(statement.declaration, (node) => {
      if ((node['id'] as { name?: string } | undefined)?.name === name) declares = true;
    });
    if (declares) return { file, name };
  }
  return through;
}

/** Writes the public entry of each package: the names of the entries on top that it declares. Gives the files that public names come from. */
export function writeEntries(): readonly string[] {
  const entries = ['index', ...doors].map((door) => `packages/${umbrella}/src/${door}.ts`);
  const publicFiles = new Set<string>();
  const exported: Exported[] = entries.flatMap((file) =>
    statementsOf(file).flatMap((statement) =>
      statement.type !== 'ExportNamedDeclaration' || !statement.source
        ? []
        : (statement.specifiers ?? []).flatMap((specifier) => {
            const target = fileOf(file, statement.source!.value);
            const declared = target === null ? null : declaringFile(target, specifier.local.name);
            if (declared === null) return [];
            publicFiles.add(target as string).add(declared.file);
            const isType = statement.exportKind === 'type' || specifier.exportKind === 'type';
            return [{ name: specifier.exported.name, imported: declared.name, isType, from: declared.file }];
          }),
    ),
  );
  const kinds: Readonly<Record<string, string>> = { agents: './workspace/kinds.ts' };
  for (const name of Object.keys(below)) {
    if (name === umbrella || name === 'studio') continue;
    const home = `packages/${name}/src`;
    const groups = Map.groupBy(
      exported.filter(({ from }) => from.startsWith(`${home}/`)),
      ({ from }) => from,
    );
    const file = kinds[name] ?? './kinds.ts';
    const lines = existsSync(join(root, home, file)) ? [`import '${file}';`, ''] : [];
    for (const [from, names] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const specifiers = [...new Map(names.map((one) => [one.name, one])).values()].map(
        ({ name: called, imported, isType }) => `${isType ? 'type ' : ''}${imported === called ? called : `${imported} as ${called}`}`,
      );
      lines.push(`export { ${specifiers.join(', ')} } from './${posix.relative(home, from)}';`);
    }
    if (groups.size === 0) lines.push('export {};');
    write(`${home}/index.ts`, `/** @file The public entry. ${pages[name]!.about} */\n\n${lines.join('\n')}\n`);
  }
  return [...publicFiles].sort();
}
