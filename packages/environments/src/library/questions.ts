/**
 * @file Questions built backward from a fact graph: values are made vaguer while exactly one person fits, and the documents that prove the
 * answer are known.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import type { Corpus, CorpusPerson, Facts } from './corpus.ts';

/** Each value, either exact or as the class it belongs to. */
export type Constraints = {
  readonly town?: string;
  readonly region?: string;
  readonly year?: number;
  readonly decade?: number;
  readonly trade?: string;
  readonly material?: string;
};

export type LibraryQuestion = {
  readonly ask: string;
  readonly answer: string;
  /** The smallest set of documents that proves the answer. It is unique, because every fact is in exactly one document. */
  readonly support: readonly string[];
  /** The possible answers. */
  readonly candidates: readonly string[];
  /** The points that a report should make. Only questions for reports have them. */
  readonly points?: readonly string[];
};

/** Returns everyone who satisfies the constraints. */
export function fitting({ people, regions, materials }: Facts, wanted: Constraints): readonly CorpusPerson[] {
  return people.filter(
    ({ town, year, trade }) =>
      (wanted.town === undefined || wanted.town === town) &&
      (wanted.region === undefined || wanted.region === regions[town]) &&
      (wanted.year === undefined || wanted.year === year) &&
      (wanted.decade === undefined || wanted.decade === Math.floor(year / 10) * 10) &&
      (wanted.trade === undefined || wanted.trade === trade) &&
      (wanted.material === undefined || wanted.material === materials[trade]),
  );
}

/** Makes a question with the wanted number of vague values and a unique answer, or returns null if this draw finds none. */
export function makeQuestion({ facts, places }: Corpus, vague: number, dice: Rng): LibraryQuestion | null {
  const { name, town, year, trade } = dice.pick(facts.people);
  let wanted: Constraints = { town, year, trade };
  const vaguer: Readonly<Record<string, (from: Constraints) => Constraints>> = {
    town: ({ town: _, ...rest }) => ({ ...rest, region: facts.regions[town] }),
    year: ({ year: _, ...rest }) => ({ ...rest, decade: Math.floor(year / 10) * 10 }),
    trade: ({ trade: _, ...rest }) => ({ ...rest, material: facts.materials[trade] }),
  };
  for (const value of dice.shuffle(Object.keys(vaguer)).slice(0, vague)) {
    wanted = vaguer[value](wanted);
    if (fitting(facts, wanted).length !== 1) return null;
  }
  if (fitting(facts, wanted).length !== 1) return null;
  const proof = [`birth ${name}`, `trade ${name}`];
  if (wanted.region !== undefined) proof.push(`town ${town}`);
  if (wanted.material !== undefined) proof.push(`work ${trade}`);
  return {
    ask: questionText(wanted),
    answer: name,
    support: proof.map((fact) => places[fact]),
    candidates: facts.people.map((person) => person.name),
  };
}

function questionText({ town, region, year, decade, trade, material }: Constraints): string {
  const where = town === undefined ? `in a town of ${region}` : `in ${town}`;
  const when = year === undefined ? `in the ${decade}s` : `in ${year}`;
  const work = trade === undefined ? `has a trade that works with ${material}` : `is a ${trade}`;
  return `Who was born ${where} ${when} and ${work}?`;
}

/** Parses the constraints of a question, for a script. */
export function constraintsOf(ask: string): Constraints {
  const town = /born in (?!a town of)(\w+)/.exec(ask)?.[1];
  const region = /in a town of (\w+)/.exec(ask)?.[1];
  const decade = /in the (\d{4})s/.exec(ask)?.[1];
  const year = decade === undefined ? /in (\d{4})/.exec(ask)?.[1] : undefined;
  const trade = /and is an? (\w+)/.exec(ask)?.[1];
  const material = /works with (\w+)/.exec(ask)?.[1];
  return {
    ...(town === undefined ? {} : { town }),
    ...(region === undefined ? {} : { region }),
    ...(year === undefined ? {} : { year: Number(year) }),
    ...(decade === undefined ? {} : { decade: Number(decade) }),
    ...(trade === undefined ? {} : { trade }),
    ...(material === undefined ? {} : { material }),
  };
}
