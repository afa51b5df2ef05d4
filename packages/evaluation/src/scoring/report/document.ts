/** @file One HTML file that needs nothing else: the policy in its head forbids scripts, fonts and requests. */

import { style } from './style.ts';
import { escapeHtml } from './wording.ts';

/** Tables as rows of cells, the first row the titles. */
export type Rows = readonly (readonly string[])[];

/** A page; `head` and `main` are HTML, the title and the footer are texts. */
export function documentOf({ title, head, main, footer }: Readonly<Record<'title' | 'head' | 'main' | 'footer', string>>): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)} – Ludus</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
${head}
</header>
<main>
${main}
</main>
<footer>${escapeHtml(footer)}</footer>
</body>
</html>
`;
}

/** Sections with their titles; those without a body are left out. */
export function sectionsOf(sections: readonly (readonly [title: string, body: string])[]): string {
  return sections
    .filter(([, body]) => body !== '')
    .map(([title, body]) => `<section><h2>${title}</h2>${body}</section>`)
    .join('\n');
}

export function tableOf([titles = [], ...rows]: Rows): string {
  const cell = (text: string) => `<td${/^[\d.,$± −-]*$/.test(text) ? '' : ' class="text loose"'}>${escapeHtml(text)}</td>`;
  const head = titles.map((title) => `<th scope="col">${escapeHtml(title)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('');
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

export function paragraphsOf(sentences: readonly string[]): string {
  return sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('');
}
