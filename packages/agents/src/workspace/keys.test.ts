/** @file Keys that can be entered: one for every kind of model that wants one. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aiProviders } from '../models/ai-sdk.ts';
import { dialectPlaces } from '../models/dialects/index.ts';
import { keyStates, saveKey } from './keys.ts';

it('keyStates lists a key for every kind of model that needs one, without its value', () => {
  const place = { cwd: mkdtempSync(join(tmpdir(), 'ludus-keys-')), env: {} };
  const wanted = [...Object.values(dialectPlaces).map(({ keys }) => keys[0]!), ...Object.values(aiProviders).map(({ keyFrom }) => keyFrom)];
  expect(wanted).toContain('ANTHROPIC_API_KEY');
  for (const name of wanted) saveKey(place, name, 'secret');
  const states = keyStates(place);
  for (const name of wanted)
    expect(states).toContainEqual({ name, about: expect.stringContaining('models named') as string, from: 'file' });
  expect(JSON.stringify(states)).not.toContain('secret');
});
