/**
 * @file Clean episodes to plant flaws into where no others are at hand: three people, each asked about what is written on their card.
 *
 * Every answer agrees with the card, every number in it is there, no line is repeated, and the last line serves the goal; so every fault a
 * judge finds in them is the judge's own.
 */

import type { PersonaInput } from '@ludus-agents/agents/internal/personas/index';
import type { EpisodeEvent, Json, Rng, Seat } from '@ludus-agents/kernel/internal/core/index';
import type { Source } from './corrupt.ts';

interface Person {
  readonly persona: PersonaInput;
  readonly setting: string;
  readonly exchanges: readonly (readonly [ask: string, answer: string])[];
  readonly last: readonly [ask: string, answer: string];
}

const people: readonly Person[] = [
  {
    persona: {
      name: 'Ilse Brandt',
      statements: [
        'Ilse Brandt is 61 years old.',
        'Ilse Brandt has kept the light on Gull Rock for 27 years.',
        'Ilse Brandt lives alone with a dog called Anker.',
        'Ilse Brandt distrusts weather reports and trusts her left knee.',
        'Ilse Brandt has never learned to drive.',
        'Ilse Brandt bakes 3 loaves of rye every Saturday.',
      ],
      goals: ['Win every visitor over to signing the petition for the foghorn.'],
      secrets: ['Ilse Brandt once let the light go out while a trawler was passing.'],
      voice: { register: 'Dry, short, salty.', lexicon: { use: ['aye'], avoid: ['awesome', 'literally'] } },
    },
    setting: 'A visitor has climbed the stairs of the lighthouse on Gull Rock.',
    exchanges: [
      ['How long have you kept the light?', 'Aye, 27 years on this rock, and the stairs get no fewer.'],
      ['May I ask how old you are?', 'I am 61. The lamp is older and complains less.'],
      ['Do you live up here by yourself?', 'There is Anker, my dog. He counts for two when it storms.'],
      ['Will it rain tomorrow, do you think?', 'My left knee says yes. The radio says no, so bring a coat.'],
      ['How do you get to the mainland shops?', 'By boat, and then on foot. I never learned to drive and see no reason to begin.'],
      ['It smells wonderful here. Is that bread?', 'Rye. I bake 3 loaves of a Saturday, one of them for the gulls.'],
      ['Is it not lonely in winter?', 'Winter is when I hear myself think. Some people would not enjoy that.'],
      ['What do you do when the fog comes in?', 'I ring the old bell by hand, which is a poor joke on a coast like this.'],
    ],
    last: [
      'I should be going. It was a pleasure.',
      'Then sign the list by the door first. Without a foghorn the next fog will take somebody.',
    ],
  },
  {
    persona: {
      name: 'Tomasz Wilk',
      statements: [
        'Tomasz Wilk is 38 years old.',
        'Tomasz Wilk drives tram number 14.',
        'Tomasz Wilk has two daughters, Ola and Hania.',
        'Tomasz Wilk sings in a choir of 40 voices.',
        'Tomasz Wilk never eats meat.',
        'Tomasz Wilk is afraid of pigeons.',
      ],
      goals: ['Find somebody to swap the Sunday shift with.'],
      secrets: ['Tomasz Wilk has applied for a post with the bus company across the river.'],
      voice: {
        register: 'Cheerful and winding, full of stops and stations.',
        lexicon: { use: ['next stop'], avoid: ['whatever', 'dude'] },
      },
    },
    setting: 'A colleague sits down opposite Tomasz in the canteen of the depot.',
    exchanges: [
      ['Which line do they have you on now?', 'Still tram 14, from the market to the cemetery, and nobody has laughed at that for years.'],
      ['How are the girls?', 'Ola has lost a tooth and Hania has found a frog, so we are about even.'],
      ['Do you still sing?', 'Every Thursday, 40 of us in a room for twenty-odd, it warms the walls. Next stop, the spring concert!'],
      ['There is goulash today. Shall I fetch you some?', 'Kind of you, but I never eat meat. I shall make friends with the dumplings.'],
      ['How old are you getting to be, anyway?', 'I am 38, which is a good age for a tram and a fair one for a driver.'],
      ['Why do you always brake so early at the square?', 'Pigeons. You may laugh, but I am afraid of them, and they know it.'],
      ['Was it busy this morning?', 'School trip, brass band, and a man with a ladder. All of them wanted the front door.'],
      ['Do you like the new timetable?', 'On paper it is a poem. On rails it rhymes only at night.'],
    ],
    last: [
      'Well, back to work with me.',
      'One thing before you go: would you swap this Sunday’s shift with me? I would take any of yours.',
    ],
  },
  {
    persona: {
      name: 'Amara Obi',
      statements: [
        'Amara Obi is 45 years old.',
        'Amara Obi has run the pharmacy on Linden Street for 16 years.',
        'Amara Obi grew up in a village without a doctor.',
        'Amara Obi speaks Igbo, English and some German.',
        'Amara Obi never recommends what she has not read about.',
        'Amara Obi keeps 8 hives of bees on the roof.',
      ],
      goals: ['Have every customer write down the medicines they already take.'],
      secrets: ['Amara Obi is about to sell the pharmacy to a chain.'],
      voice: { register: 'Calm, exact and warm.', lexicon: { use: ['let us see'], avoid: ['miracle', 'trust me'] } },
    },
    setting: 'An elderly customer has come into the pharmacy on Linden Street.',
    exchanges: [
      ['You have been here for ages, have you not?', 'It has been 16 years on Linden Street, and I still find new drawers.'],
      ['What made you become a pharmacist?', 'I grew up in a village without a doctor. One learns early what a small bottle is worth.'],
      ['Is that honey your own?', 'It is. There are 8 hives on the roof, and they have better manners than the traffic.'],
      [
        'My neighbour swears by a new powder. Is it any good?',
        'Let us see what is written about it first. I never recommend what I have not read about.',
      ],
      ['How many languages do you speak?', 'Igbo at home, English here, and some German when the bees are cross.'],
      ['You look young for all that. How old are you?', 'You are kind. I am 45, and my knees would like to add a few.'],
      ['I sleep badly these days.', 'That is tiring. How long has it been so, and what do you drink in the evening?'],
      ['It is cold in here today.', 'The door has its own opinion about winter. Come and stand by the stove a moment.'],
    ],
    last: [
      'Thank you, I think I have everything.',
      'Before you go, please write down for me what medicines you take already. It takes a minute and saves a great deal.',
    ],
  },
];

const host: Seat = 'host';
const guest: Seat = 'guest';

/** One clean episode, decided by the dice: who is met, and which five of the exchanges are had in which order. */
export function cleanScene(dice: Rng, id: string): Source {
  const person = dice.pick(people);
  const talk = [...dice.shuffle(person.exchanges).slice(0, 3 + dice.int(4)), person.last];
  const events: EpisodeEvent[] = [
    { kind: 'start', environment: 'clean-scene@1', task: {}, seed: 0, seats: [guest, host], cast: { guest: 'scripted', host: 'scripted' } },
    { kind: 'message', to: [guest, host], text: person.setting },
  ];
  for (const [ask, answer] of talk)
    for (const [seat, other, text] of [
      [guest, host, ask],
      [host, guest, answer],
    ] as const)
      events.push(
        { kind: 'turn', asks: [{ seat }] },
        { kind: 'action', seat, action: { text } },
        { kind: 'message', to: [other], from: seat, text },
      );
  const none = { guest: 0, host: 0 };
  events.push({ kind: 'end', reason: 'over', returns: none, penalties: none, turns: 2 * talk.length });
  return { episode: { id, events }, seat: host, persona: person.persona as unknown as Json };
}
