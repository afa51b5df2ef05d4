/** @file Choices by dice, for proposers that write and do not choose: where nothing but choices is open, they would have nothing to do. */

import { randomChoice } from '../choices.ts';
import { componentsOf, withComponents } from '../components.ts';
import type { Proposer } from '../engine.ts';

/** Chooses in a proposer's place, under its name. */
export function chooseFor({ name }: Proposer): Proposer {
  return {
    name,
    improver: ({ rng, choices = {}, many }) => ({
      name,
      async improve(spec) {
        const before = componentsOf(spec);
        return Array.from({ length: many }, () => withComponents(spec, randomChoice(before, choices, rng) ?? before));
      },
    }),
  };
}
