/** @file Why a file cannot be read: the nearest name in its folder, and none where nothing is near. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { expect, it } from 'vitest';
import { folder } from '../../src/cli/terminal.cases.ts';

it.each([
  ['agnt.json', ' (did you mean "agent.json"?)'],
  ['agent.jsn', ' (did you mean "agent.json"?)'],
  ['suites/pokr.json', ' (did you mean "poker.json"?)'],
  ['siutes/poker.json', ' (did you mean "suites"?)'],
  // The ending alone makes no name near, and what is hidden is not suggested.
  ['zebra.json', ''],
  ['secrets.json', ''],
  // Another single letter is not a slip; another ending is.
  ['e.json', ''],
  ['b.json', ' (did you mean "b.csv"?)'],
])('a missing file gets a suggestion if a name is close: %s', (path, meant) => {
  const home = folder();
  mkdirSync(join(home, 'suites'));
  for (const name of ['agent.json', '.secret.json', 'suites/poker.json', 'b.csv']) writeFileSync(join(home, name), '');
  const read = () => readFileSync(join(home, path));
  expect(read).toThrow();
  try {
    read();
  } catch (thrown) {
    expect(reasonOf(thrown)).toBe(`no such file or folder${meant}`);
  }
});
