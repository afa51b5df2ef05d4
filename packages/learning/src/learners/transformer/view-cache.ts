/** @file Caches values by view, looked up item by item, without building the view's text. */

import type { View } from '@ludus-agents/kernel/internal/core/index';

/** The kinds of the next item: a message, one of the seat's own actions, or the name of another speaker. */
const kinds = { message: 0, own: 1, from: 2 } as const;

interface Place<T> {
  readonly next: (Map<string, Place<T>> | undefined)[];
  value: T | undefined;
}

/** Views with the same text have the same value. */
export class ViewCache<T> {
  readonly #root: Place<T> = { next: [], value: undefined };

  get({ seat, seen }: View, make: () => T): T {
    let place = step(this.#root, kinds.from, seat);
    for (const item of seen) {
      if (item.kind === 'message') {
        if (item.from !== undefined) place = step(place, kinds.from, item.from);
        place = step(place, kinds.message, item.text);
      } else if (item.kind === 'action') place = step(place, kinds.own, item.action.text);
    }
    place.value ??= make();
    return place.value;
  }
}

function step<T>({ next }: Place<T>, kind: number, word: string): Place<T> {
  next[kind] ??= new Map();
  const matchingPlace = next[kind].get(word);
  if (matchingPlace !== undefined) return matchingPlace;
  const place: Place<T> = { next: [], value: undefined };
  next[kind].set(word, place);
  return place;
}
