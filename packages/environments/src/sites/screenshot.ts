/**
 * @file Draws a page as an image in process: headings, text, tables, links, fields, and buttons. Each interactive element has its reference
 * next to it. The layout is not a browser's; for that, use `ludus serve sites`.
 */

import type { ImagePart } from '@ludus-agents/kernel/internal/core/index';
import { letterHeight } from '../picture/board.ts';
import { blankCanvas, type Colour, fill, outline, textWidth, toImage, write } from '../picture/draw.ts';
import { elementsOf, type PageElement, type RowCell, type SitePage } from './page.ts';
import { controlValue, refOf, type Tab } from './tab.ts';

const width = 800;
const margin = 12;
/** Maximum rows in the image; longer pages are cut. */
const mostRows = 120;

interface Piece {
  readonly text: string;
  readonly look: 'words' | 'title' | 'link' | 'field' | 'button' | 'mark' | 'alert';
}

const inks: Readonly<Record<Piece['look'], Colour>> = {
  words: 'ink',
  title: 'ink',
  link: 'blue',
  field: 'ink',
  button: 'paper',
  mark: 'violet',
  alert: 'red',
};

const scaleOf = (look: Piece['look']) => (look === 'title' ? 3 : look === 'mark' ? 1 : 2);

/** Returns the page as rows of pieces. */
function rowsOf(page: SitePage, tab: Tab): readonly (readonly Piece[])[] {
  const elements = elementsOf(page);
  let next = 0;
  const element = (): readonly Piece[] => {
    const index = next++;
    return [...piecesOf(elements[index], tab), { text: refOf(tab, index), look: 'mark' }];
  };
  const repeatElement = (count: number) => Array.from({ length: count }, element).flat();
  const splitWords = (text: string, look: Piece['look'] = 'words'): readonly Piece[] =>
    text.split(/\s+/).map((word) => ({ text: word, look }));
  const cellOf = (cell: RowCell) => (typeof cell === 'string' ? splitWords(cell) : repeatElement(elementCount(cell)));
  return page.nodes.flatMap((node): readonly (readonly Piece[])[] => {
    switch (node.kind) {
      case 'heading':
        return [splitWords(node.text, node.level === 1 ? 'title' : 'words')];
      case 'fact':
        return [splitWords(`${node.name}: ${node.value}`)];
      case 'nav':
        return [repeatElement(node.links.length)];
      case 'link':
      case 'form':
        return [repeatElement(elementCount(node))];
      case 'table':
        return [
          splitWords(node.head.join(' | ')),
          ...node.rows.map((row) => row.flatMap((cell, i) => [...(i === 0 ? [] : splitWords('|')), ...cellOf(cell)])),
        ];
      default:
        return [splitWords(node.text, node.kind === 'alert' ? 'alert' : 'words')];
    }
  });
}

function piecesOf(element: PageElement, tab: Tab): readonly Piece[] {
  const { name, field, link } = element;
  if (link !== undefined) return [{ text: name, look: 'link' }];
  if (field === undefined) return [{ text: name, look: 'button' }];
  const value = controlValue(tab, element);
  const isChosen = field.type === 'radio' ? value === name : value === 'on';
  if (field.type === 'radio' || field.type === 'checkbox')
    return [
      { text: isChosen ? 'x' : ' ', look: 'field' },
      { text: name, look: 'words' },
    ];
  const options = field.type === 'select' ? [{ text: `{${field.options?.join('|')}}`, look: 'words' } as const] : [];
  return [{ text: `${name}:`, look: 'words' }, { text: value === '' ? '          ' : value, look: 'field' }, ...options];
}

function elementCount(node: Exclude<RowCell, string>): number {
  return node.kind === 'link'
    ? 1
    : node.fields.reduce((sum, fieldNode) => sum + (fieldNode.type === 'radio' ? (fieldNode.options?.length ?? 0) : 1), 1);
}

/** Wraps rows that don't fit. */
function wrap(rows: readonly (readonly Piece[])[]): readonly (readonly Piece[])[] {
  return rows.flatMap((row) => {
    const lines: Piece[][] = [[]];
    let x = margin;
    for (const piece of row) {
      const wide = textWidth(piece.text, scaleOf(piece.look)) + gap;
      if (x + wide > width - margin && lines[lines.length - 1].length > 0) {
        lines.push([]);
        x = margin;
      }
      lines[lines.length - 1].push(piece);
      x += wide;
    }
    return lines;
  });
}

const gap = 14;
const rowHeight = (row: readonly Piece[]) => (row.some(({ look }) => look === 'title') ? 34 : 26);

/** Renders the current page of a tab. `alt` is the same content as text. */
export function screenshot(page: SitePage, tab: Tab, alt: string): ImagePart {
  const address: readonly Piece[] = [{ text: `${tab.url}  ${page.title}`, look: 'words' }];
  const rows = wrap([address, ...rowsOf(page, tab)]).slice(0, mostRows);
  const canvas = blankCanvas(
    width,
    rows.reduce((sum, row) => sum + rowHeight(row), 2 * margin),
  );
  fill(canvas, { x: 0, y: 0, width, height: rowHeight(rows[0]) + margin / 2 }, 'pale');
  let y = margin;
  for (const row of rows) {
    let x = margin;
    for (const { text, look } of row) {
      const scale = scaleOf(look);
      const wide = textWidth(text, scale);
      const box = { x: x - 4, y: y - 4, width: wide + 8, height: letterHeight * scale + 8 };
      if (look === 'button') fill(canvas, box, 'wall');
      if (look === 'field') outline(canvas, box, 'wall');
      if (look === 'link') fill(canvas, { x, y: y + letterHeight * scale + 1, width: wide, height: 1 }, 'blue');
      write(canvas, text, { x, y, scale, colour: inks[look] });
      x += wide + gap;
    }
    y += rowHeight(row);
  }
  return toImage(canvas, alt);
}
