/**
 * @file A generated library: people, towns, and trades in short linked documents. The documents are consistent, except for outdated
 * editions that contradict newer ones.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

export type LibraryDocument = { readonly id: string; readonly title: string; readonly text: string };

export type CorpusPerson = { readonly name: string; readonly town: string; readonly year: number; readonly trade: string };

/** The true facts, independent of the documents that contain them. */
export type Facts = {
  readonly people: readonly CorpusPerson[];
  /** The region of each town, and the material of each trade. */
  readonly regions: Readonly<Record<string, string>>;
  readonly materials: Readonly<Record<string, string>>;
};

export type Corpus = {
  readonly facts: Facts;
  readonly documents: readonly LibraryDocument[];
  /** The document that contains each fact: "birth NAME", "trade NAME", "town TOWN", "work TRADE". */
  readonly places: Readonly<Record<string, string>>;
  /** Pairs of documents that contradict each other, the wrong one first. */
  readonly contradictions: readonly (readonly [string, string])[];
};

export interface CorpusSize {
  readonly people: number;
  readonly noise: number;
  readonly contradictions: number;
}

const inputs = [
  'Alda',
  'Brun',
  'Celia',
  'Doran',
  'Edda',
  'Fenn',
  'Gisa',
  'Holt',
  'Irma',
  'Jory',
  'Kaia',
  'Lorn',
  'Mira',
  'Nils',
  'Oda',
  'Piet',
];
const family = [
  'Asker',
  'Bellow',
  'Corwen',
  'Dahl',
  'Elster',
  'Farrow',
  'Grant',
  'Hask',
  'Ivers',
  'Jansen',
  'Keller',
  'Lund',
  'Marsh',
  'Norder',
];
const towns = ['Arlen', 'Brosk', 'Culm', 'Dovre', 'Elgin', 'Fauld', 'Gorse', 'Hythe'];
const regionNames = ['Northmark', 'Southvale', 'Eastfold'];
const trades: Readonly<Record<string, string>> = {
  glazier: 'glass',
  lensmaker: 'glass',
  joiner: 'wood',
  cooper: 'wood',
  smith: 'metal',
  founder: 'metal',
  potter: 'clay',
  tiler: 'clay',
};
const weather = ['mild', 'wet', 'dry', 'windy', 'cold', 'bright'];

export function makeCorpus({ people: count, noise, contradictions: wrong }: CorpusSize, dice: Rng): Corpus {
  const names = dice.shuffle(inputs.flatMap((first) => family.map((last) => `${first} ${last}`))).slice(0, count);
  const regions = Object.fromEntries(towns.map((town, i) => [town, i < 3 ? regionNames[i] : dice.pick(regionNames)]));
  const people = names.map(
    (name): CorpusPerson => ({
      name,
      town: dice.pick(towns),
      year: 1930 + dice.int(60),
      trade: dice.pick(Object.keys(trades)),
    }),
  );
  const stale = new Set(dice.shuffle(names).slice(0, wrong));
  const loose: { readonly fact: string; readonly title: string; readonly write: (idOf: (fact: string) => string) => string }[] = [];
  for (const { name, town, year, trade } of people) {
    const birthSentence = (place: string, at: number) => (idOf: (fact: string) => string) =>
      `${name} was born in ${at} in [${place}](${idOf(`town ${place}`)}).`;
    const edition = stale.has(name) ? 2 : 1;
    loose.push({ fact: `birth ${name}`, title: `Register entry of ${name}, edition ${edition}`, write: birthSentence(town, year) });
    if (stale.has(name)) {
      const other = dice.pick(towns.filter((item) => item !== town));
      loose.push({
        fact: `stale ${name}`,
        title: `Register entry of ${name}, edition 1`,
        write: birthSentence(other, 1930 + ((year - 1930 + 10 + dice.int(40)) % 60)),
      });
    }
    loose.push({
      fact: `trade ${name}`,
      title: `Guild roll: ${name}`,
      write: (idOf) => `${name} is a [${trade}](${idOf(`work ${trade}`)}) of the guild.`,
    });
  }
  for (const town of towns)
    loose.push({ fact: `town ${town}`, title: town, write: () => `${town} is a town in the region of ${regions[town]}.` });
  for (const [trade, material] of Object.entries(trades))
    loose.push({ fact: `work ${trade}`, title: `Trade: ${trade}`, write: () => `A ${trade} works with ${material}.` });
  for (let i = 0; i < noise; i++) {
    const [town, trade] = [dice.pick(towns), dice.pick(Object.keys(trades))];
    loose.push({
      fact: `noise ${i}`,
      title: `Diary page ${i + 1}`,
      write: () => `In ${town} the summer was ${dice.pick(weather)}; a ${trade} sold little, and nobody was born.`,
    });
  }
  const placed = dice.shuffle(loose);
  const places = Object.fromEntries(placed.map(({ fact }, i) => [fact, `d${i + 1}`]));
  const documents = placed.map(({ title, write }, i) => ({ id: `d${i + 1}`, title, text: write((fact) => places[fact]) }));
  const contradictions = [...stale].map((name) => [places[`stale ${name}`], places[`birth ${name}`]] as const);
  return { facts: { people, regions, materials: trades }, documents, places, contradictions };
}
