/**
 * @file A story: an environment for one seat defined by data, so that a person or a model can write one without programming. It consists of
 * places with moves. A move leads to a place, may need, give, or take things, and may pay a reward. Nothing is hidden, so an agent may look
 * ahead.
 */

import type { AnyEnvironment, Json, MoveOutcome } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, Fault, hash, isObject } from '@ludus-agents/kernel/internal/core/index';
import {
  boolean,
  list,
  number,
  object,
  pattern,
  readAs,
  record,
  required,
  type Shape,
  type ShapeValue,
  text,
  whole,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';

type StoryMove = {
  readonly to: string;
  readonly text: string;
  readonly needs: readonly string[];
  readonly gives: readonly string[];
  readonly takes: readonly string[];
  readonly pays: number;
};

type StoryPlace = {
  readonly text: string;
  readonly moves: Readonly<Record<string, StoryMove>>;
  readonly over: boolean;
  readonly pays: number;
};

const pay = number(-1000, 1000);
const objects = list(words, { to: 16 });

const storyShape = object(
  {
    kind: required(pattern('"story"', /^story$/) as Shape<'story'>, 'always "story"'),
    name: required(pattern('lowercase letters, digits, and hyphens', /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/), 'what it is called'),
    about: required(words, 'what it is about, and what is won; the player is told'),
    seat: withDefault(words, 'player', 'who plays'),
    begins: required(words, 'the place where it begins'),
    turns: withDefault(whole(1, 200), 20, 'moves at most'),
    places: required(
      record(
        object<StoryPlace>({
          text: required(words, 'what the player is told there'),
          moves: withDefault(
            record(
              object<StoryMove>({
                to: required(words, 'the place it leads to'),
                text: withDefault(text, '', 'what is told of it'),
                needs: withDefault(objects, [], 'things that one must have'),
                gives: withDefault(objects, [], 'things that one then has'),
                takes: withDefault(objects, [], 'things that one then has no more'),
                pays: withDefault(pay, 0, 'what it pays'),
              }),
              pattern('a move in square brackets, like [open the door]', /^\[[^[\]]{1,60}\]$/),
            ),
            {},
            'by the words of the move',
          ),
          over: withDefault(boolean, false, 'is it over here?'),
          pays: withDefault(pay, 0, 'what is paid where it is over'),
        }),
      ),
      'by name',
    ),
  },
  { document: true },
);

/** A story as stored in a file. */
type StoryDocument = ShapeValue<typeof storyShape>;

type State = {
  readonly place: string;
  readonly has: readonly string[];
  readonly turn: number;
};

/**
 * Creates the story that a document describes. Returns undefined for another kind of document, and throws if the story cannot be played.
 */
export function readStory(value: unknown, where: string): AnyEnvironment | undefined {
  if (!isObject(value as Json) || (value as StoryDocument).kind !== 'story') return undefined;
  return createStory(checkStory(readAs(storyShape, value, { where, called: 'a story' }), where));
}

/** Checks that every named place exists, and that both winning and losing are possible within the turns. */
function checkStory(story: StoryDocument, where: string): StoryDocument {
  const { begins, places } = story;
  for (const [name, { moves }] of [['the beginning', { moves: { '': { to: begins } } }] as const, ...Object.entries(places)])
    for (const { to } of Object.values(moves as Readonly<Record<string, { to: string }>>))
      if (!Object.hasOwn(places, to))
        throw new Fault(
          'input',
          `${where}: ${name} leads to "${to}", which is not a place. Available: ${Object.keys(places).join(', ')}.${didYouMean(to, Object.keys(places))}`,
          { code: 'E_UNKNOWN_NAME' },
        );
  const { least, most } = payRange(story);
  if (!(most > least))
    throw new Fault(
      'input',
      `${where}: every path through the story pays ${most}. Make the endings pay different amounts, within ${story.turns} moves.`,
    );
  return story;
}

/** Maximum number of situations in the search for the best and the worst path. */
const mostSituations = 20_000;

/** Returns the rewards of the worst and the best path over all possible situations. Long stories are cut. */
function payRange(story: StoryDocument): { readonly least: number; readonly most: number } {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let open: readonly (Pick<State, 'place' | 'has'> & { readonly paid: number })[] = [{ place: story.begins, has: [], paid: 0 }];
  let looked = 0;
  for (let turn = 0; open.length > 0 && looked < mostSituations; turn++) {
    const next = new Map<string, (typeof open)[number]>();
    for (const item of open) {
      looked++;
      const moves = movesAt(story, item);
      if (moves.length === 0 || turn >= story.turns) {
        const payment = item.paid + endPay(story, item.place);
        [least, most] = [Math.min(least, payment), Math.max(most, payment)];
      } else
        for (const [, move] of moves) {
          const after = { place: move.to, has: thingsAfter(item.has, move), paid: item.paid + move.pays };
          next.set(JSON.stringify([after.place, after.has, after.paid]), after);
        }
    }
    open = [...next.values()];
  }
  return { least, most };
}

function movesAt({ places }: StoryDocument, { place, has }: Pick<State, 'place' | 'has'>): readonly (readonly [string, StoryMove])[] {
  const { moves, over } = places[place] as StoryPlace;
  return over ? [] : Object.entries(moves).filter(([, { needs }]) => needs.every((object) => has.includes(object)));
}

function endPay({ places }: StoryDocument, place: string): number {
  return places[place]?.over === true ? (places[place]?.pays ?? 0) : 0;
}

function thingsAfter(has: readonly string[], { gives, takes }: StoryMove): readonly string[] {
  return [...new Set([...has.filter((object) => !takes.includes(object)), ...gives])].toSorted();
}

function createStory(story: StoryDocument): AnyEnvironment {
  const { name, about, seat, turns, places } = story;
  const observe = ({ place, has }: State, observation: string) =>
    [observation, places[place]?.text ?? '', has.length === 0 ? '' : `You have: ${has.join(', ')}.`]
      .filter((line) => line !== '')
      .join('\n');

  function onward(state: State, observation: string, payment: number): MoveOutcome<State> {
    const messages = [{ to: [seat], text: observe(state, observation) }];
    const over = movesAt(story, state).length === 0 || state.turn >= turns;
    const reward = payment + (over ? endPay(story, state.place) : 0);
    return { state, messages, over, ...(reward === 0 ? {} : { rewards: { [seat]: reward } }) };
  }

  return defineEnvironment({
    id: `${name}@${1 + Number.parseInt(hash(story).slice(0, 7), 16)}`,
    about: { summary: about, tasks: [{}], turns: turns * 11, complete: true, open: true },
    seats: [seat],
    start: () => onward({ place: story.begins, has: [], turn: 0 }, `${about} You have ${turns} moves.`, 0),
    turn: (state) => ({ seat, choices: movesAt(story, state).map(([move]) => move) }),
    play(state, answer) {
      const move = movesAt(story, state).find(([text]) => text === answer)?.[1] as StoryMove;
      return onward({ ...state, place: move.to, has: thingsAfter(state.has, move), turn: state.turn + 1 }, move.text, move.pays);
    },
    forfeit: (state, _, messages) => ({ state, messages, over: true }),
  });
}
