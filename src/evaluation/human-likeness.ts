/** @file How human the simulated customers of a run are, beside conversations of people in a file of the user's own. */

import { canonical, type Store } from '../core/index.ts';
import { type Likeness, likenessOf, likenessText, type SpokenTurns } from '../scoring/likeness.ts';
import { isBuiltInAgent } from '../scoring/suites/index.ts';
import { readConversations, userTurns } from './conversations.ts';
import { recordsOf } from './score-run.ts';

/** What the helper seats of a run said, one conversation for each task: another try at it is no new conversation. */
async function simulatedTurns(store: Store, run: string): Promise<readonly SpokenTurns[]> {
  const found = new Map<string, SpokenTurns>();
  for await (const { id, cast, task } of recordsOf(store, { run })) {
    // Who runs the tests of a program plays no person.
    const seat = Object.keys(cast).find((one) => isBuiltInAgent(cast[one]!) && !/^[^:]*:tester(:|$)/.test(cast[one]!));
    if (seat === undefined) continue;
    const said = (await store.events(id)).flatMap((event) =>
      event.kind === 'action' && event.seat === seat ? [event.action.text.replace(/\[\w+\]/g, '').trim()] : [],
    );
    const turns = said.filter((text) => text !== '');
    if (turns.length > 0) found.set(canonical(task), turns);
  }
  return [...found.values()];
}

/** How like people the simulated ones are, or why that is not known. */
export type RunLikeness = Likeness | { readonly unknown: string };

/** Stands beside every result that simulated people had a part in; null where there were none. */
export async function likenessOfRun(store: Store, run: string, file: string | undefined, cwd: string): Promise<RunLikeness | null> {
  const simulated = await simulatedTurns(store, run);
  if (simulated.length === 0) return null;
  if (file === undefined)
    return { unknown: 'no conversations of people were given (--humans FILE, or "humans" under "test" in ludus.config)' };
  const humans = (await readConversations(file, cwd)).map(userTurns).filter((turns) => turns.length > 0);
  const fewest = Math.min(humans.length, simulated.length);
  if (fewest < 10)
    return { unknown: `it takes 10 conversations of each side, and there are ${humans.length} of people and ${simulated.length} others` };
  return likenessOf(humans, simulated);
}

/** The same in a sentence. */
export function likenessNote(found: RunLikeness): string {
  return 'unknown' in found ? `How like people the simulated customers are is not known: ${found.unknown}.` : likenessText(found);
}
