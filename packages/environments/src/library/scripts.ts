/** @file Readers of the library: a researcher that searches, opens, checks and cites, and the three seats of a team. */

import { Fault, isObject, type Script, type Turn, type View } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { firstText, textsOf } from '../exercise.ts';
import type { LibraryDocument } from './corpus.ts';
import { searchDocuments } from './library.ts';
import { type Constraints, constraintsOf } from './questions.ts';
import { extractReport } from './report.ts';

/** Facts read so far, from opened documents. */
interface Read {
  readonly births: Map<string, { readonly town: string; readonly year: number; readonly edition: number; readonly id: string }>;
  readonly trades: Map<string, { readonly trade: string; readonly id: string }>;
  readonly regions: Map<string, { readonly region: string; readonly id: string }>;
  readonly materials: Map<string, { readonly material: string; readonly id: string }>;
}

function readAll(texts: readonly string[]): Read {
  const read: Read = { births: new Map(), trades: new Map(), regions: new Map(), materials: new Map() };
  for (const text of texts) {
    const id = /^(\S+) /.exec(text)?.[1] ?? '';
    const birth = linear(/edition (\d)[.\n ]+(.+?) was born in (\d{4}) in \[(\w+)\]/).exec(text);
    if (birth !== null) {
      const before = read.births.get(birth[2]);
      const edition = Number(birth[1]);
      if (before === undefined || before.edition < edition)
        read.births.set(birth[2], { town: birth[4], year: Number(birth[3]), edition, id });
    }
    const trade = /(?:^|\n|\. )([A-Z]\w+ [A-Z]\w+) is a \[(\w+)\]/.exec(text);
    if (trade !== null) read.trades.set(trade[1], { trade: trade[2], id });
    const region = linear(/(\w+) is a town in the region of (\w+)\./).exec(text);
    if (region !== null) read.regions.set(region[1], { region: region[2], id });
    const material = /A (\w+) works with (\w+)\./.exec(text);
    if (material !== null) read.materials.set(material[1], { material: material[2], id });
  }
  return read;
}

/** Searches for what is missing, opens documents with promising titles, and answers once everything about one person is proved. */
const researcher: Script = (turn) => {
  const ask = /Question: (.+)$/s.exec(firstText(turn.view, /Question: /))![1];
  const texts = textsOf(turn.view);
  const done = new Set(turn.view.seen.flatMap((item) => (item.kind === 'action' ? [item.action.text] : [])));
  const linked = linear(/^Which page links to (.+)\? Answer/).exec(ask);
  if (linked !== null) return linkedPage(turn, linked[1], done);
  const wanted = constraintsOf(ask);
  if (Object.keys(wanted).length === 0) return readOwn(turn, ask, done);
  const titles = new Map(texts.flatMap((text) => [...text.matchAll(/^(d\d+) (.+)$/gm)].map((match) => [match[1], match[2]] as const)));
  const read = readAll(texts);
  const open = (fits: RegExp) => [...titles].find(([id, title]) => fits.test(title) && !done.has(`[open ${id}]`))?.[0];
  const proof = findProof(read, wanted);
  if (proof !== null) {
    // A first edition is trusted only if no later edition was found.
    const query = `[search register entry ${proof.name}]`;
    if (read.births.get(proof.name)!.edition === 1 && !done.has(query)) return { text: query };
    const later = open(new RegExp(`^Register entry of ${proof.name},`));
    return { text: later === undefined ? `[answer ${proof.name}; ${proof.cites.join(', ')}]` : `[open ${later}]` };
  }
  for (const { query, title } of needs(read, wanted)) {
    if (!done.has(`[search ${query}]`)) return { text: `[search ${query}]` };
    const id = open(title);
    if (id !== undefined) return { text: `[open ${id}]` };
  }
  return {
    text: turn.ask.choices?.find((choice) => choice.startsWith('[open ') && !done.has(choice)) ?? (turn.ask.choices ?? []).at(-1) ?? '',
  };
};

/**
 * For user-supplied questions: opens the top search results for the question, then reports on it or names the candidate that it mentions
 * most.
 */
function readOwn({ view, ask }: Turn, question: string, done: ReadonlySet<string>) {
  const query = `[search ${question.replace(/[[\]]/g, ' ')}]`;
  const opened = readDocumentsIn(view);
  if (!done.has(query)) return { text: query };
  const listed = textsOf(view).at(done.has(query) && opened.length === 0 ? -1 : 0)!;
  const results =
    textsOf(view).find((text) => !text.includes('Question: ') && !opened.some(({ text: display }) => display === text)) ?? listed;
  const next = [...results.matchAll(/^(\S+) /gm)]
    .map((match) => `[open ${match[1]}]`)
    .find((move) => !done.has(move) && (ask.choices ?? []).includes(move));
  if (next !== undefined && opened.length < 3) return { text: next };
  const documents = opened.map(({ id, title, text }) => ({ id, title, text }));
  if (isObject(ask.data)) return { text: extractReport(question, documents) || `# Nothing was found\nNothing was found about it.` };
  const answer = mostNamed(ask.choices ?? [], documents.map(({ text }) => text).join(' '), question);
  return { text: `[answer ${answer}; ${documents[0]?.id ?? ''}]` };
}

/** Returns opened documents as they were shown. */
function readDocumentsIn(view: View) {
  return view.seen.flatMap((item, i) => {
    const before = view.seen[i - 1];
    const id = before?.kind === 'action' ? /^\[open (\S+)\]$/.exec(before.action.text)?.[1] : undefined;
    if (item.kind !== 'message' || id === undefined) return [];
    const [title = id, ...rows] = item.text.slice(id.length + 1).split('\n');
    return [{ id, title, text: rows.join('\n') }];
  });
}

/** Returns the candidate answer that occurs in a text but not in the question: the longest match, or the first candidate if none match. */
function mostNamed(choices: readonly string[], text: string, question: string): string {
  const names = choices.flatMap((choice) => linear(/^\[answer (.+)\]$/).exec(choice)?.[1] ?? []);
  const there = names.filter(
    (name) => text.toLowerCase().includes(name.toLowerCase()) && !question.toLowerCase().includes(name.toLowerCase()),
  );
  return there.toSorted((a, b) => b.length - a.length)[0] ?? names[0] ?? 'unknown';
}

/** Yields searches for what is still unknown, most useful first, with the titles that are worth opening. */
function* needs(read: Read, wanted: Constraints): Iterable<{ readonly query: string; readonly title: RegExp }> {
  if (wanted.region !== undefined) yield { query: `town region ${wanted.region}`, title: /^[A-Z]\w+$/ };
  const towns =
    wanted.town === undefined
      ? [...read.regions].filter(([, { region }]) => region === wanted.region).map(([town]) => town)
      : [wanted.town];
  for (const town of towns) yield { query: `register born ${town}`, title: /^Register entry/ };
  for (const [name, birth] of read.births) {
    if (birth.edition === 1) yield { query: `register entry ${name}`, title: new RegExp(`^Register entry of ${name},`) };
    if (!fitsBirth(read, birth, wanted)) continue;
    yield { query: `guild roll ${name}`, title: new RegExp(`^Guild roll: ${name}$`) };
    const trade = read.trades.get(name)?.trade;
    if (trade !== undefined && wanted.material !== undefined) yield { query: `trade ${trade}`, title: new RegExp(`^Trade: ${trade}$`) };
  }
}

function fitsBirth(read: Read, { town, year }: { readonly town: string; readonly year: number }, wanted: Constraints): boolean {
  return (
    (wanted.town === undefined || wanted.town === town) &&
    (wanted.region === undefined || read.regions.get(town)?.region === wanted.region) &&
    (wanted.year === undefined || wanted.year === year) &&
    (wanted.decade === undefined || wanted.decade === Math.floor(year / 10) * 10)
  );
}

/** Returns a person who fits according to what was read, with the documents that prove it. */
function findProof(read: Read, wanted: Constraints): { readonly name: string; readonly cites: readonly string[] } | null {
  for (const [name, birth] of read.births) {
    const work = read.trades.get(name);
    if (work === undefined || !fitsBirth(read, birth, wanted)) continue;
    const material = read.materials.get(work.trade);
    if (wanted.trade !== undefined && wanted.trade !== work.trade) continue;
    if (wanted.material !== undefined && wanted.material !== material?.material) continue;
    const cites = [birth.id, work.id];
    if (wanted.region !== undefined) cites.push(read.regions.get(birth.town)!.id);
    if (wanted.material !== undefined) cites.push(material!.id);
    return { name, cites };
  }
  return null;
}

/** Opens documents one by one until one links to everything in the question. */
function linkedPage({ view, ask }: Turn, question: string, done: ReadonlySet<string>) {
  const targets = [...question.matchAll(linear(/\(([^)]+)\)/g))].map((match) => match[1]);
  for (const item of view.seen) {
    if (item.kind !== 'message' || item.text.includes('Question: ')) continue;
    const id = /^(\S+) /.exec(item.text)?.[1] ?? '';
    const links = [...item.text.matchAll(/\]\(([^)#\s]+)|href="([^"#]+)"/g)].map((match) => (match[1] ?? match[2])!.replace(/^\.\//, ''));
    const folder = id.split('/').slice(0, -1);
    if (targets.every((target) => links.some((link) => [...folder, link].join('/') === target))) return { text: `[answer ${id}; ${id}]` };
  }
  return { text: ask.choices?.find((choice) => choice.startsWith('[open ') && !done.has(choice)) ?? (ask.choices ?? [])[0] };
}

/** Plans one search for the birth and one for the trade. */
const planner: Script = ({ view }) => {
  const { town, region, year, decade, trade, material } = constraintsOf(firstText(view, /Question: /));
  // A user-supplied question is searched by its words.
  if ((town ?? region ?? trade ?? material) === undefined)
    return {
      text: `[plan ${questionIn(view)
        .replace(/[[\];]/g, ' ')
        .slice(0, 280)}]`,
    };
  return { text: `[plan register born ${town ?? region} ${year ?? decade}; guild roll ${trade ?? material}]` };
};

/** Selects the documents that fit a constraint. */
const retriever: Script = ({ view }) => {
  const wanted = constraintsOf(firstText(view, /Question: /));
  const last = textsOf(view).at(-1) ?? '';
  if (Object.keys(wanted).length === 0)
    return {
      text: `[select ${/^Document1:/.test(last) ? [...last.matchAll(/^Document\d+(?=:)/gm)].slice(0, 3).map(String).join(',') : 'none'}]`,
    };
  const fits = last.split('\n').flatMap((line) => {
    const birth = /was born in (\d{4}) in \[(\w+)\]/.exec(line);
    const trade = /is a \[(\w+)\]/.exec(line)?.[1];
    const isFit =
      birth === null ? trade !== undefined && trade === wanted.trade : Number(birth[1]) === wanted.year && birth[2] === wanted.town;
    return isFit ? [/^Document\d+/.exec(line)![0]] : [];
  });
  return { text: `[select ${fits.length === 0 ? 'none' : fits.join(',')}]` };
};

/** Answers with the person whom both kinds of documents name. */
const writer: Script = ({ view, ask, rng }) => {
  const wanted = constraintsOf(firstText(view, /Question: /));
  if (isObject(ask.data)) {
    const { documents } = ask.data as { readonly documents: readonly LibraryDocument[] };
    return { text: extractReport(questionIn(view), documents) || `# Nothing was found\nNothing was found about it.` };
  }
  if (Object.keys(wanted).length === 0)
    return { text: `[answer ${mostNamed(ask.choices ?? [], textsOf(view).at(-1) ?? '', questionIn(view))}]` };
  const read = readAll((textsOf(view).at(-1) ?? '').split('\n'));
  const proof = findProof(read, wanted) ?? { name: read.births.keys().next().value };
  return { text: proof.name === undefined ? rng.pick(ask.choices as readonly string[]) : `[answer ${proof.name}]` };
};

const questionIn = (view: View) => /Question: (.+)$/s.exec(firstText(view, /Question: /))![1];

/** A script for one seat, which declines all others. */
function on(seat: string, script: Script): Script {
  return (turn) => {
    if (turn.ask.seat !== seat) throw new Fault('input', `This script plays the ${seat} of the library.`);
    return script(turn);
  };
}

/** Names the documents that share words with the query. */
const finder: Script = ({ view, ask }) => {
  const message = view.seen.find((item) => item.kind === 'message' && Array.isArray(item.data));
  const documents = (message?.kind === 'message' ? message.data : []) as unknown as readonly LibraryDocument[];
  const { query, results } = ask.data as { readonly query: string; readonly results: number };
  const ids = searchDocuments(documents, query, results).map(({ id }) => id);
  return { text: ids.join(' ') || 'none' };
};

const bySeat: Readonly<Record<string, Script>> = { reader: researcher, planner, retriever, writer, finder };

export const scripts: Readonly<Record<string, Script>> = {
  /** Plays every seat, alone or as a team. */
  researcher: (turn) => bySeat[turn.ask.seat](turn),
  planner: on('planner', planner),
  retriever: on('retriever', retriever),
  writer: on('writer', writer),
  finder: on('finder', finder),
};
