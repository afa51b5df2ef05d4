/**
 * @file Small sites with an instructor: is the element that the next action needs among the first eight of the list? Options: by ("rank": the
 * environment's order by the instructor's last words, "page": the order on the page, "chance"), size (records of a site), episodes, seed. Gives the
 * recall on pages with more than eight elements, and how often the two orders differ for the needed element.
 */

import { type Json, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { environmentOf, playOne, scriptOf } from './_play.ts';

const shortlist = 8;

export default async function run({ by = 'rank', size = 40, episodes = 30, seed = 1 }: ProgramOptions): Promise<Json> {
  const sites = await environmentOf('sites');
  const agents = Object.fromEntries(
    Object.entries({ agent: 'solver', instructor: 'instructor' }).map(([seat, name]) => [seat, scripted(name, scriptOf(sites, name))]),
  );
  const random = rng(Number(seed), 'chance');
  let [needed, recalled, moved] = [0, 0, 0];
  for (let i = 0; i < Number(episodes); i++) {
    const { events } = await playOne(sites, agents, { instructor: true, sight: 'list', size: Number(size) }, Number(seed) * 1000 + i);
    let list: readonly string[] = [];
    for (const event of events) {
      if (event.kind === 'message' && event.to.includes('agent') && event.text.includes('Elements, the likeliest first:'))
        list = [...event.text.split('Elements, the likeliest first:')[1].matchAll(/\[ref=(\w+)\]/g)].map((match) => match[1]);
      const ref = event.kind === 'action' && event.seat === 'agent' ? /^\[\w+ (\w+)/.exec(event.action.text)?.[1] : undefined;
      const rank = ref === undefined ? -1 : list.indexOf(ref);
      if (rank < 0 || list.length <= shortlist) continue;
      const page = [...list].sort((a, b) => Number(a.replace(/\D/g, '')) - Number(b.replace(/\D/g, ''))).indexOf(list[rank]);
      const place = by === 'rank' ? rank : by === 'page' ? page : random.int(list.length);
      needed++;
      if (place < shortlist) recalled++;
      if (by === 'rank' && rank !== page) moved++;
    }
  }
  return { recall: recalled / Math.max(1, needed), needed, moved };
}
