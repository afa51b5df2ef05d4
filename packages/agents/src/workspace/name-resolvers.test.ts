/** @file Tests of names that a part of Ludus resolves in its own form. */

import { describe, expect, it } from 'vitest';
import { addNameResolver, findNameResolver } from './name-resolvers.ts';
import { Trust } from './trust.ts';

describe('name resolvers', () => {
  it('are selected by the pattern of a name and receive its origin', async () => {
    addNameResolver<string>('test-names', {
      matches: (name) => name.startsWith('upper:'),
      resolve: async (name, { cwd, trust }) => `${name.slice(6).toUpperCase()} in ${cwd}, from a ${trust.origin}`,
    });
    const resolver = await findNameResolver<string>('test-names', 'upper:a', '/somewhere');
    expect(await resolver?.resolve('upper:a', { cwd: '/somewhere', trust: Trust.request })).toBe('A in /somewhere, from a request');
    expect(await findNameResolver('test-names', 'lower:a', '/somewhere')).toBeNull();
    expect(await findNameResolver('test-nothing', 'upper:a', '/somewhere')).toBeNull();
  });

  it('cover trained models, meta-environments, and model scorers', async () => {
    for (const [kind, name] of [
      ['models', 'local/run@best'],
      ['agents', 'local/run'],
      ['environments', 'advice:kuhn-poker'],
      ['environments', 'discussion:kuhn-poker'],
      ['scorers', 'critic=run'],
      ['scorers', 'states=fake'],
    ] as const)
      expect(await findNameResolver(kind, name, process.cwd()), `${kind} ${name}`).not.toBeNull();
    for (const [kind, name] of [
      ['models', 'openai/gpt'],
      ['environments', 'advice:'],
      ['scorers', 'return'],
      ['suites', 'games-core'],
    ] as const)
      expect(await findNameResolver(kind, name, process.cwd()), `${kind} ${name}`).toBeNull();
  });
});
