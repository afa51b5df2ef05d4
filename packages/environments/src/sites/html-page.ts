/** @file Converts a user's HTML page to the nodes that environments show: headings, texts, links, tables, and forms. */

import { descendants, type HtmlChild, type HtmlElement, parseHtml, textIn } from './html-tree.ts';
import type { FieldNode, FormNode, LinkNode, PageNode, RowCell } from './page.ts';

/** The content of a replica page. */
export type ReplicaPage = { readonly title: string; readonly nodes: readonly PageNode[] };

export interface HtmlPage extends ReplicaPage {
  /** Addresses of links and forms within the replica, with their line numbers. */
  readonly targets: readonly { readonly to: string; readonly line: number }[];
  readonly problems: readonly { readonly line: number; readonly message: string }[];
  /** Links that leave the replica. They are shown as text. */
  readonly outside: number;
}

/** The hidden field that names the submitted form. */
export const formField = '_form';

/** Prefix of all addresses in a replica. */
export const replicaRoot = '/pages/';

const skipped = new Set(['head', 'title', 'svg', 'iframe', 'object', 'video', 'audio', 'canvas']);
const inline = new Set([
  'span',
  'b',
  'i',
  'em',
  'strong',
  'small',
  'code',
  'abbr',
  'time',
  'sub',
  'sup',
  'mark',
  'u',
  'img',
  'br',
  'label',
  'cite',
  'q',
]);
const inputTypes = ['text', 'search', 'email', 'password', 'number', 'date', 'checkbox', 'radio'] as const;

export function readHtmlPage(html: string, file: string): HtmlPage {
  const root = parseHtml(html);
  const reader = new PageReader(file);
  reader.visit(root.children);
  const elements = [...descendants(root)];
  const titled = elements.find(({ tag }) => tag === 'title') ?? elements.find(({ tag }) => tag === 'h1');
  const title = (titled === undefined ? file : textIn(titled)) || file;
  const { nodes, targets, problems, outside } = reader;
  if (nodes.length === 0) problems.push({ line: 1, message: 'the page has no text, link, table, or form' });
  return { title: quotable(title), nodes, targets, problems, outside };
}

/** Removes quotation marks and bars, because names are quoted and cells are separated by bars. */
function quotable(text: string): string {
  return text
    .replaceAll('"', '”')
    .replaceAll(/[[\]{}|]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300);
}

/** Resolves an address within the replica, or returns null if it points elsewhere. */
function resolveAddress(href: string, file: string): string | null {
  if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(href)) return null;
  const url = new URL(href, `http://replica/${file}`);
  const path = url.pathname === '/' || url.pathname.endsWith('/') ? `${url.pathname}index.html` : url.pathname;
  return `${replicaRoot}${decodeURIComponent(path.slice(1))}${url.search}${url.hash}`;
}

class PageReader {
  readonly nodes: PageNode[] = [];
  readonly targets: { to: string; line: number }[] = [];
  readonly problems: { line: number; message: string }[] = [];
  outside = 0;
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  visit(children: readonly HtmlChild[]): void {
    let text = '';
    const flush = () => {
      const line = quotable(text);
      if (line !== '') this.nodes.push(factOrText(line));
      text = '';
    };
    for (const child of children) {
      if (typeof child === 'string' || (inline.has(child.tag) && !hasElements(child)))
        text += typeof child === 'string' ? child : ` ${textIn(child)} `;
      else if (child.tag === 'a' && this.#link(child) === null) text += ` ${textIn(child)} `;
      else {
        flush();
        this.#element(child);
      }
    }
    flush();
  }

  #element(element: HtmlElement): void {
    const { tag, attributes } = element;
    if (skipped.has(tag) || 'hidden' in attributes || attributes['aria-hidden'] === 'true') return;
    const level = /^h([1-6])$/.exec(tag)?.[1];
    if (level !== undefined && !hasElements(element)) {
      const text = quotable(textIn(element));
      if (text !== '') this.nodes.push({ kind: 'heading', level: level === '1' ? 1 : 2, text });
    } else if (tag === 'a') {
      const link = this.#link(element, true);
      if (link !== null) this.nodes.push(link);
    } else if (tag === 'nav') this.#nav(element);
    else if (tag === 'table') this.#table(element);
    else if (tag === 'form') {
      const form = this.#form(element);
      if (form !== null) this.nodes.push(form);
    } else if (tag === 'dl') this.#facts(element);
    else if (['input', 'select', 'textarea', 'button'].includes(tag))
      this.problems.push({ line: element.line, message: `<${tag}> is outside a <form>, so it would do nothing; put it into a form` });
    else this.visit(element.children);
  }

  #link(element: HtmlElement, isCounted = false): LinkNode | null {
    const href = element.attributes['href'];
    const text = quotable(textIn(element) || (element.attributes['aria-label'] ?? element.attributes['title'] ?? ''));
    const to = href === undefined ? null : resolveAddress(href, this.#file);
    if (to === null) {
      if (href !== undefined && isCounted === false) this.outside++;
      return null;
    }
    if (isCounted) {
      this.targets.push({ to, line: element.line });
      if (text === '')
        this.problems.push({ line: element.line, message: `the link to "${href}" has no text; give it one, or an aria-label` });
    }
    return { kind: 'link', text, to };
  }

  #nav(element: HtmlElement): void {
    const links = [...descendants(element)].filter(({ tag }) => tag === 'a').flatMap((anchor) => this.#link(anchor, true) ?? []);
    if (links.length > 0) this.nodes.push({ kind: 'nav', links });
  }

  #facts(element: HtmlElement): void {
    let name = '';
    for (const { tag, children } of descendants(element)) {
      const text = quotable(children.map(textIn).join(' '));
      if (tag === 'dt') name = text;
      if (tag === 'dd') this.nodes.push({ kind: 'fact', name, value: text });
    }
  }

  #table(element: HtmlElement): void {
    const rows = [...descendants(element)].filter(({ tag }) => tag === 'tr');
    const cells = rows.map((row) =>
      row.children.filter((child): child is HtmlElement => typeof child !== 'string' && /^t[dh]$/.test(child.tag)),
    );
    const isHead = cells.length > 0 && cells[0].every(({ tag }) => tag === 'th');
    const caption = [...descendants(element)].find(({ tag }) => tag === 'caption');
    const name = quotable(element.attributes['aria-label'] ?? (caption === undefined ? 'table' : textIn(caption)));
    const head = isHead ? cells[0].map((cell) => quotable(textIn(cell))) : [];
    const body = (isHead ? cells.slice(1) : cells).map((row) => row.map((cell) => this.#cell(cell)));
    this.nodes.push({ kind: 'table', name, head, rows: body });
  }

  #cell(cell: HtmlElement): RowCell {
    const inside = [...descendants(cell)];
    const anchor = inside.find(({ tag }) => tag === 'a');
    const form = inside.find(({ tag }) => tag === 'form');
    if (inside.filter(({ tag }) => tag === 'a' || tag === 'form').length > 1)
      this.problems.push({ line: cell.line, message: 'a cell has more than one link or form; put each into a cell' });
    const element = form !== undefined ? this.#form(form) : anchor !== undefined ? this.#link(anchor, true) : null;
    return element ?? quotable(textIn(cell));
  }

  #form(element: HtmlElement): FormNode | null {
    const inside = [...descendants(element)];
    const labels = new Map<string, string>();
    for (const label of inside.filter(({ tag }) => tag === 'label')) {
      const text = quotable(
        label.children
          .filter((child) => typeof child === 'string' || !/^(select|textarea)$/.test(child.tag))
          .map(textIn)
          .join(' '),
      );
      const control: string | HtmlElement | undefined =
        label.attributes['for'] ?? [...descendants(label)].find(({ tag }) => /^(input|select|textarea)$/.test(tag));
      if (typeof control === 'string') labels.set(control, text);
      else if (control !== undefined) labels.set(keyOf(control), text);
    }
    const labelOf = (control: HtmlElement) => {
      const { id = '', name = '', placeholder } = control.attributes;
      return labels.get(id) ?? labels.get(keyOf(control)) ?? quotable(control.attributes['aria-label'] ?? placeholder ?? name);
    };
    const submit = inside.find(
      ({ tag, attributes }) =>
        (tag === 'button' && (attributes['type'] ?? 'submit') === 'submit') || (tag === 'input' && attributes['type'] === 'submit'),
    );
    const button =
      submit === undefined ? 'Send' : quotable(submit.tag === 'button' ? textIn(submit) : (submit.attributes['value'] ?? 'Send'));
    const hidden: Record<string, string> = {};
    const fields: FieldNode[] = [];
    for (const control of inside) {
      const field = this.#field(control, labelOf, inside);
      if (field === null) continue;
      if (control.attributes['type'] === 'hidden') hidden[field.name] = field.value;
      else if (field.type !== 'radio' || !fields.some((other) => other.name === field.name)) fields.push(field);
    }
    const action = resolveAddress(element.attributes['action'] ?? '', this.#file);
    if (action === null) {
      this.problems.push({
        line: element.line,
        message: `the form sends to "${element.attributes['action']}", which is outside the folder`,
      });
      return null;
    }
    this.targets.push({ to: action, line: element.line });
    const name = quotable(element.attributes['aria-label'] ?? element.attributes['name'] ?? element.attributes['id'] ?? button);
    const method = element.attributes['method']?.toLowerCase() === 'post' ? 'post' : 'get';
    // A POST names its form, so that records of different forms can be distinguished.
    return { kind: 'form', name, method, action, fields, button, hidden: method === 'post' ? { ...hidden, [formField]: name } : hidden };
  }

  #field(control: HtmlElement, labelOf: (control: HtmlElement) => string, inside: readonly HtmlElement[]): FieldNode | null {
    const { tag, attributes } = control;
    if (!/^(input|select|textarea)$/.test(tag)) return null;
    const type = tag === 'input' ? (attributes['type'] ?? 'text').toLowerCase() : tag;
    if (['submit', 'button', 'reset', 'image', 'file'].includes(type)) return null;
    const name = attributes['name'] ?? '';
    if (name === '') {
      this.problems.push({ line: control.line, message: `<${tag}> has no name, so a form would not send it` });
      return null;
    }
    const fieldType = tag === 'input' ? (inputTypes.find((input) => input === type) ?? 'text') : (tag as 'select' | 'textarea');
    const options =
      tag === 'select'
        ? [...descendants(control)].filter((option) => option.tag === 'option').map((option) => quotable(textIn(option)))
        : inside
            .filter((other) => other.attributes['type'] === 'radio' && other.attributes['name'] === name)
            .map((other) => labelOf(other) || (other.attributes['value'] ?? ''));
    const selected = [...descendants(control)].find((option) => option.tag === 'option' && 'selected' in option.attributes);
    const value =
      tag === 'select'
        ? selected === undefined
          ? ''
          : quotable(textIn(selected))
        : tag === 'textarea'
          ? quotable(textIn(control))
          : (attributes['value'] ?? '');
    const bound = (which: 'min' | 'max') =>
      type === 'number' && /^-?\d+$/.test(attributes[which] ?? '') ? { [which]: Number(attributes[which]) } : {};
    return {
      kind: 'field',
      type: fieldType,
      label: fieldType === 'radio' ? name : labelOf(control),
      name,
      value: fieldType === 'checkbox' || fieldType === 'radio' ? '' : value,
      ...(fieldType === 'select' || fieldType === 'radio' ? { options } : {}),
      ...('checked' in attributes && fieldType === 'checkbox' ? { checked: true } : {}),
      ...('required' in attributes ? { required: true } : {}),
      ...bound('min'),
      ...bound('max'),
    };
  }
}

/** Returns a key that identifies a control without an id. */
function keyOf({ line, attributes }: HtmlElement): string {
  return `line ${line} ${attributes['name']} ${attributes['value'] ?? ''}`;
}

function hasElements(element: HtmlElement): boolean {
  return [...descendants(element)].some(({ tag }) => ['a', 'form', 'table', 'input', 'select', 'textarea', 'button'].includes(tag));
}

/** "Price: 12.50" is a fact: a name and a value. */
function factOrText(line: string): PageNode {
  const [, name, value] = /^([^:.!?]{1,40}): (.{1,200})$/.exec(line) ?? [];
  return name === undefined ? { kind: 'text', text: line } : { kind: 'fact', name, value };
}
