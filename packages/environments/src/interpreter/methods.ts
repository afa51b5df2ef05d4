/** @file The built-ins of the small language: Math, Object, JSON, and the usual methods of texts, numbers, and arrays. */

import { ScriptFailure } from './tokens.ts';
import { formatValue, fromJson, isTrue, Native, numberOf, ScriptObject, same, sizeOf, textOf, type Value } from './values.ts';

/** What methods need from the interpreter: calling functions of the program, and charging fuel for what they create. */
export interface Machine {
  call(of: Value, inputs: readonly Value[]): Value;
  pay(amount: number): void;
}

type Method<T> = (self: T, inputs: readonly Value[], machine: Machine) => Value;

const whole = (value: Value, otherwise: number) => (value === undefined ? otherwise : Math.trunc(numberOf(value)) || 0);
const list = (value: Value): Value[] => {
  if (Array.isArray(value)) return value;
  throw new ScriptFailure('threw', `${formatValue(value).slice(0, 40)} is not a list`);
};

const arrayMethods: Readonly<Record<string, Method<Value[]>>> = {
  push: (self, inputs) => self.push(...inputs),
  pop: (self) => self.pop(),
  shift: (self) => self.shift(),
  unshift: (self, inputs) => self.unshift(...inputs),
  slice: (self, [from, to]) => self.slice(whole(from, 0), whole(to, self.length)),
  splice: (self, [from, count, ...more]) => self.splice(whole(from, 0), whole(count, self.length), ...more),
  concat: (self, inputs) => self.concat(...inputs.map((item) => (Array.isArray(item) ? item : [item]))),
  reverse: (self) => self.reverse(),
  join(self, [by]) {
    sizeOf(self);
    return self
      .map((item) => (item === null || item === undefined ? '' : textOf(item)))
      .join(by === undefined ? ',' : textOf(by).slice(0, 100));
  },
  includes: (self, [value]) => self.some((item) => item === value || Object.is(item, value)),
  indexOf: (self, [item]) => self.indexOf(item),
  lastIndexOf: (self, [item]) => self.lastIndexOf(item),
  at: (self, [place]) => self.at(whole(place, 0)),
  flat: (self) => self.flat(),
  fill: (self, [value]) => self.fill(value),
  map: (self, [by], machine) => self.map((item, i) => machine.call(by, [item, i, self])),
  filter: (self, [by], machine) => self.filter((item, i) => isTrue(machine.call(by, [item, i, self]))),
  forEach: (self, [by], machine) => {
    for (const [i, item] of self.entries()) machine.call(by, [item, i, self]);
    return undefined;
  },
  find: (self, [by], machine) => self.find((item, i) => isTrue(machine.call(by, [item, i, self]))),
  findIndex: (self, [by], machine) => self.findIndex((item, i) => isTrue(machine.call(by, [item, i, self]))),
  some: (self, [by], machine) => self.some((item, i) => isTrue(machine.call(by, [item, i, self]))),
  every: (self, [by], machine) => self.every((item, i) => isTrue(machine.call(by, [item, i, self]))),
  flatMap: (self, [by], machine) => self.flatMap((item, i) => machine.call(by, [item, i, self])),
  reduce(self, inputs, machine) {
    if (self.length === 0 && inputs.length < 2) throw new ScriptFailure('threw', 'Reduce of empty array with no initial value');
    let [sum, from] = inputs.length < 2 ? [self[0], 1] : [inputs[1], 0];
    for (let i = from; i < self.length; i++) sum = machine.call(inputs[0], [sum, self[i], i, self]);
    return sum;
  },
  sort: (self: Value[], [by]: readonly Value[], machine: Machine) =>
    self.sort((a, b) => {
      machine.pay(1);
      if (by !== undefined) return numberOf(machine.call(by, [a, b]));
      const [item, two] = [textOf(a), textOf(b)];
      return item < two ? -1 : item > two ? 1 : 0;
    }),
};

const textMethods: Readonly<Record<string, Method<string>>> = {
  slice: (self, [from, to]) => self.slice(whole(from, 0), whole(to, self.length)),
  substring: (self, [from, to]) => self.substring(whole(from, 0), whole(to, self.length)),
  split: (self, [by]) => (by === undefined ? [self] : self.split(textOf(by))),
  includes: (self, [part]) => self.includes(textOf(part)),
  indexOf: (self, [part]) => self.indexOf(textOf(part)),
  startsWith: (self, [part]) => self.startsWith(textOf(part)),
  endsWith: (self, [part]) => self.endsWith(textOf(part)),
  toUpperCase: (self) => self.toUpperCase(),
  toLowerCase: (self) => self.toLowerCase(),
  trim: (self) => self.trim(),
  repeat(self, [times], machine) {
    const count = whole(times, 0);
    if (!(count >= 0)) throw new ScriptFailure('threw', 'Invalid count value');
    machine.pay(self.length * count);
    return self.repeat(count);
  },
  replace: (self, [what, by]) => self.replace(textOf(what), () => textOf(by)),
  replaceAll: (self, [what, by], machine) => {
    machine.pay(self.length * textOf(by).length);
    return self.replaceAll(textOf(what), () => textOf(by));
  },
  padStart(self, [length, by], machine) {
    machine.pay(Math.max(0, whole(length, 0)));
    return self.padStart(whole(length, 0), by === undefined ? ' ' : textOf(by));
  },
  charCodeAt: (self, [place]) => self.charCodeAt(whole(place, 0)),
  charAt: (self, [place]) => self.charAt(whole(place, 0)),
  at: (self, [place]) => self.at(whole(place, 0)),
};

const numberMethods: Readonly<Record<string, Method<number>>> = {
  toFixed: (self: number, [digits]) => self.toFixed(Math.min(20, Math.max(0, whole(digits, 0)))),
  toString: (self: number) => String(self),
};

/** Returns a member of a value that is not a program object: its length, an item, or a bound method. */
export function memberOf(of: Value, key: Value, machine: Machine): Value {
  if (Array.isArray(of)) {
    if (typeof key === 'number') return of[key];
    if (key === 'length') return of.length;
    return bindMethod(arrayMethods, of, key, machine);
  }
  if (typeof of === 'string') {
    if (typeof key === 'number') return of[key];
    if (key === 'length') return of.length;
    return bindMethod(textMethods, of, key, machine);
  }
  if (typeof of === 'number') return bindMethod(numberMethods, of, key, machine);
  if (of instanceof ScriptObject) return of.entries.get(textOf(key));
  if (of === null || of === undefined)
    throw new ScriptFailure('threw', `Cannot read properties of ${of} (reading '${textOf(key).slice(0, 40)}')`);
  return undefined;
}

/** Methods that do not iterate over the whole text or list. */
const quick: ReadonlySet<string> = new Set(['push', 'pop', 'at', 'charAt', 'charCodeAt']);

function bindMethod<T extends Value[] | string | number>(
  methods: Readonly<Record<string, Method<T>>>,
  self: T,
  key: Value,
  machine: Machine,
): Value {
  const name = textOf(key);
  if (!Object.hasOwn(methods, name)) return undefined;
  return new Native((inputs) => {
    machine.pay(typeof self === 'number' || quick.has(name) ? 1 : 1 + self.length / 4);
    const out = methods[name](self, inputs, machine);
    if (Array.isArray(self) && self.length > 100_000) throw new ScriptFailure('size', 'A list may have 100,000 items.');
    return out;
  });
}

const numeric = (work: (...inputs: number[]) => number) => new Native((inputs) => work(...inputs.map(numberOf)));

/** Returns the global names of every program. */
export function globals(print: (text: string) => void): readonly (readonly [string, Value])[] {
  const math = {
    abs: Math.abs,
    min: Math.min,
    max: Math.max,
    floor: Math.floor,
    ceil: Math.ceil,
    round: Math.round,
    sqrt: Math.sqrt,
    trunc: Math.trunc,
    sign: Math.sign,
    pow: (a: number, b: number) => a ** b,
  };
  const entriesOf = (value: Value): [string, Value][] =>
    Array.isArray(value) ? value.map((item, i) => [String(i), item]) : value instanceof ScriptObject ? [...value.entries] : [];
  return [
    ['Math', new ScriptObject([...Object.entries(math).map(([name, work]) => [name, numeric(work)] as const), ['PI', Math.PI]])],
    [
      'Object',
      new ScriptObject([
        ['keys', new Native(([of]) => entriesOf(of).map(([key]) => key))],
        ['values', new Native(([of]) => entriesOf(of).map(([, value]) => value))],
        ['entries', new Native(([of]) => entriesOf(of).map(([key, value]) => [key, value]))],
      ]),
    ],
    ['Array', new ScriptObject([['isArray', new Native(([of]) => Array.isArray(of))]])],
    [
      'JSON',
      new ScriptObject([
        ['stringify', new Native(([of]) => formatValue(of))],
        ['parse', new Native(([text]) => parseJsonValue(textOf(text)))],
      ]),
    ],
    ['Number', new Native(([of]) => numberOf(of))],
    ['String', new Native(([of]) => textOf(of))],
    ['Boolean', new Native(([of]) => isTrue(of))],
    ['isNaN', new Native(([of]) => Number.isNaN(numberOf(of)))],
    ['Error', new Native(([message]) => new ScriptObject([['message', textOf(message)]]))],
    ['print', new Native((inputs) => void print(inputs.map((item) => (typeof item === 'string' ? item : formatValue(item))).join(' ')))],
    [
      'console',
      new ScriptObject([
        ['log', new Native((inputs) => void print(inputs.map((item) => (typeof item === 'string' ? item : formatValue(item))).join(' ')))],
      ]),
    ],
  ];
}

function parseJsonValue(text: string): Value {
  try {
    return fromJson(JSON.parse(text));
  } catch {
    throw new ScriptFailure('threw', 'The text is no JSON.');
  }
}

/** Returns the checks of `expect`, matching the sandbox's test module. */
export function expectation(got: Value, machine: Machine): Value {
  const check = (holds: boolean, message: string) => {
    if (!holds) throw new ScriptFailure('threw', message);
    return undefined;
  };
  return new ScriptObject([
    ['toBe', new Native(([value]) => check(Object.is(got, value), `expected ${formatValue(value)}, got ${formatValue(got)}`))],
    ['toEqual', new Native(([value]) => check(same(got, value), `expected ${formatValue(value)}, got ${formatValue(got)}`))],
    [
      'toBeCloseTo',
      new Native(([value]) =>
        check(Math.abs(numberOf(got) - numberOf(value)) < 0.005, `expected about ${formatValue(value)}, got ${formatValue(got)}`),
      ),
    ],
    [
      'toContain',
      new Native(([value]) =>
        check(
          typeof got === 'string' ? got.includes(textOf(value)) : list(got).includes(value),
          `expected ${formatValue(got)} to contain ${formatValue(value)}`,
        ),
      ),
    ],
    [
      'toThrow',
      new Native(() => {
        try {
          machine.call(got, []);
        } catch (thrown) {
          if (thrown instanceof ScriptFailure && thrown.kind === 'threw') return undefined;
          throw thrown;
        }
        return check(false, 'expected an error, got none');
      }),
    ],
  ]);
}
