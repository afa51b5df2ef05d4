/**
 * @file A set of policies for games of one family with different numbers of seats (MRA, 2108.12988): the input does not reveal the number
 * of seats, and a latent strategy handles each case. Each task has its own latent, and sometimes a seat plays another.
 */

import type { JsonObject, Policy, Turn } from '@ludus-agents/kernel/internal/core/index';
import { withNote } from './reading.ts';
import type { RoleRule, RoleTurn } from './role-learner.ts';

/** How often a seat plays a random latent, so that every latent meets the others. */
const tries = 0.2;

export class PolicySet implements RoleRule {
  readonly #size: number;
  readonly #reads: number | undefined;

  constructor(size: number, reads: number | undefined) {
    this.#size = size;
    this.#reads = reads;
  }

  of(turn: Turn, task: number | null): RoleTurn {
    const retainedLatent = (turn.mind as { readonly latent?: number } | undefined)?.latent;
    const latent = retainedLatent ?? this.#draw(turn, task);
    return { who: 0, tag: latent, turn: withNote(turn, `Strategy ${latent}.`, this.#reads), mind: { latent } };
  }

  whoOf(): number {
    return 0;
  }

  write(): JsonObject {
    return {};
  }

  read(): void {}

  /** For an unknown task, a random latent. */
  #draw({ rng }: Turn, task: number | null): number {
    const [roll, any] = [rng.next(), rng.int(this.#size)];
    return task === null || roll < tries ? any : task % this.#size;
  }
}

/** A policy that always plays one latent of a set. */
export function keepingTo(policy: Policy, latent: number): Policy {
  return { name: policy.name, act: (turns) => policy.act(turns.map((turn) => ({ ...turn, mind: { latent } }))) };
}
