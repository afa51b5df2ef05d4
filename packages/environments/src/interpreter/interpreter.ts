/**
 * @file Runs the small language in process: deterministic, with fuel instead of a time limit, and without access to the host.
 *
 * Environments are pure and answer immediately, so code that an agent writes as a move is run here. The language is a subset of JavaScript:
 * its programs also run in the sandbox, and tests check that both give the same results.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { expectation, globals, type Machine, memberOf } from './methods.ts';
import { parseScript } from './parser.ts';
import type { Expression, SyntaxStatement } from './syntax.ts';
import { ScriptFailure } from './tokens.ts';
import { Closure, fromJson, isTrue, Native, numberOf, Scope, ScriptObject, stopsAt, textOf, toJson, typeOf, type Value } from './values.ts';

export interface ScriptLimits {
  /** The budget of a run: one unit for each step, and more for long texts and lists. */
  readonly fuel: number;
  /** Maximum characters of printed output. */
  readonly printed: number;
}

const usualLimits: ScriptLimits = { fuel: 200_000, printed: 4000 };
const deepestCalls = 120;
const longestText = 100_000;

export interface ScriptTest {
  readonly name: string;
  readonly ok: boolean;
  readonly why: string;
}

export type ScriptOutcome = {
  readonly ok: boolean;
  /** The result of a run: the value of the last expression or of a `main` function, as plain data. */
  readonly value: Json;
  readonly printed: string;
  readonly problem: string;
  readonly fuel: number;
  readonly tests: readonly ScriptTest[];
};

type Signal = { readonly kind: 'break' | 'continue' } | { readonly kind: 'return'; readonly value: Value };

class ScriptMachine implements Machine {
  readonly #files: Readonly<Record<string, string>>;
  readonly #limits: ScriptLimits;
  readonly #modules = new Map<string, Scope>();
  readonly #names: readonly (readonly [string, Value])[];
  readonly tests: { readonly name: string; readonly body: Value }[] = [];
  fuel = 0;
  printed = '';
  last: Value = undefined;
  #depth = 0;

  constructor(files: Readonly<Record<string, string>>, limits: ScriptLimits, input: Readonly<Record<string, Value>>) {
    this.#files = files;
    this.#limits = limits;
    this.#names = [...globals((text) => this.#print(text)), ...Object.entries(input)];
  }

  pay(amount: number): void {
    this.fuel += amount;
    if (!(this.fuel <= this.#limits.fuel)) throw new ScriptFailure('fuel', `The program took more than ${this.#limits.fuel} steps.`);
  }

  #print(text: string): void {
    this.printed += `${text}\n`;
    if (this.printed.length <= this.#limits.printed) return;
    this.printed = this.printed.slice(0, this.#limits.printed);
    throw new ScriptFailure('size', `The program printed more than ${this.#limits.printed} characters.`);
  }

  /** Runs a file once and returns its scope. */
  load(path: string): Scope {
    const before = this.#modules.get(path);
    if (before !== undefined) return before;
    const source = Object.hasOwn(this.#files, path) ? this.#files[path] : undefined;
    if (source === undefined)
      throw new ScriptFailure('threw', `There is no module "${path.slice(0, 60)}"; there are ${Object.keys(this.#files).join(', ')}.`);
    const base = new Scope(null);
    for (const [name, value] of this.#names) base.declare(name, value, true);
    const scope = new Scope(base);
    this.#modules.set(path, scope);
    this.#body(parseScript(source), scope, path);
    return scope;
  }

  call(of: Value, inputs: readonly Value[]): Value {
    this.pay(1);
    if (of instanceof Native) return of.call(inputs);
    if (!(of instanceof Closure)) throw new ScriptFailure('threw', `${textOf(of).slice(0, 40)} is not a function`);
    if (++this.#depth > deepestCalls) throw new ScriptFailure('depth', 'Functions call each other too deeply.');
    const scope = new Scope(of.scope);
    for (const [i, name] of of.parameters.entries()) scope.declare(name, inputs[i]);
    try {
      const signal = this.#body(of.body, scope);
      return signal?.kind === 'return' ? signal.value : undefined;
    } finally {
      this.#depth--;
    }
  }

  /** Functions are hoisted: they are defined before the first statement runs. */
  #body(body: readonly SyntaxStatement[], scope: Scope, path = ''): Signal | undefined {
    for (const node of body) if (node.type === 'declare') scope.declare(node.name, this.#value(node.value, scope));
    for (const node of body) {
      if (node.type === 'declare') continue;
      const signal = this.#run(node, scope, path);
      if (signal !== undefined) return signal;
    }
    return undefined;
  }

  #run(node: SyntaxStatement, scope: Scope, path = ''): Signal | undefined {
    this.pay(1);
    switch (node.type) {
      case 'let':
        for (const [name, value] of node.names) scope.declare(name, value === null ? undefined : this.#value(value, scope), node.constant);
        return undefined;
      case 'do':
        this.last = this.#value(node.value, scope);
        return undefined;
      case 'block':
        return this.#body(node.body, new Scope(scope));
      case 'if':
        if (isTrue(this.#value(node.test, scope))) return this.#run(node.yes, scope);
        return node.no === null ? undefined : this.#run(node.no, scope);
      case 'while':
        while (isTrue(this.#value(node.test, scope))) {
          const signal = this.#run(node.body, scope);
          if (signal?.kind === 'break') break;
          if (signal?.kind === 'return') return signal;
        }
        return undefined;
      case 'for':
        return this.#for(node, scope);
      case 'of':
        return this.#of(node, scope);
      case 'return':
        return { kind: 'return', value: node.value === null ? undefined : this.#value(node.value, scope) };
      case 'throw': {
        const thrown = this.#value(node.value, scope);
        throw new ScriptFailure('threw', textOf(thrown instanceof ScriptObject ? thrown.entries.get('message') : thrown).slice(0, 200));
      }
      case 'import':
        this.#import(node, scope, path);
        return undefined;
      case 'break':
      case 'continue':
        return { kind: node.type };
      default:
        return undefined;
    }
  }

  #for({ first, test, next, body }: Extract<SyntaxStatement, { type: 'for' }>, outer: Scope): Signal | undefined {
    const scope = new Scope(outer);
    if (first !== null) this.#run(first, scope);
    while (test === null || isTrue(this.#value(test, scope))) {
      const signal = this.#run(body, scope);
      if (signal?.kind === 'break') break;
      if (signal?.kind === 'return') return signal;
      if (next === null) this.pay(1);
      else this.#value(next, scope);
    }
    return undefined;
  }

  #of({ names, split, list, body }: Extract<SyntaxStatement, { type: 'of' }>, outer: Scope): Signal | undefined {
    for (const item of this.#items(this.#value(list, outer))) {
      const scope = new Scope(outer);
      for (const [i, name] of names.entries()) scope.declare(name, split ? (item as Value[])?.[i] : item);
      const signal = this.#run(body, scope);
      if (signal?.kind === 'break') break;
      if (signal?.kind === 'return') return signal;
    }
    return undefined;
  }

  #items(value: Value): readonly Value[] {
    if (Array.isArray(value)) return value;
    if (typeof value === 'string') return [...value];
    throw new ScriptFailure('threw', `${textOf(value).slice(0, 40)} is not iterable`);
  }

  #import({ names, from }: Extract<SyntaxStatement, { type: 'import' }>, scope: Scope, path: string): void {
    if (from === 'test') {
      const test = new Native(([name, body]) => void this.tests.push({ name: textOf(name), body }));
      const offers: Readonly<Record<string, Value>> = { test, it: test, expect: new Native(([got]) => expectation(got, this)) };
      for (const name of names) scope.declare(name, Object.hasOwn(offers, name) ? offers[name] : undefined, true);
      return;
    }
    if (++this.#depth > deepestCalls) throw new ScriptFailure('depth', 'Modules import each other too deeply.');
    const module = this.load(resolvePath(path, from));
    this.#depth--;
    for (const name of names) {
      if (!module.has(name)) throw new ScriptFailure('threw', `${from} has no ${name}`);
      scope.declare(name, module.find(name).value, true);
    }
  }

  #value(expression: Expression, scope: Scope): Value {
    this.pay(1);
    switch (expression.type) {
      case 'value':
        return expression.value;
      case 'name':
        return scope.find(expression.name).value;
      case 'list':
        return this.#all(expression.items, scope);
      case 'object':
        return this.#object(expression.entries, scope);
      case 'function':
        return new Closure(expression.name, expression.parameters, expression.body, scope);
      case 'unary':
        return unary(expression.sign, this.#value(expression.of, scope));
      case 'binary':
        return this.#binary(expression.sign, this.#value(expression.left, scope), this.#value(expression.right, scope));
      case 'logical': {
        const left = this.#value(expression.left, scope);
        return stopsAt(left, expression.sign) ? left : this.#value(expression.right, scope);
      }
      case 'choice':
        return this.#value(isTrue(this.#value(expression.test, scope)) ? expression.yes : expression.no, scope);
      case 'assign': {
        const value =
          expression.sign === '='
            ? this.#value(expression.value, scope)
            : this.#binary(expression.sign.slice(0, -1), this.#value(expression.to, scope), this.#value(expression.value, scope));
        this.#set(expression.to, value, scope);
        return value;
      }
      case 'update': {
        const before = numberOf(this.#value(expression.to, scope));
        const after = expression.sign === '++' ? before + 1 : before - 1;
        this.#set(expression.to, after, scope);
        return expression.first ? after : before;
      }
      case 'call':
        return this.call(this.#value(expression.of, scope), this.#all(expression.given, scope));
      case 'member':
        return memberOf(this.#value(expression.of, scope), this.#value(expression.key, scope), this);
      default:
        throw new ScriptFailure('syntax', 'A spread stands where none can be.');
    }
  }

  #all(items: readonly Expression[], scope: Scope): Value[] {
    const out: Value[] = [];
    for (const item of items) {
      if (item.type !== 'spread') out.push(this.#value(item, scope));
      else {
        const more = this.#items(this.#value(item.of, scope));
        this.pay(more.length);
        for (const value of more) out.push(value);
      }
    }
    return out;
  }

  #object(entries: Extract<Expression, { type: 'object' }>['entries'], scope: Scope): Value {
    const scriptObject = new ScriptObject();
    for (const [key, value] of entries) {
      const input = this.#value(value, scope);
      if (key !== null) scriptObject.entries.set(key, input);
      else if (input instanceof ScriptObject) for (const [name, item] of input.entries) scriptObject.entries.set(name, item);
    }
    this.pay(scriptObject.entries.size);
    return scriptObject;
  }

  #set(to: Expression, value: Value, scope: Scope): void {
    if (to.type === 'name') {
      const variable = scope.find(to.name);
      if (variable.constant) throw new ScriptFailure('threw', 'Assignment to constant variable.');
      variable.value = value;
      return;
    }
    if (to.type !== 'member') throw new ScriptFailure('syntax', 'Only a name or a member can be set.');
    const of = this.#value(to.of, scope);
    const key = this.#value(to.key, scope);
    if (of instanceof ScriptObject) of.entries.set(textOf(key), value);
    else if (Array.isArray(of) && typeof key === 'number' && Number.isInteger(key) && key >= 0) {
      if (key > of.length + 1000 || key >= longestText)
        throw new ScriptFailure('size', 'A list may not have large holes, nor 100,000 items.');
      this.pay(Math.max(0, key - of.length));
      of[key] = value;
    } else throw new ScriptFailure('threw', `Cannot set properties of ${textOf(of).slice(0, 40)}`);
  }

  #binary(sign: string, left: Value, right: Value): Value {
    if (sign === '+') {
      if (typeof left === 'number' && typeof right === 'number') return left + right;
      const isText = [left, right].some((item) => typeof item === 'string' || (typeof item === 'object' && item !== null));
      if (!isText) return numberOf(left) + numberOf(right);
      const [first, second] = [textOf(left), textOf(right)];
      this.pay((first.length + second.length) / 8);
      if (first.length + second.length > longestText) throw new ScriptFailure('size', `A text may have ${longestText} characters.`);
      return first + second;
    }
    return binary(sign, left, right);
  }
}

function unary(sign: string, value: Value): Value {
  if (sign === '!') return !isTrue(value);
  if (sign === 'typeof') return typeOf(value);
  return sign === '-' ? -numberOf(value) : numberOf(value);
}

function binary(sign: string, left: Value, right: Value): Value {
  if (sign === '===') return left === right;
  if (sign === '!==') return left !== right;
  if (sign === '==' || sign === '!=') {
    const blank = (item: Value) => item === null || item === undefined;
    const plain = (item: Value) => typeof item !== 'object' && !blank(item);
    const equal =
      left === right ||
      (blank(left) && blank(right)) ||
      (plain(left) && plain(right) && typeof left !== typeof right && numberOf(left) === numberOf(right));
    return (sign === '==') === equal;
  }
  if (typeof left === 'string' && typeof right === 'string' && /^[<>]=?$/.test(sign))
    return compareBySign(sign, left < right ? -1 : left > right ? 1 : 0);
  const [value, two] = [numberOf(left), numberOf(right)];
  if (/^[<>]=?$/.test(sign))
    return Number.isNaN(value) || Number.isNaN(two) ? false : compareBySign(sign, value < two ? -1 : value > two ? 1 : 0);
  if (sign === '-') return value - two;
  if (sign === '*') return value * two;
  if (sign === '/') return value / two;
  return sign === '%' ? value % two : value ** two;
}

function compareBySign(sign: string, order: number): boolean {
  if (sign === '<') return order < 0;
  if (sign === '<=') return order <= 0;
  return sign === '>' ? order > 0 : order >= 0;
}

function resolvePath(from: string, to: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of to.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Runs a file. `given` are predefined names: plain data, or functions over plain data. */
export function runScript(
  files: Readonly<Record<string, string>>,
  entry: string,
  {
    given = {},
    functions = {},
    limits = usualLimits,
  }: {
    readonly given?: Readonly<Record<string, Json>>;
    readonly functions?: Readonly<Record<string, (...inputs: Json[]) => Json>>;
    readonly limits?: ScriptLimits;
  } = {},
): ScriptOutcome {
  const values: Record<string, Value> = Object.fromEntries(Object.entries(given).map(([name, json]) => [name, fromJson(json)]));
  for (const [name, work] of Object.entries(functions))
    values[name] = new Native((args) => fromJson(work(...args.map((arg) => toJson(arg)))));
  const machine = new ScriptMachine(files, limits, values);
  return outcomeOf(machine, () => {
    const scope = machine.load(entry);
    return toJson(scope.has('main') ? machine.call(scope.find('main').value, []) : machine.last);
  });
}

/** Runs every test of some files, each with the remaining fuel. */
export function runScriptTests(files: Readonly<Record<string, string>>, paths: readonly string[], limits = usualLimits): ScriptOutcome {
  const machine = new ScriptMachine(files, limits, {});
  const tests: ScriptTest[] = [];
  const outcome = outcomeOf(machine, () => {
    for (const path of paths) machine.load(path);
    for (const { name, body } of machine.tests) {
      const { ok, problem } = outcomeOf(machine, () => toJson(machine.call(body, [])));
      tests.push({ name, ok, why: problem });
    }
    return null;
  });
  return { ...outcome, ok: outcome.ok && tests.length > 0 && tests.every(({ ok }) => ok), tests };
}

function outcomeOf(machine: ScriptMachine, work: () => Json): ScriptOutcome {
  try {
    const value = work();
    return { ok: true, value, printed: machine.printed, problem: '', fuel: Math.ceil(machine.fuel), tests: [] };
  } catch (thrown) {
    // A stack overflow of the host means that the program is nested too deeply. Fuel and depth limits catch most cases earlier.
    if (!(thrown instanceof ScriptFailure) && !(thrown instanceof RangeError)) throw thrown;
    const problem = thrown instanceof ScriptFailure ? thrown.message : 'The program is nested too deeply.';
    return { ok: false, value: null, printed: machine.printed, problem, fuel: Math.ceil(machine.fuel), tests: [] };
  }
}
