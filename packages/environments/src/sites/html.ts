/** @file Renders page nodes as HTML for a browser, with labels, required fields, and hidden tokens as in real forms. */

import { escapeHtml } from '@ludus-agents/kernel/internal/core/printable';
import { type FieldNode, type FormNode, initialValue, type LinkNode, type PageNode, type RowCell, type SitePage } from './page.ts';

/** Returns the whole document. `base` is prepended to every address when a server mounts a site below a path. */
export function toHtml(page: SitePage, base = ''): string {
  const control = { next: 0 };
  const body = page.nodes.map((node) => nodeHtml(node, { base, control })).join('\n');
  return `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${escapeHtml(page.title)}</title></head>\n<body>\n<main>\n${body}\n</main>\n</body>\n</html>\n`;
}

interface Writer {
  readonly base: string;
  readonly control: { next: number };
}

function nodeHtml(node: PageNode, writer: Writer): string {
  if (node.kind === 'heading') return `<h${node.level}>${escapeHtml(node.text)}</h${node.level}>`;
  if (node.kind === 'text') return `<p>${escapeHtml(node.text)}</p>`;
  if (node.kind === 'alert' || node.kind === 'status') return `<p role="${node.kind}">${escapeHtml(node.text)}</p>`;
  if (node.kind === 'fact') return `<p>${escapeHtml(node.name)}: ${escapeHtml(node.value)}</p>`;
  if (node.kind === 'nav') return `<nav>${node.links.map((link) => linkHtml(link, writer)).join(' ')}</nav>`;
  if (node.kind === 'link') return `<p>${linkHtml(node, writer)}</p>`;
  if (node.kind === 'form') return formHtml(node, writer);
  if (node.kind !== 'table') return '';
  const head = node.head.map((cell) => `<th scope="col">${escapeHtml(cell)}</th>`).join('');
  const rows = node.rows.map((row) => `<tr>${row.map((cell) => `<td>${cellHtml(cell, writer)}</td>`).join('')}</tr>`).join('\n');
  return `<table aria-label="${escapeHtml(node.name)}">\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows}\n</tbody>\n</table>`;
}

function cellHtml(cell: RowCell, writer: Writer): string {
  if (typeof cell === 'string') return escapeHtml(cell);
  return cell.kind === 'link' ? linkHtml(cell, writer) : formHtml(cell, writer);
}

function linkHtml(node: LinkNode, { base }: Writer): string {
  return `<a href="${escapeHtml(base + node.to)}">${escapeHtml(node.text)}</a>`;
}

function formHtml(node: FormNode, writer: Writer): string {
  const hidden = Object.entries(node.hidden).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const fields = node.fields.map((field) => `<p>${fieldHtml(field, `c${writer.control.next++}`)}</p>`);
  return `<form aria-label="${escapeHtml(node.name)}" method="${node.method}" action="${escapeHtml(writer.base + node.action)}">${hidden.join('')}${fields.join('')}<button type="submit">${escapeHtml(node.button)}</button></form>`;
}

function fieldHtml(fieldNode: FieldNode, id: string): string {
  const name = `name="${escapeHtml(fieldNode.name)}"`;
  const label = `<label for="${id}">${escapeHtml(fieldNode.label)}</label>`;
  const bounds = `${fieldNode.required === true ? ' required' : ''}${fieldNode.min === undefined ? '' : ` min="${fieldNode.min}"`}${fieldNode.max === undefined ? '' : ` max="${fieldNode.max}"`}`;
  if (fieldNode.type === 'textarea') return `${label} <textarea id="${id}" ${name}${bounds}>${escapeHtml(fieldNode.value)}</textarea>`;
  if (fieldNode.type === 'checkbox')
    return `<input id="${id}" type="checkbox" ${name}${fieldNode.checked === true ? ' checked' : ''}> ${label}`;
  const choice = initialValue(fieldNode);
  if (fieldNode.type === 'select') {
    const options = (fieldNode.options ?? []).map(
      (option) => `<option${option === choice ? ' selected' : ''}>${escapeHtml(option)}</option>`,
    );
    return `${label} <select id="${id}" ${name}>${options.join('')}</select>`;
  }
  if (fieldNode.type === 'radio') {
    const options = (fieldNode.options ?? []).map(
      (option, i) =>
        `<input id="${id}-${i}" type="radio" ${name} value="${escapeHtml(option)}"${option === choice ? ' checked' : ''}> <label for="${id}-${i}">${escapeHtml(option)}</label>`,
    );
    return `<span role="radiogroup" aria-label="${escapeHtml(fieldNode.label)}">${options.join(' ')}</span>`;
  }
  return `${label} <input id="${id}" type="${fieldNode.type}" ${name} value="${escapeHtml(fieldNode.value)}"${bounds}>`;
}
