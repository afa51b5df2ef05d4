/** @file Scripted seats of twenty questions: the oracle that answers from the table, and guessers from perfect to blind. */

import { type Action, Fault, type JsonObject, type Script, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { type TwentyTable, tables, truthOf } from './twenty-questions.table.ts';

/** Answers from the table. */
function oracle({ view, ask }: Turn): Action {
  if (view.seat !== 'oracle') throw new Fault('input', `This script plays "oracle", not "${view.seat}".`);
  return { text: `[${(ask.data as JsonObject)['truth']}]` };
}

/** Returns the rows that are consistent with all answers, or all untried rows if a wrong answer has left none. */
function readView({ view }: Turn): { readonly table: TwentyTable; readonly left: readonly number[]; readonly asked: ReadonlySet<number> } {
  if (view.seat !== 'guesser') throw new Fault('input', `This script plays "guesser", not "${view.seat}".`);
  const data = view.seen.flatMap((item) => (item.kind === 'message' && item.data !== undefined ? [item.data as JsonObject] : []));
  const opening = data[0]?.['table'] as keyof typeof tables | undefined;
  if (opening === undefined) throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  const table = tables[opening];
  const tried = new Set(data.map((jsonObject) => jsonObject['guess']));
  const untried = table.names.flatMap((name, row) => (tried.has(name) ? [] : [row]));
  const askedAttributes = new Set<number>();
  let left = untried;
  for (const { attribute: id, answer } of data) {
    if (typeof id !== 'string') continue;
    const attribute = table.attributes.indexOf(id);
    askedAttributes.add(attribute);
    if (answer !== 'unknown') left = left.filter((row) => truthOf(table, row, attribute) === answer);
  }
  return { table, left: left.length === 0 ? untried : left, asked: askedAttributes };
}

/** Asks what splits the remaining things most evenly, and guesses once one is left or nothing splits them. */
function binarySearch(turn: Turn): Action {
  const { table, left, asked } = readView(turn);
  let best = -1;
  let most = 0;
  for (let attribute = 0; attribute < table.attributes.length && left.length > 1; attribute++) {
    const yes = left.filter((row) => table.rows[row][attribute] === '1').length;
    const smaller = Math.min(yes, left.length - yes);
    if (smaller > most && !asked.has(attribute)) [best, most] = [attribute, smaller];
  }
  return { text: best < 0 ? `[guess ${table.names[left[0]]}]` : `[ask ${table.attributes[best]}]` };
}

/** Guesses a random name that it has not tried yet. */
function randomGuesser(turn: Turn): Action {
  const { table, left } = readView(turn);
  return { text: `[guess ${table.names[turn.rng.pick(left)]}]` };
}

/** The first script plays seats that no script is named after. */
export const scripts: Readonly<Record<string, Script>> = { 'binary-search': binarySearch, 'random-guesser': randomGuesser, oracle };
