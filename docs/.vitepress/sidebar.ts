/**
 * @file The sidebar of the documentation site. Each kind of page has a folder with an index page, and the links on the index page are the
 * sidebar: a reader on the site, a reader of the repository, and the test in test/docs-site.test.ts see the same list.
 */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folders of the site in the order of the sidebar, with their titles. */
export const sections = {
  tutorials: 'Tutorials',
  'how-to': 'How-to guides',
  reference: 'Reference',
  explanation: 'Explanation',
  evidence: 'Evidence',
} as const;

export interface PageLink {
  readonly text: string;
  readonly link: string;
}

export interface PageGroup {
  readonly text: string;
  readonly items: readonly PageLink[];
}

/** The groups of links on an index page: one group per second-level heading, one link per list item or table row. */
export function groupsOf(docs: string, folder: string): readonly PageGroup[] {
  const text = readFileSync(join(docs, folder, 'index.md'), 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      text: part.slice(0, part.indexOf('\n')).trim(),
      items: [...part.matchAll(/^(?:[-*] |\| )\[([^\]]+)\]\(([^):#]+)\.md\)/gm)].map(([, title, path]) => ({
        text: (title as string).replaceAll('`', ''),
        link: `/${join(folder, path as string)}`,
      })),
    }));
}

/** The whole sidebar, in the form VitePress expects. */
export function sidebar(docs: string = join(dirname(import.meta.dirname))) {
  return Object.entries(sections).map(([folder, title]) => {
    const groups = groupsOf(docs, folder);
    const items = groups.length === 1 ? groups[0].items : groups.map((group) => ({ ...group, items: [...group.items], collapsed: true }));
    return { text: title, link: `/${folder}/`, collapsed: false, items: [...items] };
  });
}
