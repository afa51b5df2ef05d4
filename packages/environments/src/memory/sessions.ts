/** @file The content of the memory environment's sessions, with questions and right answers. */

import { type Rng, rng } from '@ludus-agents/kernel/internal/core/index';

export const competencies = ['retrieval', 'learning', 'range', 'conflict', 'forgetting'] as const;
export type Competency = (typeof competencies)[number];

export type Question = {
  readonly competency: Competency;
  readonly ask: string;
  readonly answer: string;
  readonly choices: readonly string[];
};

/** `said` contains the facts of each part, in order. Everything else is filler generated from `seed` when the part is read. */
export type MemorySessions = {
  readonly said: readonly (readonly string[])[];
  readonly questions: readonly Question[];
  readonly seed: number;
};

export interface SessionExtent {
  readonly parts: number;
  readonly facts: number;
  readonly questions: number;
  readonly competencies: readonly Competency[];
}

const people = ['Anna', 'Boris', 'Clara', 'Dmitri', 'Elena', 'Farid', 'Greta', 'Hugo'] as const;
const animals = ['heron', 'fox', 'beaver', 'raven', 'badger', 'lynx', 'trout', 'hare'] as const;
const stones = ['amber', 'jade', 'onyx', 'opal', 'quartz', 'ruby', 'topaz', 'agate'] as const;
export const colours = ['red', 'blue', 'green', 'white'] as const;
const shapes = ['square', 'round', 'oval', 'star'] as const;
const groups = ['north', 'south', 'east', 'west'] as const;
export const unknown = 'unknown';

const kinds = ['old', 'new', 'upper', 'lower', 'inner', 'outer', 'great', 'little', 'long', 'short', 'first', 'last'];
const sorts = ['mill', 'gate', 'tower', 'bridge', 'market', 'chapel', 'harbour', 'garden'];
const places = kinds.flatMap((kind) => sorts.map((sort) => `${kind} ${sort}`));

/** None of these words occurs in a fact or a question. */
const filler =
  'clouds drift slowly while distant waves murmur against pale sand beneath calm evening skies gentle winds carry faint music across wide meadows tall grasses bend under soft rain until dawn brings warm light over quiet hills'.split(
    ' ',
  );

interface Told {
  /** In an order that must be kept. */
  readonly said: readonly string[];
  readonly questions: readonly Question[];
}

type Maker = (dice: Rng, facts: number, questions: number, takePlace: () => string) => Told;

const makers: Readonly<Record<Competency, Maker>> = {
  retrieval(dice, facts, questions, takePlace) {
    const observations = Array.from({ length: facts }, () => ({ place: takePlace(), who: dice.pick(people) }));
    return {
      said: observations.map(({ place, who }) => `The keeper of the ${place} is ${who}.`),
      questions: dice
        .shuffle(observations)
        .slice(0, questions)
        .map(({ place, who }) => ({
          competency: 'retrieval',
          ask: `Who is the keeper of the ${place}?`,
          answer: who,
          choices: [...people, unknown],
        })),
    };
  },

  conflict(dice, facts, questions, takePlace) {
    const observations = Array.from({ length: facts }, () => {
      const place = takePlace();
      return { place, signs: dice.shuffle(animals).slice(0, 2 + dice.int(2)) };
    });
    const rounds = [0, 1, 2].map((round) => dice.shuffle(observations).filter(({ signs }) => signs.length > round));
    return {
      said: rounds.flatMap((partialRound, round) =>
        partialRound.map(({ place, signs }) => `${round === 0 ? 'The' : 'From now on the'} sign at the ${place} shows a ${signs[round]}.`),
      ),
      questions: dice
        .shuffle(observations)
        .slice(0, questions)
        .map(({ place, signs }) => ({
          competency: 'conflict',
          ask: `What does the sign at the ${place} show now?`,
          answer: signs[signs.length - 1],
          choices: [...animals, unknown],
        })),
    };
  },

  /** Half of the questions are about forgotten facts, so knowing nothing is not enough to pass. */
  forgetting(dice, facts, questions, takePlace) {
    const observations = Array.from({ length: Math.max(2, facts) }, (_, i) => ({
      place: takePlace(),
      code: dice.pick(stones),
      forget: i % 2 === 0,
    }));
    const dropped = observations.filter(({ forget }) => forget);
    const first = dice.int(2);
    return {
      said: [
        ...dice.shuffle(observations).map(({ place, code }) => `The code of the ${place} is ${code}.`),
        ...dice.shuffle(dropped).map(({ place }) => `Forget the code of the ${place}.`),
      ],
      questions: Array.from(
        { length: Math.min(questions, observations.length) },
        (_, i) => observations[(i + first) % observations.length],
      ).map(({ place, code, forget }) => ({
        competency: 'forgetting',
        ask: `What is the code of the ${place}?`,
        answer: forget ? unknown : code,
        choices: [...stones, unknown],
      })),
    };
  },

  /** One of two features decides the group. Every value of it is shown, and the other feature is shown not to decide. */
  learning(dice, _facts, questions) {
    const byColour = dice.int(2) === 0;
    const label = dice.shuffle(groups);
    const group = (colour: number, shape: number) => label[byColour ? colour : shape];
    const shift = dice.int(4);
    const observations: [number, number][] = [];
    for (let i = 0; i < 4; i++)
      observations.push([i, (i + shift) % 4], byColour ? [i, (i + shift + 1) % 4] : [(i + 1) % 4, (i + shift) % 4]);
    const isSeen = (colour: number, shape: number) => observations.some(([c, s]) => c === colour && s === shape);
    const fresh = colours.flatMap((_, c) => shapes.flatMap((__, s) => (isSeen(c, s) ? [] : [[c, s] as const])));
    return {
      said: dice.shuffle(observations).map(([c, s]) => `A token that is ${colours[c]} and ${shapes[s]} goes ${group(c, s)}.`),
      questions: dice
        .shuffle(fresh)
        .slice(0, questions)
        .map(([c, s]) => ({
          competency: 'learning',
          ask: `Where does a token go that is ${colours[c]} and ${shapes[s]}?`,
          answer: group(c, s),
          choices: groups,
        })),
    };
  },

  /** Counts and first visits: no single sentence contains the answer. */
  range(dice, facts, questions, takePlace) {
    const spots = Array.from({ length: 2 }, takePlace);
    const visits = Array.from({ length: Math.max(4, facts * 2) }, (_, i) => ({ who: dice.pick(people.slice(0, 4)), where: spots[i % 2] }));
    const order = dice.shuffle(visits);
    const requestedQuestions = Array.from({ length: questions }, (_, i): Question => {
      const where = spots[(i >> 1) % 2];
      if (i % 2 === 1)
        return {
          competency: 'range',
          ask: `Who came to the ${where} before everybody else?`,
          answer: order.find((visit) => visit.where === where)!.who,
          choices: [...people, unknown],
        };
      const who = people[(i >> 2) % 4];
      const times = order.filter((visit) => visit.who === who && visit.where === where).length;
      return {
        competency: 'range',
        ask: `How often did ${who} come to the ${where} in all?`,
        answer: String(times),
        choices: Array.from({ length: visits.length / 2 + 2 }, (_n, n) => String(n)),
      };
    });
    return { said: order.map(({ who, where }) => `${who} comes to the ${where}.`), questions: requestedQuestions };
  },
};

/** Generates facts and questions. The order within each competency is kept; competencies are spread over the parts and interleaved. */
export function makeSessions({ parts, facts, questions, competencies: wanted }: SessionExtent, dice: Rng): MemorySessions {
  const free = dice.shuffle(places);
  const takePlace = () => free.pop()!;
  const statements: string[][] = Array.from({ length: parts }, () => []);
  const requestedQuestions: Question[] = [];
  for (const competency of wanted) {
    const observation = makers[competency](dice, facts, questions, takePlace);
    const at = observation.said.map(() => dice.int(parts)).sort((a, b) => a - b);
    for (const [i, sentence] of observation.said.entries()) statements[at[i]].push(sentence);
    requestedQuestions.push(...observation.questions);
  }
  return { said: statements, questions: dice.shuffle(requestedQuestions), seed: dice.int(2 ** 31) };
}

/** Returns the text of one part: its sentences in order, with filler around them, up to about the given number of characters. */
export function partText({ said, seed }: MemorySessions, part: number, characters: number): string {
  const sentences = said[part];
  const dice = rng(seed, 'filler', part);
  let left = characters - sentences.reduce((sum, { length }) => sum + length + 1, 0);
  const out: string[][] = Array.from({ length: sentences.length + 1 }, () => []);
  while (left > 0) {
    const idle = Array.from({ length: 6 + dice.int(6) }, () => dice.pick(filler)).join(' ');
    const sentence = `${idle[0].toUpperCase()}${idle.slice(1)}.`;
    out[dice.int(out.length)].push(sentence);
    left -= sentence.length + 1;
  }
  return out.flatMap((idle, i) => (i === 0 ? idle : [sentences[i - 1], ...idle])).join(' ');
}
