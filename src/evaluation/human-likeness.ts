/** @file How human the simulated customers of a run are, beside conversations of people in a file of the user's own. */

import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { canonical, Fault, type Json, type Store } from '../core/index.ts';
import { isObject } from '../core/json.ts';
import { jsonFrom, reasonOf } from '../core/outside.ts';
import { linesIn } from '../files/lines.ts';
import { type Likeness, likenessOf, likenessText, type SpokenTurns } from '../scoring/likeness.ts';
import { isBuiltInAgent } from '../scoring/suites/index.ts';
import { readerOf } from '../store/imports/index.ts';
import { recordsOf } from './score-run.ts';

/** What the helper seats of a run said, one conversation for each task: another try at it is no new conversation. */
async function simulatedTurns(store: Store, run: string): Promise<readonly SpokenTurns[]> {
  const found = new Map<string, SpokenTurns>();
  for await (const { id, cast, task } of recordsOf(store, { run })) {
    const seat = Object.keys(cast).find((one) => isBuiltInAgent(cast[one]!));
    if (seat === undefined) continue;
    const said = (await store.events(id)).flatMap((event) =>
      event.kind === 'action' && event.seat === seat ? [event.action.text.replace(/\[\w+\]/g, '').trim()] : [],
    );
    const turns = said.filter((text) => text !== '');
    if (turns.length > 0) found.set(canonical(task), turns);
  }
  return [...found.values()];
}

/** The users of a file: lines with "turns" of {speaker, text}, or any format that `ludus import` reads. */
async function readHumans(file: string, cwd: string): Promise<readonly SpokenTurns[]> {
  const all: SpokenTurns[] = [];
  let number = 0;
  try {
    for await (const line of linesIn(createReadStream(resolve(cwd, file)))) {
      number++;
      if (line.trim() === '') continue;
      const turns = userIn(jsonFrom(line, `${file}, line ${number}`) as Json);
      if (turns.length > 0) all.push(turns);
    }
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    throw new Fault('input', `${file} cannot be read: ${reasonOf(thrown)}.`);
  }
  return all;
}

function userIn(item: Json): SpokenTurns {
  if (!isObject(item)) return [];
  const given = item['turns'];
  if (Array.isArray(given)) {
    const turns = (given as readonly Json[])
      .filter(isObject)
      .map((turn) => ({ by: String(turn['speaker'] ?? ''), text: String(turn['text'] ?? '') }));
    const speaker = turns.find(({ by }) => /^(?:user|customer|human)$/i.test(by))?.by ?? turns[0]?.by;
    return turns.filter(({ by }) => by === speaker).map(({ text }) => text);
  }
  const lines = readerOf(item)?.read(item, 0).lines ?? [];
  return lines.flatMap((line) => (line.kind === 'said' && line.seat === 'user' && line.text !== '' ? [line.text] : []));
}

/** How like people the simulated ones are, or why that is not known. */
export type RunLikeness = Likeness | { readonly unknown: string };

/** Stands beside every result that simulated people had a part in; null where there were none. */
export async function likenessOfRun(store: Store, run: string, file: string | undefined, cwd: string): Promise<RunLikeness | null> {
  const simulated = await simulatedTurns(store, run);
  if (simulated.length === 0) return null;
  if (file === undefined)
    return { unknown: 'no conversations of people were given (--humans FILE, or "humans" under "test" in ludus.config)' };
  const humans = await readHumans(file, cwd);
  const fewest = Math.min(humans.length, simulated.length);
  if (fewest < 10)
    return { unknown: `it takes 10 conversations of each side, and there are ${humans.length} of people and ${simulated.length} others` };
  return likenessOf(humans, simulated);
}

/** The same in a sentence. */
export function likenessNote(found: RunLikeness): string {
  return 'unknown' in found ? `How like people the simulated customers are is not known: ${found.unknown}.` : likenessText(found);
}
