/**
 * @file Users of a feed from a table: their interest in each genre, either alone or in each of several simulators, and the held-out users.
 */

import { Fault, isObject, type Json, type Rng } from '@ludus-agents/kernel/internal/core/index';
import {
  boolean,
  list,
  number,
  object,
  one,
  optional,
  readAs,
  required,
  type ShapeValue,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { clicked, type FeedRules, type FeedUser, freshUser, genres, usualTiring, walk } from './feed.ts';
import type { FeedCandidate, FeedSession } from './simulators.ts';

/** The users and simulators that an episode may draw. */
export type FeedDraw = { readonly split: string; readonly filter?: false };

const personShape = object({
  id: required(words),
  interest: required(list(number(0, 1), { from: 2, to: 4 })),
  heldOut: withDefault(boolean, false),
});

export type FeedPerson = ShapeValue<typeof personShape>;

const settingShape = object({
  id: required(words),
  fatigue: required(one('genre', 'global')),
  tiring: required(number(0, 1)),
  interests: required(list(list(number(0, 1), { from: 2, to: 4 }), { from: 1, to: 5000 })),
  fits: required(boolean),
  heldOut: withDefault(boolean, false),
});

/** A simulator: its fatigue per showing, and each user's interests in it. */
export type FeedSetting = ShapeValue<typeof settingShape>;

const peopleShape = object({
  genres: required(list(words, { from: 2, to: 4 })),
  users: required(list(personShape, { from: 1, to: 5000 })),
  simulators: optional(list(settingShape, { from: 1, to: 50 })),
});

export type FeedPeople = ShapeValue<typeof peopleShape>;

const parsed = new WeakMap<object, FeedPeople>();

/** Returns the people of a task, or null if they are drawn at random. */
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
    const { genres: names, users, simulators = [] } = people;
    const wrong = simulators.find(
      ({ interests }) => interests.length !== users.length || interests.some((row) => row.length !== names.length),
    );
    if (wrong !== undefined)
      throw new Fault('input', `recommender: the simulator "${wrong.id}" needs an interest in each genre for each user.`);
    parsed.set(value as object, people);
  }
  return people;
}

/** Returns the genre names of a task. */
export const genreNames = (people: FeedPeople | null): readonly string[] => people?.genres ?? genres;

/** Draws a user. If there are simulators, also draws one that fits and belongs to the split. */
export function drawPerson({ users, simulators }: FeedPeople, rng: Rng, draw: FeedDraw): FeedUser {
  const person = rng.pick(eligibleFor(users, draw.split));
  if (simulators === undefined) return freshUser(person.interest);
  const simulator = rng.pick(eligibleSimulators(simulators, draw));
  return { ...freshUser(simulator.interests[users.indexOf(person)]), simulator: simulators.indexOf(simulator) };
}

/** Returns the items of a split, or all items if the split would be empty. */
function eligibleFor<T extends { readonly heldOut: boolean }>(items: readonly T[], split: string): readonly T[] {
  const eligible = items.filter(({ heldOut }) => split === 'any' || heldOut === (split === 'held-out'));
  return eligible.length > 0 ? eligible : items;
}

const eligibleSimulators = (simulators: readonly FeedSetting[], { split, filter }: FeedDraw): readonly FeedSetting[] =>
  eligibleFor(
    simulators.filter(({ fits }) => fits || filter === false),
    split,
  );

/** Maximum number of users that a new user is compared with. */
const mostCandidates = 200;

/** Returns the candidates for inferring a user: training users in each training simulator. */
export function candidatesOf(
  { users, simulators }: FeedPeople,
  { fatigue }: FeedRules,
  filter: false | undefined,
): readonly FeedCandidate[] {
  const eligible = users.filter(({ heldOut }) => !heldOut).slice(0, mostCandidates);
  if (simulators === undefined) return eligible.map(({ interest }) => ({ interest, fatigue, tiring: usualTiring }));
  return eligibleSimulators(simulators, { split: 'train', ...(filter === false && { filter }) }).flatMap(({ interests, fatigue, tiring }) =>
    eligible.map((user) => ({ interest: interests[users.indexOf(user)], fatigue, tiring })),
  );
}

/** Returns the training user whose clicks best match the observed ones, in its current state. */
export function inferPerson(
  candidates: readonly FeedCandidate[],
  past: FeedSession,
  episodeRules: FeedRules,
): { readonly user: FeedUser; readonly rules: FeedRules } {
  let best: { readonly user: FeedUser; readonly rules: FeedRules; readonly hits: number } | undefined;
  for (const { interest, ...setting } of candidates) {
    const rules = { ...episodeRules, ...setting };
    let user = freshUser(interest);
    let hits = 0;
    for (const [items, clicks] of past) {
      const after = walk(user, items, rules);
      hits += after.worth.filter((worth, i) => worth >= clicked === clicks[i]).length;
      user = after.user;
    }
    if (best === undefined || hits > best.hits) best = { user, rules, hits };
  }
  return best!;
}
