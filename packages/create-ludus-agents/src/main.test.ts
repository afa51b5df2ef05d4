/** @file `npm create ludus-agents` writes a project and overwrites nothing. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { projectKinds } from './kinds.ts';
import { createProject } from './main.ts';

const folder = mkdtempSync(join(tmpdir(), 'ludus-create-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm create ludus-agents', () => {
  it('knows five kinds of users', () => {
    expect(Object.keys(projectKinds)).toEqual(['game', 'character', 'bot', 'survey', 'prompt']);
  });

  it.each(Object.keys(projectKinds))('writes a project of the kind %s whose README explains every script', (kind) => {
    const path = join(folder, kind);
    createProject({ folder: path, kind, version: '1.2.3', install: false });
    const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: kind, type: 'module', dependencies: { 'ludus-agents': '^1.2.3' } });
    const readme = readFileSync(join(path, 'README.md'), 'utf8');
    for (const script of Object.keys(manifest.scripts)) expect(readme).toMatch(new RegExp(`npm (run )?${script}\``));
    expect(readme).toContain('npx ludus new');
    expect(readme).not.toContain('undefined');
  });

  it('refuses a folder with files in it, and a kind that it does not know', () => {
    const request = { version: '1.2.3', install: false };
    expect(() => createProject({ ...request, folder: join(folder, 'bot'), kind: 'bot' })).toThrow('is not empty');
    expect(() => createProject({ ...request, folder: join(folder, 'new'), kind: 'castle' })).toThrow('Expected game, character');
  });
});
