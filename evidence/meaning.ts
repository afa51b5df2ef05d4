/** @file What a source file does, without how it reads: comments, line breaks, types, the names of local variables, and the summaries of environments, which are for people, are left out. */

import { minifySync, transformSync } from 'rolldown/experimental';

const memory = new Map<string, string>();

/** Two versions of a file with the same result behave in the same way. Files of other kinds count without their white space. */
export function meaningOf(file: string, source: string): string {
  const key = `${file}\n${source}`;
  let meaning = memory.get(key);
  if (meaning === undefined) {
    meaning = /\.m?[jt]s$/.test(file) ? minify(file, source) : source.replace(/\s+/g, '');
    memory.set(key, meaning);
  }
  return meaning;
}

function minify(file: string, source: string): string {
  const script = transformSync(file, source);
  if (script.errors.length > 0) throw script.errors[0];
  const { code } = minifySync(file.replace(/ts$/, 'js'), script.code, { compress: false, mangle: { toplevel: true } });
  return code.replace(summaries, '$1summary:``');
}

/** The summary at the beginning of an environment's description. It describes the rules and does not change them. */
const summaries = /(\babout:\{)summary:(?:"(?:[^"\\]|\\.)*"|`[^`$]*`|'(?:[^'\\]|\\.)*')/g;
