/** @file Episodes in portions to be read together: many short ones, few long ones, so that memory does not grow with a store. */

const mostEpisodes = 100;
const mostEvents = 1000;

/** Portions in the order of the items; an episode longer than a portion is one by itself. */
export function* portionsOf<T extends { readonly events: number }>(items: Iterable<T>): Generator<readonly T[], void, undefined> {
  let [subset, events]: [T[], number] = [[], 0];
  for (const item of items) {
    if (subset.length > 0 && (subset.length >= mostEpisodes || events + item.events > mostEvents)) {
      yield subset;
      [subset, events] = [[], 0];
    }
    subset.push(item);
    events += item.events;
  }
  if (subset.length > 0) yield subset;
}
