/** @file Episodes in portions to be read together: many short ones, few long ones, so that memory does not grow with a store. */

const mostEpisodes = 100;
const mostEvents = 1000;

/** Portions in the order of the items; an episode longer than a portion is one by itself. */
export function* portionsOf<T extends { readonly events: number }>(items: Iterable<T>): Generator<readonly T[], void, undefined> {
  let [some, events]: [T[], number] = [[], 0];
  for (const item of items) {
    if (some.length > 0 && (some.length >= mostEpisodes || events + item.events > mostEvents)) {
      yield some;
      [some, events] = [[], 0];
    }
    some.push(item);
    events += item.events;
  }
  if (some.length > 0) yield some;
}
