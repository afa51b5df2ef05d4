/**
 * @file The rule-based judge of PersonaGym ranks players: one that plays its card, one that does so in every second answer, one with
 * another person's card, one that talks as much without any content of the card, and one that says "ok".
 *
 * Options: card ("own", or "other": questions and judge of another person), seed. Prints the share of pairs with a known order that the
 * PersonaScore ranks correctly, and the scores of "ok" and of the player.
 */

import { type Persona, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { runGym } from '@ludus-agents/evaluation/internal/probes/gym';
import { type Json, type Rng, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';

const parts = {
  work: ['mends nets', 'tunes organs', 'guides mules', 'grinds lenses', 'prints maps', 'breeds falcons', 'carves spoons', 'dyes wool'],
  town: ['Arle', 'Brinmouth', 'Coltry', 'Dunmore', 'Elvaston', 'Fenwick', 'Garth', 'Jarrow'],
  past: ['lost a mill in a flood', 'crossed a desert on foot', 'won a lottery', 'served on a lightship', 'left a convent', 'buried a twin'],
  wish: ['found a school', 'buy an orchard', 'print a dictionary', 'sail to Madeira', 'breed a white horse', 'see a comet'],
  dislike: ['crowded rooms', 'borrowed money', 'loud music', 'cold soup', 'long speeches', 'broken promises'],
  friend: ['a retired smuggler', 'the deaf organist', 'a widow from Malta', 'the tax collector', 'an old botanist', 'a young glazier'],
};

type Facts = Readonly<Record<keyof typeof parts, string>>;

const names = ['Mara Lindt', 'Olin Reyes', 'Petra Holm', 'Quin Abara', 'Rosa Keller', 'Sven Dahl'];

function personOf(name: string, facts: Facts): Persona {
  return parsePersona({
    name,
    statements: [
      `${name} ${facts.work} in ${facts.town}.`,
      `${name} ${facts.past}.`,
      `${name} hopes to ${facts.wish}.`,
      `${name} hates ${facts.dislike}.`,
      `${name} is close to ${facts.friend}.`,
    ],
  });
}

/** An answer out of a card: two of its facts, in words that do not be in anyone's statements. */
function answerFrom(facts: Facts, random: Rng): string {
  const [first, second] = random.shuffle([
    `back in ${facts.town} I ${facts.work.replace(/^(\w+?)s /, '$1 ')} for a living`,
    `years ago I ${facts.past}`,
    `my savings are meant to ${facts.wish}`,
    `${facts.dislike} get on my nerves`,
    `I never move without asking ${facts.friend}`,
  ]);
  return random.pick([
    `I would keep my distance, because ${first}, and besides ${second}.`,
    `Since ${first}, I would say so openly; ${second}, as people know.`,
    `Give me an hour to think: ${first}. After all, ${second}.`,
  ]);
}

const empty = [
  'I would look around for a while, because there is always something to consider, and then decide calmly what seems best that day.',
  'After all, everybody has an opinion there, so I would listen, nod, wait until it passes, and afterwards carry on with the rest.',
  'I would probably stay near the door since that is sensible, talk with whoever is around, and see where the evening leads.',
];

export default async function run({ card = 'own', seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'persona gym');
  const people = random.shuffle(names).slice(0, 3);
  const shuffled = Object.fromEntries(Object.entries(parts).map(([key, list]) => [key, random.shuffle(list)])) as Record<string, string[]>;
  const factsOf = (i: number) => Object.fromEntries(Object.entries(shuffled).map(([key, list]) => [key, list[i] ?? ''])) as Facts;
  const [ownFacts, neighbor, stranger] = [factsOf(0), factsOf(1), factsOf(2)];
  const judged = card === 'own' ? personOf(people[0] ?? '', ownFacts) : personOf(people[2] ?? '', stranger);
  /** Each player with its place in the order that is known. */
  const players: readonly (readonly [rank: number, says: (turn: number) => string])[] = [
    [3, () => answerFrom(ownFacts, random)],
    [2, (turn) => (turn % 2 === 0 ? answerFrom(ownFacts, random) : random.pick(empty))],
    [1, () => answerFrom(neighbor, random)],
    [1, () => random.pick(empty)],
    [0, () => 'ok'],
  ];
  const scores: { readonly rank: number; readonly score: number }[] = [];
  for (const [rank, says] of players) {
    let turn = 0;
    const { personaScore } = await runGym(judged, {
      agent: () => scripted('player', () => ({ text: says(turn++) })),
      seed: Number(seed),
      signal: new AbortController().signal,
    });
    scores.push({ rank, score: personaScore ?? 1 });
  }
  const pairs = scores.flatMap((a) =>
    scores.flatMap((b) => (a.rank > b.rank ? [a.score > b.score ? 1 : a.score === b.score ? 0.5 : 0] : [])),
  );
  const ordered = pairs.reduce<number>((sum, pair) => sum + pair, 0) / pairs.length;
  return { ordered, scores: scores.map(({ score }) => score), ok: scores.at(-1)?.score ?? 0, plays: scores[0]?.score ?? 0 };
}
