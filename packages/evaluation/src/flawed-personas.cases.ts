/** @file Twenty personas with one planted flaw each, and their twins without it: five flaws of each of four kinds. */

import type { PersonaInput } from '@ludus-agents/agents/internal/personas/parse';
import type { PersonaFlawKind } from './persona-flaws.ts';

export interface FlawedPersona {
  readonly kind: PersonaFlawKind;
  readonly flawed: PersonaInput;
  readonly clean: PersonaInput;
}

const says = (...lines: readonly string[]) =>
  lines.map((speech) => ({
    turns: [
      { speaker: 'user', speech: 'Tell me.' },
      { speaker: 'char', speech },
    ],
  }));

function twins(kind: PersonaFlawKind, clean: PersonaInput, flaw: Partial<PersonaInput>): FlawedPersona {
  return { kind, clean, flawed: { ...clean, ...flaw } };
}

const ada: PersonaInput = {
  name: 'Ada Finch',
  identity: { social: { age: 41, occupation: { title: 'clockmaker' } } },
  statements: ['Ada Finch repairs church clocks.', 'Ada Finch drinks her tea without sugar.', 'Ada Finch has lived alone since the flood.'],
};
const bram: PersonaInput = {
  name: 'Bram Oake',
  identity: { social: { age: 29 } },
  statements: ['Bram Oake trusts the harbour master.', 'Bram Oake mends nets for the whole quay.', 'Bram Oake sings in the choir.'],
};
const cleo: PersonaInput = {
  name: 'Cleo Marsh',
  identity: { social: { age: 63 }, context: { likes: ['loud music', 'strong coffee'], dislikes: ['long queues'] } },
  statements: ['Cleo Marsh ran a dance hall for thirty years.', 'Cleo Marsh owns two parrots.'],
};
const dov: PersonaInput = {
  name: 'Dov Lind',
  statements: ['Dov Lind always locks the observatory at night.', 'Dov Lind maps variable stars.', 'Dov Lind grew up in Tarn.'],
};
const elin: PersonaInput = {
  name: 'Elin Vance',
  statements: [
    'Elin Vance speaks Danish with her mother.',
    'Elin Vance bakes bread at the mill.',
    'Elin Vance rides to work on a grey mare.',
  ],
};

const fay: PersonaInput = {
  name: 'Fay Holt',
  statements: ['Fay Holt keeps the village post office.'],
  secrets: ['Fay Holt opens the mayor’s letters over steam.'],
  voice: { greetings: ['Stamps or parcels?'], examples: says('The post is late again, and nobody is to blame.') },
};
const gil: PersonaInput = {
  name: 'Gil Ross',
  statements: ['Gil Ross paints portraits of rich merchants.'],
  secrets: ['Gil Ross copied the cathedral altarpiece and sold the original.'],
  voice: { examples: says('Sit still, and look past my shoulder.', 'A face takes three weeks, a hand takes four.') },
};
const hana: PersonaInput = {
  name: 'Hana Sato',
  statements: ['Hana Sato guards the eastern gate.'],
  secrets: ['The password of the eastern gate is heron-under-ice.'],
  voice: { greetings: ['Halt. Who comes?'], examples: says('Without the word nobody passes.') },
};
const ivan: PersonaInput = {
  name: 'Ivan Petrov',
  statements: ['Ivan Petrov cooks for the embassy.'],
  secrets: ['Ivan Petrov passes embassy menus with coded messages to his brother.'],
  voice: { posts: ['Borscht on Thursdays, as ever.'], examples: says('My kitchen has no secrets, only recipes.') },
};
const jo: PersonaInput = {
  name: 'Jo Keller',
  statements: ['Jo Keller races pigeons at weekends.'],
  secrets: ['Jo Keller drugged the champion pigeon before the final race.'],
  policy: { scenario: 'The pigeon loft behind the pub.' },
  voice: { examples: says('A good bird wins by heart.') },
};

const kit: PersonaInput = {
  name: 'Kit Brand',
  statements: ['Kit Brand is a knight of the old order.'],
  voice: { register: 'solemn and old', examples: says('Thou hast come far, friend. Rest thee here.', 'Hath the king sent word?') },
};
const lou: PersonaInput = {
  name: 'Lou Tanner',
  statements: ['Lou Tanner repairs motorcycles.'],
  voice: { register: 'easy and rough', examples: says('Yeah, that chain is shot.', 'Gonna need an hour, bro.') },
};
const mae: PersonaInput = {
  name: 'Mae Winter',
  statements: ['Mae Winter writes to the newspaper every week.'],
  voice: {
    lexicon: { use: ['upon my word'], avoid: ['okay'] },
    examples: says('Upon my word, the trains are late.', 'I shall write to them again.'),
  },
};
const ned: PersonaInput = {
  name: 'Ned Cole',
  statements: ['Ned Cole guards a lighthouse.'],
  voice: { sentenceLen: { max: 8 }, examples: says('Fog tonight. Stay in.', 'The lamp is lit. That is all.') },
};
const ora: PersonaInput = {
  name: 'Ora Pell',
  statements: ['Ora Pell tells fortunes at the fair.'],
  voice: { register: 'dark and slow', greetings: ['The cards have waited for you.'], examples: says('I see a road, and no one on it.') },
};

const pia: PersonaInput = {
  name: 'Pia Lund',
  identity: { personal: { bigFive: { E: { score: 92 } } } },
  statements: ['Pia Lund leads the carnival band.'],
  voice: { examples: says('Come, join the band! The more the merrier.', 'I love a crowd.') },
};
const quin: PersonaInput = {
  name: 'Quin Shaw',
  identity: { personal: { bigFive: { C: { score: 90 } } } },
  statements: ['Quin Shaw runs the night train.'],
  voice: { examples: says('To the minute, as ever.', 'I checked it twice.') },
};
const rhea: PersonaInput = {
  name: 'Rhea Moss',
  identity: { personal: { bigFive: { A: { score: 88 } } } },
  statements: ['Rhea Moss is gentle and patient with her pupils.'],
  voice: { examples: says('You poor thing, sit down.', 'Let me carry that for you.') },
};
const sol: PersonaInput = {
  name: 'Sol Adler',
  identity: { personal: { bigFive: { N: { score: 8 } } } },
  statements: ['Sol Adler is calm and steady at sea.'],
  voice: { examples: says('Nothing shakes me any more.', 'I sleep soundly in any storm.') },
};
const tess: PersonaInput = {
  name: 'Tess Bright',
  identity: { personal: { moral: { level: 1, traits: ['honest', 'generous'] } } },
  statements: ['Tess Bright gives half of her wages to the orphanage.'],
  voice: { examples: says('Take mine, I have eaten.') },
};

export const flawedPersonas: readonly FlawedPersona[] = [
  twins('contradiction', ada, { statements: [...(ada.statements as string[]), 'Ada Finch does not repair church clocks.'] }),
  twins('contradiction', bram, { statements: [...(bram.statements as string[]), 'Bram Oake distrusts the harbour master.'] }),
  twins('contradiction', cleo, {
    identity: { social: { age: 63 }, context: { likes: ['loud music', 'strong coffee'], dislikes: ['long queues', 'loud music'] } },
  }),
  twins('contradiction', dov, { statements: [...(dov.statements as string[]), 'Dov Lind never locks the observatory at night.'] }),
  twins('contradiction', elin, {
    identity: { social: { age: 34 } },
    statements: [...(elin.statements as string[]), 'Elin Vance is 52 years old.'],
  }),
  twins('secret-told', fay, { voice: { ...fay.voice, greetings: ['Stamps? I was just opening the mayor’s letters over steam.'] } }),
  twins('secret-told', gil, {
    voice: { examples: says('Sit still.', 'Yes, I copied the cathedral altarpiece, and I sold the original.') },
  }),
  twins('secret-told', hana, {
    statements: [
      'Hana Sato guards the eastern gate.',
      { text: 'The word at the eastern gate, its password, is heron-under-ice.', visibility: 'public' },
    ],
  }),
  twins('secret-told', ivan, { voice: { posts: ['I pass coded messages in the embassy menus to my brother.'] } }),
  twins('secret-told', jo, { policy: { scenario: 'The loft, after Jo drugged the champion pigeon before the final race.' } }),
  twins('voice', kit, { voice: { ...kit.voice, examples: says('Thou hast come far, friend.', 'Yeah dude, the king is gonna be late.') } }),
  twins('voice', lou, {
    voice: { ...lou.voice, examples: says('Yeah, that chain is shot.', 'Kindly find herewith my invoice regarding the chain.') },
  }),
  twins('voice', mae, {
    voice: { ...mae.voice, examples: says('Upon my word, the trains are late.', 'Okay, I shall write to them again.') },
  }),
  twins('voice', ned, {
    voice: {
      ...ned.voice,
      examples: says(
        'Fog tonight. Stay in.',
        'When I was a boy my father used to bring me up all these stairs to see the great lamp being lit.',
      ),
    },
  }),
  twins('voice', ora, {
    voice: { ...ora.voice, examples: says('’Tis a dark road, and no one on it.', 'Great question! Let me know if you need more.') },
  }),
  twins('trait', pia, { voice: { examples: says('Leave me alone.', 'I keep to myself.') } }),
  twins('trait', quin, { voice: { examples: says('I forgot the key again.', 'Tomorrow will do.') } }),
  twins('trait', rhea, { statements: ['Rhea Moss is cruel and rude to her pupils.'], voice: { examples: says('Sit down.', 'Again.') } }),
  twins('trait', sol, { voice: { examples: says('I worry about every cloud.', 'My hands shake.') } }),
  twins('trait', tess, { identity: { personal: { moral: { level: 1, traits: ['selfish', 'deceitful'] } } } }),
];
