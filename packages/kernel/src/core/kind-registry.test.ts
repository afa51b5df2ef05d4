/** @file Tests of the kinds and entries that the parts of Ludus add. */

import { describe, expect, it } from 'vitest';
import type { Kind } from './kind.ts';
import { addEntries, addKinds, addReader, allKinds, kindOf, readAdded, withAddedEntries } from './kind-registry.ts';

const kind = (name: string): Kind => ({
  name: `${name}s`,
  one: name,
  about: '',
  entries: async () => ({}),
  expects: '',
  read: () => undefined,
});
const entry = (about: string) => ({ about, load: () => about });

describe('a registry of kinds', () => {
  it('inserts entries at the requested place, and others at the end', () => {
    addEntries('test-places', { third: entry('3') }, { after: 'second' });
    addEntries('test-places', { fifth: entry('5') });
    addEntries('test-places', { sixth: entry('6') }, { after: 'one that is missing' });
    const entries = withAddedEntries('test-places', { first: entry('1'), second: entry('2'), fourth: entry('4') });
    expect(Object.keys(entries)).toEqual(['first', 'second', 'third', 'fourth', 'fifth', 'sixth']);
    expect(Object.keys(withAddedEntries('test-other', { first: entry('1') }))).toEqual(['first']);
  });

  it('rejects duplicates', () => {
    addEntries('test-twice', { same: entry('') });
    expect(() => addEntries('test-twice', { same: entry('') })).toThrow(/The entry "same" of test-twice is already registered\./);
    expect(() => addKinds([kind('scorer')])).toThrow(/The kind "scorers" is already registered\./);
  });

  it('lists kinds in order of use and finds them by name', () => {
    expect(allKinds().map(({ name }) => name)).toEqual([
      ...['environments', 'agents', 'models', 'personas', 'scorers', 'rubrics', 'judges', 'suites'],
      ...['recipes', 'learners', 'engines', 'teachers', 'proposers', 'pipelines', 'populations', 'tools'],
    ]);
    expect(kindOf('scorer')?.name).toBe('scorers');
    expect(kindOf('scorers')?.name).toBe('scorers');
    expect(kindOf('toString')).toBeNull();
  });

  it('reads a value with the first registered reader that fits', async () => {
    addReader<string>('test-forms', (value, _, origin) => (typeof value === 'string' ? `text ${value} of ${String(origin)}` : undefined));
    addReader<string>('test-forms', async (value) => (typeof value === 'number' ? `number ${value}` : undefined));
    expect(await readAdded('test-forms', 'a', '', 'here')).toBe('text a of here');
    expect(await readAdded('test-forms', 1, '', 'here')).toBe('number 1');
    expect(await readAdded('test-forms', null, '', 'here')).toBeUndefined();
  });
});
