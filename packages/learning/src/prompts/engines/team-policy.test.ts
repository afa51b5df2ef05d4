/** @file A policy over teams: worked numbers, the best of all teams is what it samples most, a useless role leaves, equals move nothing. */

import { type AgentSpec, isObject, type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import type { Team } from '../team.ts';
import { idleProposer, toyGround } from '../toy.cases.ts';
import { trialled } from './engines.cases.ts';
import { builtInEngine } from './index.ts';
import { afterGroup, relativeAdvantages, sampleTeam, type TeamPolicy } from './team-policy.ts';

/** A vault of three digits: each role but the last knows one, and every member costs a little. */
const roles = ['Ann', 'Ben', 'Cleo', 'idle'];
const opens = (members: readonly string[]) => ['Ann', 'Ben', 'Cleo'].filter((item) => members.includes(item)).length;
const worth = ({ members }: Pick<Team, 'members'>) => 0.25 ** (3 - opens(members)) - 0.02 * (members.length - 1);
const settings = { rate: 0.6, helping: 0.5 };
const fresh: TeamPolicy = { roles: Object.fromEntries(roles.map((role) => [role, 0])), links: {} };

it('team policy normalizes rewards within a group', () => {
  expect(relativeAdvantages([1, 1, 0, 0, 0.5]).map((value) => Number(value.toFixed(3)))).toEqual([1.118, 1.118, -1.118, -1.118, 0]);
  expect(relativeAdvantages([2, 2, 2])).toEqual([0, 0, 0]);
});

it('converges to the best of sixteen teams within 2,000 samples and drops the useless role', () => {
  const all = Array.from({ length: 16 }, (_, bits) => ({ members: ['lead', ...roles.filter((_, i) => (bits >> i) & 1)] }));
  const best = all.reduce((a, b) => (worth(b) > worth(a) ? b : a)).members;
  for (let seed = 0; seed < 5; seed++) {
    const dice = rng(seed, 'policy');
    let policy = fresh;
    for (let samples = 0; samples < 2000; samples += 8) {
      const teams = Array.from({ length: 8 }, () => sampleTeam(policy, 'lead', (chance) => dice.next() < chance));
      policy = afterGroup(
        policy,
        teams.map((team) => ({ team, reward: worth(team) })),
        settings,
      );
    }
    expect([...sampleTeam(policy, 'lead', (chance) => chance > 0.5).members].sort()).toEqual([...best].sort());
  }
});

it('does not move if all teams are equal', () => {
  const dice = rng(1, 'equal');
  const teams = Array.from({ length: 8 }, () => ({ team: sampleTeam(fresh, 'lead', (chance) => dice.next() < chance), reward: 0.5 }));
  expect(afterGroup(fresh, teams, settings).roles).toEqual(fresh.roles);
});

it('finds a better team through the gate as an engine', async () => {
  const texts = Object.fromEntries(roles.map((role) => [`member/${role}`, `I am ${role}.`]));
  const start: AgentSpec = {
    name: 'toy',
    kind: 'llm',
    texts: { instruction: 'Play.', ...texts },
    settings: { team: { members: ['lead', 'idle'], links: [['idle', 'lead']], answers: 'lead' } },
  };
  const membersOf = ({ settings: input }: AgentSpec) => {
    const team: Json | undefined = input?.['team'];
    return isObject(team) ? (team['members'] as readonly string[]) : [];
  };
  const ground = toyGround((spec) => worth({ members: membersOf(spec) }));
  const { best } = await trialled({
    ...{ engine: builtInEngine('team-policy'), ground, tasks: { propose: 8, select: 12, report: 8 }, seed: 1 },
    ...{ start, proposer: idleProposer, calls: 3000 },
  });
  expect(worth({ members: membersOf(best.spec) })).toBeGreaterThan(worth({ members: membersOf(start) }));
});
