/**
 * @file Parses HTML into a tree of elements, as leniently as browsers do: unknown tags are kept, missing end tags are added, and scripts
 * are left out.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

export interface HtmlElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: HtmlChild[];
  /** The line of the start tag, counted from 1. */
  readonly line: number;
}

export type HtmlChild = HtmlElement | string;

/** Elements nested deeper than this become siblings. */
const deepest = 256;

const voidTags = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr']);
/** Elements whose text is not part of the page. */
const rawTags = new Set(['script', 'style', 'template', 'noscript']);
/** Open elements that a start tag closes: <li> closes the previous <li>. */
const endedBy: Readonly<Record<string, readonly string[]>> = {
  li: ['li'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
  option: ['option'],
  tr: ['tr', 'td', 'th'],
  td: ['td', 'th'],
  th: ['td', 'th'],
  tbody: ['thead', 'tr', 'td', 'th'],
};
const blocks = new Set(['p', 'div', 'ul', 'ol', 'table', 'form', 'nav', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'section', 'article', 'dl']);

const token = linear(
  /<!--[\s\S]*?-->|<![^>]*>|<\/([A-Za-z][A-Za-z0-9-]*)[^>]*>|<([A-Za-z][A-Za-z0-9-]*)((?:"[^"]*"|'[^']*'|[^'">])*)>|<|[^<]+/g,
);
const attribute = linear(/([^\s"'=/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=]+)))?/g);

export function parseHtml(html: string): HtmlElement {
  const root: HtmlElement = { tag: 'html', attributes: {}, children: [], line: 1 };
  const open: HtmlElement[] = [root];
  let raw = '';
  let line = 1;
  for (const [text, endTag, startTag, written = ''] of html.matchAll(token)) {
    const at = line;
    line += text.split('\n').length - 1;
    if (raw !== '') {
      if (endTag?.toLowerCase() === raw) raw = '';
      continue;
    }
    if (endTag !== undefined) close(open, endTag.toLowerCase());
    else if (startTag !== undefined) {
      const tag = startTag.toLowerCase();
      if (rawTags.has(tag)) {
        raw = tag;
        continue;
      }
      if (tag === 'html') continue;
      const ended = blocks.has(tag) ? ['p'] : (endedBy[tag] ?? []);
      while (open.length > 1 && ended.includes(open[open.length - 1].tag)) open.pop();
      const element: HtmlElement = { tag, attributes: attributesIn(written), children: [], line: at };
      open[open.length - 1].children.push(element);
      if (!voidTags.has(tag) && !written.trimEnd().endsWith('/') && open.length < deepest) open.push(element);
    } else if (!text.startsWith('<!')) open[open.length - 1].children.push(decodeEntities(text));
  }
  return root;
}

/** Closes the innermost open element with this tag, and the elements inside it. An end tag without a start tag is ignored. */
function close(open: HtmlElement[], tag: string): void {
  const at = open.findLastIndex((element) => element.tag === tag);
  if (at > 0) open.length = at;
}

function attributesIn(written: string): Readonly<Record<string, string>> {
  const pairs = [...written.matchAll(attribute)].map(
    ([, name, double, single, bare]) => [name.toLowerCase(), decodeEntities(double ?? single ?? bare ?? '')] as const,
  );
  return Object.fromEntries(pairs);
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  euro: '€',
  pound: '£',
};

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** Returns the text of an element on one line. Images are replaced by their descriptions. */
export function textIn(child: HtmlChild): string {
  return rawText(child).replace(/\s+/g, ' ').trim();
}

function rawText(child: HtmlChild): string {
  if (typeof child === 'string') return child;
  if (child.tag === 'img') return child.attributes['alt'] ?? '';
  if (child.tag === 'br') return ' ';
  return child.children.map(rawText).join(blocks.has(child.tag) || child.tag === 'li' ? ' ' : '');
}

export function* descendants(element: HtmlElement): Generator<HtmlElement> {
  for (const child of element.children) {
    if (typeof child === 'string') continue;
    yield child;
    yield* descendants(child);
  }
}
