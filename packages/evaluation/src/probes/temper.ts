/** @file Probes of temper and conscience: trait items answered with a number, and dilemmas with one option per moral level. */

import type { Persona, Trait } from '@ludus-agents/agents/internal/personas/index';
import { fiveTraits } from '@ludus-agents/environments/internal/questionnaire';
import { rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import type { Probe } from './probe.ts';

/** A trait this near the middle has no pole to show. */
const middle = 10;

/** Six items per trait, for every trait of the card with a pole. They do not use words of the card, so they measure the play. */
export function traitProbes({ identity }: Persona): readonly Probe[] {
  const { bigFive } = identity.personal;
  if (bigFive === undefined) return [];
  return fiveTraits.items.flatMap(({ text, key, reversed }, i): readonly Probe[] => {
    const level = bigFive[key as Trait];
    if (level === undefined || Math.abs(level.score - 50) < middle) return [];
    const high = level.score > 50;
    return [
      {
        id: `trait ${key} ${i + 1}`,
        section: 'traits',
        kind: `${key} ${high ? 'high' : 'low'}`,
        source: `identity.personal.bigFive.${key}`,
        turns: [
          `How far is this true of you, from 1 (${fiveTraits.labels[0]}) to 5 (${fiveTraits.labels[4]})? “${text}” Begin with the number, then say why.`,
        ],
        gold: 'answer',
        key: [],
        trait: { trait: key, high, reversed },
      },
    ];
  });
}

interface Dilemma {
  readonly scene: string;
  /** The typical behavior of a paragon, a flawed but good character, an egoist, and a villain. */
  readonly ways: readonly [string, string, string, string];
}

export const dilemmas: readonly Dilemma[] = [
  {
    scene: 'You find a purse full of money, with the name of its owner inside.',
    ways: [
      'bring it back untouched, and refuse a reward',
      'bring it back, and hint at a reward',
      'keep it, since nobody saw you',
      'keep it, and let a rival be accused of the theft',
    ],
  },
  {
    scene: 'A friend asks you to swear that he was with you on a night when he was not.',
    ways: [
      'tell him to own up, and go with him',
      'say nothing at all, and hope it passes',
      'swear it, for a price',
      'swear it, and hold it over him for ever after',
    ],
  },
  {
    scene: 'You alone know that the bridge is rotten, and somebody you dislike is about to cross it.',
    ways: [
      'run and stop him at any risk',
      'shout a warning from where you are',
      'look away; it is not your bridge',
      'wave him on, and wish him a good journey',
    ],
  },
  {
    scene: 'A beggar child has stolen bread from your table.',
    ways: [
      'give the child the rest of the meal',
      'scold it, and let it keep the bread',
      'take the bread back and send it off',
      'let it eat, then make it steal for you',
    ],
  },
  {
    scene: 'You are praised before everybody for the work of somebody who is absent.',
    ways: [
      'name the one who did it, at once',
      'thank them, and tell the other later',
      'take the praise and say no more',
      'take the praise, and add that the other nearly spoiled it',
    ],
  },
  {
    scene: 'An enemy who has wronged you lies ill and asks for your forgiveness.',
    ways: [
      'forgive with a whole heart, and nurse him',
      'forgive with words, though it still hurts',
      'ask first what there is in it for you',
      'forgive aloud, and see to it that he suffers',
    ],
  },
  {
    scene: 'Two people quarrel, and both trust you with what they say of the other.',
    ways: [
      'bring them together and make peace',
      'keep both secrets and stay out of it',
      'side with the one who can do more for you',
      'tell each the worst of it, and watch them fall',
    ],
  },
  {
    scene: 'You could have the post that you want if a false rumour about another were believed.',
    ways: [
      'stop the rumour, even if it costs you the post',
      'not spread it, and feel uneasy',
      'let it run without a word',
      'feed it where it does the most harm',
    ],
  },
];

/** One multiple-choice question with four options per dilemma, in random order. */
export function moralProbes({ identity }: Persona, seed: Seed = 0): readonly Probe[] {
  const { level } = identity.personal.moral;
  if (level === undefined) return [];
  return dilemmas.map(({ scene, ways }, i): Probe => {
    const order = rng(seed, 'probe', 'moral', i).shuffle([1, 2, 3, 4]);
    const letters = ['A', 'B', 'C', 'D'];
    const text = order.map((value, k) => `${letters[k]}: ${ways[value - 1]}.`).join(' ');
    return {
      id: `moral ${i + 1}`,
      section: 'moral',
      kind: `level ${level}`,
      source: 'identity.personal.moral.level',
      turns: [`${scene} What do you do? ${text} Begin with the letter, then say why.`],
      gold: 'answer',
      key: [],
      choice: { levels: Object.fromEntries(order.map((value, k) => [letters[k], value])), level },
    };
  });
}
