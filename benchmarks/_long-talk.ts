/** @file Long conversations with facts in them that are asked for later, in other words than they were told in. Some facts change meanwhile. */

import { rng, type Seen } from '@ludus-agents/kernel/internal/core/index';

interface Attribute {
  readonly name: string;
  /** How it is told, with a blank for the value. */
  readonly told: string;
  /** How it is asked for, with a blank for the person. */
  readonly question: string;
  readonly values: readonly string[];
}

const attributes: readonly Attribute[] = [
  {
    name: 'pet',
    told: 'We finally brought a _ home last night.',
    question: 'Which animal lives with _?',
    values: ['parrot', 'tortoise', 'ferret', 'poodle', 'hamster'],
  },
  {
    name: 'work',
    told: 'My shifts as a _ are exhausting lately.',
    question: 'How does _ earn money?',
    values: ['nurse', 'welder', 'pilot', 'baker', 'notary'],
  },
  {
    name: 'city',
    told: 'The moving van is unloaded; _ is my address from today.',
    question: 'In which place does _ live?',
    values: ['Lisbon', 'Tallinn', 'Quito', 'Osaka', 'Graz'],
  },
  {
    name: 'drink',
    told: 'I cannot get through the morning without a cup of _.',
    question: 'What beverage does _ prefer?',
    values: ['cocoa', 'espresso', 'chai', 'buttermilk', 'mate'],
  },
  {
    name: 'fear',
    told: 'I scream whenever I see _.',
    question: 'What is _ afraid of?',
    values: ['spiders', 'clowns', 'needles', 'thunder', 'elevators'],
  },
  {
    name: 'music',
    told: 'I have been practicing the _ for two hours every night.',
    question: 'Which instrument does _ play?',
    values: ['cello', 'banjo', 'oboe', 'accordion', 'harp'],
  },
  {
    name: 'sport',
    told: 'Our club won the regional _ cup on Saturday, and I scored.',
    question: 'Which sport is _ active in?',
    values: ['hockey', 'fencing', 'rowing', 'badminton', 'polo'],
  },
  {
    name: 'illness',
    told: 'The doctor confirmed it is _, so I start treatment.',
    question: 'What medical condition does _ have?',
    values: ['asthma', 'diabetes', 'anemia', 'gout', 'migraine'],
  },
  {
    name: 'study',
    told: 'I handed in the last exam of my degree in _.',
    question: 'What subject did _ learn at university?',
    values: ['botany', 'law', 'astronomy', 'history', 'geology'],
  },
  {
    name: 'car',
    told: 'I spent the bonus on a used _.',
    question: 'What vehicle does _ own?',
    values: ['tractor', 'motorbike', 'convertible', 'minivan', 'scooter'],
  },
  {
    name: 'diet',
    told: 'From now on there is no _ on my plate.',
    question: 'Which food does _ avoid?',
    values: ['pork', 'gluten', 'cheese', 'sugar', 'shellfish'],
  },
  {
    name: 'trip',
    told: 'The tickets are booked: two weeks in _ this summer.',
    question: 'Where will _ go on vacation?',
    values: ['Iceland', 'Morocco', 'Peru', 'Vietnam', 'Malta'],
  },
];

const people = ['Ann', 'Bruno', 'Chloe', 'Dmitri', 'Esther', 'Farid', 'Greta', 'Hugo'];

const smallTalk = [
  'Did anybody watch the film with _ in it yesterday?',
  'The bus was late again, and _ had no seat.',
  '_ still has my umbrella, I think.',
  'It rained all weekend here.',
  'I told _ that the printer is broken.',
  'Who brings the salad on Sunday?',
  'The neighbors are building something loud.',
  '_ laughed so hard at that joke.',
  'My phone battery dies every evening.',
  'Has _ answered the invitation yet?',
  'The new shop at the corner sells candles.',
  'I could not sleep because of the heat.',
  'Let us ask _ about the keys of the garage.',
  'That meeting took the whole afternoon.',
  'The elevator in our office smells of paint.',
  '_ borrowed the big ladder again.',
  'Somebody should water the plants in the hall.',
  'I lost my left glove near the fountain.',
  'The soup at the canteen was too salty today.',
  'Remind me to call _ about the concert.',
];

export interface AskedFact {
  readonly question: string;
  /** The value that holds now, and those that no longer do. */
  readonly value: string;
  readonly outdated: readonly string[];
  readonly person: string;
  readonly attribute: string;
}

export interface LongTalk {
  readonly seen: readonly Seen[];
  readonly asked: readonly AskedFact[];
  /** What a perfect writer would have noted, in the order of the talk. */
  readonly notes: readonly { readonly key: string; readonly text: string; readonly at: number }[];
}

const mostAsked = 8;

/** A talk of this many messages. Two in ten tell a fact, and a fifth of those change an earlier one; eight facts from anywhere are asked for. */
export function longTalk(turns: number, seed: number): LongTalk {
  const dice = rng(seed, 'long talk', turns);
  const current = new Map<string, { readonly person: string; readonly attribute: Attribute; readonly values: string[] }>();
  const observations: Seen[] = [];
  const notes: LongTalk['notes'][number][] = [];
  for (let at = 0; at < turns; at++) {
    const person = dice.pick(people);
    const isFact = at % 5 === 2;
    const text = isFact ? tell(person, at) : fill(dice.pick(smallTalk), dice.pick(people));
    observations.push({ kind: 'message', to: ['host'], from: person, text });
  }
  const facts = dice.shuffle([...current.values()]).slice(0, mostAsked);
  return { seen: observations, notes, asked: facts.map(toQuestion) };

  function tell(person: string, at: number): string {
    const earlier = [...current.values()].filter((fact) => fact.person === person);
    const before = earlier.length > 0 && dice.next() < 0.2 ? dice.pick(earlier) : undefined;
    const attribute = before?.attribute ?? dice.pick(attributes);
    const key = `${person}.${attribute.name}`;
    const values = current.get(key)?.values ?? [];
    const value = dice.pick(attribute.values.filter((other) => other !== values.at(-1)));
    current.set(key, { person, attribute, values: [...values, value] });
    notes.push({ key, text: `${key}: ${value}`, at });
    return fill(attribute.told, value);
  }
}

function toQuestion({ person, attribute, values }: { person: string; attribute: Attribute; values: readonly string[] }): AskedFact {
  const value = values[values.length - 1];
  const outdated = values.filter((other) => other !== value);
  return { question: fill(attribute.question, person), value, outdated, person, attribute: attribute.name };
}

function fill(text: string, value: string): string {
  return text.replace('_', () => value);
}

/** All values that any fact may have, to find the one that an answer gives. */
export const everyValue: readonly string[] = attributes.flatMap(({ values }) => values);
