/**
 * @file Every tutorial runs exactly as printed: from an empty folder, each file is saved, each command is typed into a shell, and the printed
 * output is compared. `UPDATE_TUTORIALS=1 npx vitest run test/tutorials.test.ts` writes the real output into the pages.
 *
 * In a page, a block "```js [NAME]" is the file NAME, a block "```sh" holds commands, and a block without a language is the output of the
 * commands before it. A line "…" in an output stands for lines that are left out, and durations may differ.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
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
function emptyProject(): { readonly folder: string; readonly env: NodeJS.ProcessEnv } {
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

/** Runs a page and returns each output block with what was really printed. Throws if a command fails and the page doesn't say so. */
function runPage(page: string): readonly { readonly block: Block; readonly output: string }[] {
  const { folder, env } = emptyProject();
  const blocks = blocksOf(page);
  const outputs: { block: Block; output: string }[] = [];
  let output = '';
  for (const [i, block] of blocks.entries()) {
    if (block.file !== undefined) {
      mkdirSync(dirname(join(folder, block.file)), { recursive: true });
      writeFileSync(join(folder, block.file), block.text);
    } else if (block.language === 'sh') {
      const { status, stdout, stderr } = spawnSync('bash', ['-c', block.text], { cwd: folder, env, encoding: 'utf8' });
      const next = blocks.slice(i + 1).find(({ language }) => language === 'sh')?.start ?? page.length;
      const expected = /exit code is 1\b/.test(page.slice(block.start, next)) ? 1 : 0;
      if (status !== expected) throw new Error(`Exit code ${status} instead of ${expected}: ${block.text}${stderr}`);
      output = stdout.replace(/[ \t]+$/gm, '');
    } else if (block.language === '') outputs.push({ block, output });
  }
  return outputs;
}

describe('tutorials', () => {
  it('are five', () => expect(pages).toHaveLength(5));

  it.each(pages)('%s runs as printed', (name) => {
    const file = join(tutorials, name);
    const page = readFileSync(file, 'utf8');
    const outputs = runPage(page);
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
