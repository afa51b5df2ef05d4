/** @file A person's results over consecutive games: the same opponents, one rematch after the other. */

import type { SeriesShown } from './api.ts';
import type { StudioContext } from './context.ts';
import type { LiveEpisode } from './episode-journal.ts';
import { isPerson } from './seat-agents.ts';

/** The maximum length; of longer series, only the latest games count. */
const most = 1000;

export async function seriesOf({ store, live }: Pick<StudioContext, 'store' | 'live'>, episode: string): Promise<SeriesShown | null> {
  let entry = await live.entry(episode);
  if (entry === undefined || seatOf(entry) === null) return null;
  const sum = { games: 0, won: 0, drawn: 0, lost: 0, total: 0 };
  for (let looked = 0; entry !== undefined && looked < most; looked++) {
    const seat = seatOf(entry);
    const record = await store.episode(entry.episode);
    if (seat !== null && record !== null && (record.status === 'over' || record.status === 'limit')) {
      const { [seat]: ownReturn = 0, ...others } = record.returns ?? {};
      const best = Math.max(...Object.values(others));
      sum.games++;
      sum.total += ownReturn;
      if (ownReturn > best) sum.won++;
      else if (ownReturn === best) sum.drawn++;
      else sum.lost++;
    }
    entry = entry.after === undefined ? undefined : await live.entry(entry.after);
  }
  return sum;
}

/** The only seat of a person; null if there are none or several, or no opponent. */
function seatOf({ cast }: LiveEpisode): string | null {
  const people = Object.keys(cast).filter((seat) => isPerson(cast[seat]!));
  return people.length === 1 && Object.keys(cast).length > 1 ? people[0]! : null;
}
