import { importance } from '@ludus-agents/environments/internal/discussion/protocols/rounds';
import { type AgentSpec, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import type { Proposer } from './engine.ts';
import { trialled } from './engines/engines.cases.ts';
import { teamIn, teams } from './engines/teams.ts';
import { changeTeam, membersHeardBy, type Team } from './team.ts';
import { toyGround, toySpec } from './toy.cases.ts';

describe('agent importance', () => {
  const ratings = [
    [0.5, 0.2, 0.1],
    [0.3, 0.5, 0.1],
    [0.2, 0.3, 0.8],
  ];

  it('matches the reference table, with each round summing to one', () => {
    const totals = importance([ratings, ratings], [true, true, false]);
    expect(totals.map((total) => Number(total.toFixed(2)))).toEqual([1.13, 1.23, 0.64]);
    expect(totals.reduce((sum, value) => sum + value, 0)).toBeCloseTo(3, 12);
    const once = importance([ratings], [true, true, false]);
    expect(once.map((value, i) => value - (i < 2 ? 0.5 : 0))).toEqual([0.35, 0.4, 0.25].map((value) => expect.closeTo(value, 12)));
  });

  it('ranks a useless member last in any position', () => {
    for (let useless = 0; useless < 3; useless++) {
      const rated = [0, 1, 2].map((i) => [0, 1, 2].map(() => (i === useless ? 0 : 0.5)));
      const totals = importance(
        [rated],
        [0, 1, 2].map((i) => i !== useless),
      );
      expect(totals.indexOf(Math.min(...totals))).toBe(useless);
      expect(totals[useless]).toBe(0);
    }
  });
});

describe('team graph', () => {
  it('stays connected and acyclic under any changes', () => {
    const dice = rng(1, 'team');
    let team: Team = { members: ['lead'], links: [], answers: 'lead' };
    for (let i = 0; i < 400; i++) {
      const roll = dice.int(3);
      const [a, b] = [dice.pick(team.members), dice.pick(team.members)];
      if (roll === 0) team = changeTeam(team, { op: 'add', member: `m${i}`, heardBy: a });
      else if (roll === 1) team = changeTeam(team, { op: 'relink', from: a, to: b });
      else if (a !== team.answers) team = changeTeam(team, { op: 'remove', member: a });
      expect(membersHeardBy(team, team.answers).size).toBe(team.members.length);
      for (const [from, to] of team.links) expect(membersHeardBy(team, from).has(to)).toBe(false);
    }
  });

  it('rejects impossible changes', () => {
    const team: Team = { members: ['lead', 'a'], links: [['a', 'lead']], answers: 'lead' };
    expect(() => changeTeam(team, { op: 'remove', member: 'lead' })).toThrow(/" gives the team's answer and cannot be removed\./);
    expect(() => changeTeam(team, { op: 'add', member: 'a', heardBy: 'lead' })).toThrow(/already/);
    expect(() => changeTeam(team, { op: 'relink', from: 'b', to: 'lead' })).toThrow(/no member "b"/);
  });
});

/** Three briefs, of which two help only where the one hears the other; the third harms. */
const worth = (spec: AgentSpec) => {
  const components = Object.entries(spec.texts ?? {}).filter(([name]) => name.startsWith('member/'));
  const holder = (text: string) => components.find(([, item]) => item === text)?.[0].slice(7);
  const [checks, solves, babbles] = [holder('check'), holder('solve'), holder('babble')];
  const team = spec.settings?.['team'] as Team | undefined;
  const linked = team?.links.some(([from, to]) => from === solves && to === checks) === true;
  return 0.2 + (solves ? 0.2 : 0) + (checks ? 0.1 : 0) + (linked ? 0.3 : 0) - (babbles ? 0.2 : 0);
};

describe('teams engine', () => {
  it('finds the best team in a small space', async () => {
    const proposer: Proposer = {
      name: 'briefs',
      improver: ({ rng: dice }) => ({
        name: 'briefs',
        improve: async (spec) =>
          [toySpec(`${spec.texts?.['instruction']}\n${dice.pick(['check', 'solve', 'babble'])}`, others(spec))].map((agentSpec) => ({
            ...spec,
            ...agentSpec,
          })),
      }),
    };
    const matches: number[] = [];
    for (let seed = 1; seed <= 4; seed++) {
      const run = await trialled({
        engine: teams,
        ground: toyGround(worth),
        tasks: { propose: 6, select: 6, report: 6 },
        seed,
        start: { ...toySpec('lead'), texts: { instruction: 'lead', 'member/x': 'babble' } },
        proposer,
        calls: 1500,
        settings: { relink: 0.4, briefs: 1 },
      });
      matches.push(worth(run.best.spec));
      const team = teamIn(run.best.components);
      expect(membersHeardBy(team, team.answers).size).toBe(team.members.length);
    }
    // All helpful members, linked correctly, and no useless one: .8, as an exhaustive search of all teams finds.
    expect(Math.max(...matches)).toBeCloseTo(0.8, 12);
    expect(matches.filter((value) => value > 0.79).length).toBeGreaterThanOrEqual(3);
  });
});

function others(spec: AgentSpec): Readonly<Record<string, string>> {
  const { instruction: _, ...rest } = spec.texts ?? {};
  return rest;
}
