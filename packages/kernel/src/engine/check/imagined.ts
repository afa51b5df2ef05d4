/**
 * @file The rule for imagined states: `imagine` works in every state of play, preserves the seat's knowledge, and does not reveal hidden
 * information.
 */

import { isFault, type Json, rng, type Seat } from '../../core/index.ts';
import type { CheckContext, RuleBreach } from './bench.ts';

/** The number of states imagined at each state of play. */
const draws = 4;

/** The imagined states of a seat at states that it cannot distinguish. */
interface Known {
  readonly states: Set<string>;
  hasChanged: boolean;
  readonly at: Pick<RuleBreach, 'task' | 'seed'>;
}

export function* imaginings({ environment, samples, steps }: CheckContext): Iterable<RuleBreach> {
  if (environment.imagine === undefined) return;
  const groups = new Map<Seat, Map<string, Known>>();
  let takenCount = 0;
  for (const { task, seed, steps: transitions } of samples) {
    if (takenCount > steps / 4) break;
    const seats = environment.seats(environment.task(task));
    for (const [i, { state, asks }] of transitions.entries()) {
      takenCount++;
      if (asks.length === 0) continue;
      for (const seat of seats) {
        const [before, stateText] = [JSON.stringify(environment.knows?.(state, seat) ?? null), JSON.stringify(state)];
        const key = JSON.stringify([task, before]);
        const group = getOrAdd(
          getOrAdd(groups, seat, () => new Map<string, Known>()),
          key,
          () => ({ states: new Set<string>(), hasChanged: false, at: { task, seed } }),
        );
        group.states.add(stateText);
        for (let draw = 0; draw < draws; draw++) {
          let after: string;
          try {
            const imagined: Json = environment.imagine(state, seat, rng(seed, 'imagine', seat, i, draw));
            if (imagined === undefined) throw new Error('it returns nothing');
            after = JSON.stringify(environment.knows?.(imagined, seat) ?? null);
            group.hasChanged ||= JSON.stringify(imagined) !== stateText;
          } catch (thrown) {
            const why = isFault(thrown) || thrown instanceof Error ? thrown.message : String(thrown);
            yield { message: `imagine(state, "${seat}", rng) fails: ${why.replace(/\.?$/, '.')}`, cause: why, task, seed };
            break;
          }
          if (after === before || environment.knows === undefined) continue;
          const message = `imagine(state, "${seat}", rng) changes what the seat knows: it was ${before}, and is ${after}. Keep what knows(state, seat) returns.`;
          yield { message, cause: `knowledge of ${seat}`, task, seed };
          break;
        }
      }
    }
  }
  for (const [seat, knowledge] of groups) {
    const alike = [...knowledge.values()].filter(({ states }) => states.size > 1);
    // States that a seat can distinguish are never exchanged: only hidden information varies.
    if (alike.length > 1 && !alike.some(({ hasChanged }) => hasChanged))
      yield {
        message: `imagine(state, "${seat}", rng) always returns the state itself, so agents that search see what is hidden from this seat. Draw what it does not know from rng.`,
        ...alike[0]!.at,
      };
  }
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
