/** @file The gallery: personas of our own, complete in every part, for demonstrations and tests. */

import { parsePersona } from '../parse.ts';
import type { Persona } from '../persona.ts';
import { customer } from './customer.ts';
import { beatrix } from './dinner/beatrix.ts';
import { ines } from './dinner/ines.ts';
import { noor } from './dinner/noor.ts';
import { pell } from './dinner/pell.ts';
import { tomas } from './dinner/tomas.ts';
import { innkeeper } from './innkeeper.ts';
import { patient } from './patient.ts';
import { villain } from './villain.ts';

/** In the order of their seats. */
const guests = [beatrix, tomas, ines, pell, noor];

/** The built-in personas, by ID. */
export const gallery: Readonly<Record<string, Persona>> = Object.fromEntries(
  [innkeeper, villain, patient, customer, ...guests].map((input) => parsePersona(input)).map((persona) => [persona.id, persona]),
);

/** The five guests of the dinner, in the order of their seats. */
export const dinnerGuests: readonly Persona[] = guests.map(({ id }) => gallery[id as string]!);
