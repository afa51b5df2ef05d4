/**
 * @file Lets episodes go on while weights change. Samples and updates of weights in this process take turns, so that every answer is from one
 * version of the weights, which its call names; turns that come while the learner is busy are answered together when it is free.
 */

import type { ModelCall, Policy, Reply, Turn } from '@ludus-agents/kernel/internal/core/index';

export class WeightGate {
  /** Updates that the weights have had. */
  version: number;
  readonly #concurrent: boolean;
  #last: Promise<unknown> = Promise.resolve();

  /** `concurrent`: a server keeps samples and updates apart itself, so nothing waits here. */
  constructor({ concurrent, version = 0 }: { readonly concurrent: boolean; readonly version?: number }) {
    this.#concurrent = concurrent;
    this.version = version;
  }

  /** Runs one thing at a time, in the order of the calls. */
  pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#concurrent) return work();
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Calls with the version of the weights that sampled them. */
  stamped(calls: readonly ModelCall[]): readonly ModelCall[] {
    return calls.map((call) => ({ ...call, version: this.version }));
  }
}

/** Requests that arrive while the gate is closed, or in one moment, answered together. */
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
      // All requests of this moment are here by then.
      if (waiting.length === 1) setImmediate(() => void gate.pass(flush));
    });
}

/** A learner's policy for episodes that overlap: turns of all of them are gathered, and answers name the weights they are from. */
export function gatedPolicy(policy: Policy, gate: WeightGate): Policy {
  const answer = gather<Turn, Reply>(gate, async (turns) => {
    const replies = await policy.act(turns);
    return replies.map((reply) => (reply.calls === undefined ? reply : { ...reply, calls: gate.stamped(reply.calls) }));
  });
  return { name: policy.name, act: (turns) => Promise.all(turns.map(answer)) };
}
