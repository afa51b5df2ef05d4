/** @file A page as one HTML file that anybody can open: its text, its drawings and its colors, without the program and without anything to press. */

import { useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';

/** While a page is saved, lists show all of their rows, not only those in sight. */
let isSaving = false;
const listeners = new Set<() => void>();

function setSaving(value: boolean): void {
  isSaving = value;
  flushSync(() => {
    for (const changed of listeners) changed();
  });
}

export function useSaving(): boolean {
  return useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => isSaving,
  );
}

/** What has no use without the program. */
const useless = 'button, form, input, select, textarea, dialog, script, .hidden, .controls, nav.crumbs, [data-unshared]';

/** Saves what `main` shows now as a file. */
export function savePage(title: string): void {
  setSaving(true);
  try {
    const main = document.getElementById('main')!;
    const copy = main.cloneNode(true) as HTMLElement;
    drawCanvases(main, copy);
    for (const element of copy.querySelectorAll(useless)) element.remove();
    for (const details of copy.querySelectorAll('details')) details.open = true;
    for (const anchor of copy.querySelectorAll('a')) {
      const text = document.createElement('span');
      text.append(...anchor.childNodes);
      anchor.replaceWith(text);
    }
    for (const image of copy.querySelectorAll('img')) if (!image.src.startsWith('data:')) image.remove();
    download(pageOf(title, copy), `${fileName(title)}.html`);
  } finally {
    setSaving(false);
  }
}

/** A canvas is a picture in the copy. */
function drawCanvases(from: HTMLElement, to: HTMLElement): void {
  const copies = to.querySelectorAll('canvas');
  for (const [i, canvas] of [...from.querySelectorAll('canvas')].entries()) {
    const image = document.createElement('img');
    image.src = canvas.toDataURL();
    image.style.width = '100%';
    image.alt = '';
    copies[i]?.replaceWith(image);
  }
}

/** Rows of a list stand below each other, as high as they are. */
const unrolled = `
.list .frame, .list .frame > ul, .stage-grid > * { height: auto !important; max-height: none !important; overflow: visible !important; }
.list .frame > ul > li { position: static !important; transform: none !important; }
`;

const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/** The page as text: as nodes of this document, its style would fall under the policy of the studio. */
function pageOf(title: string, main: HTMLElement): string {
  const css = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)).join('\n');
  const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const note = `Saved from Ludus on ${new Date().toLocaleString('en', { dateStyle: 'long', timeStyle: 'short' })}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${escapeText(policy)}">
<title>${escapeText(title)}</title>
<style>${`${css}${unrolled}`.replaceAll('</', '<\\/')}</style>
</head>
<body>
${main.outerHTML}
<p class="muted small">${escapeText(note)}</p>
</body>
</html>
`;
}

function fileName(title: string): string {
  return title.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60) || 'ludus';
}

function download(text: string, file: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/html' }));
  Object.assign(document.createElement('a'), { href: url, download: file }).click();
  URL.revokeObjectURL(url);
}
