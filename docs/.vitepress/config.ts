/** @file The documentation site: `npm run docs` builds it into docs/.vitepress/dist and fails on a dead link. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { allCommands } from './commands.ts';
import { listPages } from './lists.ts';
import { resultNames } from './results.ts';
import { schemaNames } from './schemas.ts';
import { sections, sidebar } from './sidebar.ts';

const manifest = join(import.meta.dirname, '../../packages/ludus-agents/package.json');
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };

// Pages of the reference that are made from the code when the site is built.
const generated = [
  {
    text: 'Commands',
    items: (await allCommands()).map(([command]) => ({ text: `ludus ${command?.name}`, link: `/reference/commands/${command?.name}` })),
  },
  {
    text: 'Built-in objects and error codes',
    items: (await listPages()).map(({ name }) => ({ text: name, link: `/reference/lists/${name}` })),
  },
  { text: 'Files', items: schemaNames().map((name) => ({ text: name, link: `/reference/files/${name}` })) },
].map((group) => ({ ...group, collapsed: true }));

const results = {
  text: 'Result files',
  collapsed: true,
  items: resultNames().map((name) => ({ text: name, link: `/evidence/results/${name}` })),
};

// On phones, the last column of a table holds the explanation and must not be squeezed.
const phones =
  '@media (max-width: 640px) { .vp-doc td, .vp-doc th { padding: 6px 8px; font-size: 13px } .vp-doc td:last-child { min-width: 11rem } }';

export default defineConfig({
  title: 'Ludus',
  description: 'Run, score, and improve language agents.',
  // The studio serves the site under /docs/, GitHub Pages under the name of the repository.
  base: process.env['DOCS_BASE'] ?? '/docs/',
  cleanUrls: true,
  lastUpdated: false,
  ignoreDeadLinks: 'localhostLinks',
  // The page of all public names alone holds over a thousand code blocks.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  head: [['style', {}, phones]],
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // A reader who searches wants to do something: guides come before measurements and lists.
        miniSearch: {
          searchOptions: {
            combineWith: 'AND',
            prefix: (term: string) => term.length > 2,
            fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
            boostDocument: (page: string) =>
              /\/(?:tutorials|how-to)\//.test(page) ? 2 : /\/(?:evidence|decisions)\b|\/api\b/.test(page) ? 0.4 : 1,
          },
        },
      },
    },
    outline: [2, 3],
    nav: [
      ...Object.entries(sections).map(([folder, text]) => ({ text, link: `/${folder}/`, activeMatch: `/${folder}/` })),
      { text: `v${version}`, link: '/reference/' },
    ],
    sidebar: sidebar().map((section) => {
      if (section.link === '/reference/') return { ...section, items: [...generated, ...section.items] };
      return section.link === '/evidence/' ? { ...section, items: [...section.items, results] } : section;
    }),
  },
});
