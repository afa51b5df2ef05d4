/**
 * @file Runs a regular expression in linear time.
 *
 * A backtracking matcher needs quadratic, cubic or exponential time for patterns such as /\s+$/ or /(a|a)*b/. Here a pattern becomes a small
 * program whose threads all advance together, one character at a time (Pike's machine), so the work is at most its size times the length of
 * the text. Threads are ordered, so the result is the one that backtracking finds. Single characters and classes are tested by the built-in
 * engine, which is safe on one character and right about case and Unicode.
 */

import { longestMatch, type PatternNode, type PatternSyntax } from './pattern-syntax.ts';

type Instruction =
  | { readonly op: 'take'; readonly fits: Fits }
  | { readonly op: 'split'; readonly first: number; readonly second: number }
  | { readonly op: 'jump'; readonly to: number }
  /** Notes the position in a slot of the captures. */
  | { readonly op: 'note'; readonly slot: number }
  /** Each iteration of a repetition resets the captures of its groups. */
  | { readonly op: 'forget'; readonly from: number; readonly to: number }
  | { readonly op: 'assert'; readonly holds: (text: string, at: number) => boolean }
  | { readonly op: 'match' };

type Fits = (code: number) => boolean;

export interface PatternProgram {
  readonly code: readonly Instruction[];
  readonly slots: number;
  readonly unicode: boolean;
  /** A match can begin only at the start of the text. */
  readonly anchored: boolean;
  /** Whether a character can begin a match; null if a match may be empty. */
  readonly begins: Fits | null;
}

/** Remaining steps; every thread takes one per character. */
export interface Effort {
  left: number;
}

export interface CompileLimits {
  /** The most instructions of a program. */
  readonly largest: number;
  /** Whether lookarounds are allowed; each needs a body of bounded length. */
  readonly lookarounds: boolean;
}

const generous: CompileLimits = { largest: 20_000, lookarounds: true };
/** The most characters that a lookaround may read. */
const furthestLook = 96;

/** Throws if the program would be too large, or a lookaround would be unbounded. */
export function compilePattern({ root, groups }: PatternSyntax, flags: string, limits: CompileLimits = generous): PatternProgram {
  const compiler = new Compiler(flags, limits);
  compiler.emit({ op: 'note', slot: 0 });
  compiler.add(root);
  compiler.emit({ op: 'note', slot: 1 });
  compiler.emit({ op: 'match' });
  const { code } = compiler;
  return {
    code,
    slots: 2 * (groups + 1),
    unicode: flags.includes('u'),
    anchored: !flags.includes('m') && beginsAtStart(root),
    begins: beginningOf(code),
  };
}

function beginsAtStart(node: PatternNode): boolean {
  if (node.kind === 'place') return node.at === '^';
  if (node.kind === 'group') return beginsAtStart(node.body);
  if (node.kind === 'sequence') return node.parts[0] !== undefined && beginsAtStart(node.parts[0]);
  return node.kind === 'choice' && node.branches.every(beginsAtStart);
}

/** The characters that some first instruction accepts; assertions are assumed to hold. */
function beginningOf(code: readonly Instruction[]): Fits | null {
  const tests: Fits[] = [];
  const visited = new Set<number>();
  const waiting = [0];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (visited.has(at)) continue;
    visited.add(at);
    const instruction = code[at]!;
    if (instruction.op === 'match') return null;
    if (instruction.op === 'take') tests.push(instruction.fits);
    else if (instruction.op === 'split') waiting.push(instruction.first, instruction.second);
    else waiting.push(instruction.op === 'jump' ? instruction.to : at + 1);
  }
  return memoize((code) => tests.some((fits) => fits(code)));
}

class Compiler {
  readonly code: Instruction[] = [];
  readonly #flags: string;
  readonly #limits: CompileLimits;
  readonly #tests = new Map<string, Fits>();

  constructor(flags: string, limits: CompileLimits) {
    this.#flags = flags;
    this.#limits = limits;
  }

  emit(instruction: Instruction): number {
    if (this.code.length >= this.#limits.largest) throw new Error('too large');
    return this.code.push(instruction) - 1;
  }

  add(node: PatternNode): void {
    switch (node.kind) {
      case 'character':
        this.emit({ op: 'take', fits: this.#fits(node.source) });
        return;
      case 'place':
        this.emit({ op: 'assert', holds: placeTest(node.at, this.#flags) });
        return;
      case 'look':
        this.emit({ op: 'assert', holds: this.#look(node) });
        return;
      case 'group':
        if (node.number !== null) this.emit({ op: 'note', slot: 2 * node.number });
        this.add(node.body);
        if (node.number !== null) this.emit({ op: 'note', slot: 2 * node.number + 1 });
        return;
      case 'sequence':
        for (const part of node.parts) this.add(part);
        return;
      case 'choice':
        this.#choose(node.branches);
        return;
      case 'repeat':
        this.#repeat(node);
    }
  }

  #fits(source: string): Fits {
    const existing = this.#tests.get(source);
    if (existing !== undefined) return existing;
    const whole = new RegExp(`^(?:${source})$`, this.#flags.replace(/[dgmy]/g, ''));
    const fits = memoize((code) => whole.test(String.fromCodePoint(code)));
    this.#tests.set(source, fits);
    return fits;
  }

  #choose(branches: readonly PatternNode[]): void {
    const ends: number[] = [];
    for (const branch of branches.slice(0, -1)) {
      const split = this.emit({ op: 'match' });
      this.add(branch);
      ends.push(this.emit({ op: 'match' }));
      this.code[split] = { op: 'split', first: split + 1, second: this.code.length };
    }
    this.add(branches.at(-1)!);
    for (const end of ends) this.code[end] = { op: 'jump', to: this.code.length };
  }

  #repeat({ least, most, greedy, body }: PatternNode & { kind: 'repeat' }): void {
    if (most === 0) return;
    // An empty body matches once, however often it is repeated.
    if (longestMatch(body) === 0) {
      if (least > 0) this.add(body);
      return;
    }
    const [from, to] = groupsIn(body);
    const once = () => {
      if (from < to) this.emit({ op: 'forget', from: 2 * from, to: 2 * to });
      this.add(body);
    };
    for (let i = 0; i < least; i++) once();
    const fork = (split: number, out: number) => {
      this.code[split] = greedy ? { op: 'split', first: split + 1, second: out } : { op: 'split', first: out, second: split + 1 };
    };
    if (most === Infinity) {
      const split = this.emit({ op: 'match' });
      once();
      this.emit({ op: 'jump', to: split });
      fork(split, this.code.length);
      return;
    }
    const splits: number[] = [];
    for (let i = least; i < most; i++) {
      splits.push(this.emit({ op: 'match' }));
      once();
    }
    for (const split of splits) fork(split, this.code.length);
  }

  /** A lookaround reads a bounded number of characters, so it costs the same at every position. */
  #look({ behind, negative, body }: PatternNode & { kind: 'look' }): (text: string, at: number) => boolean {
    if (!this.#limits.lookarounds) throw new Error('lookarounds are not supported');
    const reach = longestMatch(body);
    const [from, to] = groupsIn(body);
    if (reach > furthestLook || from < to) throw new Error('a lookaround must be bounded and capture nothing');
    const compiler = new Compiler(this.#flags, this.#limits);
    compiler.add(body);
    compiler.emit({ op: 'match' });
    const program = { code: compiler.code, slots: 0, unicode: this.#flags.includes('u'), anchored: false, begins: null };
    const far = program.unicode ? 2 * reach : reach;
    if (!behind) return (text, at) => (runPattern(program, text, at, true) !== null) !== negative;
    return (text, at) => {
      for (let start = at; start >= Math.max(0, at - far); start--)
        if (runPattern(program, text, start, true, { left: Infinity }, at) !== null) return !negative;
      return negative;
    };
  }
}

/** The range of group numbers in a part, excluding the end. */
function groupsIn(node: PatternNode): readonly [number, number] {
  let from = Infinity;
  let to = 0;
  const visit = (part: PatternNode): void => {
    if (part.kind === 'group' && part.number !== null) {
      from = Math.min(from, part.number);
      to = Math.max(to, part.number + 1);
    }
    if ('body' in part) visit(part.body);
    else if (part.kind === 'sequence') part.parts.forEach(visit);
    else if (part.kind === 'choice') part.branches.forEach(visit);
  };
  visit(node);
  return [from, to];
}

function placeTest(at: '^' | '$' | '\\b' | '\\B', flags: string): (text: string, at: number) => boolean {
  const isBreak = (code: number) => code === 10 || code === 13 || code === 0x2028 || code === 0x2029;
  const lines = flags.includes('m');
  if (at === '^') return (text, i) => i === 0 || (lines && isBreak(text.charCodeAt(i - 1)));
  if (at === '$') return (text, i) => i === text.length || (lines && isBreak(text.charCodeAt(i)));
  const word = new RegExp('^\\w$', flags.replace(/[dgmy]/g, ''));
  const isWord = memoize((code) => word.test(String.fromCodePoint(code)));
  const wordAt = (text: string, i: number) => i >= 0 && i < text.length && isWord(text.charCodeAt(i));
  return (text, i) => (wordAt(text, i - 1) !== wordAt(text, i)) === (at === '\\b');
}

/** A test of single characters with cached results. */
function memoize(test: Fits): Fits {
  const low = new Int8Array(256);
  const high = new Map<number, boolean>();
  return (code) => {
    if (code < 256) {
      const answer = low[code]!;
      if (answer !== 0) return answer > 0;
      const fits = test(code);
      low[code] = fits ? 1 : -1;
      return fits;
    }
    const answer = high.get(code);
    if (answer !== undefined) return answer;
    const fits = test(code);
    high.set(code, fits);
    return fits;
  };
}

type Captures = readonly number[];

/**
 * The captures of the first match at or after a position, or null. `sticky` accepts only a match at the position; `end` only a match that
 * ends there. Once the effort is used up, the result is null.
 */
export function runPattern(
  { code, slots, unicode, anchored, begins }: PatternProgram,
  text: string,
  start: number,
  sticky: boolean,
  effort: Effort = { left: Infinity },
  end?: number,
): Captures | null {
  const observation = new Int32Array(code.length).fill(-1);
  const stack: number[] = [];
  const stackCaptures: Captures[] = [];
  let now: number[] = [];
  let nowCaptures: Captures[] = [];
  let next: number[] = [];
  let nextCaptures: Captures[] = [];
  let best: Captures | null = null;
  const none: Captures = new Array<number>(slots).fill(-1);
  const startsOnlyHere = sticky || anchored;
  if (anchored && start > 0) return null;

  /** Follows instructions that consume no character, in order, and lists the threads waiting for one; true if a match was reached. */
  const follow = (from: number, captures: Captures, at: number): boolean => {
    stack.push(from);
    stackCaptures.push(captures);
    while (stack.length > 0) {
      const pc = stack.pop()!;
      let captures = stackCaptures.pop()!;
      if (observation[pc] === at) continue;
      observation[pc] = at;
      if (--effort.left < 0) return false;
      const instruction = code[pc]!;
      switch (instruction.op) {
        case 'take':
          next.push(pc);
          nextCaptures.push(captures);
          break;
        case 'split':
          stack.push(instruction.second, instruction.first);
          stackCaptures.push(captures, captures);
          break;
        case 'jump':
          stack.push(instruction.to);
          stackCaptures.push(captures);
          break;
        case 'assert':
          if (!instruction.holds(text, at)) break;
          stack.push(pc + 1);
          stackCaptures.push(captures);
          break;
        case 'note':
        case 'forget':
          if (slots > 0) captures = instruction.op === 'note' ? captures.with(instruction.slot, at) : captures.map(forgotten(instruction));
          stack.push(pc + 1);
          stackCaptures.push(captures);
          break;
        case 'match':
          if (end !== undefined && at !== end) break;
          best = captures;
          // Later threads have a lower rank than this match.
          stack.length = 0;
          stackCaptures.length = 0;
          return true;
      }
    }
    return false;
  };

  for (let at = start; at <= text.length; ) {
    // Threads of `now` wait for the character at `at`.
    if (now.length === 0 && best === null && begins !== null && !startsOnlyHere) {
      while (at < text.length && !begins(unicode ? text.codePointAt(at)! : text.charCodeAt(at)))
        at += unicode && text.codePointAt(at)! > 0xffff ? 2 : 1;
    }
    if (best === null && (!startsOnlyHere || at === start)) {
      next = now;
      nextCaptures = nowCaptures;
      follow(0, none, at);
      now = next;
      nowCaptures = nextCaptures;
    }
    if (effort.left < 0) return null;
    if (now.length === 0 && (best !== null || startsOnlyHere)) return best;
    if (at >= text.length) return best;
    const character = unicode ? text.codePointAt(at)! : text.charCodeAt(at);
    const after = at + (character > 0xffff ? 2 : 1);
    next = [];
    nextCaptures = [];
    for (let i = 0; i < now.length; i++) {
      const instruction = code[now[i]!] as { readonly fits: Fits };
      if (instruction.fits(character) && follow(now[i]! + 1, nowCaptures[i]!, after)) break;
    }
    now = next;
    nowCaptures = nextCaptures;
    at = after;
  }
  return best;
}

const forgotten =
  ({ from, to }: { readonly from: number; readonly to: number }) =>
  (value: number, slot: number): number =>
    slot >= from && slot < to ? -1 : value;
