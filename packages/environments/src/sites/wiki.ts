/**
 * @file The wiki site: articles about towns, rivers, and people with facts and links, a history to restore from, and protected articles.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { fact, field, form, heading, link, type PageNode, text } from './page.ts';
import type { Records, Site, SitePost, SiteRequest } from './site.ts';
import { fieldText, findRecord, idIn, matches, me, pagedTable, several, withRecord } from './site.ts';

/** One version of an article: its facts, by name. */
export type ArticleVersion = { readonly by: string; readonly facts: Records<string> };
export type Article = {
  readonly kind: 'town' | 'river' | 'person';
  readonly protected: boolean;
  /** The last version is the current one. */
  readonly versions: readonly ArticleVersion[];
};
export type WikiData = { readonly articles: Records<Article> };

const towns = [
  'Arlon Ford',
  'Belhaven',
  'Corrie',
  'Dunmore',
  'Estwick',
  'Falmouth Hill',
  'Garrow',
  'Holt',
  'Inverley',
  'Kestrel Bay',
] as const;
const rivers = ['Ash River', 'Black Water', 'Clear Stream', 'Dell Brook', 'Elder River'] as const;
const persons = ['Ada Marsh', 'Ben Holloway', 'Cora Lint', 'Dov Peters', 'Eva Stone', 'Finn Archer', 'Gita Rao', 'Hal Winter'] as const;
const jobs = ['painter', 'engineer', 'doctor', 'composer', 'sailor'] as const;

/** The facts of each kind of article. Facts that are links name another article. */
const factNames = {
  town: ['Population', 'River', 'Mayor'],
  river: ['Length in km', 'Source'],
  person: ['Born', 'Occupation', 'Birthplace'],
} as const;

function generate(size: number, dice: Rng): WikiData {
  const third = Math.max(3, Math.floor(size / 3));
  const [t, r, p] = [several(towns, third, dice), several(rivers, third, dice), several(persons, third, dice)];
  const articles: Record<string, Article> = {};
  const add = (name: string, kind: Article['kind'], facts: Records<string>) => {
    const old = { ...facts, [factNames[kind][0]]: String(100 + dice.int(900)) };
    const versions =
      dice.int(2) === 0
        ? [{ by: 'alice', facts }]
        : [
            { by: 'alice', facts: old },
            { by: 'bruno', facts },
          ];
    articles[name] = { kind, protected: Object.keys(articles).length % 7 === 6, versions };
  };
  for (const [i, name] of t.entries())
    add(name, 'town', { Population: String(1000 + 17 * dice.int(4000)), River: r[i % r.length], Mayor: p[i % p.length] });
  for (const name of r) add(name, 'river', { 'Length in km': String(20 + dice.int(400)), Source: dice.pick(t) });
  for (const name of p) add(name, 'person', { Born: String(1900 + dice.int(90)), Occupation: dice.pick(jobs), Birthplace: dice.pick(t) });
  return { articles };
}

export function currentFacts({ versions }: Article): Records<string> {
  return versions[versions.length - 1].facts;
}

const path = (name: string): string => `/page/${name.replaceAll(' ', '_')}`;
const nameIn = (slug: string | undefined): string | undefined => slug?.replaceAll('_', ' ');

function show(data: WikiData, { path: at, query }: SiteRequest): readonly PageNode[] | null {
  const { articles } = data;
  if (at === '') {
    const { q = '' } = query;
    const rows = Object.entries(articles)
      .filter(([name, article]) => q === '' || matches(`${name} ${Object.values(currentFacts(article)).join(' ')}`, q))
      .map(([name, article]) => [link(name, path(name)), article.kind]);
    return [
      form('Search', '', [field('Search articles', 'q', { type: 'search', value: q })], { method: 'get' }),
      ...pagedTable({ name: 'Articles', head: ['Article', 'Kind'], rows }, '', query),
    ];
  }
  if (at === '/new')
    return [
      heading('New article'),
      form('Create article', '/new', [
        field('Name of the person', 'name', { required: true }),
        ...factNames.person.map((name) => field(name, name, { required: true })),
      ]),
    ];
  const name = nameIn(idIn(at, '/page/') ?? idIn(at, '/edit/') ?? idIn(at, '/history/'));
  const article = findRecord(articles, name);
  if (article === null || name === undefined) return null;
  if (at.startsWith('/history/')) return history(name, article, query);
  if (at.startsWith('/edit/')) return edit(name, article);
  return [
    heading(name),
    fact('Kind', article.kind),
    ...Object.entries(currentFacts(article)).flatMap(([key, value]): PageNode[] =>
      Object.hasOwn(articles, value) ? [fact(key, value), link(value, path(value))] : [fact(key, value)],
    ),
    link('Edit', path(name).replace('/page/', '/edit/')),
    link('History', path(name).replace('/page/', '/history/')),
  ];
}

function edit(name: string, article: Article): readonly PageNode[] {
  if (article.protected) return [heading(`Edit ${name}`), text('This article is protected: only administrators can edit it.')];
  const fields = Object.entries(currentFacts(article)).map(([key, value]) => field(key, key, { value, required: true }));
  return [heading(`Edit ${name}`), form('Save article', path(name).replace('/page/', '/save/'), fields)];
}

function history(name: string, article: Article, query: SiteRequest['query']): readonly PageNode[] {
  const rows = article.versions.map((articleVersion, i) => [
    `version ${i + 1}`,
    articleVersion.by,
    Object.entries(articleVersion.facts)
      .map(([key, value]) => `${key} ${value}`)
      .join(', '),
    i === article.versions.length - 1 || article.protected
      ? ''
      : form(`Restore version ${i + 1}`, path(name).replace('/page/', '/restore/'), [], { hidden: { version: String(i) } }),
  ]);
  return [
    heading(`History of ${name}`),
    ...pagedTable({ name: 'Versions', head: ['Version', 'By', 'Facts', ''], rows }, path(name).replace('/page/', '/history/'), query),
  ];
}

function post({ articles }: WikiData, { path: at, form: message }: SitePost): { data?: WikiData; to: string } | null {
  if (at === '/new') {
    const name = fieldText(message, 'name').replaceAll('_', ' ');
    const facts = Object.fromEntries(factNames.person.map((key) => [key, fieldText(message, key)]));
    if (!/^[\w '-]{1,60}$/.test(name) || Object.values(facts).includes('')) return { to: '/new?error=fields' };
    if (Object.hasOwn(articles, name)) return { to: '/new?error=taken' };
    return { data: { articles: withArticle(articles, name, facts) }, to: `${path(name)}?note=1` };
  }
  const name = nameIn(idIn(at, '/save/') ?? idIn(at, '/restore/'));
  const article = findRecord(articles, name);
  if (article === null || name === undefined) return null;
  if (article.protected) return { to: `${path(name)}?error=locked` };
  const facts = at.startsWith('/restore/')
    ? article.versions[Number(message['version'])]?.facts
    : Object.fromEntries(Object.keys(currentFacts(article)).map((key) => [key, fieldText(message, key)]));
  if (facts === undefined || Object.values(facts).includes('')) return { to: `${path(name)}?error=fields` };
  return { data: { articles: withVersion(articles, name, facts) }, to: `${path(name)}?note=1` };
}

export function withVersion(articles: Records<Article>, name: string, facts: Records<string>): Records<Article> {
  const article = articles[name];
  return withRecord(articles, name, { ...article, versions: [...article.versions, { by: me, facts }] });
}

export function withArticle(articles: Records<Article>, name: string, facts: Records<string>): Records<Article> {
  return withRecord(articles, name, { kind: 'person', protected: false, versions: [{ by: me, facts }] });
}

export const wiki: Site<WikiData> = {
  title: 'Wiki',
  menu: [
    ['Articles', ''],
    ['New article', '/new'],
  ],
  generate,
  show,
  post,
};
