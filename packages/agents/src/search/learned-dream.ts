/** @file A learned dream as a simulator: it starts from the seat's latest observation and knows nothing else. */

import type { AnyEnvironment, Json, JsonObject, Position, Rng, Simulator, Turn } from '@ludus-agents/kernel/internal/core/index';
import { rng as dice, Fault, isObject, nameOf } from '@ludus-agents/kernel/internal/core/index';
import { createSimulator } from '@ludus-agents/kernel/internal/engine/simulator';
import type { DreamReport } from './dream.ts';
import { advance, moverIn } from './positions.ts';

/** The simulator of a seat at its turn, and the dream's error from its own measurements. */
export function learnedDream(
  environment: AnyEnvironment,
  { view, ask }: Turn,
): { readonly simulator: Simulator; readonly error: JsonObject } {
  const acted = view.seen.findLastIndex((item) => item.kind === 'action');
  const observations = view.seen.slice(acted + 1).flatMap((item) => (item.kind === 'message' ? [item.text] : []));
  const task = environment.task({ at: observations.join('\n'), choices: (ask.choices ?? null) as Json }) as Json;
  const [seat] = environment.seats(task);
  if (seat !== ask.seat)
    throw new Fault(
      'agent',
      `${nameOf(environment)} was learned for the seat ${seat}, but it is used for ${ask.seat}. Learn one for this seat.`,
    );
  const first = environment.start(task, dice(0, 'dream'));
  const note = first.messages.find(({ to }) => to.length === 0)?.data;
  const now = { environment, task: { simulator: true }, state: first.state, asks: first.asks };
  const ownSimulator = createSimulator(now, seat) as Simulator;
  return {
    simulator: { ...ownSimulator, seats: [seat], exact: false },
    error: isObject(note) && isObject(note['error']) ? note['error'] : {},
  };
}

/** The differences between a learned dream and the rules: the same random moves tried in both, one step each. */
export function measureLearned(real: Simulator, dream: Simulator, probes: number, rng: Rng): DreamReport {
  let [step, reward, over] = [0, 0, 0];
  for (let i = 0; i < probes; i++) {
    const [truth, guess] = [real.sample(rng), dream.sample(rng)];
    const choices = moverIn(truth, real.seat)?.choices ?? [];
    if (choices.length === 0) return { probes: i, step: 0, reward: 0, over: 0 };
    const move = rng.pick(choices);
    const [a, b] = [ownTurn(advance(truth, real.seat, move, rng), real.seat, rng), advance(guess, dream.seat, move, rng)];
    if (a.told(real.seat).join('\n') !== b.told(dream.seat).join('\n')) step++;
    if ((a.returns[real.seat] ?? 0) !== (b.returns[dream.seat] ?? 0)) reward++;
    if ((a.asks.length === 0) !== (b.asks.length === 0)) over++;
  }
  return { probes, step: step / probes, reward: reward / probes, over: over / probes };
}

/** In a dream, the other seats have moved before the seat acts again, so the rules are advanced likewise. */
function ownTurn(from: Position, seat: string, rng: Rng): Position {
  let position = from;
  for (let i = 0; i < 1000 && position.asks.length > 0 && !position.asks.some((ask) => ask.seat === seat); i++) {
    const { seat: mover, choices = [] } = position.asks[0]!;
    position = advance(position, mover, choices.length === 0 ? '' : rng.pick(choices), rng);
  }
  return position;
}
