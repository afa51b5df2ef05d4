/**
 * @file What an agent is shown of a page: an accessibility tree, plain text, or a list of elements with the likeliest first.
 *
 * In all of them an element is written the same way, `link "Cart" [ref=e5]`, with its options and its value behind it.
 */

import { elementsOf, type PageElement, type PageNode, type RowCell, type SitePage } from './page.ts';
import { controlValue, refOf, type Tab } from './tab.ts';
import { show, type Web } from './web.ts';

export const sights = ['tree', 'text', 'list'] as const;
export type Sight = (typeof sights)[number];

export interface PageView {
  readonly sight: Sight;
  /** How many elements a list has at most; 0 is all. */
  readonly candidates: number;
  /** The words by which a list is ranked. */
  readonly goal: string;
}

export function observe(web: Web, tab: Tab, { sight, candidates, goal }: PageView): string {
  const page = show(web, tab.url);
  const head = `Page "${page.title}" at ${tab.url}`;
  if (sight === 'tree') return `${head}\n${writeTree(page, tab)}`;
  if (sight === 'text') return `${head}\n${writeText(page, tab)}`;
  return `${head}\n${writeStatic(page)}\nElements, the likeliest first:\n${writeList(page, tab, goal, candidates)}`;
}

/** One element: its role and name, its reference, its options and its value. */
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

/** Hands out the elements of a page in their order, written. */
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
  const some = (count: number) => Array.from({ length: count }, element).join('  ');
  return page.nodes
    .map((node) => {
      if (node.kind === 'heading') return `${'#'.repeat(node.level)} ${node.text}`;
      if (node.kind === 'link') return element();
      if (node.kind === 'nav') return some(node.links.length);
      if (node.kind === 'form') return some(elementCount(node));
      if (node.kind !== 'table') return plainText(node);
      const rows = node.rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : some(elementCount(cell)))).join(' | '));
      return [node.head.join(' | '), ...rows].join('\n');
    })
    .join('\n');
}

/** What a page says, without what can be acted on; rows of tables stay whole. */
function writeStatic(page: SitePage): string {
  return page.nodes
    .flatMap((node) => {
      if (node.kind === 'heading') return [node.text];
      if (node.kind === 'table') return [node.head.join(' | '), ...node.rows.map((row) => row.map(cellText).join(' | '))];
      return node.kind === 'link' || node.kind === 'form' || node.kind === 'nav' ? [] : [plainText(node)];
    })
    .join('\n');
}

/** Elements by how many words they share with the goal; two that do the same are one. */
function writeList(page: SitePage, tab: Tab, goal: string, most: number): string {
  const words = new Set(goal.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const merged = new Set<string>();
  const ranked: { readonly line: string; readonly worth: number }[] = [];
  for (const [index, element] of elementsOf(page).entries()) {
    const { role, name, link } = element;
    const key = link === undefined ? '' : `${name} ${link.to}`;
    if (key !== '' && merged.has(key)) continue;
    merged.add(key);
    const ownMatch = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const shared = ownMatch.filter((word) => words.has(word)).length / Math.max(1, ownMatch.length);
    ranked.push({ line: elementLine(element, index, tab), worth: 2 * shared + (role === 'link' ? 0 : 0.5) });
  }
  ranked.sort((a, b) => b.worth - a.worth);
  const observations = most === 0 ? ranked : ranked.slice(0, most);
  const rest = ranked.length - observations.length;
  return [...observations.map(({ line }) => line), ...(rest > 0 ? [`${rest} more are not listed.`] : [])].join('\n');
}

function elementCount(node: Exclude<RowCell, string>): number {
  if (node.kind === 'link') return 1;
  return node.fields.reduce((sum, fieldNode) => sum + (fieldNode.type === 'radio' ? (fieldNode.options?.length ?? 0) : 1), 1);
}

function cellText(cell: RowCell): string {
  if (typeof cell === 'string') return cell;
  return cell.kind === 'link' ? cell.text : cell.button;
}

function plainText(node: PageNode): string {
  if (node.kind === 'fact') return `${node.name}: ${node.value}`;
  return 'text' in node ? node.text : '';
}

/** Moves that are worth a try for an agent that reads nothing: every element, with what the goal names typed into fields. */
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

function fits(type: string, value: string): boolean {
  if (type === 'number') return /^\d+$/.test(value);
  return type === 'date' ? /^\d{4}-\d\d-\d\d$/.test(value) : true;
}
