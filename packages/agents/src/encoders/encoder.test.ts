/** @file Encoders: what their similarities mean is measured, the machine's encoder is found or switched off, and recall goes by it. */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { emptyMemory, type Memory, remember } from '../mind/memory.ts';
import { neutral } from '../mind/rank.ts';
import { recall } from '../mind/recall.ts';
import { runtimeFolder, runtimes } from '../runtimes/runtimes.ts';
import { calibrateEncoder } from './encoder.ts';
import { findEncoder, installedEncoder, rememberVectors } from './installed.ts';
import { calibrationPairs } from './pairs.ts';
import { repeatedText, withoutRepeats } from './repeats.ts';

const home = mkdtempSync(join(tmpdir(), 'ludus-encoder-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Vectors by the first word: texts are related where it is the same. */
const byFirstWord = (places: readonly string[]) => ({
  embed: async (texts: readonly string[]) =>
    texts.map((text) => {
      const vector = new Float32Array(places.length + 1);
      vector[places.length] = 0.6;
      vector[Math.max(0, places.indexOf(text.split(' ', 1)[0]!))] = 0.8;
      return vector;
    }),
});

it('encodes texts once, also for episodes that ask at the same time or after a failure', async () => {
  const requests: (readonly string[])[] = [];
  const embed = rememberVectors(async (texts) => {
    requests.push(texts);
    if (texts.includes('broken')) throw new Error('cannot be read');
    return texts.map((text) => Float32Array.of(text.length));
  });
  const [first, second] = await Promise.all([embed(['a', 'bb']), embed(['bb', 'a', 'ccc'])]);
  expect([first, second].map((vectors) => vectors.map(([length]) => length))).toEqual([
    [1, 2],
    [2, 1, 3],
  ]);
  await expect(embed(['broken'])).rejects.toThrow('cannot be read');
  expect(await embed(['a'])).toHaveLength(1);
  expect(requests).toEqual([['a', 'bb'], ['ccc'], ['broken']]);
});

describe('calibrateEncoder', () => {
  it('measures the similarity of related and of unrelated texts', async () => {
    const pairs = ['cat', 'dog', 'owl'].map((word) => [`${word} one`, `${word} two`] as const);
    const { ends, separation } = await calibrateEncoder(byFirstWord(['cat', 'dog', 'owl']), pairs);
    expect(ends.map((end) => end.toFixed(2))).toEqual(['0.36', '1.00']);
    expect(separation).toBe(1);
  });

  it('gives an uninformative encoder a separation of 0.5', async () => {
    const constant = { embed: async (texts: readonly string[]) => texts.map(() => Float32Array.of(1)) };
    expect((await calibrateEncoder(constant, calibrationPairs)).separation).toBe(0.5);
  });
});

describe('findEncoder', () => {
  it('returns null, the installed encoder, or the folder in LUDUS_ENCODER', async () => {
    const env = { LUDUS_CACHE: home };
    expect(findEncoder(env)).toBeNull();
    expect(await installedEncoder(env)).toBeNull();
    const model = join(runtimeFolder(env), 'node_modules', runtimes['minilm']!.package, 'model');
    mkdirSync(model, { recursive: true });
    writeFileSync(join(model, 'tokenizer.json'), '{}');
    expect(findEncoder(env)).toEqual({ name: 'all-MiniLM-L6-v2 (8-bit)', folder: model });
    expect(findEncoder({ ...env, LUDUS_ENCODER: 'off' })).toBeNull();
    expect(findEncoder({ ...env, LUDUS_ENCODER: model })?.folder).toBe(model);
    expect(() => findEncoder({ LUDUS_ENCODER: home })).toThrow(expect.objectContaining({ code: 'E_ENCODER_FOLDER' }));
  });

  const folder = join(import.meta.dirname, '../../../../../shared/data/models/all-MiniLM-L6-v2-q8');
  it.skipIf(!existsSync(folder))('separates paraphrases within the calibrated range', async () => {
    const encoder = (await installedEncoder({ LUDUS_ENCODER: folder }))!;
    const { ends, separation } = await calibrateEncoder(encoder, calibrationPairs.slice(0, 16));
    expect(separation).toBeGreaterThan(0.95);
    expect(ends[0]).toBeLessThan(encoder.likeness[0] + 0.1);
  });
});

it('recall finds memories by meaning without shared words', async () => {
  let memory: Memory = emptyMemory;
  for (const text of ['cat sleeps by the stove', 'dog guards the gate', 'owl hunts at night'])
    memory = remember(memory, { kind: 'fact', text, owner: 'me' }, 0);
  const query = {
    query: 'Where is the hound?',
    seat: 'me',
    names: [],
    events: [],
    memory,
    recalled: {},
    now: 1,
    emotion: neutral,
    rank: { by: 'generative' as const },
    most: 1,
    tokens: 100,
    count: (text: string) => text.length / 4,
  };
  const hidden = { embed: async (texts: readonly string[]) => texts.map((text) => (/hound|dog/.test(text) ? [1, 0] : [0, 1])) };
  expect(await recall({ ...query, embed: hidden.embed })).toMatchObject([{ text: 'dog guards the gate' }]);
});

describe('repeated texts', () => {
  const encoder = byFirstWord(['owl', 'cat', 'dog']);
  const calibrated = { name: 'first words', ...encoder, calibration: async () => [0.36, 0.6] as const };

  it('are the same words without an encoder, and the same meaning with one', async () => {
    const earlier = ['dog guards the gate', 'Who lives here?'];
    expect(await repeatedText('who lives HERE', earlier, undefined)).toBe(1);
    expect(await repeatedText('Good morning, please: who lives here? Thank you very much!', earlier, undefined)).toBe(1);
    expect(await repeatedText('Hello', ['Thanks'], undefined)).toBe(-1);
    expect(await repeatedText('dog watches a door', earlier, undefined)).toBe(-1);
    expect(await repeatedText('dog watches a door', earlier, calibrated)).toBe(0);
    expect(await repeatedText('cat sleeps', earlier, calibrated)).toBe(-1);
  });

  it('never have different numbers or names', async () => {
    expect(await repeatedText('dog 7 barks', ['dog 8 barks', 'dog of Ann barks'], calibrated)).toBe(-1);
    expect(await withoutRepeats(['dog a', 'cat b', 'dog c', 'dog 8'], (text) => text, calibrated)).toEqual(['dog a', 'cat b', 'dog 8']);
  });
});
