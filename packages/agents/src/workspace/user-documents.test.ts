/** @file What one has made oneself is kept and found by name; keys are kept for their owner's eyes. */

import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gallery, parsePersona } from '../personas/index.ts';
import { keyStates, loadKeys, saveKey } from './keys.ts';
import { resolvePersona } from './personas.ts';
import { Trust } from './trust.ts';
import { deletePersona, freshKey, ownPersona, ownPersonas, ownScene, ownScenes, savePersona, saveScene } from './user-documents.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ludus-own-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const ann = parsePersona({ name: 'Ann Archer', statements: ['Ann Archer mends clocks.'] });

describe('saved personas and scenes', () => {
  it('are returned unchanged and can be resolved by name', async () => {
    savePersona(cwd, 'ann-archer', ann);
    expect(ownPersona(cwd, 'ann-archer')).toEqual(ann);
    const { persona } = await resolvePersona('ann-archer', { trust: Trust.commandLine, cwd, stdin: Readable.from([]) });
    expect(persona).toEqual(ann);
    await expect(resolvePersona('ann-acher', { trust: Trust.commandLine, cwd, stdin: Readable.from([]) })).rejects.toThrow(
      'Did you mean "ann-archer"?',
    );
    deletePersona(cwd, 'ann-archer');
    expect(ownPersona(cwd, 'ann-archer')).toBeNull();
  });

  it('do not use names from the gallery or names already taken', async () => {
    expect(freshKey(cwd, 'innkeeper')).toBe('innkeeper-2');
    savePersona(cwd, 'ann', ann);
    expect(freshKey(cwd, 'Ann')).toBe('ann-2');
    expect(freshKey(cwd, '../../etc/passwd')).toBe('etc-passwd');
    savePersona(cwd, 'innkeeper', ann);
    const { persona } = await resolvePersona('innkeeper', { trust: Trust.commandLine, cwd, stdin: Readable.from([]) });
    expect(persona).toEqual(gallery['innkeeper']!);
  });

  it('reject keys that are not plain names', () => {
    for (const key of ['', '.', '..', '../x', 'a/b', 'a\\b', 'a.b', '-a', 'a--b', 'a\u0000', 'x'.repeat(201)])
      expect(() => savePersona(cwd, key, ann)).toThrow('Use letters, digits, and hyphens.');
    expect(existsSync(join(cwd, '.ludus'))).toBe(false);
  });

  it('keeps scenes separately and leaves no temporary files', () => {
    saveScene(cwd, 'a-night', { topic: 'rain' });
    expect([ownScenes(cwd), ownScene(cwd, 'a-night'), ownScene(cwd, 'none')]).toEqual([['a-night'], { topic: 'rain' }, null]);
    savePersona(cwd, 'ann', ann, new Uint8Array([1]));
    expect(readdirSync(join(cwd, '.ludus', 'personas')).sort()).toEqual(['ann.json', 'ann.png']);
    expect(ownPersonas(cwd).map(({ key }) => key)).toEqual(['ann']);
  });
});

describe('saved API keys', () => {
  const file = () => join(cwd, '.ludus', 'keys.json');

  it('are private to the user, fill missing environment variables, and can be removed', () => {
    const env: Record<string, string | undefined> = {};
    saveKey({ cwd, env }, 'OPENAI_API_KEY', 'sk-1');
    expect([statSync(file()).mode & 0o777, env['OPENAI_API_KEY']]).toEqual([0o600, 'sk-1']);
    const later: Record<string, string | undefined> = { MISTRAL_API_KEY: 'mine' };
    saveKey({ cwd, env }, 'MISTRAL_API_KEY', 'kept');
    expect(loadKeys({ cwd, env: later })).toBeNull();
    expect(later).toEqual({ OPENAI_API_KEY: 'sk-1', MISTRAL_API_KEY: 'mine' });
    const from = Object.fromEntries(keyStates({ cwd, env: later }).map((keyState) => [keyState.name, keyState.from]));
    expect([from['OPENAI_API_KEY'], from['MISTRAL_API_KEY'], from['XAI_API_KEY']]).toEqual(['file', 'environment', null]);
    saveKey({ cwd, env: later }, 'OPENAI_API_KEY', null);
    saveKey({ cwd, env: later }, 'MISTRAL_API_KEY', null);
    expect(later).toEqual({ MISTRAL_API_KEY: 'mine' });
  });

  it.skipIf(process.platform === 'win32')('are not used while other users can read the file', () => {
    saveKey({ cwd, env: {} }, 'OPENAI_API_KEY', 'sk-1');
    chmodSync(file(), 0o644);
    const env: Record<string, string | undefined> = {};
    expect(loadKeys({ cwd, env })).toContain('others can read that file');
    expect(env).toEqual({});
    expect(() => saveKey({ cwd, env }, 'OPENAI_API_KEY', 'sk-2')).toThrow('chmod 600');
  });

  it('accept only supported names and never show their values', () => {
    saveKey({ cwd, env: {} }, 'OPENAI_API_KEY', 'sk-1');
    writeFileSync(file(), JSON.stringify({ OPENAI_API_KEY: 'sk-1', PATH: '/evil', XAI_API_KEY: 7 }));
    const env: Record<string, string | undefined> = {};
    loadKeys({ cwd, env });
    expect(env).toEqual({ OPENAI_API_KEY: 'sk-1' });
    expect(JSON.stringify(keyStates({ cwd, env }))).not.toContain('sk-1');
  });
});
