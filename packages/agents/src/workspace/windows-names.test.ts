/** @file Names with a drive of Windows mean files: "C:" is not a kind, a scheme or a provider. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSpec } from './agents.ts';
import { specToKeep } from './cast-run.ts';
import { wantsOf } from './consent.ts';
import { isFileName } from './load.ts';
import { isFileModel } from './models.ts';
import { Trust } from './trust.ts';

describe('Windows path as a name', () => {
  it.each(['C:\\bots\\mine.mjs', 'c:\\bots\\mine.mjs', 'C:/bots/mine.ts', 'd:\\endpoint.json'])('%s is a file', (name) => {
    expect([isFileName(name), isFileModel(name)]).toEqual([true, true]);
    expect(wantsOf({ name: 'mine', kind: name })).toEqual([{ kind: 'file', what: name }]);
    expect(wantsOf({ name: 'mine', kind: `llm:${name}` })).toEqual([{ kind: 'file', what: name }]);
  });

  it.each(['openai/gpt-5-mini', 'tinker:http://gpu:8000#NAME', 'ollama/qwen3:0.6b', 'hf:a/b/c.json'])('%s is a model', (name) => {
    expect(isFileModel(name)).toBe(false);
  });

  it.each(['c:bot.json', 'C:bot.json'])('%s is read as a document, for a cast and for a store', async (name) => {
    // On this system the whole name is the name of a file; on Windows it is on a drive.
    const cwd = mkdtempSync(join(tmpdir(), 'windows-'));
    if (process.platform === 'win32') return;
    writeFileSync(join(cwd, name), JSON.stringify({ name: 'calm', kind: 'random' }));
    expect(await readSpec(name, cwd, Trust.commandLine)).toMatchObject({ name: 'calm', kind: 'random' });
    expect(await specToKeep(name, cwd, Trust.commandLine)).toMatchObject({ name: 'calm', kind: 'random' });
  });
});
