/**
 * @file A page as a graph. Elements are nodes, and related elements (a row, a form, a menu) are connected. Equivalent elements are merged,
 * and only whole groups are dropped, so a row keeps its text, its link, and its button.
 */

import { elementsOf, type PageElement, type SitePage } from './page.ts';

/** Element orders: by words shared with the goal or the last instruction, or by position on the page. */
export const rankings = ['words', 'page'] as const;
export type ElementRanking = (typeof rankings)[number];

export interface ElementFilter {
  /** The words by which elements are ranked. */
  readonly goal: string;
  readonly ranking: ElementRanking;
  /** Maximum number of elements shown; 0 shows all. */
  readonly candidates: number;
}

/** Related elements, by their indexes on the page. */
export interface ElementGroup {
  readonly name: string;
  readonly elements: readonly number[];
}

export function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns the groups of a page in order: each table row, each form, and each link in a menu or between them. */
function groupsOf(page: SitePage): readonly ElementGroup[] {
  const groups = new Map<string, number[]>();
  for (const [index, { group, link, row }] of elementsOf(page).entries()) {
    const name = link !== undefined && row === undefined ? `${group} ${index}` : group;
    groups.set(name, [...(groups.get(name) ?? []), index]);
  }
  return [...groups].map(([name, elements]) => ({ name, elements }));
}

/** Groups with a similar structure share a component: the rows of a table, the links of a menu, the links in between. */
const componentOf = ({ name }: ElementGroup): string => (name.startsWith('link') ? 'link' : (/^\S+ \d+/.exec(name) as RegExpExecArray)[0]);

/** Returns the first equivalent element on the page: a link to the same address. Controls and buttons are never merged. */
export function sameAs(elements: readonly PageElement[], index: number): number {
  const { link } = elements[index];
  return link === undefined ? index : elements.findIndex((other) => other.link?.to === link.to);
}

/** Scores how well an element matches the words. Words in its name count most, then words in its row. Controls come before links. */
function worthOf({ role, name, row }: PageElement, words: ReadonlySet<string>): number {
  const share = (text: string) => {
    const elementWords = wordsIn(text);
    return elementWords.filter((word) => words.has(word)).length / Math.max(1, elementWords.length);
  };
  return 2 * share(name) + (row === undefined ? 0 : share(row)) + (role === 'link' ? 0 : 0.5);
}

/** Sorts items by descending score. Ties keep their order. */
function byWorth<T>(items: readonly T[], worth: (item: T) => number): readonly T[] {
  return items
    .map((item) => ({ item, worth: worth(item) }))
    .sort((a, b) => b.worth - a.worth)
    .map(({ item }) => item);
}

/** Returns indexes of elements, most relevant first. Links with the same name and address are merged. */
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
  /** In page order, without merged elements. */
  readonly groups: readonly ElementGroup[];
  readonly merged: number;
  /** Groups that were dropped. */
  readonly dropped: number;
}

/**
 * Returns as many groups as fit into the element limit, but at least one. Each component keeps its most relevant group before any component
 * keeps a second one, because groups of a component are redundant (ShowUI, arXiv 2411.17465).
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

/** Interleaves the components: the first group of each, then the second of each, and so on. */
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
