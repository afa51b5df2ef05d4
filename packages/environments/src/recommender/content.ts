/** @file Users of a feed from files: their interests in columns, or their clicks, from which interests and simulators are inferred. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { isObject, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { Fields, Shape } from '@ludus-agents/kernel/internal/core/shape';
import { anything, boolean, object, optional, record, required, short, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';
import { type ContentReader, type ContentRow, type ContentSource, refuseDuplicates, textOrNumber } from '../content/content.ts';
import { allLists, type FeedRules, freshUser, mostLists } from './feed.ts';
import type { FeedPeople, FeedPerson, FeedSetting } from './people.ts';
import { commonShare, type FeedSession, fitSimulators, isFitting } from './simulators.ts';

const rowShape = record(anything) as Shape<JsonObject>;

type ItemRow = { readonly id: string; readonly genre: string };
type InteractionRow = {
  readonly user: string;
  readonly session: string;
  readonly list?: string;
  readonly item: string;
  readonly clicked: boolean;
};

// Other columns of the table are ignored.
const itemShape = picking<ItemRow>({ id: required(textOrNumber), genre: required(words, 'the genre of the item') });
const interactionShape = picking<InteractionRow>({
  user: required(textOrNumber, 'an id of the users'),
  session: withDefault(textOrNumber, '1', 'showings tire within a session'),
  list: optional(textOrNumber, 'items of one list were shown together; each alone unless set'),
  item: required(textOrNumber, 'an id of the items'),
  clicked: required(
    short(boolean, { type: 'number' }, (value) => (value === 0 || value === 1 ? value === 1 : value)),
    'true or 1, false or 0',
  ),
});

/** With fewer lists or users, a simulator cannot be inferred. */
const [fewestLists, fewestUsers] = [6, 5];

export const recommenderContent: ContentReader = {
  files: {
    'users.csv': 'users: id, held (true keeps a user out of training), and one column per genre (2 to 4) with an interest from 0 to 1',
    'items.csv': 'with interactions: id, genre',
    'interactions.csv': 'optional, instead of interests: user, session, list, item, clicked; interests and simulators are inferred from it',
  },
  seat: 'recommender',
  others: { user: 'scripted:user' },
  best: 'profiling',
  pass: 0.9,
  read(source, task) {
    const hasClicks = ['json', 'jsonl', 'csv'].some((ending) => source.has(`interactions.${ending}`));
    const { people, proofs } = hasClicks ? readInteractions(source) : readInterests(source);
    const { genres, users, simulators } = people;
    refuseDuplicates(source, users);
    const persons = users.map(({ value }) => value);
    const number = (name: string, otherwise: number) => (typeof task[name] === 'number' ? task[name] : otherwise);
    const [best] = simulators ?? [];
    const rules: FeedRules = {
      fatigue: (best?.fatigue ?? task['fatigue']) === 'global' ? 'global' : 'genre',
      ...(best !== undefined && { tiring: best.tiring }),
      patience: number('patience', 3),
      threshold: number('threshold', 0.35),
    };
    // Maximum number of lists to try, because the number of sequences grows with every list.
    const depth = Math.min(6, number('lists', 20));
    const lists = allLists(genres.length, 1);
    const isGood = source.problems.length === 0;
    const retained = persons.filter(({ interest }) => isGood && mostLists(freshUser(interest), lists, rules, depth) === depth).length;
    const heldUsers = persons.filter(({ heldOut }) => heldOut).length;
    const isSplit = (heldUsers > 0 && heldUsers < persons.length) || simulators?.some(({ heldOut }) => heldOut) === true;
    const split = (name: string) => ({ id: name, task: { split: name } });
    return {
      task: { people: { ...people, users: persons }, genres: Math.max(2, Math.min(4, genres.length)) },
      ...(isSplit ? { cases: [split('train'), { ...split('held-out'), heldOut: true }] } : {}),
      turns: (2 * number('lists', 20) + 1) * 4,
      proofs: [
        `${count(persons.length, 'user')} with ${genres.length} genres; ${heldUsers} are held out from training.`,
        ...proofs,
        `${retained} of ${persons.length} can be kept for ${depth} lists of one item by somebody who knows them.`,
      ],
    };
  },
};

type ReadPeople = {
  readonly people: Omit<FeedPeople, 'users'> & { readonly users: readonly ContentRow<FeedPerson>[] };
  readonly proofs: readonly string[];
};

function refuseGenres(source: ContentSource, genres: readonly string[], file: string): void {
  if (genres.length < 2 || genres.length > 4) source.refuse(file, 1, `expected 2 to 4 genres, got ${genres.length}: ${genres.join(', ')}`);
  for (const genre of genres)
    if (!/^\w+$/.test(genre)) source.refuse(file, 1, `"${genre}": a genre is one word of letters, digits and underscores`);
}

/** Reads users whose interests are columns of the table. */
function readInterests(source: ContentSource): ReadPeople {
  const rows = source.table('users', rowShape);
  const genres = Object.keys(rows[0]?.value ?? {}).filter((name) => name !== 'id' && name !== 'held');
  if (rows.length > 0) refuseGenres(source, genres, rows[0].file);
  const users = rows.map(({ value, file, line }) => {
    const interest = genres.map((genre) => {
      const input = value[genre];
      if (typeof input === 'number' && input >= 0 && input <= 1) return input;
      source.refuse(file, line, `${genre}: expected an interest from 0 to 1, got ${JSON.stringify(input ?? null)}`);
      return 0;
    });
    return personRow(source, { value, file, line }, interest);
  });
  return { people: { genres, users }, proofs: [] };
}

function personRow(
  source: ContentSource,
  { value, file, line }: ContentRow<JsonObject>,
  interest: readonly number[],
): ContentRow<FeedPerson> {
  const { id, held = false } = value;
  if (typeof id !== 'string' && typeof id !== 'number') source.refuse(file, line, 'expected an "id"');
  if (typeof held !== 'boolean') source.refuse(file, line, `held: expected true or false, got ${JSON.stringify(held)}`);
  return { value: { id: String(id), interest, heldOut: held === true }, file, line };
}

/** Reads users and infers their interests from their clicks, in each simulator. */
function readInteractions(source: ContentSource): ReadPeople {
  const rows = source.table('users', rowShape);
  const items = source.table('items', itemShape);
  const interactions = source.table('interactions', interactionShape);
  refuseDuplicates(source, items);
  const genres = [...new Set(items.map(({ value }) => value.genre))];
  if (items.length > 0) refuseGenres(source, genres, items[0].file);
  const genreOf = new Map(items.map(({ value }) => [value.id, genres.indexOf(value.genre)]));
  const ids = rows.map(({ value }) => String(value['id']));
  const sessions = ids.map(() => new Map<string, Map<string, { items: number[]; clicks: boolean[] }>>());
  for (const [i, { value, file, line }] of interactions.entries()) {
    const [user, genre] = [ids.indexOf(value.user), genreOf.get(value.item)];
    if (user < 0 && ids.length > 0) source.refuse(file, line, `user "${value.user}" is not in ${rows[0]?.file ?? 'users.csv'}`);
    if (genre === undefined && items.length > 0)
      source.refuse(file, line, `item "${value.item}" is not in ${items[0]?.file ?? 'items.csv'}`);
    if (user < 0 || genre === undefined) continue;
    const lists = sessions[user].get(value.session) ?? new Map<string, { items: number[]; clicks: boolean[] }>();
    sessions[user].set(value.session, lists);
    const key = value.list ?? `row ${i}`;
    const list = lists.get(key) ?? { items: [], clicks: [] };
    lists.set(key, list);
    list.items.push(genre);
    list.clicks.push(value.clicked);
  }
  const histories = sessions.map((bySession) =>
    [...bySession.values()].map((lists): FeedSession => [...lists.values()].map((list) => [list.items, list.clicks])),
  );
  const areClicksRead = source.problems.length === 0;
  for (const [i, { file, line }] of rows.entries()) {
    const lists = histories[i].reduce((sum, session) => sum + session.length, 0);
    if (areClicksRead && lists < fewestLists)
      source.refuse(
        file,
        line,
        `"${ids[i]}" was shown ${count(lists, 'list')}; ${fewestLists} are needed to infer and check its interests`,
      );
  }
  if (rows.length < fewestUsers && rows.length > 0)
    source.refuse(rows[0].file, null, `expected at least ${fewestUsers} users with interactions, got ${rows.length}`);
  const fitted = source.problems.length === 0 ? fitSimulators(histories, genres.length) : [];
  const fitting = fitted.filter(isFitting);
  const [best] = fitted;
  const common = best === undefined ? 0 : commonShare(histories);
  if (best !== undefined && best.accuracy <= common)
    source.refuse(
      interactions[0].file,
      null,
      `no simulator reproduces the later clicks: the best, "${best.id}", predicts ${share(best.accuracy)} of them, and always the same answer ${share(common)}`,
    );
  const simulators = fitted.map(
    ({ id, fatigue, tiring, interests }, i): FeedSetting => ({
      ...{ id, fatigue, tiring, interests, fits: i < fitting.length },
      // The simulator most similar to the users is held out, because training must transfer to it.
      heldOut: i === 0 && fitting.length > 1,
    }),
  );
  const users = rows.map((row, i) => personRow(source, row, best?.interests[i] ?? genres.map(() => 0)));
  const unread = Object.keys(rows[0]?.value ?? {}).filter((name) => name !== 'id' && name !== 'held');
  const dropped = fitted.filter((simulator) => !isFitting(simulator));
  return {
    people: { genres, users, simulators },
    proofs: [
      `${count(interactions.length, 'interaction')} with ${count(items.length, 'item')}; interests are inferred from the earlier two thirds of each user’s lists.${unread.length === 0 ? '' : ` Not read: ${unread.join(', ')}.`}`,
      `${fitting.length} of ${fitted.length} simulators reproduce the later third (always the same answer: ${share(common)}): ${fitting.map(({ id, accuracy }) => `${id} ${share(accuracy)}`).join(', ')}.`,
      dropped.length === 0
        ? 'No simulator was dropped.'
        : `Dropped, because “${best.id}” predicts more: ${dropped.map(({ id, accuracy, worse: [low, , high] }) => `${id} ${share(accuracy)} (${low.toFixed(2)} to ${high.toFixed(2)} less)`).join(', ')}.`,
      fitting.length > 1
        ? `Training uses ${fitting.length - 1}; “${best.id}”, the one most like your users, is held out.`
        : `One simulator is left, so it is used for training and tests.`,
    ],
  };
}

const share = (value: number): string => value.toFixed(2);

/** A shape for some columns of a row. Other columns are ignored. */
function picking<T extends object>(fields: Fields<T>): Shape<T> {
  const shape = object<T>(fields);
  const names = Object.keys(fields);
  return {
    ...shape,
    read: (value, problems) =>
      shape.read(
        isObject(value as never) ? Object.fromEntries(Object.entries(value as object).filter(([name]) => names.includes(name))) : value,
        problems,
      ),
  };
}
