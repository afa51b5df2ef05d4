/** @file Wordle: find a hidden word. The answer to each guess shows which of its letters are in place, elsewhere, or absent. */

import type { Action, Ask, JsonObject, Message, ParsedMove, Script, TaskOf, View } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, Fault, parameter, parseBracketed, retries } from '@ludus-agents/kernel/internal/core/index';
import { isHeldOut, splitParameter } from '../grid.ts';
import { mostTelling } from './solve.ts';
import { feedback, wordLists } from './words.ts';

const openings = new Map<string, string>();

/** Guesses with the highest entropy. Its guesses after the same answers are cached across episodes. */
const entropy: Script = ({ view }) => {
  const { words, left, key } = readView(view);
  let guess = openings.get(key);
  if (guess === undefined) {
    guess = mostTelling(words, left);
    if (openings.size > 50_000) openings.clear();
    openings.set(key, guess);
  }
  return { text: `[guess ${guess}]` };
};

/** Guesses a random word that is consistent with all answers. */
const consistent: Script = ({ view, rng }) => ({ text: `[guess ${rng.pick(readView(view).left)}]` });

function readView(view: View): { readonly words: readonly string[]; readonly left: readonly string[]; readonly key: string } {
  const data = view.seen.flatMap((item) => (item.kind === 'message' && item.data !== undefined ? [item.data as JsonObject] : []));
  const list = data[0]?.['list'];
  if (typeof list !== 'string') throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  const words: readonly string[] = Object.hasOwn(wordLists, list)
    ? wordLists[list as keyof typeof wordLists]
    : [...new Set(list.trim().split(/\s+/))];
  const past = data.slice(1).map(({ guess, answer }) => [guess as string, answer as string] as const);
  const left = words.filter((word) => past.every(([guess, answer]) => feedback(guess, word) === answer));
  return { words, left, key: `${list} ${past.join(' ')}` };
}

export const scripts: Readonly<Record<string, Script>> = { entropy, consistent };

const parameters = {
  list: parameter.choice({
    options: ['common', 'small'],
    default: 'common',
    description: '366 common words, or 16 for which the best play is known',
  }),
  words: parameter.string({ default: '', description: 'custom words of equal length, separated by spaces, instead of a list' }),
  tries: parameter.integer({ min: 1, max: 20, default: 6, description: 'maximum number of guesses' }),
  secret: parameter.string({ default: '', description: 'the hidden word, instead of a drawn one' }),
  listed: parameter.boolean({ default: true, description: 'show all words, and list them as choices' }),
  split: splitParameter,
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

/** `past` contains every guess with its answer. */
type State = {
  readonly secret: string;
  readonly past: readonly (readonly [string, string])[];
};

const seat = 'guesser';
const alone = [seat] as const;

export const wordle = defineEnvironment({
  id: 'wordle@1',
  about: {
    summary:
      'A player finds a hidden five-letter word with six guesses from a word list. Each guess is answered letter by letter: g in its place, y elsewhere in the word, b not in the word. Each wrong guess costs 1, the right one nothing.',
    tasks: [{}, { list: 'small' }, { listed: false, tries: 4 }, { words: 'tea ten net ant tan', tries: 3 }],
    turns: 6 * 11,
    words: ['guess'],
  },
  parameters,
  task(task) {
    const words = wordsOf(task);
    if (task.secret !== '' && !words.includes(task.secret))
      throw new Fault('input', `wordle: "secret" must be a word from the list, such as "${words[0]}", but got "${task.secret}".`);
    if (task.secret === '' && secretsOf(task).length === 0)
      throw new Fault('input', `wordle: no word of the list is in the split "${task.split}". Use a longer list.`);
    return task;
  },
  seats: alone,

  start(task, rng) {
    const state: State = { secret: task.secret === '' ? rng.pick(secretsOf(task)) : task.secret, past: [] };
    const data = { list: task.words === '' ? task.list : task.words };
    return { state, messages: [{ to: alone, text: rulesFor(task), data }] };
  },

  turn: ({ task }) => asksOf(task),
  read: (action, { task }) => readGuess(task, action),

  play(state, guess) {
    const { task, secret } = state;
    const answer = feedback(guess, secret);
    const next = { ...state, past: [...state.past, [guess, answer] as const] };
    const turn = next.past.length;
    const result: Message = { to: alone, text: `${turn}. ${guess}: ${answer}`, data: { guess, answer } };
    if (guess === secret) return { state: next, messages: `${result.text}\nFound.`, rewards: { [seat]: 0 }, over: true };
    const isLast = turn === task.tries;
    const messages = isLast ? [result, { to: alone, text: `No guess is left. It was ${secret}.` }] : [result];
    return { state: next, messages, rewards: { [seat]: -1 }, over: isLast };
  },

  forfeit: (state, _, messages) => ({ state, messages, rewards: { [seat]: state.past.length - state.task.tries }, over: true }),

  knows: ({ task, secret, past }) => ({ past, ...(past.length === task.tries ? { secret } : {}) }),
  scripts,
});

const ownEntry = new Map<string, readonly string[]>();

function wordsOf(task: Task): readonly string[] {
  if (task.words === '') return wordLists[task.list];
  let words = ownEntry.get(task.words);
  if (words === undefined) {
    words = [...new Set(task.words.trim().split(/\s+/))];
    if (words.some((word) => !/^[a-z]{2,12}$/.test(word) || word.length !== words?.[0]?.length) || words.length > 2000)
      throw new Fault(
        'input',
        `wordle: "words" must be up to 2,000 words of one length, 2 to 12 letters from a to z, but got "${task.words.slice(0, 100)}".`,
      );
    if (ownEntry.size > 100) ownEntry.clear();
    ownEntry.set(task.words, words);
  }
  return words;
}

const secrets = new Map<string, readonly string[]>();

function secretsOf(task: Task): readonly string[] {
  const words = wordsOf(task);
  if (task.split === 'any') return words;
  const key = `${task.split} ${task.list} ${task.words}`;
  let fit = secrets.get(key);
  if (fit === undefined) {
    fit = words.filter((word) => isHeldOut(word) === (task.split === 'held-out'));
    if (secrets.size > 100) secrets.clear();
    secrets.set(key, fit);
  }
  return fit;
}

const unlisted: readonly Ask[] = [{ seat }];
const menus = new Map<readonly string[], readonly Ask[]>();

function asksOf(task: Task): readonly Ask[] {
  if (!task.listed) return unlisted;
  const words = wordsOf(task);
  let asks = menus.get(words);
  if (asks === undefined) {
    asks = [{ seat, choices: words.map((word) => `[guess ${word}]`) }];
    if (menus.size > 100) menus.clear();
    menus.set(words, asks);
  }
  return asks;
}

function readGuess(task: Task, action: Action): ParsedMove<string> {
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const words = wordsOf(task);
  const guess = /^guess ([a-z]+)$/i.exec(read.move)?.[1]?.toLowerCase();
  if (guess !== undefined && words.includes(guess)) return { ok: true, move: guess };
  return { ok: false, problem: `A guess is a word of the list, like [guess ${words[0]}].` };
}

function rulesFor(task: Task): string {
  const words = wordsOf(task);
  const list = task.listed ? ` Words: ${words.join(' ')}.` : ' It is a plain English word.';
  return `Find a hidden word of ${words[0]?.length} letters with ${task.tries} guesses.${task.words !== '' && !task.listed ? '' : list} Each guess is answered letter by letter: g in its place, y elsewhere in the word, b not there (or not so often). Each wrong guess costs 1.\nAnswer with exactly one guess in square brackets, like [guess ${words[0]}].`;
}
