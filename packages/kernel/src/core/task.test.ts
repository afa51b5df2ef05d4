import { describe, expect, it } from 'vitest';
import { Fault } from './fault.ts';
import type { Json } from './json.ts';
import { parameter, readTask, schemaOf } from './task.ts';

const parameters = {
  rounds: parameter.integer({ min: 1, max: 9, default: 3, description: 'rounds to play' }),
  chance: parameter.number({ min: 0, max: 1, default: 0.5, description: 'chance of rain' }),
  open: parameter.boolean({ default: false, description: 'cards on the table' }),
  mode: parameter.choice({ options: ['short', 'long'], default: 'short', description: 'how long' }),
  name: parameter.string({ default: '', description: 'a name' }),
  extra: parameter.json({ default: [1], description: 'anything' }),
} as const;

const defaults = { rounds: 3, chance: 0.5, open: false, mode: 'short', name: '', extra: [1] };
const read = (input: Json) => readTask('demo', parameters, input);

describe('[C7] readTask', () => {
  it('fills in defaults, accepts the given values, and reads its own result unchanged', () => {
    expect(read({})).toEqual(defaults);
    expect(read(null)).toEqual(defaults);
    const input = { rounds: 9, chance: 0, open: true, mode: 'long', name: 'Ann', extra: { deep: [null] } };
    expect(read(input)).toEqual(input);
    expect(read(read({ rounds: 1 }))).toEqual({ ...defaults, rounds: 1 });
    expect(Object.keys(read({ mode: 'long', rounds: 2 }))).toEqual(Object.keys(parameters));
  });

  it.each<[Json, RegExp]>([
    ['rounds', /^demo: a task must be an object such as \{"rounds": …\}, but got "rounds"\.$/],
    [7, /but got 7/],
    [[], /but got \[\]/],
    [{ round: 1 }, /^demo: unknown parameter "round"\. Available: rounds, chance, open, mode, name, extra\. Did you mean "rounds"\?$/],
    [{ toString: 1 }, /demo: unknown parameter "toString"\. Available:/],
    [{ rounds: 0 }, /^demo: "rounds" must be an integer from 1 to 9, but got 0\.$/],
    [{ rounds: 10 }, /from 1 to 9/],
    [{ rounds: 1.5 }, /demo: "rounds" must be an integer from 1 to/],
    [{ rounds: '3' }, /but got "3"/],
    [{ rounds: null }, /but got null/],
    [{ chance: -0.1 }, /a number from 0 to 1/],
    [{ chance: 1.1 }, /a number from 0 to 1/],
    [{ chance: true }, /but got true/],
    [{ open: 1 }, /true or false/],
    [{ mode: 'middle' }, /one of "short", "long"/],
    [{ mode: 0 }, /one of/],
    [{ name: 5 }, /demo: "name" must be a string, but got 5\./],
  ])('rejects %j with an explanation', (input, sentence) => {
    expect(() => read(input)).toThrow(Fault);
    expect(() => read(input)).toThrow(sentence);
  });

  it('reports an environment without parameters', () => {
    expect(() => readTask('bare', {}, { x: 1 })).toThrow(/bare: unknown parameter "x"\. This environment/);
  });
});

describe('[C7] schemaOf', () => {
  it('includes the range and default of every parameter and allows no others', () => {
    expect(schemaOf(parameters)).toEqual({
      type: 'object',
      additionalProperties: false,
      properties: {
        rounds: { type: 'integer', minimum: 1, maximum: 9, default: 3, description: 'rounds to play' },
        chance: { type: 'number', minimum: 0, maximum: 1, default: 0.5, description: 'chance of rain' },
        open: { type: 'boolean', default: false, description: 'cards on the table' },
        mode: { type: 'string', enum: ['short', 'long'], default: 'short', description: 'how long' },
        name: { type: 'string', default: '', description: 'a name' },
        extra: { default: [1], description: 'anything' },
      },
    });
  });
});
