/** @file One learner for each role (MARFT, 2504.16129): all are trained together, or one after the other while the rest are frozen. */

import { Fault, type JsonObject, type Seat, type Turn } from '@ludus-agents/kernel/internal/core/index';
import type { RoleRule, RoleTurn } from './role-learner.ts';

export class OwnRoles implements RoleRule {
  readonly #seats: readonly Seat[];
  /** Steps for which a role is trained before the next one; null to train all. */
  readonly #alternate: number | null;
  #steps = 0;

  constructor(seats: readonly Seat[], alternate: number | null = null) {
    this.#seats = seats;
    this.#alternate = alternate;
  }

  of(turn: Turn): RoleTurn {
    const who = this.#seats.indexOf(turn.ask.seat);
    if (who < 0) throw new Fault('input', `No role was trained for the seat "${turn.ask.seat}". Trained: ${this.#seats.join(', ')}.`);
    return { who, tag: who, turn };
  }

  whoOf(tag: number): number {
    return tag;
  }

  learns(who: number): boolean {
    return this.#alternate === null || Math.floor(this.#steps / this.#alternate) % this.#seats.length === who;
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
