/**
 * @file `together-demo`: the codebreaker of `instruction-demo` with its own weights, so that the effects of texts and training can be
 * separated.
 *
 * Its weights are habits: at each turn they choose one of a few for the kind of code, which acts like a line of text. Bad habits interfere
 * with good lines, and no single habit has the effect of two lines, so both channels together achieve more than either alone.
 */

import { type Agent, type AgentSpec, type Learner, type Rng, rng, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { instructionDemo } from './index.ts';
import { lawfulPlayer, readView } from './player.ts';
import type { RuleName } from './rules.ts';

/** By kind of code; equally likely before training. */
export const habits: Readonly<Record<string, readonly RuleName[]>> = {
  number: ['edge', 'lucky', 'between'],
  pegs: ['plain', 'fresh', 'agree'],
};

export function togetherDemo(learner: () => Learner) {
  return {
    ...instructionDemo,
    name: 'together-demo',
    about: 'better instructions and trained weights in turn for the same agent, and how much each of the two gained',
    engine: 'together',
    start: { ...instructionDemo.start, model: learner().id } as AgentSpec,
    learner: () => withHabits(learner()),
    player: habitual,
  };
}

/** A player that follows its texts, and its weights where the texts leave a choice. */
function habitual(spec: AgentSpec, learner?: Learner): Agent {
  if (learner === undefined) return lawfulPlayer(spec);
  const policy = learner.policy();
  const players = new Map(Object.values(habits).flatMap((names) => names.map((name) => [name as string, lawfulPlayer(spec, [name])])));
  return {
    name: spec.name,
    async act(turn, signal) {
      const [habit] = await policy.act([choice(readView(turn).mode, turn.rng)]);
      const reply = await (players.get(habit?.action.text ?? '') as Agent).act(turn, signal);
      const { model, promptTokenIds, tokenIds, logprobs } = habit?.calls?.[0] ?? {};
      const weights = { model, promptTokenIds, tokenIds, logprobs };
      return { ...reply, calls: (reply.calls ?? []).map((call) => ({ ...call, ...weights })) } as typeof reply;
    },
  };
}

/** The turn for the weights: the kind of code, and its habits. */
function choice(mode: string, dice: Rng): Turn {
  const observations = [{ kind: 'message' as const, to: ['habit'], text: mode }];
  return {
    view: { seat: 'habit', seen: observations },
    ask: { seat: 'habit', choices: habits[mode] },
    rng: dice,
  };
}

/** A learner that sees all kinds in a fixed order, so that its stored weights have the same meaning for every reader. */
function withHabits(learner: Learner): Learner {
  void learner.policy().act(Object.keys(habits).map((mode) => choice(mode, rng(0))));
  return learner;
}
