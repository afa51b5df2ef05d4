/**
 * @file A policy that reads the available moves and its own last one, reduced to the words of the environment's grammar, without names of
 * rooms and things. Its experience transfers to unknown tasks, which a table over whole views cannot do.
 */

import { Fault, type JsonObject, type Turn } from '@ludus-agents/kernel/internal/core/index';
import type { RoleRule, RoleTurn } from './role-learner.ts';

export class MoveView implements RoleRule {
  readonly #words: ReadonlySet<string>;

  /** `words`: the environment's list of the words in its texts. */
  constructor(environment: string, moveWords: readonly string[] | undefined) {
    if (moveWords === undefined || moveWords.length === 0)
      throw new Fault(
        'input',
        `${environment} does not list the words of its grammar (about.words), so a view of moves is not possible. Remove "view".`,
      );
    this.#words = new Set(moveWords);
  }

  of(turn: Turn): RoleTurn {
    const { seen, ...view } = turn.view;
    const last = seen.findLast((item) => item.kind === 'action');
    const moves = (turn.ask.choices ?? []).map((choice) => this.#plain(choice));
    const text = `Last: ${last?.kind === 'action' ? this.#plain(last.action.text) : 'nothing'}. Moves: ${moves.join(', ')}.`;
    return { who: 0, tag: 0, turn: { ...turn, view: { ...view, seen: [{ kind: 'message', to: [turn.ask.seat], text }] } } };
  }

  whoOf(): number {
    return 0;
  }

  write(): JsonObject {
    return {};
  }

  read(): void {}

  /** A move without names. */
  #plain(text: string): string {
    return text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => this.#words.has(word))
      .join(' ');
  }
}
