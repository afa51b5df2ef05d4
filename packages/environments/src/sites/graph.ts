/**
 * @file A page as a graph: elements are nodes, and those that belong together (a row, a form, a menu) are joined. Elements that do the same
 * are merged, and what is dropped is dropped by whole groups, so that a row keeps its text, its link, and its button.
 */

import { elementsOf, type PageElement, type SitePage } from './page.ts';

/** How elements are ordered: by the words they share with the goal or the last instruction, or as on the page. */
export const rankings = ['words', 'page'] as const;
export type ElementRanking = (typeof rankings)[number];

export interface ElementFilter {
  /** The words by which elements are ranked. */
  readonly goal: string;
  readonly ranking: ElementRanking;
  /** How many are shown at most; 0 is all. */
  readonly candidates: number;
}

/** Elements that belong together, by their indices on the page. */
export interface ElementGroup {
  readonly name: string;
  readonly elements: readonly number[];
}

export function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The groups of a page in its order: each row of a table, each form, and each link of a menu or in between. */
function groupsOf(page: SitePage): readonly ElementGroup[] {
  const groups = new Map<string, number[]>();
  for (const [index, { group, link, row }] of elementsOf(page).entries()) {
    const name = link !== undefined && row === undefined ? `${group} ${index}` : group;
    groups.set(name, [...(groups.get(name) ?? []), index]);
  }
  return [...groups].map(([name, elements]) => ({ name, elements }));
}

/** Groups that repeat each other: the rows of a table, the links of a menu, the links in between. */
const componentOf = ({ name }: ElementGroup): string => (name.startsWith('link') ? 'link' : /^\S+ \d+/.exec(name)![0]);

/** The first element of the page that does the same: a link to the same address. Controls and buttons are never merged. */
export function sameAs(elements: readonly PageElement[], index: number): number {
  const { link } = elements[index];
  return link === undefined ? index : elements.findIndex((other) => other.link?.to === link.to);
}

/** How well an element fits the words: those of its name count most, then those of its row. Controls come before links. */
function worthOf({ role, name, row }: PageElement, words: ReadonlySet<string>): number {
  const share = (text: string) => {
    const elementWords = wordsIn(text);
    return elementWords.filter((word) => words.has(word)).length / Math.max(1, elementWords.length);
  };
  return 2 * share(name) + (row === undefined ? 0 : share(row)) + (role === 'link' ? 0 : 0.5);
}

/** The same items, the most worth first; what is worth the same keeps its order. */
function byWorth<T>(items: readonly T[], worth: (item: T) => number): readonly T[] {
  return items
    .map((item) => ({ item, worth: worth(item) }))
    .sort((a, b) => b.worth - a.worth)
    .map(({ item }) => item);
}

/** Indices of elements, the likeliest first; links of the same name and address are merged. */
export function rankElements(
  page: SitePage,
  { goal, ranking, candidates }: ElementFilter,
): { readonly visible: readonly number[]; readonly hidden: number } {
  const words = new Set(wordsIn(goal));
  const elements = elementsOf(page);
  const distinct = elements.flatMap(({ name, link }, index) =>
    link !== undefined && elements.findIndex((other) => other.name === name && other.link?.to === link.to) < index ? [] : [index],
  );
  const ranked = ranking === 'words' ? byWorth(distinct, (index) => worthOf(elements[index], words)) : distinct;
  const visible = candidates === 0 ? ranked : ranked.slice(0, candidates);
  return { visible, hidden: ranked.length - visible.length };
}

export interface ElementGraph {
  /** In the order of the page, with merged elements left out. */
  readonly groups: readonly ElementGroup[];
  readonly merged: number;
  /** Groups that were dropped. */
  readonly dropped: number;
}

/**
 * As many groups as fit into the bound on elements; at least one. Each component of the page keeps its likeliest group before any keeps a
 * second one, since groups of a component repeat each other (ShowUI, arXiv 2411.17465).
 */
export function elementGraph(page: SitePage, { goal, ranking, candidates }: ElementFilter): ElementGraph {
  const words = new Set(wordsIn(goal));
  const elements = elementsOf(page);
  const all = groupsOf(page).flatMap(({ name, elements: members }) => {
    const distinct = members.filter((index) => sameAs(elements, index) === index);
    return distinct.length === 0 ? [] : [{ name, elements: distinct }];
  });
  const count = all.reduce((sum, group) => sum + group.elements.length, 0);
  const merged = elements.length - count;
  if (candidates === 0 || count <= candidates) return { groups: all, merged, dropped: 0 };
  const bestIn = (group: ElementGroup) => Math.max(...group.elements.map((index) => worthOf(elements[index], words)));
  const ranked = ranking === 'words' ? byTurns(byWorth(all, bestIn)) : all;
  const retained = new Set<ElementGroup>();
  let left = candidates;
  for (const group of ranked) {
    if (retained.size > 0 && group.elements.length > left) continue;
    retained.add(group);
    left -= group.elements.length;
  }
  return { groups: all.filter((group) => retained.has(group)), merged, dropped: all.length - retained.size };
}

/** The first group of each component, then the second of each, and so on. */
function byTurns(ranked: readonly ElementGroup[]): readonly ElementGroup[] {
  const counts = new Map<string, number>();
  return ranked
    .map((group) => {
      const round = counts.get(componentOf(group)) ?? 0;
      counts.set(componentOf(group), round + 1);
      return { group, round };
    })
    .sort((a, b) => a.round - b.round)
    .map(({ group }) => group);
}
