/** @file Users of a feed from users.csv: one column per genre with an interest from 0 to 1. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { anything, record, type Shape } from '@ludus-agents/kernel/internal/core/shape';
import { type ContentReader, refuseDuplicates } from '../content/content.ts';
import { allLists, freshUser, mostLists } from './feed.ts';
import type { FeedPerson } from './people.ts';

const rowShape = record(anything) as Shape<JsonObject>;

export const recommenderContent: ContentReader = {
  files: {
    'users.csv': 'users: id, one column per genre (2 to 4) with an interest from 0 to 1, and held (true keeps a user out of training)',
  },
  seat: 'recommender',
  others: { user: 'scripted:user' },
  best: 'profiling',
  pass: 0.9,
  read(source, task) {
    const rows = source.table('users', rowShape);
    const genres = Object.keys(rows[0]?.value ?? {}).filter((name) => name !== 'id' && name !== 'held');
    const [file, line] = [rows[0]?.file ?? 'users.csv', 1];
    if (rows.length > 0 && (genres.length < 2 || genres.length > 4))
      source.refuse(file, line, `expected 2 to 4 genres, got ${genres.length}: ${genres.join(', ')}`);
    for (const genre of genres)
      if (!/^\w+$/.test(genre)) source.refuse(file, line, `"${genre}": a genre is one word of letters, digits and underscores`);
    const users = rows.map(({ value, file: where, line: at }): FeedPerson => {
      if (typeof value['id'] !== 'string') source.refuse(where, at, 'expected an "id" in the first column');
      const interest = genres.map((genre) => {
        const input = value[genre];
        if (typeof input === 'number' && input >= 0 && input <= 1) return input;
        source.refuse(where, at, `${genre}: expected an interest from 0 to 1, got ${JSON.stringify(input ?? null)}`);
        return 0;
      });
      return { id: String(value['id']), interest, heldOut: value['held'] === true };
    });
    refuseDuplicates(
      source,
      rows.map((row, i) => ({ ...row, value: users[i] })),
    );
    const isGood = source.problems.length === 0;
    const number = (name: string, otherwise: number) => (typeof task[name] === 'number' ? task[name] : otherwise);
    const rules = {
      fatigue: task['fatigue'] === 'global' ? 'global' : 'genre',
      patience: number('patience', 3),
      threshold: number('threshold', 0.35),
    } as const;
    // Lists beyond these are not tried: their number grows with every list.
    const depth = Math.min(6, number('lists', 20));
    const lists = isGood ? allLists(genres.length, 1) : [];
    const retainedLength = users.filter(({ interest }) => isGood && mostLists(freshUser(interest), lists, rules, depth) === depth).length;
    const currentLength = users.filter(({ heldOut }) => heldOut).length;
    const split = (name: string) => ({ id: name, task: { split: name } });
    return {
      task: { people: { genres, users }, genres: Math.max(2, Math.min(4, genres.length)) },
      ...(currentLength > 0 && currentLength < users.length ? { cases: [split('train'), { ...split('held-out'), heldOut: true }] } : {}),
      turns: (2 * number('lists', 20) + 1) * 4,
      proofs: [
        `${count(users.length, 'user')} with ${genres.length} genres; ${currentLength} are held out from training.`,
        `${retainedLength} of ${users.length} can be kept for ${depth} lists of one item by somebody who knows them.`,
      ],
    };
  },
};
