/**
 * @file Checks that an environment does not leak hidden information: changing state that is hidden from a seat must not change its
 * observations.
 */

import { type Action, type AnyEnvironment, type Json, rng, type Seat } from '../../core/index.ts';
import type { CheckContext, RuleBreach } from './bench.ts';
import type { SampleEpisode } from './sample.ts';

/**
 * If two steps agree on a seat's earlier knowledge, action, reward, and later knowledge, they must show it the same messages and asks. The
 * end of an episode is not a secret. Starts are cheap and hide the most, so there are more of them than samples.
 */
export function* leaks({ environment, samples, steps }: CheckContext): Iterable<RuleBreach> {
  const { tasks } = environment.about;
  if (environment.knows === undefined) {
    const crowded = tasks.find((task) => environment.seats(environment.task(task)).length > 1);
    if (crowded !== undefined)
      yield {
        message:
          'There are several seats, but no `knows` that defines what each may know. Write knows(state, seat) and imagine(state, seat, rng), or set about.open to true if nothing is hidden.',
        task: crowded,
      };
    return;
  }
  const firstViews = new Map<string, string>();
  const deals = Array.from({ length: Math.ceil(Math.min(1500, steps / 2) / tasks.length) }, (_, i) => 1_000_000 + i);
  for (const [t, task] of tasks.entries()) {
    const read: Json = environment.task(task);
    const seats = environment.seats(read);
    const dealt = deals.map((seed) => ({ task, seed, steps: [environment.start(read, rng(seed, 'start'))], actions: [] }));
    for (const item of [...samples.filter((sampled) => sampled.task === task), ...dealt])
      for (const seat of seats)
        for (const [key, visible] of showings(environment, item, seat)) {
          const before = firstViews.get(`${t} ${key}`);
          if (before === undefined) firstViews.set(`${t} ${key}`, visible);
          else if (before !== visible)
            yield {
              message: `Seat "${seat}" has the same knowledge, but is shown ${visible} here and ${before} elsewhere. Add the difference to knows(state, seat), or do not show it to this seat.`,
              cause: seat,
              task,
              seed: item.seed,
            };
        }
  }
}

/** For each step: everything that may determine a seat's observations, and the observations. */
function* showings(
  environment: AnyEnvironment,
  { steps, actions }: Pick<SampleEpisode, 'steps' | 'actions'>,
  seat: Seat,
): Iterable<readonly [string, string]> {
  let before: Json = null;
  let misses = 0;
  for (const [i, { state, messages, asks, rewards, penalties }] of steps.entries()) {
    const after: Json = environment.knows?.(state, seat) ?? null;
    const did: Action | null = actions[i - 1]?.[seat] ?? null;
    const reward = rewards?.[seat] ?? null;
    const penalty = penalties?.[seat] ?? null;
    const observed = messages.filter((message) => message.to.includes(seat)).map(({ text, from, data }) => ({ text, from, data }));
    const request = asks.find((ask) => ask.seat === seat) ?? null;
    const over = asks.length === 0;
    yield [JSON.stringify([seat, i === 0, before, did, misses, reward, penalty, after, over]), JSON.stringify([observed, request])];
    before = after;
    if (did !== null) misses = penalty ? misses + 1 : 0;
  }
}
