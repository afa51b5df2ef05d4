/** @file Shows a portrait in terminals that can show pictures: by the protocol of kitty, or by that of iTerm2. */

import type { Terminal } from '../terminal.ts';

const rows = 12;
const chunk = 4096;
const largest = 4 * 2 ** 20;

/** The escape sequence that shows a PNG here; empty where the terminal cannot. */
export function portraitText(png: Uint8Array, { stdout, env }: Pick<Terminal, 'stdout' | 'env'>): string {
  if (stdout.isTTY !== true || png.length > largest || env['NO_COLOR'] !== undefined) return '';
  const data = Buffer.from(png).toString('base64');
  if (env['TERM'] === 'xterm-kitty' || env['TERM_PROGRAM'] === 'ghostty') return `${kitty(data)}\n`;
  if (env['TERM_PROGRAM'] === 'iTerm.app' || env['TERM_PROGRAM'] === 'WezTerm')
    return `\u001b]1337;File=inline=1;size=${png.length};height=${rows};preserveAspectRatio=1:${data}\u0007\n`;
  return '';
}

/** Data goes in pieces of at most 4096 characters; all but the last say that more follows. */
function kitty(data: string): string {
  const pieces = Array.from({ length: Math.ceil(data.length / chunk) }, (_, i) => data.slice(i * chunk, (i + 1) * chunk));
  return pieces
    .map((piece, i) => `\u001b_G${i === 0 ? `a=T,f=100,r=${rows},` : ''}m=${i < pieces.length - 1 ? 1 : 0};${piece}\u001b\\`)
    .join('');
}
