/** @file A browser tab without a browser: implements clicks, keys, and form submission by the rules of real browsers. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { elementsOf, type FieldNode, type FormNode, initialValue, type PageElement } from './page.ts';
import { parseAddress } from './site.ts';
import { post, show, type Web } from './web.ts';

export type Tab = {
  readonly url: string;
  /** The number of pages loaded before this one. References of an earlier page are invalid on this one. */
  readonly loads: number;
  readonly back: readonly string[];
  /** Typed or chosen values that are not submitted yet, by control number. */
  readonly typed: JsonObject & { readonly [control: string]: string };
};

/** An action on a page. */
export type TabMove =
  | { readonly verb: 'click' | 'submit'; readonly ref: string }
  | { readonly verb: 'type' | 'select'; readonly ref: string; readonly text: string }
  | { readonly verb: 'back' }
  | { readonly verb: 'goto'; readonly text: string };

export interface TabResult {
  readonly web: Web;
  readonly tab: Tab;
  /** A sentence that says what happened. */
  readonly note: string;
}

export const firstTab = (url: string): Tab => ({ url, loads: 0, back: [], typed: {} });

/** References follow Playwright: the first document has e1, e2 …; the next f1e1, f1e2 … */
export function refOf({ loads }: Tab, index: number): string {
  return loads === 0 ? `e${index + 1}` : `f${loads}e${index + 1}`;
}

function findElement(web: Web, tab: Tab, ref: string): PageElement | null {
  const [, document, number] = /^(?:f(\d+))?e(\d+)$/.exec(ref) ?? [];
  if (number === undefined || Number(document ?? 0) !== tab.loads) return null;
  return elementsOf(show(web, tab.url))[Number(number) - 1] ?? null;
}

export function controlValue(tab: Tab, { field, control }: PageElement): string {
  return tab.typed[String(control)] ?? initialValue(field!);
}

/** Makes a move, or returns the reason why it is not possible. */
export function move(web: Web, tab: Tab, tabMove: TabMove): TabResult | { readonly problem: string } {
  if (tabMove.verb === 'back') {
    const url = tab.back.at(-1);
    if (url === undefined) return { web, tab, note: 'There is no page to go back to.' };
    return { web, tab: { url, loads: tab.loads + 1, back: tab.back.slice(0, -1), typed: {} }, note: 'You went back.' };
  }
  if (tabMove.verb === 'goto') {
    if (!/^\/(?!\/)[^\s]{0,300}$/.test(tabMove.text))
      return { problem: `"${tabMove.text.slice(0, 60)}" is no address here; addresses begin with one "/".` };
    return { web, tab: openUrl(tab, tabMove.text), note: `You opened ${tabMove.text}.` };
  }
  const element = findElement(web, tab, tabMove.ref);
  if (element === null) return { problem: `There is no element ${tabMove.ref.slice(0, 20)} on this page.` };
  if (tabMove.verb === 'click') return click(web, tab, element);
  if (!('text' in tabMove)) {
    if (element.form === undefined) return { problem: `${tabMove.ref} is in no form; click it.` };
    return send(web, tab, element.form);
  }
  return fill(web, tab, { element, verb: tabMove.verb, words: tabMove.text, ref: tabMove.ref });
}

function click(web: Web, tab: Tab, element: PageElement): TabResult {
  const { link, form, field, control } = element;
  if (link !== undefined) return { web, tab: openUrl(tab, link.to), note: `You clicked the link "${element.name}".` };
  if (field === undefined) return send(web, tab, form!);
  if (field.type === 'radio') return typeInto(web, tab, { element, value: element.name, note: `You chose "${element.name}".` });
  if (field.type !== 'checkbox') return { web, tab, note: `"${element.name}" has the focus.` };
  const value = (tab.typed[String(control)] ?? initialValue(field)) === 'on' ? '' : 'on';
  return typeInto(web, tab, { element, value, note: `"${element.name}" is ${value === 'on' ? 'ticked' : 'not ticked any more'}.` });
}

interface Filling {
  readonly element: PageElement;
  readonly verb: 'type' | 'select';
  readonly words: string;
  readonly ref: string;
}

function fill(web: Web, tab: Tab, { element, verb, words, ref }: Filling): TabResult | { readonly problem: string } {
  const { field } = element;
  if (verb === 'select') {
    if (field?.type !== 'select') return { problem: `${ref} has no options to select.` };
    const option = field.options?.find((option) => option.toLowerCase() === words.toLowerCase());
    if (option === undefined) return { problem: `${ref} has no option "${words.slice(0, 60)}".` };
    return typeInto(web, tab, { element, value: option, note: `You selected "${option}".` });
  }
  if (field === undefined || field.type === 'select' || field.type === 'radio' || field.type === 'checkbox')
    return { problem: `${ref} takes no text.` };
  if (field.type === 'number' && !/^-?\d+(\.\d+)?$/.test(words)) return { web, tab, note: `"${element.name}" takes a number only.` };
  if (field.type === 'date' && !/^\d{4}-\d\d-\d\d$/.test(words))
    return { web, tab, note: `"${element.name}" takes a date like 2026-03-02 only.` };
  return typeInto(web, tab, { element, value: words, note: `You typed into "${element.name}".` });
}

function typeInto(web: Web, tab: Tab, { element, value, note }: { element: PageElement; value: string; note: string }): TabResult {
  return { web, tab: { ...tab, typed: { ...tab.typed, [String(element.control)]: value } }, note };
}

/** Opens an address. A fragment of the current page loads nothing. */
function openUrl(tab: Tab, url: string): Tab {
  if (url.split('#', 1)[0] === tab.url.split('#', 1)[0] && url.includes('#')) return { ...tab, url };
  return { url, loads: tab.loads + 1, back: [...tab.back, tab.url].slice(-20), typed: {} };
}

/** Submits a form as a browser does: not at all if a field is invalid, as a query for GET, and with a redirect after POST. */
function send(web: Web, tab: Tab, form: FormNode): TabResult {
  const message: Record<string, string> = { ...form.hidden };
  for (const element of elementsOf(show(web, tab.url))) {
    const { field } = element;
    if (field === undefined || element.form !== form) continue;
    const value = controlValue(tab, element);
    const problem = problemOf(field, value);
    if (problem !== null) return { web, tab, note: `The form was not sent: "${field.label}" ${problem}.` };
    // An unchecked box is not submitted.
    if (field.type !== 'checkbox' || value === 'on') message[field.name] = value;
  }
  const note = `You pressed "${form.button}".`;
  if (form.method === 'get') {
    const { path } = parseAddress(form.action);
    const pairs = Object.entries(message).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    return { web, tab: openUrl(tab, `${path}?${pairs.join('&').replaceAll('%20', '+')}`), note };
  }
  const result = post(web, form.action, message);
  return { web: result.web, tab: openUrl(tab, result.to), note };
}

function problemOf(field: FieldNode, value: string): string | null {
  if (value === '') return field.required === true ? 'must be filled in' : null;
  if (field.type === 'email' && !/^[^\s@]+@[^\s@]+$/.test(value)) return 'must be a mail address';
  if (field.type !== 'number') return null;
  const number = Number(value);
  if (!Number.isInteger(number)) return 'must be a whole number';
  if (field.min !== undefined && number < field.min) return `must be ${field.min} or more`;
  return field.max !== undefined && number > field.max ? `must be ${field.max} or less` : null;
}
