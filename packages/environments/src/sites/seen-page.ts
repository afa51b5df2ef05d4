/** @file Parses a page back from what an agent was shown, in any of the three forms. Scripts use it, because they see nothing else. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** An element as shown: role, name, and reference. */
export interface SeenElement {
  readonly role: string;
  readonly name: string;
  readonly ref: string;
  /** The text of its table row or of its line. */
  readonly context: string;
}

const notation = linear(
  /(link|button|textbox|searchbox|spinbutton|combobox|radio|checkbox) "([^"]*)" \[ref=([a-z\d]+)\](?: \[checked\])?(?: \{[^}]*\})?/g,
);

export class SeenPage {
  readonly elements: readonly SeenElement[];
  /** The text of the page, line by line. Elements appear by name. */
  readonly lines: readonly string[];

  constructor(display: string) {
    const elements: SeenElement[] = [];
    let row = '';
    for (const line of display.split('\n')) {
      // In a tree, the elements of a row are listed below it with deeper indentation.
      if (/^ {2}- row "/.test(line) || !/^ {4}- /.test(line)) row = line;
      const context = row.replaceAll(notation, '$2').replace(/^ {2}- row "(.*?)":?$/, '$1');
      for (const [, role, name, ref] of line.matchAll(notation)) elements.push({ role, name, ref, context });
    }
    this.elements = elements;
    this.lines = display
      .replaceAll(notation, '$2')
      .split('\n')
      .map((line) => line.replace(linear(/^\s*- (?:row "(.*)":?|(?:text|alert|status): (.*)|(?:heading )?"(.*)".*)$/), '$1$2$3').trim());
  }

  find(name: string, ...roles: readonly string[]): SeenElement | null {
    return (
      this.elements.find((seenElement) => seenElement.name === name && (roles.length === 0 || roles.includes(seenElement.role))) ?? null
    );
  }

  /** Returns the element with a name in a row that contains a text. Falls back to the first element with that name. */
  findInRow(name: string, row: string, ...roles: readonly string[]): SeenElement | null {
    const folded = row.toLowerCase();
    const match = this.elements.find(
      (element) =>
        element.name.toLowerCase() === name.toLowerCase() && roles.includes(element.role) && element.context.toLowerCase().includes(folded),
    );
    return match ?? null;
  }

  has(phrase: string): boolean {
    return this.lines.some((line) => line.includes(phrase));
  }

  /** Returns the value after a name, as in "Price: 12.50". */
  fact(name: string): string | null {
    return this.lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null;
  }

  /** Returns the table rows as cells, without the header row. */
  rows(): readonly (readonly string[])[] {
    return this.lines
      .filter((line) => line.includes(' | '))
      .slice(1)
      .map((line) => line.split(' | '));
  }

  click(name: string, ...roles: readonly string[]): string | null {
    const seenElement = this.find(name, ...roles);
    return seenElement === null ? null : `[click ${seenElement.ref}]`;
  }

  type(name: string, value: string): string | null {
    const seenElement = this.find(name, 'textbox', 'searchbox', 'spinbutton');
    return seenElement === null ? null : `[type ${seenElement.ref} ${value}]`;
  }

  select(name: string, option: string): string | null {
    const seenElement = this.find(name, 'combobox');
    return seenElement === null ? null : `[select ${seenElement.ref} ${option}]`;
  }
}
