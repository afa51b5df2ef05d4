/** @file `npm create ludus-agents`: asks what the user wants to do, writes a project, and lets "ludus new" of the installed package fill it. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { type ProjectKind, projectKinds } from './kinds.ts';

const usage = `Usage: npm create ludus-agents [folder] -- [options]

Options:
  --kind <kind>   what you want to do; without it, you are asked
  --yes           ask nothing: ./my-ludus and the kind "game" unless given
  --no-install    write package.json and the README only
  -h, --help      show this help

Kinds:
${kindList()}
`;

/** One row for each kind. */
function kindList(): string {
  return Object.entries(projectKinds)
    .map(([kind, { goal }]) => `  ${kind.padEnd(14)}  ${goal}`)
    .join('\n');
}

/** The folder and kind of a project. */
export interface ProjectRequest {
  readonly folder: string;
  readonly kind: string;
  /** The version of ludus-agents that it depends on. */
  readonly version: string;
  readonly install: boolean;
}

/** Runs the program and gives its exit code. */
export async function main(words: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        kind: { type: 'string' },
        yes: { type: 'boolean', short: 'y' },
        'no-install': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) {
      process.stdout.write(usage);
      return 0;
    }
    const [folderArgument] = positionals;
    if (positionals.length > 1) throw new Error(`Expected one folder, got ${positionals.join(' ')}. Name the kind with --kind.`);
    const isAsking = values.yes !== true && process.stdin.isTTY === true && process.stdout.isTTY === true;
    const isComplete = values.kind !== undefined && folderArgument !== undefined;
    if (!isAsking && !isComplete && values.yes !== true) throw new Error(needsAnswers);
    const kind = values.kind ?? (isAsking ? await askKind() : 'game');
    const folder = folderArgument ?? (isAsking ? await ask('Folder [my-ludus]: ', 'my-ludus') : 'my-ludus');
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string };
    const rest = createProject({ folder: resolve(folder), kind, version, install: values['no-install'] !== true });
    process.stdout.write(`\nNow:\n${[`cd ${folder}`, ...rest, 'npm start'].map((step) => `  ${step}\n`).join('')}`);
    return 0;
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    return 2;
  }
}

/** No user can answer here, and an unwanted project is worse than none. */
const needsAnswers = `No terminal to ask you at, so nothing was created. Name the folder and the kind:

  npm create ludus-agents my-ludus -- --kind game

Kinds:
${kindList()}

Or pass --yes for the defaults: ./my-ludus and the kind "game".`;

async function askKind(): Promise<string> {
  const names = Object.keys(projectKinds);
  process.stdout.write(`What do you want to do?\n${names.map((name, i) => `  ${i + 1}  ${projectKinds[name]!.goal}\n`).join('')}`);
  for (;;) {
    const answer = await ask(`1 to ${names.length} [1]: `, '1');
    const kind = names[Number(answer) - 1] ?? answer;
    if (names.includes(kind)) return kind;
    process.stdout.write(`Enter a number from 1 to ${names.length}.\n`);
  }
}

async function ask(question: string, otherwise: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<never>((_, reject) => {
    terminal.once('close', () => reject(new Error('\nStopped before it was answered. Nothing was created.')));
  });
  try {
    return (await Promise.race([terminal.question(question), closed])).trim() || otherwise;
  } finally {
    terminal.close();
  }
}

/** Writes the project, and returns the commands that still have to be run in it. Nothing that exists is overwritten. */
export function createProject({ folder, kind, version, install }: ProjectRequest): readonly string[] {
  const project = Object.hasOwn(projectKinds, kind) ? projectKinds[kind] : undefined;
  if (project === undefined) throw new Error(`Unknown kind "${kind}". Expected ${Object.keys(projectKinds).join(', ')}.`);
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty. Choose another folder.`);
  mkdirSync(folder, { recursive: true });
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-');
  const manifest = {
    name: name.replace(/^-+/, '') || 'my-ludus',
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: project.scripts,
    dependencies: { 'ludus-agents': `^${version}` },
  };
  const setup = setupCommands(project);
  const files: Readonly<Record<string, string>> = {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    '.gitignore': 'node_modules/\n.ludus/\n',
    'README.md': readme(manifest.name, project, setup),
    ...project.files,
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text, { flag: 'wx' });
  if (!install) return setup;
  for (const [i, command] of setup.entries()) run(command, folder, setup.slice(i));
  writeFileSync(join(folder, 'README.md'), readme(manifest.name, project, []));
  return [];
}

/** The commands that fill a new folder, in order. */
function setupCommands({ things }: ProjectKind): readonly string[] {
  return ['npm install', ...things.map((words) => `npx ludus new ${words.join(' ')}`)];
}

/** With the commands that are still to be run. */
function readme(name: string, { goal, scripts, steps }: ProjectKind, commands: readonly string[]): string {
  const rows = Object.keys(scripts).map(
    (script) => `| \`${script === 'start' || script === 'test' ? `npm ${script}` : `npm run ${script}`}\` | ${steps[script]} |`,
  );
  const setup = commands.length === 0 ? '' : `\nFirst, once:\n\n\`\`\`sh\n${commands.join('\n')}\n\`\`\`\n`;
  return `# ${name}\n\n${goal}, with [Ludus](https://github.com/ludus-agents/ludus).\n${setup}\n| run | to |\n|---|---|\n${rows.join('\n')}\n\nEpisodes and results are stored in \`.ludus\`. \`npx ludus studio\` shows them in the browser.\n`;
}

/** Runs one of the commands. When it fails, the error says how to go on with those that are left. */
function run(command: string, folder: string, left: readonly string[]): void {
  const [program, ...words] = command.split(' ') as [string, ...string[]];
  // Without its option, npx would offer to install a package of that name from anybody.
  const all = program === 'npx' ? ['--no-install', ...words] : [...words, '--no-audit', '--no-fund', '--loglevel=error'];
  // npm and npx are scripts on Windows, which only a shell starts; the words are constants.
  const { status, error } = spawnSync(program, all, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status === 0) return;
  const steps = [`cd ${folder}`, ...left].map((step) => `  ${step}`).join('\n');
  throw new Error(
    `\n"${command}" failed${error === undefined ? '' : `: ${error.message}`}. The project in ${folder} is not complete yet.\nFix the problem above, then continue with:\n${steps}\nOr delete the folder and start over.`,
  );
}
