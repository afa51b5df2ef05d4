/**
 * @file One learner for each level of decisions (hierarchical co-self-play, 2505.04317): an ask names its level in its data, and the levels
 * are trained one after the other while the rest are frozen, then all together.
 */

import { Fault, isObject, type JsonObject, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { LatestView } from './latest-view.ts';
import type { RoleRule, RoleTurn } from './role-learner.ts';

/** The level that an ask names; undefined if it names none. */
export function levelOf(data: unknown): string | undefined {
  return isObject(data) && typeof data['level'] === 'string' ? data['level'] : undefined;
}

/** Reads only the latest message, so that both sides of a game share what each level learns. */
export class LevelRoles implements RoleRule {
  readonly #levels: readonly string[];
  /** The steps for which each level is trained alone, in order. */
  readonly #alone: readonly number[];
  readonly #view = new LatestView();
  #steps = 0;

  constructor(levels: readonly string[], alone: readonly number[] = []) {
    this.#levels = levels;
    this.#alone = alone;
  }

  of(turn: Turn): RoleTurn {
    const level = levelOf(turn.ask.data);
    const who = this.#levels.indexOf(level ?? '');
    if (who < 0)
      throw new Fault(
        'input',
        `roles.levels are ${this.#levels.join(', ')}, but an ask of "${turn.ask.seat}" is of ${level === undefined ? 'no level: its data needs {"level": "…"}' : `"${level}"`}.`,
      );
    return { ...this.#view.of(turn), who, tag: who };
  }

  whoOf(tag: number): number {
    return tag;
  }

  learns(who: number): boolean {
    let until = 0;
    for (const [level, steps] of this.#alone.entries()) {
      until += steps;
      if (this.#steps < until) return level === who;
    }
    return true;
  }

  stepped(): void {
    this.#steps++;
  }

  write(): JsonObject {
    return { steps: this.#steps };
  }

  read(state: JsonObject): void {
    this.#steps = state['steps'] as number;
  }
}
