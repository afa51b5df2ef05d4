/**
 * @file Combines several cases: in sequence if the second needs the effects of the first, or side by side if the order does not
 * matter. Running the gold calls in both orders determines which applies.
 */

import { equal, type Rng } from '@ludus-agents/kernel/internal/core/index';
import type { DeskCase, DeskDocument } from '../document.ts';
import { needsWrite } from '../probes.ts';
import { runTool } from '../tools.ts';

export type Order = 'sequential' | 'parallel' | 'impossible';

/** How the gold calls of two cases depend on each other. */
export function orderOf(desk: DeskDocument, first: DeskCase, second: DeskCase): Order {
  return orderOfLists(desk, first.gold, second.gold);
}

export function orderOfLists(desk: DeskDocument, first: DeskCase['gold'], second: DeskCase['gold']): Order {
  const runs = (calls: DeskCase['gold']) => {
    let { database } = desk;
    for (const call of calls) {
      const result = runTool(desk, database, call);
      if (!result.ok) return null;
      database = result.database;
    }
    return database;
  };
  const [there, back] = [runs([...first, ...second]), runs([...second, ...first])];
  if (there === null) return 'impossible';
  return back !== null && equal(there, back) ? 'parallel' : 'sequential';
}

/** Two cases as one conversation in this order, with the requests and facts of both. */
export function joinCases(first: DeskCase, second: DeskCase): DeskCase {
  return {
    ...first,
    knows: joinedFacts(first.knows, second.knows),
    says: [...first.says, ...second.says],
    gold: [...first.gold, ...second.gold],
    tell: [...first.tell, ...second.tell],
    never: [...first.never, ...second.never],
    insist: Math.max(first.insist, second.insist),
  };
}

/** Facts that both cases tell under the same words are merged. */
function joinedFacts(first: DeskCase['knows'], second: DeskCase['knows']): DeskCase['knows'] {
  const facts: Record<string, string> = { ...first };
  for (const [key, value] of Object.entries(second))
    facts[key] = facts[key] === undefined || facts[key] === value ? value : `${facts[key]} and ${value}`;
  return facts;
}

export function composeCases(desk: DeskDocument, dice: Rng): readonly DeskCase[] {
  const deskCases = desk.tasks.filter((task) => task.probe === 'task' && !task.refuse && task.customer !== null && needsWrite(desk, task));
  const asking = desk.tasks.filter((task) => task.probe === 'task' && !task.refuse && task.gold.length === 0);
  const pairs = deskCases.flatMap((first) =>
    [...deskCases, ...asking].flatMap((second): DeskCase[] => {
      const fits = second !== first && (second.customer === null || second.customer === first.customer);
      if (!fits) return [];
      const order = orderOf(desk, first, second);
      if (
        order === 'impossible' ||
        (order === 'parallel' && deskCases.indexOf(second) !== -1 && deskCases.indexOf(second) < deskCases.indexOf(first))
      )
        return [];
      return [{ ...joinCases(first, second), id: `${order}-${first.id}-${second.id}`.slice(0, 60), probe: order }];
    }),
  );
  return dice.shuffle(pairs);
}
