/** @file Names and words: a function is called by what it does, not by what has been done, and comments are in plain words. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const folders = [...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/src`), 'evidence', 'scripts', 'docs/.vitepress'];
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.(tsx?|mjs)$/.test(file) && !/\.(test|cases)\.ts$|\.vitepress\/(cache|dist)\//.test(file)),
);

/** Benchmarks, and helpers that tests share. */
const helpers = ['benchmarks', 'packages', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /^benchmarks\/\w+\.ts$|^test\/fixtures\/\w[\w/-]*\.ts$|\.cases\.ts$/.test(file) && !/node_modules/.test(file)),
);

/** Wrappers of one interface, such as a model that is retried, may be called by what they add. */
const wrappers = 'cached charged grounded limited priced recorded required retried routed scripted'.split(' ');
const irregular =
  'begun bound brought built caught chosen dealt done drawn driven felt found given gone grown heard held hidden kept known laid left lost made met paid said seen sent shown sold spent spoken taken taught thought thrown told understood won written'.split(
    ' ',
  );
/** Code in a text, which is not ours to name. */
const texts = [
  'packages/environments/src/programs/repositories.ts: sorted',
  'packages/agents/src/sandbox/test-module.ts: shown',
  'evidence/programs/ice.ts: told',
];
/** Exported names are part of what a result of an experiment was measured with. These change when their experiments are run again. */
const measured = [
  '_learned.ts: learned',
  '_learned.ts: paidTo',
  '_play.ts: mixed',
  '_play.ts: compared',
  '_taught.ts: taught',
  '_values.ts: found',
  'beliefs.ts: drawn',
  'beliefs.ts: metBy',
].map((name) => `evidence/programs/${name}`);
const measuredHelpers = [
  'packages/learning/src/curricula/teachers/students.cases.ts: taught',
  'packages/learning/src/curricula/teachers/students.cases.ts: practised',
  'packages/learning/src/prompts/engines/engines.cases.ts: trialled',
];
/** Helpers that read like a sentence in nearly every test of the studio. */
const sentences = ['test/fixtures/studio-page.ts: ended', 'test/fixtures/studio-page.ts: shown'];
const verbs = 'embed exceed feed need proceed read red seed spread speed'.split(' ');

/** Whether a name is a participle alone, or one with "by", "in" and the like; "scriptedAgent" names a thing, and is none. */
function isParticiple(name: string): boolean {
  const [, first = '', rest] = /^([a-z]+)(By|In|Of|To|At|For|From|With|As|On|Out|Up)?$/.exec(name) ?? [];
  if (wrappers.includes(first) && rest === undefined) return false;
  return (irregular.includes(first) || /[^e]ed$/.test(first)) && !verbs.includes(first);
}

function functionsIn(text: string): string[] {
  const declared = text.matchAll(
    /^(?:export )?(?:async )?function\*? (\w+)|^(?:export )?const (\w+)(?:: [^=\n]+)? = (?:async )?(?:<[^>]*>)?\(.*=>/gm,
  );
  return [...declared].map(([, named, bound]) => (named ?? bound)!);
}

describe('function names', () => {
  it('are not participles', () => {
    const matches = [...files, ...helpers].flatMap((file) =>
      functionsIn(readFileSync(join(root, file), 'utf8'))
        .filter(isParticiple)
        .map((name) => `${file}: ${name}`)
        .filter((item) => ![...texts, ...measured, ...measuredHelpers, ...sentences].includes(item)),
    );
    expect(matches).toEqual([]);
  });

  it('are classified as verbs, nouns, and wrappers', () => {
    expect(['told', 'saidIn', 'heardBy', 'checked'].map(isParticiple)).toEqual([true, true, true, true]);
    expect(['tellSeat', 'scriptedAgent', 'cached', 'readPlan', 'seedPool'].map(isParticiple)).toEqual([false, false, false, false, false]);
    expect(functionsIn('export async function* told(a) {}\nconst shown = (a: string) => a;\n')).toEqual(['told', 'shown']);
  });
});

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly id?: SyntaxNode;
  readonly params?: readonly SyntaxNode[];
}

/** Names that a file gives to variables and parameters. `{ text }` takes the name of a field, and is left out. */
function bindingsIn(file: string, code: string): readonly string[] {
  const names: string[] = [];
  const bind = (pattern: unknown): void => {
    if (Array.isArray(pattern)) pattern.forEach(bind);
    if (typeof pattern !== 'object' || pattern === null || !('type' in pattern)) return;
    const node = pattern as SyntaxNode & Readonly<Record<string, unknown>>;
    if (node.type === 'Identifier') names.push(String(node.name));
    if (node.type === 'Property' && node['shorthand'] !== true) bind(node['value']);
    for (const part of ['properties', 'elements', 'left', 'argument', 'parameter']) bind(node[part]);
  };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type = '', id, params } = value as Partial<SyntaxNode>;
    if (type === 'VariableDeclarator') bind(id);
    if (type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression') bind(params);
    Object.values(value).forEach(visit);
  };
  visit(parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' }));
  return names;
}

describe('names of variables and parameters', () => {
  const vague = new Set(
    'found known own said kept told asked made given one some seen taken held shown heard sent drawn chosen paid together sight yesno may or such thing things'.split(
      ' ',
    ),
  );

  /** Where a name can be bound: after a bracket, comma, colon, or keyword, or first in a line, and before what may follow a name there. Few files are parsed. */
  const mayBindVague = new RegExp(
    `(?:[({\\[,:]|\\b(?:const|let|var)|\\.\\.\\.|^)\\s*(?:${[...vague].join('|')})\\s*(?:[,:=)\\]};?!]|of |in |$)`,
    'm',
  );

  function namesIn(file: string, code = readFileSync(join(root, file), 'utf8')): readonly string[] {
    return mayBindVague.test(code) ? bindingsIn(file, code).filter((name) => vague.has(name)) : [];
  }

  it('describe their values and avoid banned words', () => {
    // Programs that agents repair are not ours to name.
    const sources = files.filter((file) => !/programs\/repositories\.ts$/.test(file));
    const matches = sources.flatMap((file) => namesIn(file).map((name) => `${file}: ${name}`));
    expect(matches).toEqual([]);
  });

  it('are read from declarations, patterns, and arrow functions', () => {
    const code = 'const [a, { b: c, d }] = f((e, ...g) => e); function h({ i }: T, j = 1) {}';
    expect(bindingsIn('x.ts', code)).toEqual(['a', 'c', 'e', 'g', 'j']);
  });

  it('are noticed wherever a name can be bound', () => {
    const forms = [
      'const made = 1',
      'let said: string',
      'const [a, ...kept] = b',
      'const {\n  a: told,\n  b,\n} = c',
      'for (const one of c) d()',
    ];
    const functions = [
      'function f(a: T, shown?: T) {}',
      'c.map((own) => 1)',
      'c.map(async ({ b: some }, i) => 1)',
      'const f = (\n  held: T,\n) => 1',
    ];
    expect([...forms, ...functions].map((code) => namesIn('x.ts', code).length)).toEqual(Array(9).fill(1));
    expect(namesIn('x.ts', '// What was made, (said) and told.\nconst a = b.made;')).toEqual([]);
  });
});

describe('comments', () => {
  it('use plain words', () => {
    const mannered = /^\s*(?:\*|\/\/|\/\*\*).*\b(?:[Ww]hoever|unless told|told apart)\b/;
    const matches = files.flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, i) => (mannered.test(line) ? [`${file}:${i + 1}`] : [])),
    );
    expect(matches).toEqual([]);
  });
});
