/**
 * @file A policy that reads how each move on offer stands to what was said: the verb and the signs of the move, and whether the words in it
 * are in the last line, in the sentence nearest to that line, anywhere before, or nowhere. Moves that stand alike are one choice, of which
 * any is made. Names and numbers are not read, so what is learned in one task is the same in a task that was never met.
 */

import type { JsonObject, Turn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { RoleRule, RoleTurn } from './role-learner.ts';

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

export class OfferView implements RoleRule {
  /** `made`: the move that is to be shown, which then stands for those that are like it. */
  of(turn: Turn, _task: number | null, result?: string): RoleTurn {
    const { view, ask, rng } = turn;
    const lines = view.seen.flatMap((item) => (item.kind === 'message' ? item.text.split('\n') : [])).filter((line) => line.trim() !== '');
    const last = view.seen.findLast((item) => item.kind === 'action');
    const places = placesOf(lines);
    const kinds = Map.groupBy(ask.choices ?? [], (choice) => `${formOf(choice)} ${placeOf(choice, places)}`);
    const names = [...kinds.keys()].sort();
    const choices = names.map((name) => {
      const alike = kinds.get(name)!;
      if (result !== undefined && alike.includes(result)) return result;
      return alike.length === 1 ? alike[0] : rng.pick(alike);
    });
    const text = `Last: ${last?.kind === 'action' ? formOf(last.action.text) : 'nothing'}. Moves: ${names.join(', ')}.`;
    return {
      who: 0,
      tag: 0,
      turn: { ...turn, ask: { ...ask, choices }, view: { ...view, seen: [{ kind: 'message', to: [ask.seat], text }] } },
    };
  }

  whoOf(): number {
    return 0;
  }

  write(): JsonObject {
    return {};
  }

  read(): void {}
}

/** The verb of a move and its signs. */
function formOf(move: string): string {
  const signs = move.replace(/[\p{L}\p{N}\s[\]]+/gu, ' ').trim();
  return `${wordsOf(move)[0] ?? ''} ${signs}`.trim();
}

/** Where words can stand, from the nearest to the farthest, each with all before it. */
type Places = readonly (readonly [name: string, words: ReadonlySet<string>])[];

function placesOf(lines: readonly string[]): Places {
  const now = new Set(wordsOf(lines.at(-1) ?? ''));
  const before = lines.slice(0, -1).flatMap((line) => line.split(linear(/(?<=[.?!])\s+/)).map(wordsOf));
  let [nearest, most]: [readonly string[], number] = [[], 0];
  for (const earlier of before) {
    const shared = new Set(earlier.filter((word) => now.has(word))).size;
    // What was said later counts where two are as near.
    if (shared > 0 && shared >= most) [nearest, most] = [earlier, shared];
  }
  return [
    ['now', now],
    ['near', new Set([...now, ...nearest])],
    ['before', new Set([...now, ...before.flat()])],
  ];
}

function placeOf(move: string, places: Places): string {
  const words = wordsOf(move).slice(1);
  if (words.length === 0) return 'alone';
  return places.find(([, knownNames]) => words.every((word) => knownNames.has(word)))?.[0] ?? 'new';
}
