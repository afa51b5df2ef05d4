/** @file The configuration: its valid settings, and errors with a suggestion. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseModelName, setEndpoints } from '../models/kinds.ts';
import { defineConfig, readConfig, readConfigIn, useConfig } from './config.ts';

const cwd = mkdtempSync(join(tmpdir(), 'ludus-config-'));
afterAll(() => {
  setEndpoints({});
  rmSync(cwd, { recursive: true, force: true });
});

describe('configuration', () => {
  const full = defineConfig({
    model: 'mine',
    store: 'kept.sqlite',
    endpoints: {
      mine: {
        url: 'http://localhost:1/v1',
        model: 'tiny',
        key: 'MINE_KEY',
        sampling: { temperature: 0.2, maxTokens: 64 },
        price: { prompt: 1, completion: 2 },
      },
    },
    budget: { money: 2, episodes: 100 },
    kinds: { scorers: { polite: './polite.ts' } },
  });

  it('is read unchanged if valid', () => {
    expect(readConfig(full, 'x')).toEqual(full);
    expect(readConfig({}, 'x')).toEqual({});
  });

  it.each([
    [{ modle: 'x' }, 'unknown field "modle" (did you mean "model"?)'],
    [{ kinds: { scorer: {} } }, 'unknown field "kinds.scorer" (did you mean "scorers"?)'],
    [
      { endpoints: { mine: { url: 'http://a/v1', sampling: { temprature: 1 } } } },
      'unknown field "endpoints.mine.sampling.temprature" (did you mean "temperature"?)',
    ],
    [{ endpoints: { mine: { url: 'http://a/v1', sampling: { temperature: 3 } } } }, 'must be a number from 0 to 2, but got 3'],
    [{ endpoints: { mine: { url: 'http://a/v1', price: { prompt: 1 } } } }, 'endpoints.mine.price.completion'],
    [{ endpoints: { mine: { url: 'localhost' } } }, 'endpoints.mine.url must be an address'],
    [{ endpoints: { openai: { url: 'http://a/v1' } } }, 'ludus.config.json: "openai" is already a kind of model.'],
    [{ endpoints: { 'My Model': { url: 'http://a/v1' } } }, 'lowercase letters, digits, and hyphens'],
    [{ budget: { money: -1 } }, 'budget.money must be a number of dollars above 0'],
    [{ budget: { episodes: 1.5 } }, 'budget.episodes must be a positive integer'],
    [{ store: '' }, 'store must be a string'],
    [[], 'must be an object'],
  ])('rejects %j', (config, sentence) => {
    expect(() => readConfig(config, 'ludus.config.json')).toThrow(sentence);
  });

  it('never shows a key that was entered instead of a variable name', () => {
    const config = { endpoints: { mine: { url: 'http://a/v1', key: 'sk-very-secret' } } };
    expect(() => readConfig(config, 'x')).toThrow('the name of a variable');
    expect(() => readConfig(config, 'x')).not.toThrow('sk-very-secret');
  });

  it('is read from one file in the working folder only', async () => {
    expect(await readConfigIn(cwd)).toEqual({});
    writeFileSync(join(cwd, 'ludus.config.json'), JSON.stringify(full));
    expect(await readConfigIn(cwd)).toEqual(full);
    expect(await readConfigIn(join(cwd, '..'))).toEqual({});
    writeFileSync(join(cwd, 'ludus.config.mjs'), 'export default {};');
    await expect(readConfigIn(cwd)).rejects.toThrow('. Keep only one of them.');
    rmSync(join(cwd, 'ludus.config.json'));
    expect(await readConfigIn(cwd)).toEqual({});
    rmSync(join(cwd, 'ludus.config.mjs'));
  });

  it('defines endpoints as models with their settings and requires their keys', async () => {
    writeFileSync(join(cwd, 'ludus.config.json'), JSON.stringify(full));
    await useConfig(cwd);
    expect(parseModelName('mine')).toMatchObject({ place: 'mine', rest: '', kind: { sampling: { temperature: 0.2, maxTokens: 64 } } });
    await expect(parseModelName('mine').kind.make('', { env: {} })).rejects.toThrow(
      'needs a key in the environment variable MINE_KEY, which is not set',
    );
    expect((await parseModelName('mine').kind.make('', { env: { MINE_KEY: 'x' } })).id).toBe('mine/tiny');
    expect((await parseModelName('mine/other').kind.make('other', { env: { MINE_KEY: 'x' } })).id).toBe('mine/other');
    expect(() => parseModelName('main')).toThrow('Unknown model "main"');
  });
});
