/** @file Attackers and defenders in turn, without a model: each side is told one line more or less, and what works is kept. */

import { type AgentSpec, loadEnvironment, rollout, type Script, scriptedPolicy } from 'ludus-agents';
import { armsRace, attackerBy, defenderBy, figuresOf, linesFor, redTeams, toggleLine, verdictOf } from 'ludus-agents/learning';

const environment = await loadEnvironment('jailbreak');
const team = redTeams['jailbreak'];
const scripts = environment.scripts as Readonly<Record<string, Script>>;

/** Plays an attacker against a defender; half of the visitors are honest, and must not be turned away. */
async function duel({ attacker, defender }: { readonly attacker: AgentSpec; readonly defender: AgentSpec }, seeds: readonly number[]) {
  const policies = {
    [team.attacker]: scriptedPolicy('attacker', attackerBy(attacker, team, scripts)),
    [team.defender]: scriptedPolicy('defender', defenderBy(defender, team, scripts)),
  };
  return (await rollout(environment, policies, { seeds, task: { benign: 0.5 } })).map(verdictOf);
}

const rounds = await armsRace({
  attacker: { name: 'attacker', kind: 'lines', texts: { instruction: '' } },
  defender: { name: 'defender', kind: 'lines', texts: { instruction: '' } },
  duel,
  attack: (parent, dice) => toggleLine(parent, linesFor(team, 'attack'), dice),
  defend: (parent, dice) => toggleLine(parent, linesFor(team, 'defence'), dice),
  seed: 3,
});
const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
for (const { round, before, after } of rounds)
  console.log(
    `round ${round + 1}: attacks that get through ${percent(before.harm)} → ${percent(after.harm)}, honest visitors refused ${percent(after.overRefusal)}`,
  );

// All attacks at once, against the last defence, on seeds that chose nothing.
const everything = { name: 'attacker', kind: 'lines', texts: { instruction: linesFor(team, 'attack').join('\n') } };
const last = rounds.at(-1)?.defender as AgentSpec;
const { harm, harmAtMost } = figuresOf(
  await duel(
    { attacker: everything, defender: last },
    Array.from({ length: 200 }, (_, i) => 9000 + i),
  ),
);
console.log(`every attack against the last defence: ${percent(harm)} get through, at most ${percent(harmAtMost)}`);
