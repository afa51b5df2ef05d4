/** @file An agent turns a seat's view into an action; as plain data it is an AgentSpec. */

import type { Action, Ask } from './environment.ts';
import type { View } from './event.ts';
import { boundaryOf, Fault, sentenceOf } from './fault.ts';
import type { Json } from './json.ts';
import type { ModelCall } from './model.ts';
import type { Rng } from './rng.ts';
import type { Simulator } from './simulator.ts';

/** The input of an agent when its seat is asked to act. */
export interface Turn {
  readonly view: View;
  readonly ask: Ask;
  /** The mind that this seat's agent returned at its last turn. */
  readonly mind?: Json;
  /** The random numbers of this seat at this turn. */
  readonly rng: Rng;
}

/** An agent's answer: an action, and the mind to pass to its next turn. */
export interface Reply {
  readonly action: Action;
  /** Memory, mood, plan: plain data, stored in the log and passed back at the next turn. */
  readonly mind?: Json;
  readonly calls?: readonly ModelCall[];
  /** The agent's probability of each move, if known: teams and guided search read it, and it is not logged. */
  readonly chances?: Readonly<Record<string, number>>;
  /** True if a person wrote this answer instead of the agent. */
  readonly edited?: true;
}

/** Answers for a seat: reads its view and returns an action. */
export interface Agent {
  readonly name: string;
  /** It tries moves before it acts: it receives a simulator of the episode if the rules allow one. */
  readonly looksAhead?: true;
  /**
   * It reads and writes language: a team may ask it questions. Without this a team only asks it for moves, and shows it the seat's view.
   * "member": it was trained as a member of a team, and is shown the discussions of the whole episode as in its training.
   */
  readonly speaks?: true | 'member';
  /** The hash of the persona it plays; the start event names it, so that scorers find the document. */
  readonly persona?: string;
  /**
   * Checks that it can answer at all, e.g. that its server is reachable. A run calls this before its first episode and ends if it throws.
   */
  prepare?(signal: AbortSignal): Promise<void>;
  act(turn: Turn, signal: AbortSignal, simulator?: Simulator): Reply | Promise<Reply>;
}

/** A player that answers synchronously, from its view and random numbers alone. One that `speaks` can be asked questions as a member of a team. */
export type Script = ((turn: Turn) => Action | Reply) & { readonly speaks?: true };

/** An agent for `rollout`: it answers many turns of many episodes in one call. */
export interface Policy {
  readonly name: string;
  act(turns: readonly Turn[]): readonly Reply[] | Promise<readonly Reply[]>;
}

/** An agent as plain data. An improvement creates the next spec. */
export type AgentSpec = {
  readonly name: string;
  /** The kind of agent: "random", "scripted", "human", "llm" … */
  readonly kind: string;
  readonly model?: string;
  readonly persona?: Json;
  /** People of a population: a plan plays its cast once with each of them. */
  readonly population?: Json;
  /** Instructions, skills, playbook entries: each a named text. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Long-term memory, written by an improver. */
  readonly notes?: readonly string[];
  readonly tools?: readonly string[];
  readonly settings?: Readonly<Record<string, Json>>;
  /** Hash of the spec from which this one was derived. */
  readonly parent?: string;
};

/** Converts a script to an agent. */
export function scripted(name: string, script: Script): Agent {
  return { name, ...(script.speaks === true ? { speaks: true as const } : {}), act: (turn) => replyOf(script(turn)) };
}

/** Converts a script to a policy. */
export function scriptedPolicy(name: string, script: Script): Policy {
  return {
    name,
    act(turns) {
      const replies = new Array<Reply>(turns.length);
      for (let i = 0; i < turns.length; i++) replies[i] = replyOf(script(turns[i]!));
      return replies;
    },
  };
}

/** Converts an agent to a policy: its turns run concurrently. */
export function agentPolicy(agent: Agent, signal: AbortSignal): Policy {
  return {
    name: agent.name,
    act: async (turns) => allAnswers(await Promise.allSettled(turns.map(async (turn) => agent.act(turn, signal)))),
  };
}

/** Thrown by a policy that could answer only some of its turns: those episodes fail, and the others continue. */
export class FailedTurns extends Fault {
  readonly answers: readonly PromiseSettledResult<Reply>[];

  constructor(answers: readonly PromiseSettledResult<Reply>[], first: unknown) {
    super(boundaryOf(first), sentenceOf(first), { cause: first });
    this.answers = answers;
  }
}

/** The answers of a policy to its turns; throws `FailedTurns` if one failed. */
export function allAnswers(answers: readonly PromiseSettledResult<Reply>[]): readonly Reply[] {
  return answers.map((answer) => {
    if (answer.status === 'rejected') throw new FailedTurns(answers, answer.reason);
    return answer.value;
  });
}

function replyOf(answer: Action | Reply): Reply {
  return 'action' in answer ? answer : { action: answer };
}
