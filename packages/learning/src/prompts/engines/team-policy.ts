/**
 * @file A policy over teams (MasHost, arXiv 2506.08507): it samples the participating roles and the links between readers, several teams
 * play the same tasks, and the policy moves towards teams that did better than the others of their group, and towards members whose absence
 * lowers the score.
 *
 * Differs: roles are the briefs that the agent has (`member/NAME`), each in or out, instead of a growing sequence; the two parts of the
 * advantage are added with a weight, which the source leaves open; what is sampled most likely is at the gate, not the last sample.
 */

import { canonical, parameter } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { type Candidate, createChild } from '../candidate.ts';
import type { SpecTexts } from '../components.ts';
import { defineEngine, type Happening, holdChild, type Parts, selectScore } from '../engine.ts';
import { changeTeam, type Team } from '../team.ts';
import type { TrialKey } from '../trial-ledger.ts';
import { scoreOf } from '../trial-scores.ts';
import { refuseTeam, teamIn } from './teams.ts';

const graph = 'setting/team';

const parameters = {
  group: parameter.integer({ min: 2, max: 64, default: 6, description: 'teams that play the same tasks' }),
  looks: parameter.integer({ min: 1, max: 256, default: 4, description: 'tasks that each of them plays' }),
  rate: parameter.number({ min: 0.01, max: 5, default: 0.6, description: 'how far the policy moves' }),
  helping: parameter.number({
    min: 0,
    max: 5,
    default: 0.5,
    description: 'weight of a member’s contribution, relative to the team’s result',
  }),
  held: parameter.integer({ min: 1, max: 1000, default: 4, description: 'groups between two teams at the gate' }),
} as const;

/** Log-odds: of a role's participation, and of one role reading another. */
export interface TeamPolicy {
  readonly roles: Record<string, number>;
  readonly links: Record<string, number>;
}

/** Each reward relative to its group, in standard deviations; all 0 if the rewards are equal. */
export function relativeAdvantages(rewards: readonly number[]): readonly number[] {
  const mean = meanOrZero(rewards);
  const spread = Math.sqrt(meanOrZero(rewards.map((reward) => (reward - mean) ** 2)));
  return rewards.map((reward) => (spread === 0 ? 0 : (reward - mean) / spread));
}

const chance = (odds: number) => 1 / (1 + Math.exp(-odds));
const linkName = (from: string, to: string) => `${from} > ${to}`;

/** Samples a team from the policy; `roll` decides each choice by its probability. */
export function sampleTeam(policy: TeamPolicy, lead: string, roll: (chance: number) => boolean): Team {
  const members = Object.keys(policy.roles).filter((role) => roll(chance(policy.roles[role])));
  let team: Team = { members: [lead], links: [], answers: lead };
  for (const member of members) team = changeTeam(team, { op: 'add', member, heardBy: lead });
  for (const from of members)
    for (const to of members)
      if (from !== to && roll(chance(policy.links[linkName(from, to)] ?? -2))) team = changeTeam(team, { op: 'relink', from, to });
  return team;
}

/** Updates the policy after a group: every choice of a team moves by the team's advantage, and a role also by its own contribution. */
export function afterGroup(
  policy: TeamPolicy,
  teams: readonly { readonly team: Team; readonly reward: number }[],
  { rate, helping }: { readonly rate: number; readonly helping: number },
): TeamPolicy {
  const advantages = relativeAdvantages(teams.map(({ reward }) => reward));
  const [roles, links] = [{ ...policy.roles }, { ...policy.links }];
  for (const role of Object.keys(roles)) {
    const isIn = ({ team }: { readonly team: Team }) => team.members.includes(role);
    const [having, lacking] = [teams.filter(isIn), teams.filter((team) => !isIn(team))];
    const adds = having.length * lacking.length === 0 ? 0 : mean(having) - mean(lacking);
    const whole = meanOrZero(teams.map((team, i) => advantages[i] * ((isIn(team) ? 1 : 0) - chance(policy.roles[role]))));
    roles[role] = withinBounds(roles[role] + rate * (whole + helping * adds));
  }
  for (const from of Object.keys(roles))
    for (const to of Object.keys(roles)) {
      if (from === to) continue;
      const name = linkName(from, to);
      const odds = policy.links[name] ?? -2;
      const moves = teams.flatMap(({ team }, i) => {
        if (!team.members.includes(from) || !team.members.includes(to)) return [];
        return [advantages[i] * ((team.links.some(([a, b]) => a === from && b === to) ? 1 : 0) - chance(odds))];
      });
      links[name] = withinBounds(odds + rate * meanOrZero(moves));
    }
  return { roles, links };
}

function mean(teams: readonly { readonly reward: number }[]): number {
  return meanOrZero(teams.map(({ reward }) => reward));
}

/** Keeps every choice possible. */
function withinBounds(odds: number): number {
  return Math.min(4, Math.max(-4, odds));
}

export const teamPolicy = defineEngine({
  name: 'team-policy',
  method: 'a policy over teams, trained by relative advantage',
  source: 'arXiv 2506.08507',
  differs:
    'roles are the briefs of the agent, each in or out; the two parts of the advantage are added; the likeliest team goes to the gate',
  parameters,

  async *run(parts, settings) {
    const { archive, dice } = parts;
    refuseTeam('team-policy', parts.start.spec);
    let current = parts.start;
    archive.add(current);
    yield { kind: 'best', candidate: current, score: await selectScore(parts, current) };
    const { members, answers } = teamIn(current.components);
    const briefs = Object.keys(current.components).flatMap((name) => (name.startsWith('member/') ? [name.slice('member/'.length)] : []));
    const roles = [...new Set([...members, ...briefs])].filter((member) => member !== answers);
    if (roles.length === 0) {
      yield { kind: 'note', words: 'The agent has no texts "member/NAME": there are no roles to choose from.' };
      return;
    }
    let policy: TeamPolicy = { roles: Object.fromEntries(roles.map((role) => [role, 0])), links: {} };
    for (let step = 0; ; step++) {
      const places = placesFor(parts, step, settings.looks);
      const group: { team: Team; reward: number }[] = [];
      for (let i = 0; i < settings.group; i++) {
        const roll = dice('team', step, i);
        const team = sampleTeam(policy, answers, (likely) => roll.next() < likely);
        const candidate = candidateOf(parts, team, step);
        if (candidate !== null) group.push({ team, reward: scoreOf(await parts.bench.evaluate(candidate, places)) });
      }
      policy = afterGroup(policy, group, settings);
      if ((step + 1) % settings.held !== 0) continue;
      const child = candidateOf(
        parts,
        sampleTeam(policy, answers, (likely) => likely > 0.5),
        step,
      );
      if (child === null || archive.has(child.id)) continue;
      archive.add(child);
      yield { kind: 'candidate', candidate: child };
      const verdict = await holdChild(parts, current, child);
      yield { kind: 'verdict', candidate: child.id, against: current.id, verdict } satisfies Happening;
      if (!verdict.accept) continue;
      current = child;
      yield { kind: 'best', candidate: current, score: await selectScore(parts, current) };
    }
  },
});

/** The start with this team; briefs of absent members stay, since they may return. */
function candidateOf(parts: Parts, team: Team, step: number): Candidate | null {
  const components: SpecTexts = { ...parts.start.components, [graph]: canonical(team) };
  const origin = { engine: parts.archive.engine, proposer: parts.proposer.name, step };
  const newChild = createChild(components, { parents: [parts.start], origin, locked: parts.locked });
  return 'refused' in newChild ? null : newChild.child;
}

function placesFor({ bench, dice }: Parts, step: number, many: number): readonly TrialKey[] {
  const tasks = dice('looks', step).shuffle(Array.from({ length: bench.tasks.propose }, (_, task) => task));
  return tasks.slice(0, many).map((task): TrialKey => ({ split: 'propose', task, repeat: step }));
}
