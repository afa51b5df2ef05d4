/**
 * @file Inlines the variables of code: repeats every statement with its variables replaced by their values, imports by their full names,
 * and concatenated strings joined. A check of single statements then sees values built up over several lines or under another name, and
 * that a variable with a constant value contains no outside input.
 *
 * Supports Python and JavaScript, by lines and brackets, within one code block. It does not follow functions, objects, and loops.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** The most statements examined, the deepest nesting of definitions expanded, and the most definitions of one name. */
const [mostStatements, deepest, mostDefinitions] = [400, 4, 4];

/** Every statement with its variables replaced by their values; one that depends on a branch appears once for each. */
export function expandedStatements(code: string): readonly string[] {
  const statements = joinTexts(statementsIn(withFullNames(code)));
  const definitions = new Map<string, readonly string[]>();
  return statements.flatMap((statement, i) => {
    if (i >= mostStatements) return [statement];
    const match = linear(/^\s*(?:const |let |var |return )?([A-Za-z_]\w*)(?:\s*:\s*[\w.[\]]+)?\s*(\+?)=(?!=|>)\s*([\s\S]+?);?\s*$/).exec(
      statement,
    );
    const [, name = '', plus = '', value = ''] = match ?? [];
    const variants = expand(match === null ? statement : value, definitions);
    if (match === null) return joinTexts(variants);
    const definition = definitions.get(name) ?? [];
    // An addition extends every earlier value. Any other assignment may be in a branch, so earlier values are kept.
    const set = plus === '' ? [...definition, ...variants] : definition.flatMap((before) => variants.map((more) => `${before} + ${more}`));
    definitions.set(name, joinTexts(set.length === 0 ? variants : set).slice(-mostDefinitions));
    const head = statement.slice(0, statement.length - statement.trimStart().length);
    return definitions.get(name)!.map((item) => `${head}${name} = ${item}`);
  });
}

/** The text with every defined name replaced, once for each of its definitions. */
function expand(text: string, definitions: ReadonlyMap<string, readonly string[]>, depth = 0): readonly string[] {
  if (depth >= deepest) return [text];
  const name = namesIn(text).find((name) => definitions.has(name));
  if (name === undefined) return [text];
  const rest = new Map([...definitions].filter(([item]) => item !== name));
  const variants = definitions.get(name)!.flatMap((value) => expand(replaceName(text, name, value), rest, depth + 1));
  return [...new Set(variants)].slice(0, mostDefinitions);
}

/** Names outside strings, and inside the placeholders of strings. */
function namesIn(text: string): readonly string[] {
  return [...new Set(bare(text).match(/(?<![.\w])[A-Za-z_]\w*(?!\s{0,40}[\w(=:])/g) ?? [])];
}

function replaceName(text: string, name: string, value: string): string {
  const mask = bare(text);
  const pattern = new RegExp(`(?<![.\\w])${name}(?![\\w(])`, 'g');
  let [out, last] = ['', 0];
  for (const { index } of mask.matchAll(pattern)) {
    out += text.slice(last, index) + value;
    last = index + name.length;
  }
  return (out + text.slice(last)).slice(0, 2000);
}

/** Code of the same length with string contents blanked; placeholders of f-strings and templates stay. */
function bare(text: string): string {
  const parts: string[] = [];
  const neverClosed = new Set<string>();
  let last = 0;
  for (let at = 0; at < text.length; at++) {
    const quote = text[at]!;
    if (quote !== '"' && quote !== "'" && quote !== '`') continue;
    for (const mark of quote !== '`' && text.startsWith(quote.repeat(3), at) ? [quote.repeat(3), quote] : [quote]) {
      const end = neverClosed.has(mark) ? -1 : endOfText(text, at + mark.length, mark);
      if (end < 0) {
        neverClosed.add(mark);
        continue;
      }
      const isFormat = at > 0 && (text[at - 1] === 'f' || text[at - 1] === 'F');
      const holes = mark === '`' ? linear(/\$\{[^{}]*\}/g) : isFormat ? linear(/\{[^{}]*\}/g) : null;
      parts.push(text.slice(last, at + mark.length), blankBut(text.slice(at + mark.length, end), holes), mark);
      at = end + mark.length - 1;
      last = at + 1;
      break;
    }
  }
  return parts.join('') + text.slice(last);
}

/** The end of the string that begins at a position, or -1. */
function endOfText(text: string, from: number, mark: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text.startsWith(mark, at)) return at;
  }
  return -1;
}

/** Blanks of the same length; placeholders stay. */
function blankBut(inner: string, holes: RegExp | null): string {
  const blank = (part: string) => ' '.repeat(part.length);
  let [out, last] = ['', 0];
  for (const hole of holes === null ? [] : inner.matchAll(holes)) {
    out += blank(inner.slice(last, hole.index)) + hole[0];
    last = hole.index + hole[0].length;
  }
  return out + blank(inner.slice(last));
}

/** Adjacent string literals are merged; remaining parts of a concatenation come from elsewhere. */
function joinTexts(statements: readonly string[]): readonly string[] {
  return statements.map((statement) => {
    let text = statement;
    for (let i = 0; i < 20; i++) {
      const joined = text.replace(
        linear(/(?<![\w"'`])(?:"([^"\\\n]*)"|'([^'\\\n]*)')\s*\+\s*(?:"([^"\\\n]*)"|'([^'\\\n]*)')/),
        (whole, double?: string, single?: string, nextDouble?: string, nextSingle?: string) => {
          const mark = double === undefined ? "'" : '"';
          const next = nextDouble ?? nextSingle ?? '';
          return next.includes(mark) ? whole : `${mark}${double ?? single}${next}${mark}`;
        },
      );
      if (joined === text) break;
      text = joined;
    }
    return text;
  });
}

/** The statements: lines inside one bracket are joined, and lines are split at semicolons. */
function statementsIn(code: string): readonly string[] {
  const statements: string[] = [];
  let [open, current] = [0, ''];
  for (const line of code.split('\n')) {
    current = current === '' ? line : `${current} ${line.trim()}`;
    open = 0;
    for (const mark of bare(current)) open += mark === '(' || mark === '[' ? 1 : mark === ')' || mark === ']' ? -1 : 0;
    if (open > 0 && current.length < 2000) continue;
    statements.push(...current.split(/;(?=\s)/).filter((item) => item.trim() !== ''));
    current = '';
  }
  return current === '' ? statements : [...statements, current];
}

/** Replaces aliased imports and imported functions by their full names. */
function withFullNames(code: string): string {
  let out = code;
  for (const [, module = '', names = ''] of code.matchAll(linear(/^[^\S\n]*from[^\S\n]+([\w.]+)[^\S\n]+import[^\S\n]+([\w ,]+)$/gm)))
    for (const item of names.split(',')) {
      const [name = '', alias = name] = item.trim().split(linear(/\s+as\s+/));
      if (name !== '') out = out.replace(linear(new RegExp(`(?<![.\\w])${alias}(?=\\s{0,40}\\()`, 'g')), `${module}.${name}`);
    }
  for (const [, module = '', alias = ''] of code.matchAll(linear(/^[^\S\n]*import[^\S\n]+([\w.]+)[^\S\n]+as[^\S\n]+(\w+)$/gm)))
    out = out.replace(new RegExp(`(?<![.\\w])${alias}(?=\\.)`, 'g'), module);
  return out;
}
