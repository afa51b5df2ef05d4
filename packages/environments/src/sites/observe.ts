/**
 * @file Renders a page for an agent: as an accessibility tree, plain text, a list of elements with the most relevant first, or a graph.
 *
 * Elements have the same notation in all forms, `link "Cart" [ref=e5]`, followed by their options and value.
 */

import { type ElementFilter, elementGraph, rankElements, sameAs } from './graph.ts';
import { cellText, elementsOf, type PageElement, type PageNode, type RowCell, type SitePage } from './page.ts';
import { controlValue, refOf, type Tab } from './tab.ts';
import { show, type Web } from './web.ts';

export const sights = ['tree', 'text', 'list', 'graph'] as const;
export type Sight = (typeof sights)[number];

export interface PageView extends ElementFilter {
  readonly sight: Sight;
}

export function observe(web: Web, tab: Tab, { sight, ...filter }: PageView): string {
  const page = show(web, tab.url);
  const head = `Page "${page.title}" at ${tab.url}`;
  if (sight === 'tree') return `${head}\n${writeTree(page, tab)}`;
  if (sight === 'text') return `${head}\n${writeText(page, tab)}`;
  if (sight === 'graph') return `${head}\n${writeGraph(page, tab, filter)}`;
  return `${head}\n${writeStatic(page)}\nElements, ${filter.ranking === 'words' ? 'the likeliest first' : 'in the order of the page'}:\n${writeList(page, tab, filter)}`;
}

/** Returns the indexes of the elements that a view shows. Equivalent elements are represented by one of them. */
export function visibleElements(page: SitePage, { sight, ...filter }: PageView): readonly number[] {
  if (sight === 'list') return rankElements(page, filter).visible;
  if (sight === 'graph') return elementGraph(page, filter).groups.flatMap(({ elements }) => elements);
  return [...elementsOf(page).keys()];
}

/** Formats one element: role, name, reference, options, and value. */
function elementLine(element: PageElement, index: number, tab: Tab): string {
  const { role, name, field } = element;
  const start = `${role} "${name}" [ref=${refOf(tab, index)}]`;
  if (field === undefined) return start;
  const value = controlValue(tab, element);
  if (field.type === 'checkbox') return value === 'on' ? `${start} [checked]` : start;
  if (field.type === 'radio') return value === name ? `${start} [checked]` : start;
  const options = field.type === 'select' ? ` {${field.options?.join('|')}}` : '';
  return value === '' ? `${start}${options}` : `${start}${options}: ${value}`;
}

/** Returns a function that formats the elements of a page one by one, in page order. */
function elementWriter(page: SitePage, tab: Tab): () => string {
  const elements = elementsOf(page);
  let next = 0;
  return () => {
    const index = next++;
    return elementLine(elements[index], index, tab);
  };
}

function writeTree(page: SitePage, tab: Tab): string {
  const element = elementWriter(page, tab);
  const lines: string[] = [];
  for (const node of page.nodes) {
    if (node.kind === 'heading') lines.push(`- heading "${node.text}" [level=${node.level}]`);
    else if (node.kind === 'link') lines.push(`- ${element()}`);
    else if (node.kind === 'nav') {
      lines.push('- navigation:');
      for (const _ of node.links) lines.push(`  - ${element()}`);
    } else if (node.kind === 'form') {
      lines.push(`- form "${node.name}":`);
      for (let i = elementCount(node); i > 0; i--) lines.push(`  - ${element()}`);
    } else if (node.kind === 'table') {
      lines.push(`- table "${node.name}":`, `  - row "${node.head.join(' | ')}"`);
      for (const row of node.rows) {
        const count = row.reduce((sum, cell) => sum + (typeof cell === 'string' ? 0 : elementCount(cell)), 0);
        lines.push(`  - row "${row.map(cellText).join(' | ')}"${count === 0 ? '' : ':'}`);
        for (let i = count; i > 0; i--) lines.push(`    - ${element()}`);
      }
    } else lines.push(`- ${node.kind === 'fact' ? 'text' : node.kind}: ${plainText(node)}`);
  }
  return lines.join('\n');
}

function writeText(page: SitePage, tab: Tab): string {
  const element = elementWriter(page, tab);
  const repeatElement = (count: number) => Array.from({ length: count }, element).join('  ');
  return page.nodes
    .map((node) => {
      if (node.kind === 'heading') return `${'#'.repeat(node.level)} ${node.text}`;
      if (node.kind === 'link') return element();
      if (node.kind === 'nav') return repeatElement(node.links.length);
      if (node.kind === 'form') return repeatElement(elementCount(node));
      if (node.kind !== 'table') return plainText(node);
      const rows = node.rows.map((row) =>
        row.map((cell) => (typeof cell === 'string' ? cell : repeatElement(elementCount(cell)))).join(' | '),
      );
      return [node.head.join(' | '), ...rows].join('\n');
    })
    .join('\n');
}

/** Returns the text of a page without interactive elements. Table rows stay complete. */
function writeStatic(page: SitePage): string {
  return page.nodes
    .flatMap((node) => {
      if (node.kind === 'heading') return [node.text];
      if (node.kind === 'table') return [node.head.join(' | '), ...node.rows.map((row) => row.map(cellText).join(' | '))];
      return node.kind === 'link' || node.kind === 'form' || node.kind === 'nav' ? [] : [plainText(node)];
    })
    .join('\n');
}

function writeList(page: SitePage, tab: Tab, filter: ElementFilter): string {
  const elements = elementsOf(page);
  const { visible, hidden } = rankElements(page, filter);
  const isRepeated = ({ role, name }: PageElement) => elements.filter((other) => other.role === role && other.name === name).length > 1;
  // The row distinguishes elements with the same name.
  const lines = visible.map((index) => {
    const { row } = elements[index];
    return `${elementLine(elements[index], index, tab)}${row !== undefined && isRepeated(elements[index]) ? ` in "${row}"` : ''}`;
  });
  return [...lines, ...(hidden > 0 ? [`${hidden} more are not listed.`] : [])].join('\n');
}

/** Formats the page with its groups. A dropped group is omitted as a whole. An element lists the names of the links merged into it. */
function writeGraph(page: SitePage, tab: Tab, filter: ElementFilter): string {
  const elements = elementsOf(page);
  const { groups, merged, dropped } = elementGraph(page, filter);
  const retained = new Set(groups.flatMap(({ elements: members }) => members));
  const names = new Set(groups.map(({ name }) => name));
  const written = (index: number) => {
    const { name, link } = elements[index];
    if (!retained.has(index)) return '';
    const aliases = elements.filter((other, i) => link !== undefined && other.name !== name && sameAs(elements, i) === index);
    const also = [...new Set(aliases.map((alias) => `“${alias.name}”`))].join(', ');
    return `${elementLine(elements[index], index, tab)}${also === '' ? '' : ` (also ${also})`}`;
  };
  let next = 0;
  const take = (count: number) =>
    Array.from({ length: count }, () => written(next++))
      .filter((text) => text !== '')
      .join('  ');
  const lines = page.nodes.flatMap((node, at) => {
    if (node.kind === 'heading') return [`${'#'.repeat(node.level)} ${node.text}`];
    if (node.kind === 'link') return [take(1)];
    if (node.kind === 'nav') return [`navigation: ${take(node.links.length)}`];
    if (node.kind === 'form') return [names.has(`form ${at}`) ? `form: ${take(elementCount(node))}` : take(elementCount(node))];
    if (node.kind !== 'table') return [plainText(node)];
    const rows = node.rows.flatMap((row, number) => {
      const cells = row.map((cell) => (typeof cell === 'string' ? cell : take(elementCount(cell)) || cellText(cell)));
      const isActive = row.some((cell) => typeof cell !== 'string');
      return isActive && !names.has(`row ${at}.${number}`) ? [] : [cells.join(' | ')];
    });
    return [node.head.join(' | '), ...rows];
  });
  const notes = [
    merged > 0 ? `${merged} of ${elements.length} elements do the same as others and are merged.` : '',
    dropped > 0 ? `${dropped} groups are not shown.` : '',
  ];
  return [...lines, ...notes].filter((text) => text !== '' && text !== 'navigation: ').join('\n');
}

function elementCount(node: Exclude<RowCell, string>): number {
  if (node.kind === 'link') return 1;
  return node.fields.reduce((sum, fieldNode) => sum + (fieldNode.type === 'radio' ? (fieldNode.options?.length ?? 0) : 1), 1);
}

function plainText(node: PageNode): string {
  if (node.kind === 'fact') return `${node.name}: ${node.value}`;
  return 'text' in node ? node.text : '';
}

/** Returns plausible moves for an agent that doesn't read: every element, and every field filled with the goal's values. */
export function pageMoves(web: Web, tab: Tab, fields: readonly string[]): string[] {
  const moves: string[] = [];
  for (const [index, element] of elementsOf(show(web, tab.url)).entries()) {
    const { field } = element;
    const ref = refOf(tab, index);
    if (field === undefined || field.type === 'checkbox') moves.push(`[click ${ref}]`);
    else if (field.type === 'radio') {
      if (controlValue(tab, element) !== element.name) moves.push(`[click ${ref}]`);
    } else if (field.type === 'select') {
      const choice = controlValue(tab, element);
      for (const option of field.options ?? []) if (option !== choice) moves.push(`[select ${ref} ${option}]`);
    } else
      for (const value of fields) if (fits(field.type, value) && controlValue(tab, element) !== value) moves.push(`[type ${ref} ${value}]`);
  }
  if (tab.back.length > 0) moves.push('[back]');
  return moves;
}

/** Returns plausible answers for an agent that doesn't read: each piece of text on the page. */
export function pageAnswers(page: SitePage): string[] {
  const pieces = page.nodes.flatMap((node) => {
    if (node.kind === 'fact') return [node.value];
    if (node.kind === 'table') return node.rows.flatMap((row) => row.filter((cell) => typeof cell === 'string'));
    return node.kind === 'text' ? node.text.split(/[.;:!?] /) : [];
  });
  return [...new Set(pieces.map((piece) => piece.replaceAll(/[[\].]/g, ' ').trim()))].filter((piece) => piece !== '').slice(0, 40);
}

function fits(type: string, value: string): boolean {
  if (type === 'number') return /^\d+$/.test(value);
  return type === 'date' ? /^\d{4}-\d\d-\d\d$/.test(value) : true;
}
