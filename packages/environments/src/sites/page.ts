/** @file Pages as plain nodes: a common structure for programs, agents, and the HTML that a browser loads. */

export type FieldNode = {
  readonly kind: 'field';
  readonly type: 'text' | 'search' | 'email' | 'password' | 'number' | 'date' | 'textarea' | 'select' | 'radio' | 'checkbox';
  readonly label: string;
  readonly name: string;
  readonly value: string;
  /** For a select or a group of radio buttons. The text is the value. */
  readonly options?: readonly string[];
  readonly checked?: boolean;
  readonly required?: boolean;
  readonly min?: number;
  readonly max?: number;
};

export type FormNode = {
  readonly kind: 'form';
  readonly name: string;
  readonly method: 'get' | 'post';
  readonly action: string;
  readonly fields: readonly FieldNode[];
  readonly button: string;
  readonly hidden: Readonly<Record<string, string>>;
};

export type LinkNode = {
  readonly kind: 'link';
  readonly text: string;
  readonly to: string;
};

export type RowCell = string | LinkNode | FormNode;

export type PageNode =
  | { readonly kind: 'heading'; readonly level: 1 | 2; readonly text: string }
  | { readonly kind: 'text' | 'alert' | 'status'; readonly text: string }
  /** A name with its value, such as "Price: 12.50". */
  | { readonly kind: 'fact'; readonly name: string; readonly value: string }
  | { readonly kind: 'nav'; readonly links: readonly LinkNode[] }
  | { readonly kind: 'table'; readonly name: string; readonly head: readonly string[]; readonly rows: readonly (readonly RowCell[])[] }
  | LinkNode
  | FormNode;

export interface SitePage {
  readonly status: 200 | 403 | 404;
  readonly title: string;
  readonly nodes: readonly PageNode[];
}

/** An interactive element: a link, control, or button. Listed in document order. */
export interface PageElement {
  readonly role: 'link' | 'button' | 'textbox' | 'searchbox' | 'spinbutton' | 'combobox' | 'radio' | 'checkbox';
  readonly name: string;
  readonly link?: LinkNode;
  readonly form?: FormNode;
  readonly field?: FieldNode;
  /** The number of the control within the page; typed text is stored under it. Radio buttons of a group share a number. */
  readonly control?: number;
  /** The text of its table row. */
  readonly row?: string;
  /** The group that it belongs to: a row, a form, or a menu. */
  readonly group: string;
}

export const heading = (text: string, level: 1 | 2 = 2): PageNode => ({ kind: 'heading', level, text });
export const text = (content: string): PageNode => ({ kind: 'text', text: content });
export const fact = (name: string, value: string | number): PageNode => ({ kind: 'fact', name, value: String(value) });
export const link = (label: string, to: string): LinkNode => ({ kind: 'link', text: label, to });

export function table(name: string, head: readonly string[], rows: readonly (readonly RowCell[])[]): PageNode {
  return { kind: 'table', name, head, rows };
}

export function field(label: string, name: string, more: Partial<FieldNode> = {}): FieldNode {
  return { kind: 'field', type: 'text', label, name, value: '', ...more };
}

export function form(name: string, action: string, fields: readonly FieldNode[], more: Partial<FormNode> = {}): FormNode {
  return { kind: 'form', name, method: 'post', action, fields, button: name, hidden: {}, ...more };
}

const roles = { search: 'searchbox', number: 'spinbutton', select: 'combobox', checkbox: 'checkbox', radio: 'radio' } as const;
const existing = new WeakMap<SitePage, readonly PageElement[]>();

export function elementsOf(page: SitePage): readonly PageElement[] {
  const before = existing.get(page);
  if (before !== undefined) return before;
  const elements: PageElement[] = [];
  let controls = 0;
  const addForm = (node: FormNode, place: Pick<PageElement, 'group' | 'row'>) => {
    for (const fieldNode of node.fields) {
      const control = controls++;
      const role = roles[fieldNode.type as keyof typeof roles] ?? 'textbox';
      const names = fieldNode.type === 'radio' ? (fieldNode.options ?? []) : [fieldNode.label];
      for (const name of names) elements.push({ role, name, form: node, field: fieldNode, control, ...place });
    }
    elements.push({ role: 'button', name: node.button, form: node, ...place });
  };
  const addLink = (node: LinkNode, place: Pick<PageElement, 'group' | 'row'>) =>
    elements.push({ role: 'link', name: node.text, link: node, ...place });
  for (const [at, node] of page.nodes.entries()) {
    if (node.kind === 'link') addLink(node, { group: `link ${at}` });
    else if (node.kind === 'form') addForm(node, { group: `form ${at}` });
    else if (node.kind === 'nav') for (const link of node.links) addLink(link, { group: `navigation ${at}` });
    else if (node.kind === 'table')
      for (const [number, cells] of node.rows.entries()) {
        const place = { group: `row ${at}.${number}`, row: cells.map(cellText).join(' | ') };
        for (const cell of cells) {
          if (typeof cell === 'string') continue;
          if (cell.kind === 'link') addLink(cell, place);
          else addForm(cell, place);
        }
      }
  }
  existing.set(page, elements);
  return elements;
}

export function cellText(cell: RowCell): string {
  if (typeof cell === 'string') return cell;
  return cell.kind === 'link' ? cell.text : cell.button;
}

/** Returns the initial value of a control: the first option of a select, "on" for a checked box. */
export function initialValue(fieldNode: FieldNode): string {
  if (fieldNode.type === 'checkbox') return fieldNode.checked === true ? 'on' : '';
  if (fieldNode.value !== '') return fieldNode.value;
  return fieldNode.type === 'select' ? (fieldNode.options?.[0] ?? '') : '';
}
