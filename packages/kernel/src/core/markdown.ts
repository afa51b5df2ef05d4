/** @file Escapes text from outside for a Markdown document, so that no link, image, table cell, heading or HTML comes of it. */

import { printable } from './printable.ts';

/** Signs that mean something in Markdown; each is a punctuation mark that a backslash makes plain. */
const signs = /[\\`*_{}[\]#~|!]/g;

/** One line of Markdown that shows the text and nothing else; safe in a paragraph and in a table cell. */
export function escapeMarkdown(text: string): string {
  return (
    printable(text)
      .replace(/\s+/g, ' ')
      .replace(signs, '\\$&')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      // Renderers make links of bare addresses, and some of any scheme.
      .replace(/:(?=\/\/)|(?<=\b(?:javascript|vbscript|data|file|blob|mailto|ftp)\s*):/giu, '\\:')
      .replace(/www\./gi, 'www\\.')
  );
}
