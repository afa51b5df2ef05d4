/** @file A user's folder of Markdown and HTML as documents by path, within bounds. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { withSlashes } from './files/portable-path.ts';
import { reasonOf } from './files/read-failure.ts';

/** The most characters of all documents together, because a suite contains them. */
const mostCharacters = 5_000_000;

export interface DocumentFolder {
  readonly documents: Readonly<Record<string, string>>;
  /** Files that were left out, with the reason. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
}

/** Every .md, .html and .htm file below a folder; links and names that a move could not name are left out, and said. */
export function readDocumentFolder(folder: string): DocumentFolder {
  const documents: Record<string, string> = {};
  const skipped: { path: string; why: string }[] = [];
  let entries: string[];
  try {
    entries = (readdirSync(folder, { recursive: true }) as string[]).sort();
  } catch (thrown) {
    throw new Fault('input', `${folder} cannot be read as a folder of documents: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
  let characters = 0;
  for (const entry of entries) {
    if (!/\.(?:md|html?)$/i.test(entry)) continue;
    const path = withSlashes(relative(folder, join(folder, entry)));
    if (/(?:^|\/)(?:node_modules|\.[^/]+)\//.test(path)) continue;
    if (/[\s;,[\]]/.test(path)) {
      skipped.push({ path, why: 'its path has spaces, commas, semicolons or brackets' });
      continue;
    }
    if (!statSync(join(folder, entry), { throwIfNoEntry: false })?.isFile()) continue;
    const text = readFileSync(join(folder, entry), 'utf8');
    if (text.length > 200_000 || characters + text.length > mostCharacters) {
      skipped.push({
        path,
        why: text.length > 200_000 ? 'it is longer than 200,000 characters' : 'the limit of five million characters is reached',
      });
      continue;
    }
    characters += text.length;
    documents[path] = text;
  }
  return { documents, skipped };
}
