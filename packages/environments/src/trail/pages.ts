/** @file Pages of a trail: a generated handbook or the user's documents, with their links and the facts that can be asked for. */

import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { LibraryDocument } from '../library/corpus.ts';
import { linksOf, readDocuments } from '../library/own-documents.ts';

interface TrailPage {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly links: readonly string[];
  /** Names and numbers on the page: the possible answers. */
  readonly facts: readonly string[];
}

export type TrailPages = ReadonlyMap<string, TrailPage>;

const firstNames = ['Ada', 'Bo', 'Cleo', 'Dag', 'Eva', 'Finn', 'Gro', 'Hal'];
const lastNames = ['Asker', 'Bell', 'Corwen', 'Dahl', 'Elster', 'Farrow', 'Grant', 'Hask'];
const levels = 4;
const branches = 3;
const astray = 3;

/** Generates a handbook in which every page names the page above it among others, and the first page names who signs for all pages. */
function makeHandbook(number: number): Json {
  const dice = rng(number, 'handbook');
  const name = () => `${dice.pick(firstNames)} ${dice.pick(lastNames)}`;
  const above: (number | null)[] = [null];
  const levelOf = [0];
  for (let at = 0; at < above.length; at++)
    if (levelOf[at] < levels)
      for (let i = 0; i < branches; i++) {
        above.push(at);
        levelOf.push(levelOf[at] + 1);
      }
  const ids = dice.shuffle(above.map((_, i) => `p${i + 1}`));
  const signer = name();
  const pages = above.map((parent, i) => {
    if (parent === null) return [ids[i], `# Charter\nAll pages are signed for by ${signer}.`] as const;
    // Pages that lead away from the first one, or keep the same distance.
    const others = dice.shuffle([...above.keys()].filter((other) => other !== i && levelOf[other] >= levelOf[i])).slice(0, astray);
    const links = dice.shuffle([parent, ...others]).map((to) => `[${ids[to]}](${ids[to]})`);
    return [ids[i], `# Section ${ids[i]}\nKept by ${name()}. See ${links.join(', ')}.`] as const;
  });
  return Object.fromEntries(dice.shuffle(pages));
}

/** The question about a generated handbook. Only its first page answers it. */
export const handbookQuestion = 'What is the missing name: "All pages are signed for by ____."?';

const notes = 300;
const linksEach = 3;
const questionCount = 8;

/** Generates notes with random links, as in a wiki: most are far apart. Eight of them name a person that no other page names. */
function makeNotes(number: number): Json {
  const dice = rng(number, 'notes');
  const letter = (i: number) => String.fromCharCode(97 + (i % 26));
  const ids = Array.from({ length: notes }, (_, i) => `${letter(i)}-${letter(Math.floor(i / 26))}`);
  const names = dice.shuffle(firstNames.flatMap((first) => lastNames.map((last) => `${first} ${last}`)));
  return Object.fromEntries(
    ids.map((id, i) => {
      const others = dice.shuffle(ids.filter((other) => other !== id)).slice(0, linksEach);
      const fact = i < questionCount ? `The contact for ${id} is ${names[i]}. ` : '';
      return [id, `# Note ${id}\n${fact}See ${others.map((to) => `[${to}](${to})`).join(', ')}.`];
    }),
  );
}

/** Generated pages, by their name in tasks. */
export const madePages = { handbook: makeHandbook, notes: makeNotes } as const;

const read = new WeakMap<object, TrailPages>();

export function pagesOf(documents: Json): TrailPages {
  const cached = documents === null || typeof documents !== 'object' ? undefined : read.get(documents);
  if (cached !== undefined) return cached;
  const list = readDocuments(documents);
  const ids = new Set(list.map(({ id }) => id));
  const pages = new Map(list.map((document) => [document.id, { ...document, links: linksOf(document, ids), facts: factsIn(document) }]));
  read.set(documents as object, pages);
  return pages;
}

const mostFacts = 6;

/** Returns two-word names and numbers of two or more digits, without duplicates. */
function factsIn({ text }: LibraryDocument): readonly string[] {
  const plain = plainText(text);
  return [...new Set(plain.match(linear(/\p{Lu}\p{L}+ \p{Lu}\p{L}+|\d{2,}/gu)) ?? [])].slice(0, mostFacts);
}

/** Returns a text without headings, with links replaced by their labels. */
function plainText(text: string): string {
  return text.replace(/^#.*$/gm, '').replace(linear(/\[([^\]\n]*)\]\([^)\n]*\)/g), '$1');
}

/** Returns the sentence of a page that contains a fact, with the fact blanked out. */
export function clozeOf({ text }: TrailPage, fact: string): string | null {
  const sentence = plainText(text)
    .split(/(?<=[.!?])\s+|\n+/)
    .find((part) => part.includes(fact));
  return sentence === undefined ? null : sentence.trim().replaceAll(fact, '____');
}
