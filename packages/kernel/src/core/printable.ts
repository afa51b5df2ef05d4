/** @file Makes external text safe for a terminal, a Markdown document, and an HTML page. */

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Safe as element content and in a double-quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => entities[sign]!);
}

/** Markdown syntax characters; a backslash escapes each of them. */
const signs = /[\\`*_{}[\]#~|!]/g;

/** One line of Markdown that shows exactly the text; safe in a paragraph and in a table cell. */
export function escapeMarkdown(text: string): string {
  return (
    printable(text)
      .replace(/\s+/g, ' ')
      .replace(signs, '\\$&')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      // Renderers create links from bare addresses, some of them for any scheme.
      .replace(/:(?=\/\/)|(?<=\b(?:javascript|vbscript|data|file|blob|mailto|ftp)\s*):/giu, '\\:')
      .replace(/www\./gi, 'www\\.')
  );
}

// Line feed and tab stay. C0, DEL and C1 carry escape sequences; bidirectional overrides can make text read as what it is not.
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point.
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** The text with all terminal control characters made visible: ␛ for escape, ␇ for bell, � if there is no symbol. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unsafe, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '␡' : '�';
  });
}
