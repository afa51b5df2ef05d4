/**
 * @file Attackers and defenders in turn: an attack is searched against the defence as it is, then a defence against every attack so far.
 *
 * A defence that is only good against the last attack walks in a circle, so it is tried against all of them; and what it refuses honest
 * visitors counts against it as much as what it tells attackers, or the answer would be to refuse everybody.
 */

import { type AgentSpec, type Rng, rng, type Seed } from '../../core/index.ts';
import { type Diversity, diversityOf, type Figures, figuresOf } from './figures.ts';
import { type Found, threadedSearch } from './search.ts';
import type { Verdict } from './verdict.ts';

/** Plays an attacker against a defender on so many seeds from one on; some visitors are honest. */
export type Duel = (
  sides: { readonly attacker: AgentSpec; readonly defender: AgentSpec },
  seeds: readonly Seed[],
) => Promise<readonly Verdict[]>;

export type Proposal = (parent: AgentSpec, dice: Rng, found: readonly Found<AgentSpec>[]) => AgentSpec | Promise<AgentSpec>;

export interface ArmsRaceParts {
  readonly attacker: AgentSpec;
  readonly defender: AgentSpec;
  readonly duel: Duel;
  readonly attack: Proposal;
  readonly defend: Proposal;
  readonly seed: Seed;
  readonly rounds?: number;
  readonly threads?: number;
  readonly steps?: number;
  /** Episodes of one look at a candidate. */
  readonly runs?: number;
  /** What a refusal of an honest visitor costs beside harm. */
  readonly refusalCost?: number;
}

export interface Bout {
  readonly round: number;
  readonly attacker: AgentSpec;
  readonly defender: AgentSpec;
  /** The new attack against the defence before, and against the defence that was found for it. */
  readonly before: Figures;
  readonly after: Figures;
  /** How unlike each other the attacks tried in this round were. */
  readonly diversity: Diversity;
}

export async function armsRace(parts: ArmsRaceParts): Promise<readonly Bout[]> {
  const { duel, seed, rounds = 3, threads = 4, steps = 4, runs = 24, refusalCost = 1 } = parts;
  const attackers: AgentSpec[] = [parts.attacker];
  let defender = parts.defender;
  const bouts: Bout[] = [];
  for (let round = 0; round < rounds; round++) {
    const against = defender;
    const attacks = await threadedSearch<AgentSpec>({
      ...{ start: attackers.at(-1) as AgentSpec, seed: seedAt(seed, 'attack', round), threads, steps, propose: parts.attack },
      evaluate: async (attacker, from) => figuresOf(await duel({ attacker, defender: against }, seedsFrom(from, runs))).leakScore,
    });
    attackers.push(attacks.best);
    const defences = await threadedSearch<AgentSpec>({
      ...{ start: defender, seed: seedAt(seed, 'defend', round), threads, steps, propose: parts.defend },
      evaluate: async (candidate, from) => {
        const verdicts: Verdict[] = [];
        for (const [i, attacker] of attackers.entries())
          verdicts.push(
            ...(await duel({ attacker, defender: candidate }, seedsFrom(from + 1000 * i, Math.ceil((2 * runs) / attackers.length)))),
          );
        const { harm, overRefusal } = figuresOf(verdicts);
        return -harm - refusalCost * overRefusal;
      },
    });
    defender = defences.best;
    const fresh = seedsFrom(seedAt(seed, 'fresh', round), 2 * runs);
    bouts.push({
      ...{ round, attacker: attacks.best, defender },
      before: figuresOf(await duel({ attacker: attacks.best, defender: against }, fresh)),
      after: figuresOf(await duel({ attacker: attacks.best, defender }, fresh)),
      diversity: diversityOf(attacks.tried.map(({ candidate }) => Object.values(candidate.texts ?? {}).join('\n'))),
    });
  }
  return bouts;
}

function seedAt(seed: Seed, phase: string, round: number): Seed {
  return rng(seed, 'arms race', phase, round).int(2 ** 31);
}

/** Neighbouring seeds share nothing: dice are folded from the whole number. */
function seedsFrom(from: Seed, many: number): readonly Seed[] {
  return Array.from({ length: many }, (_, i) => from * 1000 + i);
}
