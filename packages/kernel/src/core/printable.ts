/** @file Text from outside made safe for a terminal, a Markdown document, and an HTML page. */

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Safe as the content of an element and inside an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => entities[sign]!);
}

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

// Line feed and tab stay. C0, DEL and C1 carry escape sequences; bidirectional overrides can make text read as what it is not.
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point.
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** The text with everything that steers a terminal made visible: ␛ for escape, ␇ for bell, � where there is no picture. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unsafe, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '␡' : '�';
  });
}
