/** @file The forum site: boards with threads, posts by people, votes, a search, and locked threads. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { fact, field, form, heading, link, type PageNode, text } from './page.ts';
import type { Records, Site, SitePost, SiteRequest } from './site.ts';
import { fieldText, findRecord, idIn, matches, me, nextId, pagedTable, people, several, withoutRecord, withRecord } from './site.ts';

export type ForumPost = { readonly thread: string; readonly by: string; readonly text: string };
export type Thread = {
  readonly board: string;
  readonly title: string;
  readonly by: string;
  readonly votes: number;
  readonly voted: boolean;
  readonly locked: boolean;
};
export type ForumData = { readonly threads: Records<Thread>; readonly posts: Records<ForumPost> };

export const boards = ['cooking', 'travel', 'music', 'gardening'] as const;
const starts = ['Question about', 'My experience with', 'Help with', 'Ideas for', 'News about', 'Trouble with'] as const;
const subjects = [
  'tomatoes',
  'trains',
  'guitars',
  'roses',
  'bread',
  'maps',
  'violins',
  'soup',
  'ferries',
  'herbs',
  'drums',
  'tents',
] as const;
const allTitles = starts.flatMap((start) => subjects.map((subject) => `${start} ${subject}`));
const remarks = [
  'I have seen the same.',
  'Try it the other way round.',
  'This helped me a lot.',
  'Can you say more?',
  'I would not do that.',
] as const;

function generate(size: number, dice: Rng): ForumData {
  const titles = several(allTitles, size, dice);
  const threads: Record<string, Thread> = {};
  const posts: Record<string, ForumPost> = {};
  let next = 1;
  for (let i = 0; i < size; i++) {
    const id = String(i + 1);
    const by = dice.pick(people);
    // Votes are distinct, so each board has one most-voted thread. One thread is locked.
    const votes = i + size * dice.int(20);
    threads[id] = { board: boards[i % boards.length], title: titles[i % titles.length], by, votes, voted: false, locked: i % 6 === 5 };
    posts[String(next++)] = { thread: id, by, text: dice.pick(remarks) };
    for (let n = Math.max(i === 3 ? 1 : 0, dice.int(5)); n > 0; n--)
      posts[String(next++)] = { thread: id, by: dice.pick(people), text: dice.pick(remarks) };
    if (i < 3) posts[String(next++)] = { thread: id, by: me, text: dice.pick(remarks) };
  }
  return { threads, posts };
}

function threadList(data: ForumData, board: string | null, query: SiteRequest['query'], path: string): readonly PageNode[] {
  const { q = '' } = query;
  const rows = Object.entries(data.threads)
    .filter(([, thread]) => (board === null || thread.board === board) && (q === '' || matches(thread.title, q)))
    .map(([id, thread]) => [link(thread.title, `/thread/${id}`), thread.board, thread.by, `${thread.votes} votes`]);
  return pagedTable({ name: 'Threads', head: ['Thread', 'Board', 'Started by', 'Votes'], rows }, path, query);
}

function show(data: ForumData, { path, query }: SiteRequest): readonly PageNode[] | null {
  if (path === '')
    return [
      form('Search', '', [field('Search threads', 'q', { type: 'search', value: query['q'] ?? '' })], { method: 'get' }),
      ...boards.map((board) => link(board, `/board/${board}`)),
      ...threadList(data, null, query, ''),
    ];
  if (path === '/new')
    return [
      heading('New thread'),
      form('Post thread', '/new', [
        field('Board', 'board', { type: 'select', options: boards }),
        field('Title', 'title', { required: true }),
        field('Text', 'text', { type: 'textarea', required: true }),
      ]),
    ];
  const board = idIn(path, '/board/');
  if (board !== undefined && boards.includes(board as (typeof boards)[number]))
    return [heading(`Board ${board}`), ...threadList(data, board, query, path)];
  const id = idIn(path, '/thread/');
  const thread = findRecord(data.threads, id);
  if (thread === null) return null;
  const posts = Object.entries(data.posts).filter(([, forumPost]) => forumPost.thread === id);
  const rows = posts.map(([post, forumPost], i) => [
    i === 0 ? 'opening' : `reply ${i}`,
    forumPost.by,
    forumPost.text,
    forumPost.by === me ? form(`Delete reply ${i}`, `/delete/${post}`, []) : '',
  ]);
  return [
    heading(thread.title),
    fact('Board', thread.board),
    fact('Started by', thread.by),
    fact('Votes', thread.votes),
    fact('Replies', posts.length - 1),
    ...(thread.voted ? [text('You have voted for this thread.')] : [form('Vote up', `/vote/${id}`, [])]),
    ...pagedTable({ name: 'Posts', head: ['Post', 'By', 'Text', ''], rows }, path, query),
    ...(thread.locked
      ? [text('This thread is locked: nobody can reply.')]
      : [form('Post reply', `/reply/${id}`, [field('Your reply', 'text', { type: 'textarea', required: true })])]),
  ];
}

function post(data: ForumData, { path, form: message }: SitePost): { data?: ForumData; to: string } | null {
  if (path === '/new') {
    const [board, title, body] = [fieldText(message, 'board'), fieldText(message, 'title'), fieldText(message, 'text')];
    if (title === '' || body === '' || !boards.includes(board as (typeof boards)[number])) return { to: '/new?error=fields' };
    return { data: withThread(data, { board, title, text: body }), to: `/thread/${nextId(data.threads)}?note=1` };
  }
  const [, verb, id = ''] = /^\/(\w+)\/(\d+)$/.exec(path) ?? [];
  const thread = findRecord(data.threads, id);
  if (verb === 'vote' && thread !== null) {
    if (thread.voted) return { to: `/thread/${id}` };
    return {
      data: { ...data, threads: withRecord(data.threads, id, { ...thread, votes: thread.votes + 1, voted: true }) },
      to: `/thread/${id}?note=1`,
    };
  }
  if (verb === 'reply' && thread !== null) {
    const body = fieldText(message, 'text');
    if (thread.locked) return { to: `/thread/${id}?error=locked` };
    if (body === '') return { to: `/thread/${id}?error=fields` };
    return { data: withReply(data, id, body), to: `/thread/${id}?note=1` };
  }
  const forumPost = findRecord(data.posts, id);
  if (verb !== 'delete' || forumPost === null) return null;
  if (forumPost.by !== me) return { to: `/thread/${forumPost.thread}?error=rights` };
  return { data: { ...data, posts: withoutRecord(data.posts, id) }, to: `/thread/${forumPost.thread}?note=1` };
}

export function withReply(data: ForumData, thread: string, body: string): ForumData {
  return { ...data, posts: withRecord(data.posts, nextId(data.posts), { thread, by: me, text: body }) };
}

export function withThread(data: ForumData, { board, title, text: body }: { board: string; title: string; text: string }): ForumData {
  const id = nextId(data.threads);
  const threads = withRecord(data.threads, id, { board, title, by: me, votes: 0, voted: false, locked: false });
  return withReply({ ...data, threads }, id, body);
}

export const forum: Site<ForumData> = {
  title: 'Forum',
  menu: [
    ['Threads', ''],
    ['New thread', '/new'],
  ],
  generate,
  show,
  post,
};
