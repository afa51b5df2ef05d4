/** @file `npm create ludus-agents`: asks what the user wants to do, writes a project, and lets "ludus new" of the installed package fill it. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { type ProjectKind, projectKinds } from './kinds.ts';

const usage = `Usage: npm create ludus-agents [folder] -- [options]

Options:
  --kind <kind>   ${Object.keys(projectKinds).join(', ')}; without it, you are asked
  --yes           ask nothing: ./my-ludus and the kind "game" unless given
  --no-install    write package.json and the README only
  -h, --help      show this help
`;

/** Where a project goes and what it is. */
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
    const isAsking = values.yes !== true && process.stdin.isTTY === true && process.stdout.isTTY === true;
    const kind = values.kind ?? (isAsking ? await askKind() : 'game');
    const folder = positionals[0] ?? (isAsking ? await ask('Folder [my-ludus]: ', 'my-ludus') : 'my-ludus');
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string };
    createProject({ folder: resolve(folder), kind, version, install: values['no-install'] !== true });
    process.stdout.write(`\nNow:\n  cd ${folder}\n${values['no-install'] === true ? '  npm install\n' : ''}  npm start\n`);
    return 0;
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    return 2;
  }
}

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
  try {
    return (await terminal.question(question)).trim() || otherwise;
  } finally {
    terminal.close();
  }
}

/** Writes the project. Nothing that exists is overwritten. */
export function createProject({ folder, kind, version, install }: ProjectRequest): void {
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
  const files: Readonly<Record<string, string>> = {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    '.gitignore': 'node_modules/\n.ludus/\n',
    'README.md': readme(manifest.name, project, install),
    ...project.files,
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text, { flag: 'wx' });
  if (!install) return;
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], folder);
  for (const thing of project.things) run('npx', ['--no-install', 'ludus', 'new', ...thing], folder);
}

function readme(name: string, { goal, scripts, steps, things }: ProjectKind, install: boolean): string {
  const rows = Object.keys(scripts).map(
    (script) => `| \`${script === 'start' || script === 'test' ? `npm ${script}` : `npm run ${script}`}\` | ${steps[script]} |`,
  );
  const first = things.map((thing) => `npx ludus new ${thing.join(' ')}`);
  const setup = install ? '' : `\nFirst, once:\n\n\`\`\`sh\n${['npm install', ...first].join('\n')}\n\`\`\`\n`;
  return `# ${name}\n\n${goal}, with [Ludus](https://github.com/ludus-agents/ludus).\n${setup}\n| run | to |\n|---|---|\n${rows.join('\n')}\n\nEpisodes and results are stored in \`.ludus\`. \`npx ludus studio\` shows them in the browser.\n`;
}

function run(command: string, words: readonly string[], cwd: string): void {
  // npm and npx are scripts on Windows, which only a shell starts; the words are constants.
  const { status, error } = spawnSync(command, words, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) throw new Error(`"${command} ${words.join(' ')}" failed in ${cwd}${error === undefined ? '' : `: ${error.message}`}.`);
}
