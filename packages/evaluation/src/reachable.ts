/** @file Counts all states that can be reached by listed moves and any random outcome, if there are few enough. */

import { outcomes } from '@ludus-agents/environments/internal/solve/index';
import type { Action, AnyEnvironment, Ask, Json, Seat, Step } from '@ludus-agents/kernel/internal/core/index';
import { canonical } from '@ludus-agents/kernel/internal/core/index';

export interface Reachable {
  readonly states: number;
  /** A state, a seat, and a listed move. */
  readonly edges: number;
}

/** The number of transitions beyond which an environment counts as too large. */
const mostSteps = 30_000;

/** Null if there are too many states, or if random outcomes or moves cannot be listed. `each` receives every state once. */
export function reachableFrom(environment: AnyEnvironment, input: Json = {}, each: (state: Json) => void = () => {}): Reachable | null {
  if (environment.about.complete !== true) return null;
  const task = environment.task(input);
  const visited = new Set<string>();
  const open: Step[] = [];
  let edges = 0;
  let steps = 0;
  /** False if the limit is exceeded. */
  const enter = (run: Parameters<typeof outcomes<Step>>[0]): boolean => {
    for (const { value } of outcomes(run)) {
      if (++steps > mostSteps) return false;
      const key = canonical(value.state);
      if (visited.has(key)) continue;
      visited.add(key);
      each(value.state);
      open.push(value);
    }
    return true;
  };
  try {
    if (!enter((dice) => environment.start(task, dice))) return null;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const { state, asks } = at;
      if (asks.some(({ choices = [] }) => choices.length === 0)) return null;
      edges += asks.reduce((sum, { choices = [] }) => sum + choices.length, 0);
      for (const actions of jointly(asks)) if (!enter((dice) => environment.step(state, actions, dice))) return null;
    }
  } catch {
    // Too many random outcomes to list, or rules that fail in unusual states: no exact result.
    return null;
  }
  return { states: visited.size, edges };
}

/** All combinations of answers of the asked seats; if no seat is asked, the episode ends. */
function* jointly(asks: readonly Ask[]): Generator<Readonly<Record<Seat, Action>>> {
  if (asks.length === 0) return;
  const places = asks.map(() => 0);
  for (let i = 0; i >= 0; ) {
    yield Object.fromEntries(asks.map(({ seat, choices = [] }, seated) => [seat, { text: choices[places[seated]] }]));
    for (i = asks.length - 1; i >= 0 && ++places[i] >= (asks[i].choices ?? []).length; i--) places[i] = 0;
  }
}
