/** @file Users of a feed from a table: their interest in each genre, and which of them are held out. */

import { Fault, isObject, type Json, type Rng } from '@ludus-agents/kernel/internal/core/index';
import { boolean, list, number, object, readAs, required, type Shape, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';
import { clicked, type FeedRules, type FeedUser, freshUser, genres, walk } from './feed.ts';

export type FeedPerson = { readonly id: string; readonly interest: readonly number[]; readonly heldOut: boolean };
export type FeedPeople = { readonly genres: readonly string[]; readonly users: readonly FeedPerson[] };

const personShape: Shape<FeedPerson> = object<FeedPerson>({
  id: required(words),
  interest: required(list(number(0, 1), { from: 2, to: 4 })),
  heldOut: withDefault(boolean, false),
});
const peopleShape: Shape<FeedPeople> = object<FeedPeople>({
  genres: required(list(words, { from: 2, to: 4 })),
  users: required(list(personShape, { from: 1, to: 5000 })),
});

const parsed = new WeakMap<object, FeedPeople>();

/** The people of a task; null where they are drawn. */
export function peopleOf(value: Json | undefined): FeedPeople | null {
  if (!isObject(value as Json)) return null;
  let people = parsed.get(value as object);
  if (people === undefined) {
    people = readAs(peopleShape, value, { where: 'recommender', called: 'the people' });
    const uneven = people.users.find(({ interest }) => interest.length !== people!.genres.length);
    if (uneven !== undefined)
      throw new Fault(
        'input',
        `recommender: "${uneven.id}" has ${uneven.interest.length} interests, but there are ${people.genres.length} genres.`,
      );
    parsed.set(value as object, people);
  }
  return people;
}

/** The names of the genres of a task. */
export const genreNames = (people: FeedPeople | null): readonly string[] => people?.genres ?? genres;

export function drawPerson({ users }: FeedPeople, rng: Rng, split: string): FeedUser {
  const eligible = users.filter(({ heldOut }) => split === 'any' || heldOut === (split === 'held-out'));
  return freshUser(rng.pick(eligible.length > 0 ? eligible : users).interest);
}

type Shown = readonly (readonly [readonly number[], readonly boolean[]])[];

/** The user, among those that may be trained on, whose clicks would have been most like those that were seen, as it is now. */
export function inferPerson(candidates: readonly (readonly number[])[], past: Shown, rules: FeedRules): FeedUser {
  let best: { readonly user: FeedUser; readonly hits: number } | undefined;
  for (const interest of candidates) {
    let user = freshUser(interest);
    let hits = 0;
    for (const [items, clicks] of past) {
      const after = walk(user, items, rules);
      hits += after.worth.filter((worth, i) => worth >= clicked === clicks[i]).length;
      user = after.user;
    }
    if (best === undefined || hits > best.hits) best = { user, hits };
  }
  return best!.user;
}
