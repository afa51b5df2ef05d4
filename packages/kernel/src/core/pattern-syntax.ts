/** @file The syntax tree of a regular expression, which core/pattern-machine.ts compiles and the pattern check analyzes. */

export type PatternNode =
  /** One character; `source` is a character, an escape or a class. */
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'place'; readonly at: '^' | '$' | '\\b' | '\\B' }
  | { readonly kind: 'look'; readonly behind: boolean; readonly negative: boolean; readonly body: PatternNode }
  | { readonly kind: 'group'; readonly number: number | null; readonly body: PatternNode }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly least: number; readonly most: number; readonly greedy: boolean; readonly body: PatternNode };

export interface PatternSyntax {
  readonly root: PatternNode;
  /** The number of capturing groups. */
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
}

/** Parses a pattern that the built-in engine accepts. Throws for back references, modifiers, and the `v` flag. */
export function parsePattern(source: string, flags: string): PatternSyntax {
  if (flags.includes('v')) throw new Error('classes within classes are not supported');
  return new Parser(source, flags.includes('u')).parse();
}

/** The length of the longest possible match; Infinity with an unbounded repetition. */
export function longestMatch(node: PatternNode): number {
  switch (node.kind) {
    case 'character':
      return 1;
    case 'place':
    case 'look':
      return 0;
    case 'group':
      return longestMatch(node.body);
    case 'sequence':
      return node.parts.reduce((sum, part) => sum + longestMatch(part), 0);
    case 'choice':
      return Math.max(...node.branches.map(longestMatch));
    case 'repeat': {
      const each = longestMatch(node.body);
      return each === 0 || node.most === 0 ? 0 : each * node.most;
    }
  }
}

class Parser {
  readonly #source: string;
  readonly #unicode: boolean;
  readonly #names = new Map<string, number>();
  #groups = 0;
  #at = 0;

  constructor(source: string, unicode: boolean) {
    this.#source = source;
    this.#unicode = unicode;
  }

  parse(): PatternSyntax {
    const root = this.#choice();
    if (this.#at < this.#source.length) throw new Error('unbalanced');
    return { root, groups: this.#groups, names: this.#names };
  }

  #choice(): PatternNode {
    const branches = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at++;
      branches.push(this.#sequence());
    }
    return branches.length === 1 ? branches[0]! : { kind: 'choice', branches };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && this.#source[this.#at] !== '|' && this.#source[this.#at] !== ')')
      parts.push(this.#repeated(this.#atom()));
    return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts };
  }

  #repeated(body: PatternNode): PatternNode {
    const match = this.#read(/(?:([*+?])|\{(\d+)(,(\d*))?\})(\??)/y);
    if (match === null) return body;
    const greedy = match[5] === '';
    if (match[1] === '*') return { kind: 'repeat', least: 0, most: Infinity, greedy, body };
    if (match[1] === '+') return { kind: 'repeat', least: 1, most: Infinity, greedy, body };
    if (match[1] === '?') return { kind: 'repeat', least: 0, most: 1, greedy, body };
    const least = Number(match[2]);
    const most = match[3] === undefined ? least : match[4] === '' ? Infinity : Number(match[4]);
    return { kind: 'repeat', least, most, greedy, body };
  }

  #atom(): PatternNode {
    const place = this.#read(/\^|\$|\\[bB]/y);
    if (place !== null) return { kind: 'place', at: place[0] as '^' };
    if (this.#source[this.#at] === '(') return this.#group();
    if (this.#read(/\\(?:[1-9]|k<)/y) !== null) throw new Error('back references are not supported');
    const character = this.#read(this.#unicode ? unicodeCharacter : plainCharacter);
    if (character === null) throw new Error('unclosed class');
    return { kind: 'character', source: character[0] };
  }

  #group(): PatternNode {
    const look = this.#read(/\(\?(<?)([=!])/y);
    if (look !== null) return { kind: 'look', behind: look[1] === '<', negative: look[2] === '!', body: this.#closed() };
    const opening = this.#read(/\((\?:|\?<([\p{L}$_][\p{L}\p{N}$_]*)>)?/uy)!;
    if (opening[1] === undefined && this.#source[this.#at] === '?') throw new Error('modifiers are not supported');
    if (opening[1] === '?:') return { kind: 'group', number: null, body: this.#closed() };
    const number = ++this.#groups;
    if (opening[2] !== undefined) this.#names.set(opening[2], number);
    return { kind: 'group', number, body: this.#closed() };
  }

  #closed(): PatternNode {
    const body = this.#choice();
    if (this.#source[this.#at] !== ')') throw new Error('unbalanced');
    this.#at++;
    return body;
  }

  /** What a sticky pattern finds here, if anything. */
  #read(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at;
    const match = form.exec(this.#source);
    if (match !== null) this.#at += match[0].length;
    return match;
  }
}

/** A class, an escape or a plain character. Without the `u` flag, \p and \u{…} are letters to a regular expression. */
const plainCharacter = /\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[\s\S])|[^[\\]/y;
const unicodeCharacter =
  /\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[\s\S])|[^[\\]/uy;
