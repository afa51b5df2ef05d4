/**
 * @file Lets episodes run while weights change. In this process, samples and weight updates take turns, so that every answer is from one
 * version of the weights, recorded in its call; turns that arrive while the learner is busy are batched.
 */

import type { ModelCall, Policy, Reply, Turn } from '@ludus-agents/kernel/internal/core/index';

export class WeightGate {
  /** The number of updates of the weights so far. */
  version: number;
  readonly #concurrent: boolean;
  #last: Promise<unknown> = Promise.resolve();

  /** `concurrent`: a server isolates samples and updates itself, so nothing waits here. */
  constructor({ concurrent, version = 0 }: { readonly concurrent: boolean; readonly version?: number }) {
    this.#concurrent = concurrent;
    this.version = version;
  }

  /** Runs one task at a time, in the order of the calls. */
  pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#concurrent) return work();
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Adds the version of the weights that sampled them to the calls. */
  stamped(calls: readonly ModelCall[]): readonly ModelCall[] {
    return calls.map((call) => ({ ...call, version: this.version }));
  }
}

/** Batches requests that arrive while the gate is closed, or in the same tick. */
export function gather<Request, Answer>(
  gate: WeightGate,
  answer: (requests: readonly Request[]) => Promise<readonly Answer[]>,
): (request: Request) => Promise<Answer> {
  let waiting: { readonly request: Request; readonly resolve: (answer: Answer) => void; readonly reject: (thrown: unknown) => void }[] = [];
  const flush = async () => {
    const now = waiting;
    waiting = [];
    try {
      const answers = await answer(now.map(({ request }) => request));
      now.forEach(({ resolve }, i) => void resolve(answers[i]));
    } catch (thrown) {
      for (const { reject } of now) reject(thrown);
    }
  };
  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      // All requests of this tick have arrived by then.
      if (waiting.length === 1) setImmediate(() => void gate.pass(flush));
    });
}

/** A learner's policy for overlapping episodes: gathers their turns into batches, and records the weights' version in the answers. */
export function gatedPolicy(policy: Policy, gate: WeightGate): Policy {
  const answer = gather<Turn, Reply>(gate, async (turns) => {
    const replies = await policy.act(turns);
    return replies.map((reply) => (reply.calls === undefined ? reply : { ...reply, calls: gate.stamped(reply.calls) }));
  });
  return { name: policy.name, act: (turns) => Promise.all(turns.map(answer)) };
}
