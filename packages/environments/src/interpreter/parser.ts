/** @file Parses the small language: functions, closures, loops, arrays, and objects of JavaScript. Type annotations are skipped. */

import type { Expression, SyntaxStatement } from './syntax.ts';
import { ScriptFailure, type Token, textOfToken, tokensOf } from './tokens.ts';

const levels: readonly (readonly string[])[] = [
  ['??'],
  ['||'],
  ['&&'],
  ['===', '!==', '==', '!='],
  ['<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
];
const deepest = 120;

/** Parses a program into statements. */
export function parseScript(source: string): readonly SyntaxStatement[] {
  const before = parsed.get(source);
  if (before !== undefined) return before;
  const program = new Reader(tokensOf(source)).program();
  if (parsed.size > 500) parsed.clear();
  parsed.set(source, program);
  return program;
}

/** Cached programs. Running a program does not change it. */
const parsed = new Map<string, readonly SyntaxStatement[]>();

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  program(): readonly SyntaxStatement[] {
    const body: SyntaxStatement[] = [];
    while (this.#token.kind !== 'end') body.push(this.#statement());
    return body;
  }

  get #token(): Token {
    return this.#tokens[this.#at];
  }

  #is(text: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead];
    return token !== undefined && token.text === text && token.kind !== 'text';
  }

  #skip(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#at++;
    return true;
  }

  #need(text: string): void {
    if (!this.#skip(text)) this.#fail(`"${text}" was expected before "${this.#token.text.slice(0, 20)}".`);
  }

  #fail(message: string): never {
    throw new ScriptFailure('syntax', `Line ${this.#token.line}: ${message}`);
  }

  #name(): string {
    const token = this.#token;
    if (token.kind !== 'name') this.#fail(`a name was expected, but "${token.text.slice(0, 20)}" came.`);
    this.#at++;
    return token.text;
  }

  /** Runs a nested parser call. The depth is limited, so that the host's stack never overflows. */
  #nested<T>(read: () => T): T {
    if (++this.#depth > deepest) this.#fail('it is nested too deeply.');
    const out = read();
    this.#depth--;
    return out;
  }

  #block(): readonly SyntaxStatement[] {
    this.#need('{');
    const body: SyntaxStatement[] = [];
    while (!this.#is('}')) {
      if (this.#token.kind === 'end') this.#fail('"}" is missing.');
      body.push(this.#statement());
    }
    this.#at++;
    return body;
  }

  #statement(): SyntaxStatement {
    return this.#nested(() => this.#plainStatement());
  }

  #plainStatement(): SyntaxStatement {
    if (this.#skip(';')) return { type: 'block', body: [] };
    if (this.#is('{')) return { type: 'block', body: this.#block() };
    if (this.#skip('export')) this.#skip('default');
    const { text: word } = this.#token;
    if (this.#is('function')) return this.#declaration();
    if (word === 'import') return this.#import();
    if (word === 'let' || word === 'const' || word === 'var') return this.#ended(this.#let());
    if (this.#skip('if')) return this.#if();
    if (this.#skip('while')) return { type: 'while', test: this.#inBrackets(), body: this.#statement() };
    if (this.#skip('for')) return this.#for();
    if (this.#skip('return')) return this.#ended({ type: 'return', value: this.#is(';') || this.#is('}') ? null : this.#expression() });
    if (this.#skip('throw')) return this.#ended({ type: 'throw', value: this.#expression() });
    if (this.#skip('break')) return this.#ended({ type: 'break' });
    if (this.#skip('continue')) return this.#ended({ type: 'continue' });
    return this.#ended({ type: 'do', value: this.#expression() });
  }

  #ended<S extends SyntaxStatement>(statement: S): S {
    this.#skip(';');
    return statement;
  }

  #declaration(): SyntaxStatement {
    this.#at++;
    const name = this.#name();
    const parameters = this.#parameters();
    return { type: 'declare', name, value: { type: 'function', name, parameters, body: this.#block() } };
  }

  #import(): SyntaxStatement {
    this.#at++;
    this.#need('{');
    const names: string[] = [];
    while (!this.#skip('}')) {
      names.push(this.#name());
      this.#skip(',');
    }
    this.#need('from');
    const from = this.#token;
    if (from.kind !== 'text') this.#fail('a path in quotes was expected.');
    this.#at++;
    return this.#ended({ type: 'import', names, from: textOfToken(from) });
  }

  #let(): SyntaxStatement {
    const constant = this.#token.text === 'const';
    this.#at++;
    const names: [string, Expression | null][] = [];
    do {
      const name = this.#name();
      this.#type();
      names.push([name, this.#skip('=') ? this.#assignment() : null]);
    } while (this.#skip(','));
    return { type: 'let', constant, names };
  }

  #if(): SyntaxStatement {
    const test = this.#inBrackets();
    const yes = this.#statement();
    return { type: 'if', test, yes, no: this.#skip('else') ? this.#statement() : null };
  }

  #for(): SyntaxStatement {
    this.#need('(');
    if (this.#is('const') || this.#is('let')) {
      const start = this.#at;
      this.#at++;
      const split = this.#skip('[');
      if (split || this.#token.kind === 'name') {
        const names = [this.#name()];
        while (split && this.#skip(',')) names.push(this.#name());
        if (split) this.#need(']');
        if (this.#skip('of')) {
          const list = this.#expression();
          this.#need(')');
          return { type: 'of', names, split, list, body: this.#statement() };
        }
      }
      this.#at = start;
    }
    const first = this.#is(';')
      ? null
      : this.#is('let') || this.#is('const')
        ? this.#let()
        : ({ type: 'do', value: this.#expression() } as const);
    this.#need(';');
    const test = this.#is(';') ? null : this.#expression();
    this.#need(';');
    const next = this.#is(')') ? null : this.#expression();
    this.#need(')');
    return { type: 'for', first, test, next, body: this.#statement() };
  }

  #inBrackets(): Expression {
    this.#need('(');
    const inside = this.#expression();
    this.#need(')');
    return inside;
  }

  #parameters(): readonly string[] {
    this.#need('(');
    const names: string[] = [];
    while (!this.#skip(')')) {
      names.push(this.#name());
      this.#skip('?');
      this.#type();
      if (!this.#is(')')) this.#need(',');
    }
    this.#type();
    return names;
  }

  /** Skips an annotation such as `: readonly number[] | null`. */
  #type(): void {
    if (!this.#skip(':')) return;
    do {
      this.#skip('readonly');
      if (this.#skip('{')) while (!this.#skip('}')) this.#any();
      else this.#any();
      if (this.#skip('<')) while (!this.#skip('>')) this.#any();
      while (this.#is('[') && this.#is(']', 1)) this.#at += 2;
    } while (this.#skip('|'));
  }

  #any(): void {
    if (this.#token.kind === 'end') this.#fail('the program ends in the middle.');
    this.#at++;
  }

  #expression(): Expression {
    return this.#assignment();
  }

  #assignment(): Expression {
    return this.#nested(() => {
      if (this.#isArrow()) return this.#arrow();
      const left = this.#choice();
      const sign = this.#token.text;
      if (this.#token.kind !== 'sign' || !['=', '+=', '-=', '*=', '/=', '%=', '**='].includes(sign)) return left;
      if (left.type !== 'name' && left.type !== 'member') this.#fail('only a name or a member can be set.');
      this.#at++;
      return { type: 'assign', sign, to: left, value: this.#assignment() };
    });
  }

  #isArrow(): boolean {
    if (this.#token.kind === 'name' && this.#is('=>', 1)) return true;
    if (!this.#is('(')) return false;
    let depth = 0;
    for (let i = this.#at; i < this.#tokens.length; i++) {
      const { text, kind } = this.#tokens[i];
      if (kind === 'sign' && text === '(') depth++;
      if (kind === 'sign' && text === ')' && --depth === 0) {
        if (this.#tokens[i + 1]?.text === '=>') return true;
        // A return type, as in (a: number): number => …
        return this.#tokens[i + 1]?.text === ':' && this.#tokens[i + 2]?.kind === 'name' && this.#tokens[i + 3]?.text === '=>';
      }
    }
    return false;
  }

  #arrow(): Expression {
    const parameters = this.#is('(') ? this.#parameters() : [this.#name()];
    this.#need('=>');
    const body: readonly SyntaxStatement[] = this.#is('{') ? this.#block() : [{ type: 'return', value: this.#assignment() }];
    return { type: 'function', name: '', parameters, body };
  }

  #choice(): Expression {
    const test = this.#level(0);
    if (!this.#skip('?')) return test;
    const yes = this.#assignment();
    this.#need(':');
    return { type: 'choice', test, yes, no: this.#assignment() };
  }

  #level(level: number): Expression {
    const signs = levels[level];
    if (signs === undefined) return this.#power();
    let left = this.#level(level + 1);
    while (this.#token.kind === 'sign' && signs.includes(this.#token.text)) {
      const sign = this.#token.text;
      this.#at++;
      left = { type: level < 3 ? 'logical' : 'binary', sign, left, right: this.#level(level + 1) };
    }
    return left;
  }

  #power(): Expression {
    const left = this.#unary();
    return this.#skip('**') ? { type: 'binary', sign: '**', left, right: this.#nested(() => this.#power()) } : left;
  }

  #unary(): Expression {
    const sign = this.#token.text;
    if ((this.#token.kind === 'sign' && ['!', '-', '+'].includes(sign)) || this.#is('typeof')) {
      this.#at++;
      return { type: 'unary', sign, of: this.#nested(() => this.#unary()) };
    }
    if (this.#token.kind === 'sign' && (sign === '++' || sign === '--')) {
      this.#at++;
      return { type: 'update', sign, to: this.#unary(), first: true };
    }
    const of = this.#postfix();
    const after = this.#token.text;
    if (this.#token.kind !== 'sign' || (after !== '++' && after !== '--')) return of;
    this.#at++;
    return { type: 'update', sign: after, to: of, first: false };
  }

  #postfix(): Expression {
    if (this.#skip('new')) return this.#postfix();
    let of = this.#primary();
    for (;;) {
      if (this.#skip('.')) of = { type: 'member', of, key: { type: 'value', value: this.#name() } };
      else if (this.#skip('[')) {
        of = { type: 'member', of, key: this.#expression() };
        this.#need(']');
      } else if (this.#skip('(')) of = { type: 'call', of, given: this.#items(')') };
      else return of;
    }
  }

  #items(end: string): readonly Expression[] {
    const items: Expression[] = [];
    while (!this.#skip(end)) {
      items.push(this.#skip('...') ? { type: 'spread', of: this.#assignment() } : this.#assignment());
      if (!this.#is(end)) this.#need(',');
    }
    return items;
  }

  #primary(): Expression {
    const token = this.#token;
    if (token.kind === 'number') {
      this.#at++;
      return { type: 'value', value: Number(token.text.replaceAll('_', '')) };
    }
    if (token.kind === 'text') {
      this.#at++;
      return { type: 'value', value: textOfToken(token) };
    }
    if (this.#is('(')) return this.#inBrackets();
    if (this.#skip('[')) return { type: 'list', items: this.#items(']') };
    if (this.#skip('{')) return this.#object();
    const name = this.#name();
    const existing = { true: true, false: false, null: null, undefined } as const;
    return Object.hasOwn(existing, name) ? { type: 'value', value: existing[name as keyof typeof existing] } : { type: 'name', name };
  }

  #object(): Expression {
    const entries: [string | null, Expression][] = [];
    while (!this.#skip('}')) {
      if (this.#skip('...')) entries.push([null, this.#assignment()]);
      else {
        const key = this.#token;
        if (key.kind !== 'name' && key.kind !== 'text') this.#fail('a key was expected.');
        this.#at++;
        const name = key.kind === 'text' ? textOfToken(key) : key.text;
        entries.push([name, this.#skip(':') ? this.#assignment() : { type: 'name', name }]);
      }
      if (!this.#is('}')) this.#need(',');
    }
    return { type: 'object', entries };
  }
}
