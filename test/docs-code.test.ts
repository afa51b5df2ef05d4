/** @file Programs in documents, and files that `ludus new` writes, use names that exist: imports resolve, types fit, and API names in the text are exported. */

import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ludus } from '../packages/ludus-agents/src/cli/terminal.cases.ts';
import { doors, namesOf } from '../scripts/api-doc.ts';
import { builtFile } from './fixtures/built.ts';

const root = join(import.meta.dirname, '..');
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !/^(decisions|\.vitepress)/.test(name))
    .map((name) => join('docs', name)),
].filter((file) => file !== join('docs', 'api.md'));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

interface Program {
  readonly where: string;
  readonly text: string;
}

const programs: readonly Program[] = documents.flatMap((file) =>
  [...read(file).matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(({ 1: text, index }) => ({
    where: `${file}:${read(file).slice(0, index).split('\n').length}`,
    text: text as string,
  })),
);

/** Names that a program imports from a door and that the door does not export. */
function unknownImports({ where, text }: Program): string[] {
  return [...text.matchAll(/import\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(ludus-agents[^']*)'/g)].flatMap(([, list, door]) => {
    if (!Object.hasOwn(doors, door as string)) return [`${where}: ${door}`];
    const knownNames = new Set(namesOf(door as string).map(({ name }) => name));
    const names = (list as string).split(',').map((part) =>
      part
        .trim()
        .replace(/^type /, '')
        .replace(/ as \w+$/, ''),
    );
    return names.filter((name) => name !== '' && !knownNames.has(name)).map((name) => `${where}: ${name} of ${door}`);
  });
}

// Where a program imports the package by its name, as a reader would: what is built, whose types are read sooner than the sources, or these.
const isBuilt = builtFile('ludus-agents/index').endsWith('.js');
const folder = join(root, isBuilt ? 'dist' : '.ludus', `docs-${process.pid}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the compiler says of all files here. */
async function compile(): Promise<readonly string[]> {
  const compilerOptions = { noEmit: true, noUnusedLocals: false, rootDir: root, skipLibCheck: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['.'] }));
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const text = await new Promise<string>((resolve) => {
    execFile(process.execPath, [compiler, '-p', folder], { cwd: folder }, (_, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
  return text.trim().split('\n');
}

let problems: readonly string[];

// All at once: most of the compiler's work is to read the library.
beforeAll(async () => {
  for (const name of ['programs', 'new', 'wrong']) mkdirSync(join(folder, name), { recursive: true });
  for (const { where, text } of programs) {
    const name = `${where.replace(/[^\w]/g, '-')}.ts`;
    writeFileSync(join(folder, 'programs', name), `${text}\nexport {};\n`);
  }
  const place = join(folder, 'new');
  const { err } = await ludus(place, ['new', 'nothing', 'mine']);
  const kinds = (/can create ([^".]*)\./.exec(err)?.[1] ?? '').split(', ');
  expect(kinds.length).toBeGreaterThan(6);
  const wordsFor = (kind: string) => (kind === 'trainer' ? ['new', kind, 'trl', 'my-trainer'] : ['new', kind, `my-${kind}`]);
  for (const kind of kinds) expect((await ludus(place, wordsFor(kind))).err).toBe('');
  const wrong = "import { loadEnvironment } from 'ludus-agents';\nexport const none: number = await loadEnvironment('dilemma');\n";
  writeFileSync(join(folder, 'wrong', 'wrong.ts'), wrong);
  problems = await compile();
});

describe('programs in documents', () => {
  it('are extracted from the pages', () => expect(programs.length).toBeGreaterThan(10));

  it('import only names that their entry points export', () => expect(programs.flatMap(unknownImports)).toEqual([]));

  it('are reported if they import an unknown name or entry point (control)', () => {
    expect(unknownImports({ where: 'x', text: "import { play, type Purse } from 'ludus-agents';" })).toEqual(['x: Purse of ludus-agents']);
    expect(unknownImports({ where: 'x', text: "import { gallery } from 'ludus-agents/characters';" })).toEqual([
      'x: ludus-agents/characters',
    ]);
  });

  it('type-check together with the files of ludus new, unlike a program with a type error', () =>
    expect(problems).toEqual([expect.stringMatching(/^wrong\/wrong\.ts\(2,14\): error TS2322/)]));
});

/** Names with a capital inside that documents put in backticks and that are no names of the library, with the reason. */
const allowed: Readonly<Record<string, string>> = {
  playTogether: 'a function of the rules that defineEnvironment takes',
  lengthControl: "a field of a score's JSON",
  seedPerCast: 'a field of a plan',
  LudusAEC: 'of the Python package',
  LudusParallel: 'of the Python package',
  longerWins: "a field of a score's JSON",
  customerAgent: 'a field of desk.json',
  imagesOnly: 'a setting of language agents',
  customerTools: 'a field of desk.json',
  DPOTrainer: 'of TRL',
  GRPOTrainer: 'of TRL',
  KTOTrainer: 'of TRL',
  SFTTrainer: 'of TRL',
  SendMessage: 'a method of the A2A protocol',
  SendStreamingMessage: 'a method of the A2A protocol',
  GetTask: 'a method of the A2A protocol',
  ListTasks: 'a method of the A2A protocol',
  CancelTask: 'a method of the A2A protocol',
  SubscribeToTask: 'a method of the A2A protocol',
  perMinute: 'a setting of a bot',
  rewardModel: 'a slot of recipes',
  maskQuotes: 'a setting of recipes',
  toolRemoval: 'a setting of agents',
  toolPlan: 'a setting of agents',
  cachedTokens: 'a count in the log',
  noMove: 'a count in the log',
  thinkingTokens: 'a count in the log',
  placeChances: 'a field of the JSON of ludus arena',
  contextId: 'a field of the A2A protocol',
  isError: 'a field of MCP',
  structuredContent: 'a field of MCP',
  setTimeout: 'of JavaScript',
  fileCharacters: 'a setting of the sandbox',
  wallMilliseconds: 'a setting of the sandbox',
  maxTokens: 'a setting of sampling',
  topP: 'a setting of sampling',
  toPass: 'a matcher that expect.extend adds',
  toolMode: 'a setting of a language agent',
  toolCap: 'a setting of a language agent',
  toolWindow: 'a setting of a language agent',
  reviseEvery: 'a setting of a language agent',
  toolGraph: 'a setting of a language agent',
  parseJson: 'the one reader of outside data; a reader of docs/reference/security.md looks for it in the code',
};

describe('API names in documents', () => {
  it('are exported, or are listed as exceptions with a reason', () => {
    const knownNames = new Set(Object.keys(doors).flatMap((door) => namesOf(door).map(({ name }) => name)));
    const unknown = documents.flatMap((file) => {
      const prose = read(file).replace(/^```[\s\S]*?^```/gm, '');
      const names = [...prose.matchAll(/`(?:new )?([A-Za-z]\w*)(?:\([^`]*\)|<[^`]*>)?`/g)].map(([, name]) => name as string);
      return names
        .filter((name) => /[a-z][A-Z]/.test(name) && !knownNames.has(name) && !Object.hasOwn(allowed, name))
        .map((name) => `${file}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });
});
