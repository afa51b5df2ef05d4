/**
 * @file Regular expressions from strangers, matched in linear time.
 *
 * A key such as /(a|a)*b/ makes a backtracking matcher run for years. Here a pattern becomes a small machine whose states all advance
 * together, one character at a time (Thompson's construction), so the work is at most its size times the text's length. Single characters
 * and classes are tested by the built-in engine, which is safe on one character and right about case and Unicode. What such a machine
 * cannot do (looking around, back references) is refused.
 */

/** One instruction: take a character, go two ways, assert a place, or match. */
type Instruction =
  | { readonly op: 'take'; readonly fits: (character: string) => boolean }
  | { readonly op: 'split'; readonly to: readonly number[] }
  | { readonly op: 'assert'; readonly holds: (before: string, after: string) => boolean }
  | { readonly op: 'match' };

/** Steps that all patterns of one scan may take together. */
export interface Effort {
  left: number;
}

export interface Pattern {
  /** Does the pattern occur in the text? Once the effort is used up, the answer is no. */
  test(text: string, effort?: Effort): boolean;
}

const longest = 500;
const largest = 2000;
/** Instructions that may be copied while one pattern is compiled: a short source must not make long work. */
const mostCopied = 2_000_000;

/**
 * The pattern of a `/source/flags` key or of a bare source; null when it is invalid, too large, or beyond a machine of this kind. Compiling
 * takes from the same effort as matching, so that a book of many hard keys stops too.
 */
export function pattern(key: string, caseless = true, effort: Effort = { left: Infinity }): Pattern | null {
  const literal = /^\/(.*)\/([dgimsuvy]*)$/s.exec(key);
  const source = literal?.[1] ?? key;
  const flags = [...new Set((literal?.[2] ?? (caseless ? 'i' : '')).replace(/[dgy]/g, ''))].join('');
  // Classes within classes, which the v flag allows, are not taken apart here.
  if (source.length > longest || flags.includes('v')) return null;
  try {
    new RegExp(source, flags);
    const compiler = new Compiler(source, flags);
    try {
      const program = compiler.program();
      return { test: (text, left = { left: Infinity }) => run(program, text, left, flags.includes('u')) };
    } finally {
      effort.left -= compiler.work;
    }
  } catch {
    return null;
  }
}

/** Is the key written as `/source/flags`? */
export function looksLikePattern(key: string): boolean {
  return /^\/.+\/[dgimsuvy]*$/s.test(key);
}

/** All states advance together; a state is visited at most once for each character. */
function run(program: readonly Instruction[], text: string, effort: Effort, unicode: boolean): boolean {
  const characters = unicode ? [...text] : text.split('');
  const seen = new Int32Array(program.length).fill(-1);
  let now: number[] = [];
  let next: number[] = [];
  for (let i = 0; i <= characters.length; i++) {
    const before = characters[i - 1] ?? '';
    const after = characters[i] ?? '';
    // A match may begin anywhere.
    const waiting = now;
    waiting.push(0);
    next = [];
    for (let w = 0; w < waiting.length; w++) {
      const at = waiting[w]!;
      if (seen[at] === i) continue;
      seen[at] = i;
      if (--effort.left < 0) return false;
      const instruction = program[at]!;
      if (instruction.op === 'match') return true;
      if (instruction.op === 'split') waiting.push(...instruction.to);
      else if (instruction.op === 'assert') {
        if (instruction.holds(before, after)) waiting.push(at + 1);
      } else if (after !== '' && instruction.fits(after)) next.push(at + 1);
    }
    now = next;
  }
  return false;
}

class Compiler {
  readonly #source: string;
  readonly #flags: string;
  #copied = 0;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  /** What compiling took, in instructions. */
  get work(): number {
    return this.#source.length + this.#copied;
  }

  program(): readonly Instruction[] {
    const body = this.#alternatives();
    if (this.#at < this.#source.length) throw new Error('unbalanced');
    return [...body, { op: 'match' }];
  }

  /** a|b|c. Code is relocatable: jumps are relative while it is put together. */
  #alternatives(): Instruction[] {
    const branches = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at++;
      branches.push(this.#sequence());
    }
    return branches.reduceRight((rest, branch) => either(branch, rest));
  }

  #sequence(): Instruction[] {
    const code: Instruction[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) append(code, this.#quantified(this.#atom()));
    return code;
  }

  #quantified(atom: Instruction[]): Instruction[] {
    const match = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/.exec(this.#source.slice(this.#at));
    if (match === null) return atom;
    this.#at += match[0].length;
    if (match[1] === '*') return star(atom);
    if (match[1] === '+') return append([...atom], star(atom));
    if (match[1] === '?') return either(atom, []);
    const least = Number(match[2]);
    const most = match[3] === undefined ? least : match[4] === '' ? Infinity : Number(match[4]);
    // What matches nothing matches nothing however often.
    if (atom.length === 0) return atom;
    const times = Math.max(least, most === Infinity ? 1 : most);
    if (!(times * atom.length <= largest)) throw new Error('too large');
    // Each optional copy is wrapped around all that follow it.
    this.#copied += times * atom.length * (most === least ? 1 : times);
    if (this.#copied > mostCopied) throw new Error('too much work');
    const code: Instruction[] = [];
    for (let i = 0; i < least; i++) append(code, atom);
    if (most === Infinity) return append(code, star(atom));
    let rest: Instruction[] = [];
    for (let i = least; i < most; i++) rest = either(append([...atom], rest), []);
    return append(code, rest);
  }

  #atom(): Instruction[] {
    const rest = this.#source.slice(this.#at);
    const character = rest[0]!;
    if (character === '(') return this.#group(rest);
    if (character === '^' || character === '$' || /^\\[bB]/.test(rest)) return this.#assertion(rest);
    if (/^\\(?:[1-9]|k<)/.test(rest)) throw new Error('back references are refused');
    const whole = character === '[' ? classOf(rest) : single(rest, this.#flags.includes('u'));
    this.#at += whole.length;
    return [{ op: 'take', fits: fitting(whole, this.#flags) }];
  }

  #group(rest: string): Instruction[] {
    const opening = /^\((?:\?:|\?<[\p{L}$_][\p{L}\p{N}$_]*>)?/u.exec(rest)?.[0] as string;
    if (opening === '(' && rest[1] === '?') throw new Error('looking around is refused');
    this.#at += opening.length;
    const body = this.#alternatives();
    this.#at++;
    return body;
  }

  #assertion(rest: string): Instruction[] {
    const lines = this.#flags.includes('m');
    const isWord = (character: string) => /^\w$/.test(character);
    const isEdge = (character: string) => character === '' || (lines && /^[\n\r\u2028\u2029]$/.test(character));
    const kind = rest[0] === '\\' ? rest.slice(0, 2) : rest[0]!;
    this.#at += kind.length;
    if (kind === '^') return [{ op: 'assert', holds: (before) => isEdge(before) }];
    if (kind === '$') return [{ op: 'assert', holds: (_, after) => isEdge(after) }];
    return [{ op: 'assert', holds: (before, after) => (isWord(before) !== isWord(after)) === (kind === '\\b') }];
  }
}

/** A class up to its closing bracket. */
function classOf(rest: string): string {
  for (let i = 1; i < rest.length; i++) {
    if (rest[i] === '\\') i++;
    else if (rest[i] === ']') return rest.slice(0, i + 1);
  }
  throw new Error('unclosed class');
}

/** An escape or a plain character. Without the u flag, \p and \u{…} are just letters to a regular expression, as they are to us. */
function single(rest: string, unicode: boolean): string {
  const escaped = unicode
    ? /^\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|.)/is
    : /^\\(?:u[\da-f]{4}|x[\da-f]{2}|c[a-z]|.)/is;
  return escaped.exec(rest)?.[0] ?? (unicode ? String.fromCodePoint(rest.codePointAt(0) as number) : rest[0]!);
}

/** The test of one character, remembered: texts repeat their characters. */
function fitting(atom: string, flags: string): (character: string) => boolean {
  const whole = new RegExp(`^(?:${atom})$`, flags.replace('m', ''));
  const known = new Map<string, boolean>();
  return (character) => {
    const before = known.get(character);
    if (before !== undefined) return before;
    const fits = whole.test(character);
    known.set(character, fits);
    return fits;
  };
}

/** Instructions are put together with targets relative to their own place; `shifted` moves them. */
function shiftCode(code: readonly Instruction[], by: number): Instruction[] {
  return code.map((one) => (one.op === 'split' ? { op: 'split', to: one.to.map((target) => target + by) } : one));
}

function append(code: Instruction[], more: readonly Instruction[]): Instruction[] {
  if (code.length + more.length > largest) throw new Error('too large');
  code.push(...shiftCode(more, code.length));
  return code;
}

function either(a: readonly Instruction[], b: readonly Instruction[]): Instruction[] {
  const code: Instruction[] = [{ op: 'split', to: [1, a.length + 2] }];
  append(code, a);
  append(code, [{ op: 'split', to: [b.length + 1] }]);
  return append(code, b);
}

function star(body: readonly Instruction[]): Instruction[] {
  const code: Instruction[] = [{ op: 'split', to: [1, body.length + 2] }];
  append(code, body);
  return append(code, [{ op: 'split', to: [-(body.length + 1)] }]);
}
