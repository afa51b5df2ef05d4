/** @file Every example and every code block of the README runs as it stands. */

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ludus } from '../packages/ludus-agents/src/cli/terminal.cases.ts';

const root = join(import.meta.dirname, '..');
const node = promisify(execFile);
const environmentVariables = { ...process.env, NODE_ENV: '', NO_COLOR: '1' };

async function runs(file: string, args: readonly string[] = [], cwd = root): Promise<string> {
  const { stdout } = await node(process.execPath, [file, ...args], { cwd, env: environmentVariables });
  return stdout;
}

/** Code blocks of a Markdown file, by language. */
function blocks(file: string, language: string): string[] {
  return [...readFileSync(join(root, file), 'utf8').matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    (match) => match[1]!,
  );
}

/** Runs a program in this process, where the library is loaded already, and returns what it prints. */
async function runsHere(file: string): Promise<string> {
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...parts) => void printed.push(format(...parts)));
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  try {
    await import(pathToFileURL(file).href);
    expect(process.exitCode ?? 0).toBe(0);
  } finally {
    log.mockRestore();
    write.mockRestore();
    process.exitCode = undefined;
  }
  return printed.join('\n');
}

describe('examples', () => {
  for (const file of readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts')))
    it(`print output when run: ${file}`, async () => expect((await runsHere(join(root, 'examples', file))).length).toBeGreaterThan(20));

  it('exit when run as programs, including one with a server', async () =>
    expect((await runs(join(root, 'examples', 'serve.ts'))).length).toBeGreaterThan(20));
});

describe('the C# client', () => {
  it('reads exactly the fields, line kinds, and gestures that the example server sends', () => {
    const server = readFileSync(join(root, 'examples', 'game-npc.ts'), 'utf8');
    const client = readFileSync(join(root, 'examples', 'unity', 'NpcClient.cs'), 'utf8');
    const matchesIn = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map((match) => match[1]!))].sort();
    const gestures = (/gesture: \{ enum: \[(.*?)\]/.exec(server)?.[1] ?? '').replaceAll("'", '').split(', ');
    expect(['none', ...matchesIn(client, /"([\w-]+)" => Gesture/g)].sort()).toEqual(gestures.sort());
    expect(matchesIn(client, /case "(\w+)"/g)).toEqual(matchesIn(server, /send\(\{ type: '(\w+)'/g).filter((type) => type !== 'error'));
    const message = new Set([...server.matchAll(/send\(\{(.*)\}\)/g)].flatMap(([, fields]) => matchesIn(fields!, /(\w+):/g)));
    for (const field of matchesIn(client, /GetProperty\("(\w+)"/g)) expect([...message, 'say', 'gesture']).toContain(field);
  });
});

describe('README', () => {
  const programs = blocks('README.md', 'ts');
  it('contains programs', () => expect(programs.length).toBeGreaterThan(0));

  for (const [i, program] of programs.entries()) {
    it(`program ${i + 1} runs`, async () => {
      // Inside the package, so that it is imported by its name, as a reader would.
      const folder = join(root, '.ludus', `readme-${process.pid}-${i}`);
      mkdirSync(folder, { recursive: true });
      try {
        writeFileSync(join(folder, 'program.ts'), program);
        expect((await runs(join(folder, 'program.ts'))).length).toBeGreaterThan(0);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }

  const shorter = [
    ['train kuhn-tabular', ' --games 2000'],
    ['improve instruction-demo', ' --budget 40'],
  ] as const;

  // Commands that wait for a person, serve until stopped, or need a server, the hub or a name of the reader's own cannot be run to their end
  // here.
  const lines = blocks('README.md', 'sh')
    .flatMap((block) => block.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim());
  const commands = lines
    .filter(
      (line) =>
        line.startsWith('npx ludus ') &&
        !/--me|postgres:|\b(?:RUN|EPISODE|MODEL|AGENT)\b|ludus (studio|serve|worker|chat|test|models pull)/.test(line),
    )
    // What takes a reader a minute takes a second here.
    .map((line) => `${line}${shorter.find(([command]) => line.includes(command))?.[1] ?? ''}`);

  it('contains commands', () => expect(commands.length).toBeGreaterThan(0));
  it('shows how to start and test a clone', () => expect(lines).toEqual(expect.arrayContaining(['npm start', 'npm test'])));

  describe('commands in sequence in an empty folder', () => {
    let folder: string;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'ludus-readme-'));
      // What the reader has: the card of a character.
      await ludus(folder, ['persona', 'export', 'villain', '--to', 'png', '-o', 'card.png']);
      for (const line of lines) {
        const [, written, file] = /^echo '(.*)' > (\S+)$/.exec(line) ?? [];
        if (file !== undefined) writeFileSync(join(folder, file), written!);
      }
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    // In this process: a process for each would take longer than what it does. That the command starts is shown by the tests of its file.
    for (const command of commands)
      it(command, async () => {
        const args = command.slice('npx ludus '.length).match(/'[^']*'|\S+/g) ?? [];
        const { code, err } = await ludus(
          folder,
          args.map((word) => word.replace(/^'|'$/g, '')),
        );
        expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
      });
  });
});
