import { describe, expect, it } from 'vitest';
import { type Glicko, glickoInterval, glickoPeriod, glickoStart, glickoUpdate } from './glicko.ts';
import { skillInterval, skillStart, type TrueSkillRating, trueskill } from './trueskill.ts';

describe('Glicko-2', () => {
  const example = {
    own: { rating: 1500, deviation: 200, volatility: 0.06 },
    games: [
      { against: { rating: 1400, deviation: 30, volatility: 0.06 }, score: 1 },
      { against: { rating: 1550, deviation: 100, volatility: 0.06 }, score: 0 },
      { against: { rating: 1700, deviation: 300, volatility: 0.06 }, score: 0 },
    ],
  };

  it("matches Glickman's worked example", () => {
    const { rating, deviation, volatility } = glickoUpdate(example.own, example.games);
    expect(Math.abs(rating - 1464.06)).toBeLessThan(0.011);
    expect(deviation).toBeCloseTo(151.52, 2);
    // The paper cuts its digits off after 0.05999.
    expect(Math.trunc(volatility * 1e5)).toBe(5999);
  });

  it('rates a whole period at once, and widens the deviation of idle players', () => {
    const before = new Map<string, Glicko>([['own', example.own], ...example.games.map((game, i) => [`g${i}`, game.against] as const)]);
    before.set('idle', { rating: 1600, deviation: 50, volatility: 0.06 });
    const after = glickoPeriod(
      before,
      example.games.map((game, i) => ({ first: `g${i}`, second: 'own', score: 1 - game.score })),
    );
    expect(after.get('own')).toEqual(glickoUpdate(example.own, example.games));
    expect(after.get('idle')).toEqual({ rating: 1600, deviation: Math.hypot(50, 0.06 * 173.7178), volatility: 0.06 });
    expect(glickoPeriod(new Map(), [{ first: 'a', second: 'b', score: 0.5 }]).get('a')?.rating).toBe(glickoStart.rating);
  });

  it('raises volatility after a surprise, with a 95% interval of about two deviations', () => {
    const shock = glickoUpdate(
      { rating: 1500, deviation: 30, volatility: 0.06 },
      Array.from({ length: 12 }, () => ({ against: { rating: 2300, deviation: 30, volatility: 0.06 }, score: 1 })),
    );
    expect(shock.volatility).toBeGreaterThan(0.06);
    expect(glickoInterval({ rating: 1500, deviation: 100, volatility: 0.06 })[1]).toBeCloseTo(1695.996, 3);
    expect(() => glickoUpdate(example.own, example.games, 0)).toThrow('tau');
  });
});

describe('TrueSkill', () => {
  const skill = (mean: number, deviation: number): TrueSkillRating => ({ mean, deviation });
  const flat = (teams: readonly (readonly TrueSkillRating[])[]) =>
    teams.flat().flatMap((trueSkillRating) => [trueSkillRating.mean, trueSkillRating.deviation]);
  const start = skillStart;

  /** From the `trueskill` package for Python (0.4.5) with min_delta=1e-14; the first six are also in its published tests. */
  const published: readonly {
    readonly teams: readonly (readonly TrueSkillRating[])[];
    readonly places: readonly number[];
    readonly after: readonly number[];
  }[] = [
    { teams: [[start], [start]], places: [0, 1], after: [29.39583202, 7.171475587, 20.60416798, 7.171475587] },
    { teams: [[start], [start]], places: [0, 0], after: [25, 6.457519662, 25, 6.457519662] },
    {
      teams: [[start], [start], [start]],
      places: [0, 1, 2],
      after: [31.675352419, 6.655985378, 25, 6.207896641, 18.324647581, 6.655985378],
    },
    {
      teams: [[start], [start], [start], [start]],
      places: [0, 1, 2, 3],
      after: [33.206680966, 6.34810917, 27.401454694, 5.787162935, 22.598545306, 5.787162935, 16.793319034, 6.34810917],
    },
    { teams: [[start], [start], [start]], places: [0, 0, 0], after: [25, 5.698674616, 25, 5.695255416, 25, 5.698674616] },
    {
      teams: [[start], [start, start]],
      places: [0, 1],
      after: [33.730671253, 7.317365246, 16.269328747, 7.317365246, 16.269328747, 7.317365246],
    },
    { teams: [[skill(40, 4)], [skill(45, 3)]], places: [0, 0], after: [41.335711875, 3.425026165, 44.248408546, 2.766411704] },
    {
      teams: [[skill(30, 3), skill(20, 5)], [skill(28, 7)], [skill(25, 2), skill(25, 8), skill(10, 4)]],
      places: [1, 0, 1],
      after: [
        ...[28.851721481, 2.884495809, 16.811911374, 4.44005781, 40.981198305, 5.431907967],
        ...[24.449458887, 1.978414164, 16.205654346, 6.349937635, 7.800697978, 3.811253515],
      ],
    },
    { teams: [[skill(5, 1)], [skill(45, 1)]], places: [0, 1], after: [6.140431369, 0.98989179, 43.859568631, 0.98989179] },
  ];

  it('matches the published numbers for duels, free-for-alls, teams, draws, and an upset', () => {
    for (const { teams, places, after } of published) {
      flat(trueskill(teams, places)).forEach((value, i) => {
        expect(value).toBeCloseTo(after[i]!, 4);
      });
    }
  });

  it('does not depend on the order of teams', () => {
    const { teams, places } = published[7]!;
    const turned = trueskill(teams.toReversed(), places.toReversed()).toReversed();
    const straight = trueskill(teams, places);
    // Two teams that draw may stand in either order in the chain: the result is the same to the accuracy of the method.
    flat(turned).forEach((value, i) => {
      expect(Math.abs(value - flat(straight)[i]!)).toBeLessThan(0.3);
    });
    expect(flat(trueskill([[start], [skill(30, 4)]], [1, 0]))).toEqual(flat(trueskill([[skill(30, 4)], [start]], [0, 1]).toReversed()));
  });

  it('stays finite after extreme results', () => {
    for (const places of [
      [0, 1],
      [0, 0],
    ])
      for (const value of flat(trueskill([[skill(0, 0.1)], [skill(1000, 0.1)]], places))) expect(Number.isFinite(value)).toBe(true);
  });

  it('learns the better player, has a conservative bound, and rejects invalid input', () => {
    let [a, b] = [start, start];
    for (let game = 0; game < 20; game++) [[a], [b]] = trueskill([[a], [b]], [0, 1]) as [[TrueSkillRating], [TrueSkillRating]];
    expect(skillInterval(a)[0]).toBeGreaterThan(b.mean);
    expect(skillInterval(skill(25, 2))[0]).toBeCloseTo(21.08, 2);
    expect(() => trueskill([[start]], [0])).toThrow('TrueSkill needs at least two non-empty teams and');
    expect(() => trueskill([[start], [start]], [0, 0], { drawChance: 0 })).toThrow('drawChance');
    expect(flat(trueskill([[start], [start]], [0, 1], { drawChance: 0 }))[0]).toBeCloseTo(29.205, 2);
  });
});
