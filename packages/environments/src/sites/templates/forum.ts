/** @file Tasks in the forum. */

import { boards, type ForumData, type Thread, withReply, withThread } from '../forum.ts';
import { me, withoutRecord, withRecord } from '../site.ts';
import type { SiteTemplate } from '../template.ts';
import { answerFact, cannot, done, follow, followField, largestRow, number, press, search, selectIn, typeIn, words } from '../template.ts';

const find = [...search('Search threads', 'thread'), followField('thread')];
const anyThread = ({ threads }: ForumData): [string, Thread][] => Object.entries(threads);
const sentences = ['Thank you, this was useful', 'I think so too', 'Does anybody know more', 'It worked for me'] as const;

const reply: SiteTemplate = {
  id: 'forum-reply',
  site: 'forum',
  impossible: true,
  draw(data: ForumData, dice, { possible }) {
    const [id, { title: thread }] = dice.pick(anyThread(data).filter(([, thread]) => thread.locked !== possible));
    const text = dice.pick(sentences);
    const goal = `Reply to the thread "${thread}" of the forum with the text "${text}".`;
    const fields = { thread, text };
    return possible ? { goal, fields, want: withReply(data, id, text) } : { goal, fields, reason: 'locked' };
  },
  plan: [...find, (seenPage, { text }) => seenPage.type('Your reply', text) ?? cannot('locked'), press('Post reply'), done],
};

const begin: SiteTemplate = {
  id: 'forum-thread',
  site: 'forum',
  draw(data: ForumData, dice) {
    const board = dice.pick(boards);
    const title = dice.pick(['Where to begin', 'A small report', 'Looking for advice', 'What I learned']);
    const text = dice.pick(sentences);
    return {
      goal: `Start a thread with the title "${title}" and the text "${text}" on the board ${board} of the forum.`,
      fields: { board, title, text },
      want: withThread(data, { board, title, text }),
    };
  },
  plan: [follow('New thread'), selectIn('Board', 'board'), typeIn('Title', 'title'), typeIn('Text', 'text'), press('Post thread'), done],
};

const vote: SiteTemplate = {
  id: 'forum-vote',
  site: 'forum',
  impossible: true,
  draw(data: ForumData, dice, { possible }) {
    const [id, otherThread] = dice.pick(anyThread(data));
    const thread = possible ? otherThread.title : `${otherThread.title} and more`;
    const goal = `Vote for the thread "${thread}" of the forum.`;
    if (!possible) return { goal, fields: { thread }, reason: 'not found' };
    return {
      goal,
      fields: { thread },
      want: { ...data, threads: withRecord(data.threads, id, { ...otherThread, votes: otherThread.votes + 1, voted: true }) },
    };
  },
  plan: [...find, press('Vote up'), done],
};

const remove: SiteTemplate = {
  id: 'forum-delete',
  site: 'forum',
  impossible: true,
  draw(data: ForumData, dice, { possible }) {
    const places: Record<string, number> = {};
    const replies = Object.entries(data.posts).flatMap(([id, post]) => {
      const place = places[post.thread] ?? 0;
      places[post.thread] = place + 1;
      return place > 0 && (post.by === me) === possible ? [{ id, place, thread: data.threads[post.thread].title }] : [];
    });
    const { id, place, thread } = dice.pick(replies);
    const goal = `Delete reply ${place} of the thread "${thread}" of the forum.`;
    const fields = { thread, reply: `Delete reply ${place}` };
    return possible ? { goal, fields, want: { ...data, posts: withoutRecord(data.posts, id) } } : { goal, fields, reason: 'not allowed' };
  },
  plan: [...find, (seenPage, fields) => seenPage.click(fields['reply'], 'button') ?? cannot('not allowed'), done],
};

const starter: SiteTemplate = {
  id: 'forum-starter',
  site: 'forum',
  draw(data: ForumData, dice) {
    const [, { title: thread, by }] = dice.pick(anyThread(data));
    return { goal: `Who started the thread "${thread}" of the forum?`, fields: { thread }, answer: words(by) };
  },
  plan: [...find, answerFact('Started by')],
};

const replies: SiteTemplate = {
  id: 'forum-replies',
  site: 'forum',
  draw(data: ForumData, dice) {
    const [id, { title: thread }] = dice.pick(anyThread(data));
    const right = Object.values(data.posts).filter((post) => post.thread === id).length - 1;
    return { goal: `How many replies has the thread "${thread}" of the forum?`, fields: { thread }, answer: number(right) };
  },
  plan: [...find, answerFact('Replies')],
};

const top: SiteTemplate = {
  id: 'forum-top',
  site: 'forum',
  heldOut: true,
  draw(data: ForumData, dice) {
    const board = dice.pick(anyThread(data))[1].board;
    const best = anyThread(data)
      .filter(([, thread]) => thread.board === board)
      .sort(([, a], [, b]) => b.votes - a.votes)[0];
    return {
      goal: `Which thread of the board ${board} of the forum has the most votes? Answer with its title.`,
      fields: { board },
      answer: words(best[1].title),
    };
  },
  plan: [
    followField('board'),
    (seenPage, _, memo) => {
      const rows = [...seenPage.rows(), ...(memo === '' ? [] : [memo.split(' | ')])];
      const best = largestRow(rows, 3);
      if (best === null) return null;
      const next = seenPage.click('Next page', 'link');
      return next === null ? `[answer ${best[0]}]` : { move: next, stay: true, memo: best.join(' | ') };
    },
  ],
};

export const forumTemplates: readonly SiteTemplate[] = [reply, begin, vote, remove, starter, replies, top];
