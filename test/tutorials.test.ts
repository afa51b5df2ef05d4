/**
 * @file Every tutorial runs exactly as printed: from an empty folder, each file is saved, each command is typed into a shell, and the printed
 * output is compared. `UPDATE_TUTORIALS=1 npx vitest run test/tutorials.test.ts` writes the real output into the pages.
 *
 * `npm test` runs the commands of Ludus in this process, where it is loaded already, and all others in a shell; `npm run test:long` types
 * everything into a shell.
 *
 * In a page, a block "```js [NAME]" is the file NAME, a block "```sh" holds commands, and a block without a language is the output of the
 * commands before it. A line "…" in an output stands for lines that are left out, and durations may differ.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ludus } from '../packages/ludus-agents/src/cli/terminal.cases.ts';
import { amount } from './fixtures/amount.ts';
import { builtFile } from './fixtures/built.ts';

const root = join(import.meta.dirname, '..');
const tutorials = join(root, 'docs', 'tutorials');
const pages = readdirSync(tutorials).filter((name) => name.endsWith('.md') && name !== 'index.md');

interface Block {
  /** The word after the fence, such as "sh"; empty for output. */
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
  /** Where the text starts in the page. */
  readonly start: number;
}

function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(/^```(\w*)(?: \[([\w./-]+)\])?\n([\s\S]*?)^```$/gm)].map(
    ({ 0: whole, 1: language, 2: file, 3: text, index }) => ({
      language: language as string,
      file,
      text: text as string,
      start: index + whole.indexOf('\n') + 1,
    }),
  );
}

/** A folder in which `npx ludus` is this checkout and nothing else is installed. */
function emptyProject(): { readonly folder: string; readonly env: Readonly<Record<string, string>> } {
  const base = mkdtempSync(join(tmpdir(), 'ludus-tutorial-'));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  const [folder, bin] = [join(base, 'project'), join(base, 'bin')];
  mkdirSync(folder);
  mkdirSync(bin);
  const program = builtFile('ludus-agents/index').endsWith('.js') ? 'packages/ludus-agents/bin/ludus.js' : 'test/fixtures/ludus.ts';
  const scripts = {
    // "npm install" links the package; "npx ludus" starts it.
    npm: `mkdir -p node_modules && ln -sfn "${join(root, 'packages', 'ludus-agents')}" node_modules/ludus-agents`,
    npx: `shift; exec "${process.execPath}" --disable-warning=ExperimentalWarning "${join(root, program)}" "$@"`,
    node: `exec "${process.execPath}" "$@"`,
  };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const env = {
    PATH: [bin, process.env['PATH']].join(delimiter),
    HOME: base,
    LUDUS_CACHE: join(base, 'cache'),
    NO_COLOR: '1',
    LANG: 'C.UTF-8',
  };
  return { folder, env };
}

/** Durations and ids of episodes. */
const varying = /\d+(?:\.\d+)? (?:s|ms|seconds)\b|\b[0-9a-f]{8}\b|\(\d+(?:\.\d+)?ms\)/g;

/** The pattern that an output must match: "…" on a line of its own stands for any lines. */
function patternOf(printed: string): RegExp {
  const quote = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const source = printed
    .split(/^…\n/m)
    .map((part) => part.split(varying).map(quote).join(`(?:${varying.source})`))
    .join('[\\s\\S]*?');
  return new RegExp(`^${source}$`);
}

/** The output as the page should print it: as many lines before and after "…" as the page has now. */
function shortened(output: string, printed: string): string {
  const lines = printed.split('\n').slice(0, -1);
  const first = lines.indexOf('…');
  if (first === -1) return output;
  const after = lines.length - 1 - lines.lastIndexOf('…');
  const real = output.split('\n').slice(0, -1);
  return [...real.slice(0, first), '…', ...real.slice(real.length - after)].map((text) => `${text}\n`).join('');
}

/** Words of a line as a shell would split them; null where it does more with them than that. */
function wordsOf(line: string): readonly string[] | null {
  if (/[;&<>$`\\*?(){}"]/.test(line.replace(/'[^']*'/g, ''))) return null;
  return [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));
}

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** One line of a page: a command of Ludus into which nothing is piped runs in this process unless everything is to be a shell's. */
async function runLine(line: string, { folder, env }: ReturnType<typeof emptyProject>): Promise<Outcome> {
  const words = amount(0, 1) === 0 && line.startsWith('npx ludus ') ? wordsOf(line) : null;
  if (words !== null) {
    const before = process.cwd();
    // Programs of a page read files of its folder.
    process.chdir(folder);
    try {
      return await ludus(folder, words.slice(2), { env });
    } finally {
      process.chdir(before);
    }
  }
  const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { cwd: folder, env, encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

/** Runs a page and returns each output block with what was really printed. Throws if a command fails and the page doesn't say so. */
async function runPage(page: string): Promise<readonly { readonly block: Block; readonly output: string }[]> {
  const project = emptyProject();
  const { folder } = project;
  const blocks = blocksOf(page);
  const outputs: { block: Block; output: string }[] = [];
  let output = '';
  for (const [i, block] of blocks.entries()) {
    if (block.file !== undefined) {
      mkdirSync(dirname(join(folder, block.file)), { recursive: true });
      writeFileSync(join(folder, block.file), block.text);
    } else if (block.language === 'sh') {
      const outcomes: Outcome[] = [];
      for (const line of block.text.trimEnd().split('\n')) outcomes.push(await runLine(line, project));
      const { code, err } = outcomes.at(-1)!;
      const next = blocks.slice(i + 1).find(({ language }) => language === 'sh')?.start ?? page.length;
      const expected = /exit code is 1\b/.test(page.slice(block.start, next)) ? 1 : 0;
      if (code !== expected)
        throw new Error(`Exit code ${code} instead of ${expected}: ${block.text}${outcomes.map(({ out }) => out).join('')}${err}`);
      output = outcomes
        .map(({ out }) => out)
        .join('')
        .replace(/[ \t]+$/gm, '');
    } else if (block.language === '') outputs.push({ block, output });
  }
  return outputs;
}

describe('tutorials', () => {
  it('are five', () => expect(pages).toHaveLength(5));

  it.each(pages)('%s runs as printed', async (name) => {
    const file = join(tutorials, name);
    const page = readFileSync(file, 'utf8');
    const outputs = await runPage(page);
    expect(outputs.length).toBeGreaterThan(2);
    if (process.env['UPDATE_TUTORIALS'] === '1') {
      let updated = page;
      for (const { block, output } of outputs.toReversed())
        updated = updated.slice(0, block.start) + shortened(output, block.text) + updated.slice(block.start + block.text.length);
      writeFileSync(file, updated);
    } else for (const { block, output } of outputs) if (!patternOf(block.text).test(output)) expect(output).toBe(block.text);
  });

  it('would fail on an output that is no longer true', () => {
    expect(patternOf('a\n…\nIt took 1.2 s.\n').test('a\nb\nc\nIt took 14 s.\n')).toBe(true);
    expect(patternOf('a\n…\nIt took 1.2 s.\n').test('a\nb\nIt took 14 s, twice.\n')).toBe(false);
    expect(patternOf('a\n').test('a\nb\n')).toBe(false);
  });
});
