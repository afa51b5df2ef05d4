/**
 * @file Small sites: is the element that the next action needs among the few that are shown, and does a reader of these name it? Options:
 * sight ("list": an instructor says the next step, and the first eight elements of a list are shown; "graph": the task is known, and groups
 * of the page are dropped), by ("rank": the environment's order, "page": the order on the page, "chance"), size (records of a site),
 * episodes, seed. Prints the recall on pages with more than eight elements, the share that the reader names, and how often the needed
 * element was ranked elsewhere than on the page.
 */

import { type Json, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { forEachOf } from './_apprentice.ts';
import { environmentOf, playOne, scriptOf } from './_play.ts';
import { scripts } from './_stages.ts';

const shortlist = 8;

interface Shown {
  /** What a reader sees: what is to be done, and the elements. */
  readonly text: string;
  readonly needed: string;
  readonly isShown: boolean;
  readonly isMoved: boolean;
}

export default async function run(options: ProgramOptions, stage = scripts): Promise<Json> {
  const { episodes = 30, seed = 1 } = options;
  const random = rng(Number(seed), 'chance');
  const pages = await forEachOf(Array.from({ length: Number(episodes) }), (_, i) => pagesOf(options, Number(seed) * 1000 + i));
  const items = pages.flat().map((page) => page(() => random.next()));
  const right = await forEachOf(items, async ({ text, needed, isShown }) => {
    const reader = stage.writer(() => (isShown ? needed : 'none'));
    const prompt = {
      messages: [{ role: 'user' as const, content: `${text}\nWhich element does the next step need? Name it, or say none.` }],
    };
    return (await reader.complete(prompt, {}, new AbortController().signal)).text === needed;
  });
  const shareOf = (ends: readonly boolean[]) => ends.filter((end) => end).length / Math.max(1, ends.length);
  return {
    recall: shareOf(items.map(({ isShown }) => isShown)),
    named: shareOf(right),
    ...{ needed: items.length, moved: items.filter(({ isMoved }) => isMoved).length },
  };
}

/** The pages before each action that names an element. */
async function pagesOf({ by = 'rank', sight = 'list', size = 40 }: ProgramOptions, seed: number) {
  const sites = await environmentOf('sites');
  const seats = sight === 'list' ? { agent: 'solver', instructor: 'instructor' } : { agent: 'solver' };
  const agents = Object.fromEntries(Object.entries(seats).map(([seat, name]) => [seat, scripted(name, scriptOf(sites, name))]));
  const cut = { track: true, candidates: shortlist, ...(by === 'page' && { ranking: 'page' }) };
  const task = { size: Number(size), sight: String(sight), ...(sight === 'list' ? { instructor: true } : cut) };
  const { events } = await playOne(sites, agents, task, seed);
  const pages: ((chance: () => number) => Shown)[] = [];
  let [last, wanted] = ['', ''];
  for (const event of events) {
    if (event.kind === 'message' && event.to.includes('agent')) {
      last = event.text;
      wanted = /Task: .+/.exec(event.text)?.[0] ?? wanted;
    }
    const ref = event.kind === 'action' && event.seat === 'agent' ? /^\[\w+ (\w+)/.exec(event.action.text)?.[1] : undefined;
    if (ref === undefined) continue;
    if (sight !== 'list') {
      const text = `${wanted}\n${last.slice(last.indexOf('Page "'))}`;
      const isShown = text.includes(`[ref=${ref}]`);
      if (!isShown || text.includes('not shown')) pages.push(() => ({ text, needed: ref, isShown, isMoved: by === 'rank' && isShown }));
      continue;
    }
    const [before = '', list = ''] = last.split('Elements, the likeliest first:\n');
    const ranked = list.split('\n').filter((line) => line.includes('[ref='));
    const refOf = (line: string) => /\[ref=(\w+)\]/.exec(line)?.[1] ?? '';
    const rank = ranked.findIndex((line) => refOf(line) === ref);
    if (rank < 0 || ranked.length <= shortlist) continue;
    const page = [...ranked].sort((a, b) => Number(refOf(a).slice(1)) - Number(refOf(b).slice(1)));
    pages.push((chance) => {
      const order = by === 'rank' ? ranked : by === 'page' ? page : [...page].sort(() => chance() - 0.5);
      const visibleLines = order.slice(0, shortlist);
      const isMoved = by === 'rank' && page.findIndex((line) => refOf(line) === ref) !== rank;
      return {
        text: `${before.split('\n')[0]}\n${visibleLines.join('\n')}`,
        needed: ref,
        isShown: visibleLines.some((line) => refOf(line) === ref),
        isMoved,
      };
    });
  }
  return pages;
}
