/** @file Text that is safe to write on a terminal: an episode's words may come from anywhere, and must not steer the screen. */

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
