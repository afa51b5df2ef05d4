/** @file What is said of a document that is almost of the kind that was asked for. */

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSpec } from './agents.ts';
import { agentKind } from './kinds.ts';
import { adviceForBuild, loadEntry } from './load.ts';
import { Trust } from './trust.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ludus-load-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

describe('incomplete agent document', () => {
  it.each([
    [{ kind: 'llm', model: 'fake' }, ['name']],
    [{ name: 'helper', model: 'fake' }, ['kind']],
    [{ model: 'fake' }, []],
  ])('%j is rejected with its missing fields', async (document, places) => {
    writeFileSync(join(cwd, 'agent.json'), JSON.stringify(document));
    await expect(loadEntry(agentKind, './agent.json', cwd, Trust.commandLine)).rejects.toMatchObject({
      code: 'E_INVALID_DOCUMENT',
      details: { where: './agent.json', places },
    });
  });
});

describe('unknown name in a clone', () => {
  it('advises a build if the sources are newer than the build that is running', () => {
    const running = join(cwd, 'dist', 'node_modules', '@ludus-agents', 'agents', 'dist', 'workspace');
    const source = join(cwd, 'packages', 'environments', 'src', 'new-game.ts');
    mkdirSync(running, { recursive: true });
    mkdirSync(join(source, '..'), { recursive: true });
    writeFileSync(source, '');
    expect(adviceForBuild(running)).toBe('');
    writeFileSync(join(cwd, 'dist', '.built'), '');
    utimesSync(source, 1000, 1000);
    expect(adviceForBuild(running)).toBe('');
    utimesSync(join(cwd, 'dist', '.built'), 500, 500);
    expect(adviceForBuild(running)).toContain('npm run build');
    expect(adviceForBuild(join(cwd, 'packages', 'agents', 'src', 'workspace'))).toBe('');
  });
});

describe('model name in place of an agent', () => {
  it.each(['ollama/qwen3:8b', 'openai/gpt-5-mini'])('%s is rejected with a suggested agent name', async (word) => {
    const refused = readSpec(word, cwd, Trust.commandLine);
    await expect(refused).rejects.toMatchObject({ code: 'E_UNKNOWN_NAME', message: expect.stringContaining(`"llm:${word}"`) });
    await expect(readSpec(`./${word}.json`, cwd, Trust.commandLine)).rejects.toMatchObject({ code: 'E_UNREADABLE_FILE' });
  });
});

describe('unsupported document format', () => {
  it.each(['agent.yaml', './agent.yml', 'agent.toml'])('%s is rejected with the supported formats', async (name) => {
    writeFileSync(join(cwd, name), 'name: helper\nkind: llm\n');
    await expect(loadEntry(agentKind, name, cwd, Trust.commandLine)).rejects.toMatchObject({
      code: 'E_UNSUPPORTED',
      message: expect.stringContaining('JSON (.json)') as string,
      details: { path: name, supported: expect.arrayContaining(['.json', '.mjs', '.ts']) as string[] },
    });
  });
});
