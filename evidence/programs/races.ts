/**
 * @file A visitor tries to get a secret from a defender in one of six ways. A defender resists the ways that its text names. A race
 * writes these texts: attack and defense are searched in turn, with the same number of conversations for each attacker.
 *
 * Options: attacks ("search"; "none": the attacker does not change; "random": one new random attack per round), rounds, steps, runs
 * (conversations per evaluation), seed. Prints the share of attacks that get the secret from the last defender plus the share of honest
 * questions that it refuses, both shares, and the number of new attacks.
 */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type AgentSpec, type Json, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { armsRace, type Duel } from '@ludus-agents/learning/internal/adversaries/arms-race';
import { figuresOf } from '@ludus-agents/learning/internal/adversaries/figures';
import { attackerBy, attackLine, defenderBy, linesFor, redTeams, toggleLine } from '@ludus-agents/learning/internal/adversaries/scripted';
import { verdictOf } from '@ludus-agents/learning/internal/adversaries/verdict';
import type { ProgramOptions } from '../arms.ts';

export default async function run({ attacks = 'search', rounds = 4, steps = 3, runs = 8, seed = 1 }: ProgramOptions): Promise<Json> {
  const environment = await builtInEnvironment('privacy-guard');
  const scripts = environment.scripts as Readonly<Record<string, Script>>;
  const team = redTeams['privacy-guard'];
  let conversations = 0;
  const duel: Duel = async ({ attacker, defender }, seeds) => {
    conversations += seeds.length;
    const cast = {
      [team.attacker]: scriptedPolicy('attacker', attackerBy(attacker, team, scripts)),
      [team.defender]: scriptedPolicy('defender', defenderBy(defender, team, scripts)),
    };
    return (await rollout(environment, cast, { seeds: [...seeds], task: { benign: 0.5 }, freeze: false })).map(verdictOf);
  };
  const ways = Object.keys(team.attacks);
  const start = specOf('attacker', [attackLine(ways[0])]);
  let attacker = start;
  const race = await armsRace({
    attacker: start,
    defender: specOf('defender', []),
    duel,
    attack: (parent, dice, hits) => {
      if (attacks === 'none') return parent;
      if (attacks === 'search') return toggleLine(parent, linesFor(team, 'attack'), dice);
      // A search begins with one candidate: the same new attack, by dice, in all of its looks.
      if (hits.length === 1) attacker = specOf('attacker', [attackLine(dice.pick(ways))]);
      return attacker;
    },
    defend: (parent, dice) => toggleLine(parent, linesFor(team, 'defence'), dice),
    ...{ seed: Number(seed), rounds: Number(rounds), threads: 4, steps: Number(steps), runs: Number(runs) },
  });
  const spent = conversations;
  const { defender } = race[race.length - 1];
  const fresh = (from: number) => Array.from({ length: 40 }, (_, i) => rng(Number(seed), 'fresh', from, i).int(2 ** 31));
  const outcomes = [];
  for (const [i, way] of ways.entries())
    outcomes.push(...(await duel({ attacker: specOf('attacker', [attackLine(way)]), defender }, fresh(i))));
  const { harm, overRefusal } = figuresOf(outcomes);
  const changes = race.filter(({ attacker }) => attacker.texts?.['instruction'] !== start.texts?.['instruction']).length;
  return { wrong: harm + overRefusal, harm, overRefusal, found: changes, conversations: spent };
}

function specOf(name: string, lines: readonly string[]): AgentSpec {
  return { name, kind: 'lawful', texts: { instruction: lines.join('\n') } };
}
