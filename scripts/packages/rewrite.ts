/** @file What a file says after the move: imports, addresses of files, and paths in texts, each by where its target is then. */

import { posix } from 'node:path';
import { isFolder, type Layout, packageName, parse, specifiersOf, umbrella, walk } from './layout.ts';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text of a file in its new place. */
export function rewrite(layout: Layout, file: string, text: string): string {
  let changed = text;
  if (/\.([cm]?[jt]s|tsx)$/.test(file)) changed = apply(changed, [...imports(layout, file, changed), ...addresses(layout, file, changed)]);
  if (file.endsWith('.md')) changed = links(layout, file, changed);
  return ownNames(paths(layout, changed), file);
}

function apply(text: string, edits: readonly Edit[]): string {
  let changed = text;
  for (const { start, end, text: put } of edits.toSorted((a, b) => b.start - a.start))
    changed = changed.slice(0, start) + put + changed.slice(end);
  return changed;
}

const placeOf = (layout: Layout, file: string) => layout.moves.get(file) ?? file;
const packageAt = (place: string) => /^packages\/([^/]+)\//.exec(place)?.[1] ?? null;

/** "./x.ts" from one place to another. */
function relative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

/** How a file imports another one after the move: by a relative path in its package, by the internal entry of another package, else by a relative path. */
function specifierFor(layout: Layout, file: string, target: string): string {
  const from = placeOf(layout, file);
  const to = placeOf(layout, target);
  const name = packageAt(to);
  const inside = name === null ? null : /^packages\/[^/]+\/src\/(.+)\.ts$/.exec(to)?.[1];
  // Nothing is above the package on top: it has no internal entry.
  if (name === null || name === umbrella || name === packageAt(from) || inside === null || inside === undefined) return relative(from, to);
  return `${packageName(name)}/internal/${inside}`;
}

function imports(layout: Layout, file: string, text: string): readonly Edit[] {
  return specifiersOf(file, text).flatMap(({ start, end, value }) => {
    const target = value.startsWith('.') ? posix.join(posix.dirname(file), value) : null;
    if (target === null || !layout.tracked.has(target)) return [];
    const specifier = specifierFor(layout, file, target);
    return specifier === value ? [] : [{ start, end, text: `'${specifier}'` }];
  });
}

/** `new URL('…', import.meta.url)`, `join(import.meta.dirname, '…', '…')` and calls that take a path and the address it begins from. */
function addresses(layout: Layout, file: string, text: string): readonly Edit[] {
  const edits: Edit[] = [];
  const from = placeOf(layout, file);
  /** The same target from the new place; null where nothing changes. */
  const moved = (path: string): string | null => {
    const target = posix.join(posix.dirname(file), path);
    const inside = target.startsWith('..') ? target : target.replace(/\/$/, '');
    // What is outside the repository, or at its root, stays where it is.
    const place = inside === '.' ? '' : locateLoosely(layout, inside);
    const now = posix.relative(posix.dirname(from), place === '' ? '.' : place) || '.';
    const before = posix.normalize(path).replace(/\/$/, '');
    if (now === before || `./${now}` === path) return null;
    return `${path.startsWith('./') && !now.startsWith('.') ? './' : ''}${now}${path.endsWith('/') ? '/' : ''}`;
  };
  walk(parse(file, text), (node) => {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return;
    const args = node['arguments'] as {
      type: string;
      start: number;
      end: number;
      value?: unknown;
      quasis?: { start: number; end: number; value: { cooked: string } }[];
    }[];
    const said = args.map(({ start, end }) => text.slice(start, end));
    const dirname = said.indexOf('import.meta.dirname');
    if (dirname === 0 && args.length > 1) {
      const literals: typeof args = [];
      for (const argument of args.slice(1)) {
        if (argument.type !== 'Literal' || typeof argument.value !== 'string') break;
        literals.push(argument);
      }
      if (literals.length === 0) return;
      const path = literals.map(({ value }) => value as string).join('/');
      const now = moved(path);
      if (now !== null) edits.push({ start: literals[0]!.start, end: literals.at(-1)!.end, text: `'${now}'` });
    } else if (said[0] === 'root' && args.length > 1) {
      const literals = args.slice(1, args.findIndex((argument, i) => i > 0 && typeof argument.value !== 'string') >>> 0);
      if (literals.length === 0) return;
      const path = literals.map(({ value }) => value as string).join('/');
      const place = layout.moves.has(path) || isFolder(path) ? locateLoosely(layout, path) : path;
      if (place !== path) edits.push({ start: literals[0]!.start, end: literals.at(-1)!.end, text: `'${place}'` });
    } else if (said.includes('import.meta.url')) {
      const [first] = args;
      if (first?.type === 'Literal' && typeof first.value === 'string' && first.value.startsWith('.')) {
        const now = moved(first.value);
        if (now !== null) edits.push({ start: first.start, end: first.end, text: `'${now.startsWith('.') ? now : `./${now}`}'` });
      } else if (first?.type === 'TemplateLiteral' && first.quasis?.[0]?.value.cooked.startsWith('.')) {
        const [quasi] = first.quasis;
        const prefix = quasi.value.cooked;
        // "./commit-thread." is followed by an extension, "../../../" by a path.
        const now = prefix.endsWith('.') ? moved(`${prefix}ts`)?.replace(/ts$/, '') : moved(prefix);
        if (now !== null && now !== undefined)
          edits.push({ start: first.start + 1, end: first.start + 1 + prefix.length, text: now.startsWith('.') ? now : `./${now}` });
      }
    }
  });
  return edits;
}

/** A file with or without its ending, or a folder. */
function locateLoosely(layout: Layout, path: string): string {
  if (layout.moves.has(path)) return layout.moves.get(path)!;
  const file = layout.moves.get(`${path}.ts`);
  return file !== undefined ? file.replace(/\.ts$/, '') : layout.locate(path);
}

/** Links of Markdown. */
function links(layout: Layout, file: string, text: string): string {
  return text.replace(/\]\((\.{0,2}\/?[\w./-]+)(#[\w-]*)?\)/g, (whole, path: string, anchor = '') => {
    const target = posix.join(posix.dirname(file), path);
    const place = locateLoosely(layout, target);
    return place === target ? whole : `](${posix.relative(posix.dirname(placeOf(layout, file)), place)}${anchor})`;
  });
}

/** "src/…" from the root of the repository, wherever it is written. */
function paths(layout: Layout, text: string): string {
  return text.replace(/(?<![\w/.-])(\.\/)?((?:src|studio\/src)\/[\w./-]*\w)/g, (whole, dot = '', path: string) => {
    const known = layout.moves.has(path) || layout.moves.has(`${path}.ts`) || isFolder(path);
    return known ? `${dot}${locateLoosely(layout, path)}` : whole;
  });
}

/** The name of the package that users install. */
function ownNames(text: string, file: string): string {
  if (file.startsWith('test/golden/') || file.startsWith('benchmarks/results/')) return text;
  return text
    .replace(/((?:from|import|import\(|resolve\(|module) ?)(['"])ludus(\/\w+)?\2/g, '$1$2ludus-agents$3$2')
    .replace(/(?<![\w./@-])ludus\/(personas|scoring|learning|servers|testing)\b/g, 'ludus-agents/$1')
    .replace(/node_modules(\/|', ')ludus(?=[/'])/g, 'node_modules$1ludus-agents')
    .replaceAll('test/rooms.test.ts', 'test/packages.test.ts')
    .replace(/\b(npm (?:i|install|add)(?: -\w+)* )ludus(?![\w/@-])/g, '$1ludus-agents');
}
