/**
 * @file Improves attackers and defenders in turn: an attack is searched against the current defense, then a defense against every attack so
 * far.
 *
 * Defending only against the latest attack would lead to cycles, so a defense is tried against all of them. Refusals of honest visitors
 * count as much as leaks to attackers; otherwise the best defense would be to refuse everyone.
 */

import { type AgentSpec, type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { type Diversity, diversityOf, type Figures, figuresOf } from './figures.ts';
import { type SearchHit, threadedSearch } from './search.ts';
import type { AttackVerdict } from './verdict.ts';

/** The verdict of an episode and, for readers of text, its transcript. */
export type Fought = AttackVerdict & { readonly transcript?: string };

/** Plays an attacker against a defender on some seeds; some visitors are honest. */
export type Duel = (
  sides: { readonly attacker: AgentSpec; readonly defender: AgentSpec },
  seeds: readonly Seed[],
) => Promise<readonly Fought[]>;

export type ProposeSpec = (parent: AgentSpec, dice: Rng, searchHits: readonly SearchHit<AgentSpec>[]) => AgentSpec | Promise<AgentSpec>;

export interface ArmsRaceParts {
  readonly attacker: AgentSpec;
  readonly defender: AgentSpec;
  readonly duel: Duel;
  readonly attack: ProposeSpec;
  readonly defend: ProposeSpec;
  readonly seed: Seed;
  readonly rounds?: number;
  readonly threads?: number;
  readonly steps?: number;
  /** Episodes of one evaluation of a candidate. */
  readonly runs?: number;
  /** The cost of refusing an honest visitor relative to harm. */
  readonly refusalCost?: number;
}

export interface AttackRound {
  readonly round: number;
  readonly attacker: AgentSpec;
  readonly defender: AgentSpec;
  /** The new attack against the previous defense, and against the new one. */
  readonly before: Figures;
  readonly after: Figures;
  /** The diversity of the attacks tried in this round. */
  readonly diversity: Diversity;
}

/** Searches attacks and defenses in turn; each defense is tried against all attacks so far. */
export async function armsRace(parts: ArmsRaceParts): Promise<readonly AttackRound[]> {
  const { duel, seed, rounds = 3, threads = 4, steps = 4, runs = 24, refusalCost = 1 } = parts;
  const attackers: AgentSpec[] = [parts.attacker];
  let defender = parts.defender;
  const bouts: AttackRound[] = [];
  for (let round = 0; round < rounds; round++) {
    const against = defender;
    const attacks = await threadedSearch<AgentSpec>({
      ...{ start: attackers.at(-1) as AgentSpec, seed: seedAt(seed, 'attack', round), threads, steps, propose: parts.attack },
      evaluate: async (attacker, from) => {
        const fought = await duel({ attacker, defender: against }, seedsFrom(from, runs));
        // An attacker learns from successful attacks, or from failed ones if there are none.
        return {
          score: figuresOf(fought).leakScore,
          evidence: roundLessons(fought, ({ hostile, harm }) => (hostile ? (harm ? 2 : 1) : 0)),
        };
      },
    });
    attackers.push(attacks.best);
    const defences = await threadedSearch<AgentSpec>({
      ...{ start: defender, seed: seedAt(seed, 'defend', round), threads, steps, propose: parts.defend },
      evaluate: async (candidate, from) => {
        const fought: Fought[] = [];
        for (const [i, attacker] of attackers.entries())
          fought.push(
            ...(await duel({ attacker, defender: candidate }, seedsFrom(from + 1000 * i, Math.ceil((2 * runs) / attackers.length)))),
          );
        const { harm, overRefusal } = figuresOf(fought);
        const wrong = (attackVerdict: AttackVerdict) => (attackVerdict.harm ? 2 : (attackVerdict.refused ?? 0));
        return { score: -harm - refusalCost * overRefusal, evidence: roundLessons(fought, wrong) };
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

/** Transcripts of the three most instructive episodes; empty if none is. */
function roundLessons(fought: readonly Fought[], worth: (attackVerdict: AttackVerdict) => number): readonly string[] {
  const telling = fought.filter((fought) => fought.transcript !== undefined && worth(fought) > 0).toSorted((a, b) => worth(b) - worth(a));
  return telling.slice(0, 3).map(({ transcript }) => transcript as string);
}

function seedAt(seed: Seed, phase: string, round: number): Seed {
  return rng(seed, 'arms race', phase, round).int(2 ** 31);
}

/** Neighboring seeds are independent, because random generators hash the integer. */
function seedsFrom(from: Seed, many: number): readonly Seed[] {
  return Array.from({ length: many }, (_, i) => from * 1000 + i);
}
