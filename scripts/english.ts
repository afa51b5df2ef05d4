/**
 * @file Texts that users read, for a reader to judge: `npm run english -- --sample 50 --seed 1` prints a random sample of help lines, error
 * messages, labels of the studio, descriptions of fields and parameters, and paragraphs of the documentation, then readability figures. `--banned` lists phrases that should not be in such texts.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

interface Extract {
  readonly kind: 'help' | 'error' | 'label' | 'field' | 'docs';
  readonly place: string;
  readonly text: string;
}

const root = join(import.meta.dirname, '..');
/** Pages written by generators, whose texts come from the code. */
const generated = /(^|\/)(api|worlds|methods)\.md$/;

function filesIn(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => pattern.test(file) && !/node_modules|\.vitepress|\.(test|cases)\.ts$/.test(file))
    .map((file) => join(folder, file))
    .sort();
}

const literal = /'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`/g;

/** Strings of at least three words in a piece of code. Expressions inside templates are shown as {…}. */
function literalsIn(code: string): readonly { readonly text: string; readonly index: number }[] {
  return [...code.matchAll(literal)]
    .map(({ 1: quoted, 2: template, index }) => ({ text: (quoted ?? template ?? '').replace(/\$\{[^}]*\}/g, '{…}').trim(), index }))
    .filter(({ text }) => /^[^<{[]/.test(text) && text.split(/\s+/).length >= 3 && /[a-z]{2,} [a-z]/i.test(text));
}

/** Text between the tags of a component. */
const between = />([^<>{}=;]*?[A-Za-z]{2,}[^<>{}=;]*?)(?=[<{])/g;

/** Labels, headings, hints, and empty states of the studio. */
function labelsIn(code: string): readonly { readonly text: string; readonly index: number }[] {
  const attributes = code.matchAll(/\b(?:label|aria-label|about|title|placeholder|heading)=(?:"([^"\n]+)"|\{`([^`]+)`\})/g);
  return [...code.matchAll(between), ...attributes]
    .map(({ 1: text = '', 2: template, index }) => ({
      text: (template ?? text)
        .replace(/\$\{[^}]*\}/g, '{…}')
        .replace(/\s+/g, ' ')
        .trim(),
      index,
    }))
    .filter(({ text }) => /[A-Za-z]{2,}/.test(text) && !/=>|[([]$|\(\(|\)[,:]|&&|^[,.)]/.test(text));
}

/** Descriptions in JSON Schemas, and of the parameters of environments and engines. */
const described = /(?:description: |(?:optional|required|withDefault)\([^'\n]*, )$/;

function codeExtracts(): readonly Extract[] {
  const files = filesIn(join(root, 'packages'), /\/src\/.*\.tsx?$/);
  return files.flatMap((file) => {
    const code = readFileSync(file, 'utf8');
    const lineOf = (index: number) => code.slice(0, index).split('\n').length;
    if (file.endsWith('.tsx'))
      return labelsIn(code).map(({ text, index }): Extract => ({ kind: 'label', place: `${relative(root, file)}:${lineOf(index)}`, text }));
    const isHelp = /cli\/(declarations\/|main\.ts|command\.ts)/.test(file);
    return literalsIn(code).flatMap(({ text, index }): readonly Extract[] => {
      const place = `${relative(root, file)}:${lineOf(index)}`;
      const isError = /(Fault|Error)\(\s*('\w+',\s*)?$/.test(code.slice(Math.max(0, index - 60), index));
      if (isError) return [{ kind: 'error', place, text }];
      if (described.test(code.slice(Math.max(0, index - 120), index))) return [{ kind: 'field', place, text }];
      return isHelp && !text.startsWith('ludus ') ? [{ kind: 'help', place, text }] : [];
    });
  });
}

/** Phrases that make a text sound translated, and what to write instead. */
const bannedPhrases: Readonly<Record<string, string>> = {
  'at hand': 'available',
  anew: 'again',
  'came as': 'got',
  'but none came': 'but got none',
  shall: 'should',
  beside: 'next to, or compared with',
  'so many': 'this many',
  'of its own': 'its, or separate',
  'of your own': 'your',
  'of their own': 'their',
  'stands? (in|at)': 'is in, or means',
  'held against': 'compared with',
  'told (from|apart)': 'distinguished from',
  'go on|gone on': 'continue',
  'goes on': 'continues',
  'taken up': 'resumed',
  'nobody|somebody|everybody': 'name the person or component',
  '(?<!there )is no (?!longer|\\w+er\\b)[a-z]+': 'is not a',
  'there already': 'already exists',
  '(?<!-)dice': 'random seed',
  'by chance': 'at random',
  mend: 'fix',
  likeness: 'similarity',
  'small letters': 'lowercase letters',
  'whole number': 'integer',
  '[0-9}] %': 'no space before %',
};

interface BannedUse {
  readonly phrase: string;
  readonly instead: string;
  readonly place: string;
  readonly text: string;
}

/** Phrases that are ordinary in what characters and players say. Only code that speaks to users must not have them. */
const spoken: readonly string[] = [
  'shall',
  'beside',
  'go on|gone on',
  'goes on',
  'nobody|somebody|everybody',
  '(?<!there )is no (?!longer|\\w+er\\b)[a-z]+',
  '(?<!-)dice',
  'mend',
  'likeness',
  'whole number',
];

/** Texts whose wording is versioned, because episodes, verdicts, and datasets that are stored must stay comparable: prompts, rubrics, moves, and data of desks. */
const versioned =
  /environments\/src\/(clinic|discussion|disclosure|nations\/orders|programs\/python|quest-world|sites|skirmish|social-scene|tutor|werewolf)|evaluation\/src\/(probes|scoring\/(rubrics|judges))\/|desk\/src\/environment\/(tau2|domains)|agents\/src\/(llm\/templates|personas\/gallery)|agents\/src\/sandbox\/prelude|societies\/src\/network\/platform/;

/** Code whose strings are read by users of commands, the library, servers, and the studio; environments and prompts speak to players and models. */
const userFacing =
  /packages\/(ludus-agents\/src\/cli|kernel\/src|store\/src|servers\/src|studio\/src|societies\/src\/surveys|evaluation\/src\/scoring\/report)\//;

/** Every use of a banned phrase in errors, in strings of all code, and in documents. */
export function bannedUses(): readonly BannedUse[] {
  const extracts = codeExtracts();
  const errors = extracts.filter(({ kind }) => kind === 'error');
  const labels = extracts.filter(({ kind }) => kind === 'label');
  const strings = filesIn(join(root, 'packages'), /\/src\/.*\.tsx?$/)
    .filter((file) => userFacing.test(file) || !versioned.test(file))
    .flatMap((file) => {
      const code = readFileSync(file, 'utf8').replace(/^\s*(\/\*|\*|\/\/).*$/gm, '');
      const lineOf = (index: number) => code.slice(0, index).split('\n').length;
      return literalsIn(code).map(({ text, index }) => ({ place: `${relative(root, file)}:${lineOf(index)}`, text }));
    });
  const texts = new Map([...errors, ...labels, ...strings].map(({ place, text }) => [`${place} ${text}`, { place, text }]));
  const isError = new Set(errors.map(({ place }) => place));
  const uses = [...texts.values()].flatMap(({ place, text }) =>
    bannedPhrasesIn(text)
      .filter((phrase) => isError.has(place) || userFacing.test(place) || !spoken.includes(phrase))
      .map((phrase) => ({ phrase, instead: bannedPhrases[phrase], place, text })),
  );
  return [...uses, ...bannedInDocuments()];
}

/** Every use of a banned phrase in documents that tell users what to do or what things mean. Decisions and evidence are records of their time. */
function bannedInDocuments(): readonly BannedUse[] {
  const pages = [
    ...['README.md', 'CONTRIBUTING.md', 'AGENTS.md'].map((file) => pageOf(join(root, file), root)),
    ...pagesIn(join(root, 'docs')).filter(({ name }) => /^(index|tutorials|how-to|explanation|reference)\b/.test(name)),
  ];
  return pages.flatMap(({ name, paragraphs, cells }) =>
    [...paragraphs, ...cells].flatMap((text) =>
      bannedPhrasesIn(text.replace(/`[^`]*`|“[^”]*”|"[^"]*"/g, ''))
        .filter((phrase) => !['nobody|somebody|everybody', 'stands? (in|at)'].includes(phrase))
        .map((phrase) => ({ phrase, instead: bannedPhrases[phrase], place: name, text })),
    ),
  );
}

/** The banned phrases that a text has. */
export function bannedPhrasesIn(text: string): readonly string[] {
  return Object.keys(bannedPhrases).filter((phrase) => new RegExp(/^[\w(]/.test(phrase) ? `\\b(?:${phrase})\\b` : phrase, 'i').test(text));
}

interface Page {
  readonly name: string;
  readonly paragraphs: readonly string[];
  readonly cells: readonly string[];
}

/** A page without its code: paragraphs and list items as single lines, and the cells of its tables. */
function pageOf(file: string, docs: string): Page {
  const text = readFileSync(file, 'utf8')
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .replace(/^ {4,}\S.*$/gm, '');
  const blocks = text.split(/\n\s*\n|\n(?=[-*] |\d+\. |#|\|)/).map((block) => block.trim());
  const isTable = (block: string) => block.startsWith('|');
  return {
    name: relative(docs, file),
    paragraphs: blocks
      .filter((block) => block !== '' && !isTable(block) && !/^(#|!\[|<|---)/.test(block))
      .map((block) => block.replace(/\s*\n\s*/g, ' ').replace(/^([-*]|\d+\.) /, '')),
    cells: blocks.filter(isTable).flatMap((row) => (/^\|[\s:|-]+$/.test(row) ? [] : row.split(/(?<!\\)\|/).slice(1, -1))),
  };
}

export function pagesIn(docs: string): readonly Page[] {
  const files = filesIn(docs, /\.md$/).filter((file) => !generated.test(file) && !/\/decisions\//.test(file));
  return files.map((file) => pageOf(file, docs));
}

const wordsIn = (text: string) => text.split(/\s+/).filter((word) => /\w/.test(word)).length;

/** The line length by which paragraphs are measured: a column of text on the site. */
const column = 100;

export function figuresOf(pages: readonly Page[]) {
  const paragraphs = pages.flatMap((page) => page.paragraphs);
  const sentences = paragraphs
    .flatMap((text) => text.split(/(?<=[.!?:])\s+(?=[A-Z`"*[])/))
    .map(wordsIn)
    .filter((count) => count > 2);
  const cells = pages.flatMap((page) => page.cells);
  return {
    pages: pages.length,
    words: paragraphs.concat(cells).reduce((sum, text) => sum + wordsIn(text), 0),
    medianSentence: sentences.toSorted((a, b) => a - b)[Math.floor(sentences.length / 2)] ?? 0,
    sentencesOver25: share(sentences, (count) => count > 25),
    paragraphsOverFiveLines: share(paragraphs, (text) => text.length > 5 * column),
    cellsOverTwelveWords: share(cells, (text) => wordsIn(text) > 12),
  };
}

function share<T>(list: readonly T[], test: (item: T) => boolean): string {
  const count = list.filter(test).length;
  return `${count} of ${list.length} (${((100 * count) / Math.max(1, list.length)).toFixed(1)}%)`;
}

/** A shuffle that a seed repeats. */
function shuffle<T>(list: readonly T[], seed: number): readonly T[] {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  return list
    .map((item) => ({ item, key: next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

const help = `Usage: npm run english -- [options]

Prints readability figures of the documentation.

Options:
  --sample <n>     also print a random sample of n help lines, errors, labels, fields, and paragraphs
  --seed <n>       random seed of the sample (default: 1)
  --docs <folder>  the documentation to measure (default: docs)
  --banned         list banned phrases in strings that users read, and stop
  --help           show this help`;

function main(): void {
  const { values } = parseArgs({
    options: {
      sample: { type: 'string' },
      seed: { type: 'string' },
      docs: { type: 'string' },
      banned: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    console.log(help);
    return;
  }
  if (values.banned === true) {
    for (const { phrase, instead, place, text } of bannedUses()) console.log(`${place}: "${phrase}" (${instead})\n    ${text}`);
    return;
  }
  const docs = values.docs ?? join(root, 'docs');
  const [size, seed] = [Number(values.sample ?? 0), Number(values.seed ?? 1)];
  const pages = pagesIn(docs);
  if (size > 0) {
    const paragraphs = pages.flatMap(({ name, paragraphs: texts }) => texts.map((text): Extract => ({ kind: 'docs', place: name, text })));
    const extracts = [...codeExtracts(), ...paragraphs];
    const shares = { help: 0.2, error: 0.3, label: 0.15, field: 0.15, docs: 0.2 } as const;
    for (const [kind, part] of Object.entries(shares)) {
      const choices = extracts.filter((extract) => extract.kind === kind);
      console.log(`\n${kind} (${choices.length} in all)\n`);
      for (const { place, text } of shuffle(choices, seed).slice(0, Math.round(size * part))) console.log(`  ${place}\n    ${text}`);
    }
    console.log('');
  }
  for (const [name, figure] of Object.entries(figuresOf(pages))) console.log(`${name.padEnd(24)} ${figure}`);
}

if (import.meta.main) {
  try {
    main();
  } catch (thrown) {
    console.error(`${(thrown as Error).message}\n\n${help}`);
    process.exitCode = 2;
  }
}
