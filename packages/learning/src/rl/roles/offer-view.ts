/**
 * @file A policy that reads how each available move relates to earlier text: the verb and the symbols of the move, and whether its words
 * are in the last line, in the sentence most similar to that line, anywhere before, or nowhere. Moves with equal descriptions are one
 * choice, of which one is picked at random. It reads no names or numbers, so its experience transfers to unknown tasks.
 */

import type { JsonObject, Turn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { RoleRule, RoleTurn } from './role-learner.ts';

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

export class OfferView implements RoleRule {
  /** `result`: the move to demonstrate, which then represents all moves like it. */
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

/** The verb of a move and its symbols. */
function formOf(move: string): string {
  const signs = move.replace(/[\p{L}\p{N}\s[\]]+/gu, ' ').trim();
  return `${wordsOf(move)[0] ?? ''} ${signs}`.trim();
}

/** Places where words can occur, from nearest to farthest; each includes the nearer ones. */
type Places = readonly (readonly [name: string, words: ReadonlySet<string>])[];

function placesOf(lines: readonly string[]): Places {
  const now = new Set(wordsOf(lines.at(-1) ?? ''));
  const before = lines.slice(0, -1).flatMap((line) => line.split(linear(/(?<=[.?!])\s+/)).map(wordsOf));
  let [nearest, most]: [readonly string[], number] = [[], 0];
  for (const earlier of before) {
    const shared = new Set(earlier.filter((word) => now.has(word))).size;
    // Ties prefer the later text.
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
