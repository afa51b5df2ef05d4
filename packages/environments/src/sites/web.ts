/** @file The web: six sites behind one router. GET only reads; POST changes data and redirects, as on real sites. */

import { type Json, type JsonObject, rng } from '@ludus-agents/kernel/internal/core/index';
import { admin } from './admin.ts';
import { forum } from './forum.ts';
import { office } from './office.ts';
import { type FormNode, heading, link, type PageNode, type SitePage, text } from './page.ts';
import { type Replica, sendReplica, showReplica } from './replica.ts';
import { repository } from './repository.ts';
import { shop } from './shop.ts';
import { address, parseAddress, type Query, type Site, type SiteRequest, today } from './site.ts';
import { wiki } from './wiki.ts';

// biome-ignore lint/suspicious/noExplicitAny: each site knows its own data.
const sites: Readonly<Record<SiteName, Site<any>>> = { shop, forum, wiki, repository, office, admin };
export const siteNames = ['shop', 'forum', 'wiki', 'repository', 'office', 'admin'] as const;
export type SiteName = (typeof siteNames)[number];

/** The state of all sites. Unchanged sites are not in `data`, because they are derived from the number and the size. */
export type Web = {
  readonly number: number;
  readonly size: number;
  readonly admin: string | null;
  readonly data: { readonly [site: string]: JsonObject };
  /** The user-supplied pages that replace the built-in sites, if any. */
  readonly replica?: Pick<Replica, 'pages'>;
};

const generated = new Map<string, JsonObject>();

const nothingSent: JsonObject = { sent: [] };

/** Returns the initial data of a site. For a replica, these are the submitted forms. */
export function initialData(site: SiteName | 'pages', { number, size }: Pick<Web, 'number' | 'size'>): JsonObject {
  if (site === 'pages') return nothingSent;
  const key = `${site} ${number} ${size}`;
  const before = generated.get(key);
  if (before !== undefined) return before;
  if (generated.size > 200) generated.clear();
  const jsonObject = sites[site].generate(size, rng(number, 'sites', site)) as JsonObject;
  generated.set(key, jsonObject);
  return jsonObject;
}

export function dataOf(web: Web, site: SiteName | 'pages'): JsonObject {
  return web.data[site] ?? initialData(site, web);
}

/** Forms that change data carry a token, so pages of other sites cannot submit them. */
export function tokenOf({ number }: Pick<Web, 'number'>): string {
  return `t${rng(number, 'sites', 'token')
    .int(2 ** 32)
    .toString(36)}`;
}

// ── pages ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const renderedPages = new WeakMap<Web, Map<string, SitePage>>();

/** Returns the page at an address. The same web always shows the same page, so pages are cached. */
export function show(web: Web, url: string): SitePage {
  let pages = renderedPages.get(web);
  if (pages === undefined) {
    pages = new Map();
    renderedPages.set(web, pages);
  }
  const before = pages.get(url);
  if (before !== undefined) return before;
  const page = makePage(web, url);
  pages.set(url, page);
  return page;
}

function makePage(web: Web, url: string): SitePage {
  if (web.replica !== undefined) return showReplica(web.replica, url, (dataOf(web, 'pages')['sent'] as readonly Json[]).length);
  const { path, query } = parseAddress(url);
  if (path === '/' || path === '')
    return {
      status: 200,
      title: 'Home',
      nodes: [heading('Home', 1), ...siteNames.map((name) => link(sites[name].title, `/${name}`)), text(`Today is ${today}.`)],
    };
  const [, name = '', rest = ''] = /^\/(\w+)(\/.*)?$/.exec(path) ?? [];
  const site = Object.hasOwn(sites, name) ? sites[name as SiteName] : null;
  const request: SiteRequest = { path: rest, query, admin: web.admin };
  const nodes = site?.show(dataOf(web, name as SiteName), request) ?? null;
  if (site === null || nodes === null)
    return {
      status: 404,
      title: 'Not found',
      nodes: [heading('Not found', 1), text('There is no page at this address.'), link('Home', '/')],
    };
  const bar: PageNode = {
    kind: 'nav',
    links: [link('Home', '/'), ...site.menu.map(([label, to]) => link(label, `/${name}${to}`))],
  };
  const notes: PageNode[] = [];
  if (query['error'] !== undefined) notes.push({ kind: 'alert', text: errors[query['error']] ?? 'This was refused.' });
  if (query['note'] !== undefined) notes.push({ kind: 'status', text: 'Saved.' });
  return {
    status: 200,
    title: site.title,
    nodes: [bar, heading(site.title, 1), ...notes, ...nodes.map((node) => placeNode(node, name, web))],
  };
}

const errors: Readonly<Record<string, string>> = {
  stock: 'There are not so many in stock.',
  empty: 'The cart is empty.',
  fields: 'Please fill in every field.',
  rights: 'You are not allowed to do this.',
  locked: 'This is locked.',
  taken: 'This name is taken.',
  busy: 'This time is taken by another event.',
  address: 'There is nobody with this address.',
  password: 'Name or password is wrong.',
  last: 'The last administrator cannot be changed.',
  checks: 'The checks of this request have failed.',
  signin: 'Please sign in first.',
};

/** Converts the site's addresses to paths below the site, and adds the token to POST forms. */
function placeNode(node: PageNode, site: string, web: Web): PageNode {
  if (node.kind === 'link') return { ...node, to: `/${site}${node.to}` };
  if (node.kind === 'form') return placeForm(node, site, web);
  if (node.kind !== 'table') return node;
  const rows = node.rows.map((row) =>
    row.map((cell) => {
      if (typeof cell === 'string') return cell;
      return cell.kind === 'link' ? { ...cell, to: `/${site}${cell.to}` } : placeForm(cell, site, web);
    }),
  );
  return { ...node, rows };
}

function placeForm(node: FormNode, site: string, web: Web): FormNode {
  const hidden = node.method === 'post' ? { ...node.hidden, token: tokenOf(web) } : node.hidden;
  return { ...node, action: `/${site}${node.action}`, hidden };
}

/** Submits a form and returns the new web and the redirect address. */
export function post(web: Web, url: string, message: Query): { readonly web: Web; readonly to: string } {
  if (web.replica !== undefined) {
    const result = sendReplica(url, message);
    if (result === null) return { web, to: url };
    const posts = [...(dataOf(web, 'pages')['sent'] as readonly Json[]), result.sent];
    return { web: { ...web, data: { pages: { sent: posts } } }, to: result.to };
  }
  const { path, query } = parseAddress(url);
  const [, name = '', rest = ''] = /^\/(\w+)(\/.*)?$/.exec(path) ?? [];
  const site = Object.hasOwn(sites, name) ? sites[name as SiteName] : null;
  if (site === null) return { web, to: url };
  if (message['token'] !== tokenOf(web)) return { web, to: address(`/${name}`, { error: 'rights' }) };
  const before = dataOf(web, name as SiteName);
  const answer = site.post(before, { path: rest, query, form: message, admin: web.admin });
  if (answer === null) return { web, to: url };
  const isSame = answer.data === undefined || answer.data === before;
  const data = isSame ? web.data : { ...web.data, [name]: answer.data as JsonObject };
  const signedIn = answer.admin === undefined ? web.admin : answer.admin;
  return { web: isSame && signedIn === web.admin ? web : { ...web, data, admin: signedIn }, to: `/${name}${answer.to}` };
}
