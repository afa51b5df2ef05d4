/** @file How human the simulated customers of a run are, beside conversations of people in a file of the user's own. */

import { installedEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import type { EpisodeRecord, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { keptText } from '@ludus-agents/kernel/internal/engine/plan';
import { readConversations, userTurns } from './conversations.ts';
import { type Likeness, likenessOf, likenessText, type Meanings, type SpokenTurns } from './scoring/likeness.ts';
import { isBuiltInAgent } from './scoring/suites/index.ts';

/** A helper that said nothing in so many tries at a task plays no person there: the moves of a game are no words. */
const mostTries = 20;

/** A move such as [yes] or [bid 2 3]; [speak "…"] has words. */
const move = /\[[^\]["\n]*\]/g;

/** Students and patients are people as well, but whether they are like people is a question only for those who bring conversations. */
const customerSeat = /^(customer|user)$/;

/** The messages of the helper seats of a run, from the oldest conversation of each task. Repeats of a task are not new conversations. */
async function* simulatedTurns(
  store: Store,
  records: Iterable<EpisodeRecord>,
  isCompared: boolean,
): AsyncGenerator<SpokenTurns, void, undefined> {
  const byTask = new Map<string, { readonly id: string; readonly seat: Seat }[]>();
  for (const { id, cast, task } of records) {
    // Who runs the tests of a program plays no person.
    const seat = Object.keys(cast).find(
      (item) => (isCompared || customerSeat.test(item)) && isBuiltInAgent(cast[item]) && !/^[^:]*:tester(:|$)/.test(cast[item]),
    );
    if (seat === undefined) continue;
    const tries = byTask.get(keptText(task));
    if (tries === undefined) byTask.set(keptText(task), [{ id, seat }]);
    else tries.push({ id, seat });
  }
  for (const tries of byTask.values())
    for (const { id, seat } of tries.reverse().slice(0, mostTries)) {
      const statements = (await store.events(id)).flatMap((event) =>
        event.kind === 'action' && event.seat === seat ? [event.action.text.replace(move, '').trim()] : [],
      );
      const turns = statements.filter((text) => text !== '');
      if (turns.length === 0) continue;
      yield turns;
      break;
    }
}

/** How like people the simulated ones are, or why that is not known. */
export type RunLikeness = Likeness | { readonly unknown: string };

/** Stands beside every result that simulated people had a part in; null where there were none. */
export async function likenessOfRun(
  store: Store,
  records: Iterable<EpisodeRecord>,
  file: string | undefined,
  cwd: string,
): Promise<RunLikeness | null> {
  const turns = simulatedTurns(store, records, file !== undefined);
  const first = await turns.next();
  if (first.done === true) return null;
  if (file === undefined)
    return { unknown: 'no conversations of people were given (pass --humans FILE, or set "humans" under "test" in ludus.config)' };
  const simulated = [first.value, ...(await Array.fromAsync(turns))];
  const humans = (await readConversations(file, cwd)).map(userTurns).filter((turns) => turns.length > 0);
  const fewest = Math.min(humans.length, simulated.length);
  if (fewest < 10)
    return {
      unknown: `it needs 10 conversations on each side, but there are ${humans.length} of people and ${simulated.length} simulated ones`,
    };
  return likenessOf(humans, simulated, 1, await meaningsOf([...humans, ...simulated]));
}

/** The topics of conversations, by the installed encoder; undefined without one. */
async function meaningsOf(conversations: readonly SpokenTurns[]): Promise<Meanings | undefined> {
  const encoder = await installedEncoder();
  if (encoder === null) return undefined;
  const vectors = await encoder.embed(conversations.map((turns) => turns.join('\n')));
  return { encoder: encoder.name, of: new Map(conversations.map((turns, i) => [turns, vectors[i]])) };
}

/** The same in a sentence. */
export function likenessNote(runLikeness: RunLikeness): string {
  return 'unknown' in runLikeness ? `Realism of the simulated customers is unknown: ${runLikeness.unknown}.` : likenessText(runLikeness);
}
