/** @file Random choices, for proposers that write but do not choose: they would have nothing to do if only choices are open. */

import { randomChoice } from '../choices.ts';
import { componentsOf, withComponents } from '../components.ts';
import type { Proposer } from '../engine.ts';

/** Chooses on behalf of a proposer, under its name. */
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
