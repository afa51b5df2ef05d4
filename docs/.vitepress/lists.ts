/** @file The built-in objects of every kind, and the codes of errors with their messages. The site has a page for each kind, and one for the codes. */

import '@ludus-agents/servers/internal/kinds';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listEntries } from '@ludus-agents/kernel/internal/core/kind';
import { allKinds } from '@ludus-agents/kernel/internal/core/kind-registry';

const packages = join(import.meta.dirname, '../../packages');

export interface ListPage {
  readonly name: string;
  readonly text: string;
}

/** Text as it is, where a page would read a tag, an expression of Vue, or an attribute. */
const plain = (text: string) => text.replaceAll('<', '&lt;').replaceAll('{', '&#123;').replaceAll('}', '&#125;');

async function kindPages(): Promise<readonly ListPage[]> {
  return await Promise.all(
    allKinds().map(async (kind) => {
      const items = (await listEntries(kind)).map(({ name, about }) => `- \`${name}\`: ${plain(about)}`);
      const use = `\`ludus list ${kind.name}\` prints this list with your own, and \`ludus show ${kind.one} NAME\` explains one.`;
      return { name: kind.name, text: `# Built-in ${kind.name}\n\n${plain(kind.about)}.\n\n${use}\n\n${items.join('\n')}\n` };
    }),
  );
}

/** Messages by code, in the order of the sources. Expressions inside a message are shown as {…}. */
export function messagesByCode(): ReadonlyMap<string, readonly string[]> {
  const messages = new Map<string, Set<string>>();
  for (const file of readdirSync(packages, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/^[\w-]+\/src\/.*\.ts$/.test(file) || /\.(test|cases)\.ts$/.test(file)) continue;
    const code = readFileSync(join(packages, file), 'utf8');
    for (const { 1: name = '', index } of code.matchAll(/'(E_[A-Z_]+)'/g)) {
      const start = code.lastIndexOf('new Fault(', index);
      const literal = /^new Fault\(\s*'\w+',\s*(?:'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`)/.exec(code.slice(Math.max(0, start), index));
      const message = (literal?.[1] ?? literal?.[2] ?? '')
        .replace(/\$\{[^}]*\}/g, '{…}')
        .replace(/\$\{.*/, '{…}')
        .replaceAll('\\n', ' ');
      const texts = messages.get(name) ?? new Set();
      messages.set(name, index - start < 900 && message !== '' ? texts.add(message) : texts);
    }
  }
  return new Map([...messages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, texts]) => [name, [...texts]]));
}

function codesPage(): ListPage {
  const items = [...messagesByCode()].map(([code, texts]) => [`- \`${code}\``, ...texts.map((text) => `  - ${plain(text)}`)].join('\n'));
  const text = `# Error codes

A \`Fault\` has a \`boundary\`, a message, a \`code\`, and often \`details\`. If the cause has no specific code, \`code\` names the boundary, such as \`E_INPUT\`. Codes and details are stable, messages are not: test the code. With \`--json\`, commands print it too.

${items.join('\n')}
`;
  return { name: 'errors', text };
}

/** All pages: one for each kind, and the error codes. */
export async function listPages(): Promise<readonly ListPage[]> {
  return [...(await kindPages()), codesPage()];
}
