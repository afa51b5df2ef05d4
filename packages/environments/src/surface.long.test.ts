import { describe, it } from 'vitest';
import { environmentNames } from './built-in.ts';
import { conforms } from './surface.cases.ts';

describe('environment options', () => {
  it.each(environmentNames())('keep %s valid and replayable over many episodes', (name) =>
    conforms(name, { episodes: 24, steps: 1200, seeds: [1, 2, 3, 4, 5, 6] }),
  );
});
