/** @file The page docs/api.md, from the entry points of the package; `npm run generate` writes it. Each public name with its sentence and its declaration, as the compiler gives it. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { builtFile } from '../test/fixtures/built.ts';

const root = join(import.meta.dirname, '..');

/** A public name, the door it is imported from, and the source file that the door takes it from. */
export interface PublicName {
  readonly name: string;
  /** What it is called where it is declared. */
  readonly declared: string;
  readonly isType: boolean;
  readonly door: string;
  readonly from: string;
}

/** A public name with its declaration, and the sentence that stands above it; '' where there is none. */
export interface ApiEntry extends PublicName {
  readonly about: string;
  readonly declaration: string;
  /** Declarations of what it takes that no door exports, each at the first name that takes it. */
  readonly takes: readonly string[];
}

interface Found extends Pick<ApiEntry, 'about' | 'declaration'> {
  /** The file that declares it. */
  readonly file: string;
}

/** The doors in the order of the page; each is a file of packages/ludus-agents/src. */
export const doors: Readonly<Record<string, string>> = Object.fromEntries(
  ['index', 'personas', 'scoring', 'learning', 'servers', 'testing'].map((file) => [
    file === 'index' ? 'ludus-agents' : `ludus-agents/${file}`,
    file,
  ]),
);

/** A file of a package as "kernel/core/rng", from a specifier in another such file. */
function resolveIn(file: string, specifier: string): string {
  const path = specifier.startsWith('.')
    ? join(dirname(file), specifier)
    : specifier.replace(/^(?:@ludus-agents\/)?([\w-]+)\/internal\//, '$1/');
  return path.replace(/\.(d\.)?[jt]s$/, '');
}

/** The names that a door exports, read from its text: every export is written out there. */
export function namesOf(door: string): readonly PublicName[] {
  const text = readFileSync(join(root, 'packages/ludus-agents/src', `${doors[door]}.ts`), 'utf8');
  if (/export \*/.test(text)) throw new Error(`${doors[door]}.ts must write out every name; it has "export *".`);
  return [...text.matchAll(/export (type )?\{([^}]*)\} from '([^']+)'/g)].flatMap(([, all, list, from]) =>
    (list as string)
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map((part) => ({
        name: part.replace(/^type |^\w+ as /g, ''),
        declared: part.replace(/^type | as \w+$/g, ''),
        isType: all !== undefined || part.startsWith('type '),
        ...{ door, from: resolveIn('ludus-agents/index', from as string) },
      })),
  );
}

/** The text of a declaration from its beginning to its end: brackets are counted, strings and comments are skipped. */
function declarationAt(text: string, start: number): string {
  const block = /^export (?:declare )?(?:abstract )?(?:class|interface) /.test(text.slice(start, start + 40));
  const tokens = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|[{}()[\];]/g;
  tokens.lastIndex = start;
  for (let depth = 0, match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const [token] = match;
    if ('{(['.includes(token)) depth++;
    if ('})]'.includes(token)) depth--;
    if (depth === 0 && (token === ';' || (block && token === '}'))) return text.slice(start, tokens.lastIndex);
  }
  return text.slice(start);
}

/** The sentences of the comment that ends where a declaration begins; the comment of the whole file is not one. */
function aboutBefore(text: string): string {
  const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(text)?.[1] ?? '';
  if (comment.includes('@file')) return '';
  return comment
    .replace(/\n\s*\* ?/g, '\n')
    .replace(/```[\s\S]*?```/g, '')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

/** Where the declarations of "kernel/core/rng" are: in what was built, or in what was compiled for this. */
function declarationsOf(folder: string, file: string): string {
  const [, name = '', path = ''] = /^([\w-]+)\/(.*)$/.exec(file) ?? [];
  if (!folder.endsWith('node_modules')) return join(folder, name, 'src', `${path}.d.ts`);
  return join(folder, name === 'ludus-agents' ? name : `@ludus-agents/${name}`, 'dist', `${path}.d.ts`);
}

/** Looks a name up in emitted declarations, and follows re-exports and imports to where it is declared. */
function find(folder: string, file: string, name: string): Found | null {
  const text = readFileSync(declarationsOf(folder, file), 'utf8');
  const heads = new RegExp(`^export (?:declare )?(?:abstract )?(?:function|const|let|class|interface|type|enum) ${name}\\b(?!\\w)`, 'gm');
  const [first, ...overloads] = [...text.matchAll(heads)].map(({ index }) => index);
  if (first !== undefined) {
    const parts = [first, ...overloads].map((start) => declarationAt(text, start));
    const plain = parts.map((part) =>
      part
        .replace(/^export (declare )?/, '')
        .replace(/^\s+(#private|private .*);\n/gm, '')
        .replace(/import\("[^"]*"\)\./g, '')
        .replace(/^( +)/gm, (indent) => ' '.repeat(indent.length / 2)),
    );
    return { about: aboutBefore(text.slice(0, first)), declaration: plain.join('\n'), file };
  }
  for (const [, list, from] of text.matchAll(/^(?:export|import) (?:type )?(\{[^}]*\}|\*) from '([^']+)';/gm)) {
    if (list !== '*' && !new RegExp(`\\b${name}\\b`).test(list as string)) continue;
    const match = find(folder, resolveIn(file, from as string), name);
    if (match !== null) return match;
  }
  return null;
}

/** What a function or a class is called with, by the names we give such types; what those take themselves comes along. */
function parametersOf(folder: string, start: Found, visited: Set<string>): readonly string[] {
  const matches = /^(?:async )?(?:function|class)/.test(start.declaration) ? [start] : [];
  for (const { declaration, file } of matches)
    for (const [name] of declaration.matchAll(/\b[A-Z]\w*(?:Options|Parts|Services|Request|Source|Input)\b/g)) {
      const match = visited.has(name) ? null : find(folder, file, name);
      visited.add(name);
      if (match !== null) matches.push(match);
    }
  return matches.slice(1).map(({ about, declaration }) => (about === '' ? declaration : `/** ${about} */\n${declaration}`));
}

/** Every name of every door with its declaration, as it was built; where something was changed since, compiled without checking types, which is fast and comes out the same. */
export function apiEntries(): readonly ApiEntry[] {
  const isBuilt = builtFile('ludus-agents/index').endsWith('.js');
  const folder = isBuilt ? join(root, 'dist', 'node_modules') : mkdtempSync(join(tmpdir(), 'ludus-api-'));
  try {
    if (!isBuilt) {
      const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
      const flags = ['--declaration', '--emitDeclarationOnly', '--noCheck', '--outDir', folder];
      execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json'), ...flags], { cwd: root, stdio: 'pipe' });
    }
    const visited = new Set(Object.keys(doors).flatMap((door) => namesOf(door).map(({ declared }) => declared)));
    return Object.keys(doors).flatMap((door) =>
      namesOf(door).map((publicName) => {
        const match = find(folder, publicName.from, publicName.declared);
        if (match === null) throw new Error(`${publicName.name} of ${door} is declared nowhere below ${publicName.from}.`);
        return {
          ...publicName,
          ...match,
          takes: parametersOf(folder, match, visited),
          declaration: match.declaration.replace(new RegExp(`\\b${publicName.declared}\\b`), publicName.name),
        };
      }),
    );
  } finally {
    if (!isBuilt) rmSync(folder, { recursive: true, force: true });
  }
}

/** The page. A name that two doors export is explained at the first of them. */
export function apiDoc(entries: readonly ApiEntry[]): string {
  const first = new Map(entries.toReversed().map((entry) => [entry.name, entry.door]));
  const sections = Object.keys(doors).map((door) => {
    const text = readFileSync(join(root, 'packages/ludus-agents/src', `${doors[door]}.ts`), 'utf8');
    const about = /@file (?:`[^`]+`: )?([\s\S]*?)\s*\*\//.exec(text)?.[1] ?? '';
    const apiEntries = entries
      .filter((entry) => entry.door === door)
      .toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
    return [
      `## ${door}`,
      about.charAt(0).toUpperCase() + about.slice(1),
      ...apiEntries.map((entry) => section(entry, first.get(entry.name) as string)),
    ].join('\n\n');
  });
  return `# Public API

Generated from the entry points of the package in \`packages/ludus-agents/src\` and the comments in the code. Programs that use them are in \`examples\`.

${sections.join('\n\n')}
`;
}

function section({ name, door, about, declaration, takes }: ApiEntry, first: string): string {
  if (first !== door) return `### \`${name}\`\n\nThe same as in \`${first}\`.`;
  return `### \`${name}\`\n\n${about}\n\n\`\`\`ts\n${[declaration, ...takes].join('\n\n')}\n\`\`\``;
}
