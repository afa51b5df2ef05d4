/**
 * @file The engine that learns a policy over teams, compared with greedy changes of one team. Of twelve roles, two help alone, two
 * pairs help only together, and six only cost. A team does a task with a probability that depends on its members, and each member
 * costs.
 *
 * Options: arm ("policy"; "greedy": a role is added or removed if that does better on the same tasks and at the gate; "random": random
 * teams with the same gate), plays, seed. Prints the exact value of the resulting team, its members, and the number of groups that
 * moved the policy.
 */

import { type AgentSpec, canonical, isObject, type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { type Candidate, createChild } from '@ludus-agents/learning/internal/prompts/candidate';
import { defineEngine, holdChild, type Parts, selectScore } from '@ludus-agents/learning/internal/prompts/engine';
import { trialled } from '@ludus-agents/learning/internal/prompts/engines/engines.cases';
import { builtInEngine } from '@ludus-agents/learning/internal/prompts/engines/index';
import { teamIn } from '@ludus-agents/learning/internal/prompts/engines/teams';
import { changeTeam, type Team } from '@ludus-agents/learning/internal/prompts/team';
import { idleProposer, toyGround } from '@ludus-agents/learning/internal/prompts/toy.cases';
import { scoreOf } from '@ludus-agents/learning/internal/prompts/trial-scores';
import type { ProgramOptions } from '../arms.ts';

const roles = ['sums', 'dates', 'author', 'critic', 'searcher', 'reader', 'idle1', 'idle2', 'idle3', 'idle4', 'idle5', 'idle6'];
const alone = { sums: 0.12, dates: 0.12 };
const synergies = [
  ['author', 'critic', 0.25],
  ['searcher', 'reader', 0.25],
] as const;
const cost = 0.02;
const looks = 4;

/** The chance that a team does a task. */
function chanceOf(members: readonly string[]): number {
  const soloGain = Object.entries(alone).reduce((sum, [role, gain]) => sum + (members.includes(role) ? gain : 0), 0);
  return synergies.reduce((sum, [a, b, gain]) => sum + (members.includes(a) && members.includes(b) ? gain : 0), 0.1 + soloGain);
}

const worthOf = (members: readonly string[]) => chanceOf(members) - cost * (members.length - 1);

function membersOf({ settings }: AgentSpec): readonly string[] {
  const team: Json | undefined = settings?.['team'];
  return isObject(team) ? (team['members'] as readonly string[]) : ['lead'];
}

/** An engine that goes on from one team by changes. */
const changing = (name: string, change: (parts: Parts, team: Team, step: number) => Team, looksFirst: boolean) =>
  defineEngine({
    ...{ name, method: name, source: 'a control', differs: '', parameters: {} },
    async *run(parts) {
      let current = parts.start;
      parts.archive.add(current);
      yield { kind: 'best', candidate: current, score: await selectScore(parts, current) };
      for (let step = 0; ; step++) {
        const child = childOf(parts, change(parts, teamIn(current.components), step), step);
        if (child === null || parts.archive.has(child.id)) continue;
        if (looksFirst) {
          const places = Array.from({ length: looks }, (_, task) => ({ split: 'propose' as const, task, repeat: step }));
          const [before, after] = [await parts.bench.evaluate(current, places), await parts.bench.evaluate(child, places)];
          if (scoreOf(after) <= scoreOf(before)) continue;
        }
        parts.archive.add(child);
        if (!(await holdChild(parts, current, child)).accept) continue;
        current = child;
        yield { kind: 'best', candidate: current, score: await selectScore(parts, current) };
      }
    },
  });

function childOf(parts: Parts, team: Team, step: number): Candidate | null {
  const components = { ...parts.start.components, 'setting/team': canonical(team) };
  const origin = { engine: parts.archive.engine, proposer: parts.proposer.name, step };
  const outcome = createChild(components, { parents: [parts.start], origin, locked: parts.locked });
  return 'refused' in outcome ? null : outcome.child;
}

const engines = {
  policy: () => builtInEngine('team-policy'),
  greedy: () =>
    changing(
      'greedy',
      ({ dice }, team, step) => {
        const member = dice('role', step).pick(roles);
        return changeTeam(team, team.members.includes(member) ? { op: 'remove', member } : { op: 'add', member, heardBy: team.answers });
      },
      true,
    ),
  random: () =>
    changing(
      'random',
      ({ dice }, { answers }, step) => {
        const roll = dice('team', step);
        const members = roles.filter(() => roll.next() < 0.5);
        return { members: [answers, ...members], links: members.map((member) => [member, answers] as const), answers };
      },
      false,
    ),
};

export default async function run({ arm = 'policy', plays = 3000, seed = 1 }: ProgramOptions): Promise<Json> {
  const texts = Object.fromEntries(roles.map((role) => [`member/${role}`, `You are ${role}.`]));
  const team = { members: ['lead'], links: [], answers: 'lead' };
  const start: AgentSpec = { name: 'crew', kind: 'llm', texts: { instruction: 'Work.', ...texts }, settings: { team } };
  const ground = toyGround((spec, trial) => {
    const members = membersOf(spec);
    return (rng(trial.seed, 'task').next() < chanceOf(members) ? 1 : 0) - cost * (members.length - 1);
  });
  const { best, archive } = await trialled({
    ...{ engine: engines[arm as keyof typeof engines](), ground, tasks: { propose: 64, select: 48, report: 8 }, seed: Number(seed) },
    ...{ start, proposer: idleProposer, calls: Number(plays) },
  });
  const members = membersOf(best.spec);
  return { worth: worthOf(members), members: [...members], moved: arm === 'policy' ? archive.tried.length : 0 };
}
