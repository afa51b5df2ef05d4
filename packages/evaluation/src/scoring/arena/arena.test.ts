import { uniform } from '@ludus-agents/agents/internal/random';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type EpisodeRecord, rng, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { type ArenaGame, matchesOf, orderOf, pairsOf, rankingOf, toRatedGame } from './index.ts';

let arrived = 0;
function game(
  seed: number,
  cast: Record<string, string>,
  returns: Record<string, number>,
  status: EpisodeRecord['status'] = 'over',
): EpisodeRecord {
  const id = `g${++arrived}`;
  return { ...{ id, run: 'r', environment: 'duel@1', task: {}, events: 3, turns: 1, order: arrived }, seed, cast, returns, status };
}

describe('matchesOf', () => {
  it('joins both orders of a seed, so that the margin excludes luck', () => {
    const games = [
      game(0, { first: 'a', second: 'b' }, { first: 2, second: -2 }),
      game(0, { first: 'b', second: 'a' }, { first: 1, second: -1 }),
    ];
    expect(matchesOf(games, ['a', 'b'])).toEqual([{ first: 'a', second: 'b', seed: 0, margin: 1 }]);
    expect(matchesOf(games, ['b', 'a'])).toEqual([{ first: 'b', second: 'a', seed: 0, margin: -1 }]);
  });

  it('omits incomplete matches, failed games, and games with other agents', () => {
    const half = game(0, { first: 'a', second: 'b' }, { first: 2, second: -2 });
    expect(matchesOf([half], ['a', 'b'])).toEqual([]);
    expect(matchesOf([half, game(0, { first: 'b', second: 'a' }, { first: 0, second: 0 }, 'error')], ['a', 'b'])).toEqual([]);
    expect(matchesOf([half, game(0, { first: 'b', second: 'c' }, { first: 0, second: 0 })], ['a', 'b'])).toEqual([]);
  });

  it('compares agents that played alone on the same seed', () => {
    const games = [game(4, { solo: 'a' }, { solo: 0.3 }), game(4, { solo: 'b' }, { solo: 0.5 }), game(5, { solo: 'a' }, { solo: 1 })];
    expect(matchesOf(games, ['a', 'b'])).toMatchObject([{ seed: 4, margin: -0.2 }]);
  });

  it('splits a game of many seats between two agents', () => {
    const cast = { one: 'a', two: 'b', three: 'a', four: 'b' };
    const swapped = { one: 'b', two: 'a', three: 'b', four: 'a' };
    const games = [game(1, cast, { one: 4, two: 1, three: 2, four: 1 }), game(1, swapped, { one: 0, two: 5, three: 0, four: 5 })];
    expect(matchesOf(games, ['a', 'b'])).toMatchObject([{ margin: 3.5 }]);
  });

  it('treats a rounding difference as a tie', () => {
    expect(toRatedGame({ first: 'a', second: 'b', seed: 0, margin: 1e-12 }).score).toBe(0.5);
    expect(toRatedGame({ first: 'a', second: 'b', seed: 0, margin: -0.1 }).score).toBe(0);
  });

  it('finds the better poker player, even though it wins fewer hands than chance', async () => {
    const environment = await builtInEnvironment('kuhn-poker');
    const script = environment.scripts?.['equilibrium'];
    const players = { good: scriptedPolicy('good', script as NonNullable<typeof script>), chance: scriptedPolicy('chance', uniform) };
    const seeds = Array.from({ length: 600 }, (_, seed) => seed);
    const games: EpisodeRecord[] = [];
    for (const [first, second] of [['good', 'chance'] as const, ['chance', 'good'] as const]) {
      const logs = await rollout(environment, { first: players[first], second: players[second] }, { seeds });
      for (const [i, log] of logs.entries()) {
        const end = log.at(-1);
        if (end?.kind === 'end') games.push(game(seeds[i]!, { first, second }, { ...end.returns }));
      }
    }
    const hands = games.map(({ cast, returns }) => returns?.[cast['first'] === 'good' ? 'first' : 'second'] as number);
    expect(hands.filter((won) => won > 0).length).toBeLessThan(hands.filter((won) => won < 0).length);
    const ranking = rankingOf(matchesOf(games, ['good', 'chance']), ['good', 'chance']);
    expect(ranking?.agents.map(({ agent }) => agent)).toEqual(['good', 'chance']);
    expect(ranking?.separation.decided).toBe(true);
  });
});

describe('rankingOf', () => {
  const strengths: Readonly<Record<string, number>> = { strong: 1.2, middle: 0, twin: 0, weak: -1.2 };
  const played = (seeds: number, salt: string): ArenaGame[] =>
    pairsOf(Object.keys(strengths)).flatMap(([first, second]) =>
      Array.from({ length: seeds }, (_, seed) => {
        const chance = 1 / (1 + Math.exp(strengths[second]! - strengths[first]!));
        return { first, second, seed, margin: rng(seed, salt, first, second).next() < chance ? 1 : -1 };
      }),
    );

  it('orders by strength and reports ties', () => {
    const ranking = rankingOf(played(200, 'x'), Object.keys(strengths));
    expect(ranking?.agents[0]).toMatchObject({ agent: 'strong', places: [1, 1], matches: 600 });
    expect(ranking?.agents.at(-1)).toMatchObject({ agent: 'weak', places: [4, 4] });
    expect(ranking?.agents.slice(1, 3).map(({ places }) => places)).toEqual([
      [2, 3],
      [2, 3],
    ]);
    expect(ranking?.separation).toMatchObject({ decided: false });
    expect(ranking?.pairs).toHaveLength(6);
    const elos = ranking?.agents.map(({ elo }) => elo) ?? [];
    const skills = ranking?.agents.map(({ skill }) => skill) ?? [];
    const glickos = ranking?.agents.map(({ glicko }) => glicko) ?? [];
    for (const { glicko, glickoInterval } of ranking?.agents ?? [])
      expect(glickoInterval[0] < glicko && glicko < glickoInterval[1]).toBe(true);
    for (const list of [elos, skills, glickos]) expect(list[0]).toBeGreaterThan(list.at(-1) as number);
    for (const { rating, interval } of ranking?.agents ?? []) expect(interval[0] < rating && rating < interval[1]).toBe(true);
  });

  it('gives places consistent with the undecided pairs, even if first and last are separated', () => {
    // Each wins 6 games of 10 against the next, and the first all 10 against the last.
    const played = (first: string, second: string, won: number) =>
      Array.from({ length: 10 }, (_, seed) => ({ first, second, seed, margin: seed < won ? 1 : -1 }));
    const ranking = rankingOf([...played('a', 'b', 6), ...played('b', 'c', 6), ...played('a', 'c', 10)], ['a', 'b', 'c']);
    expect(ranking?.separation.words).toBe('The order is not decided after 30 matches: cannot yet separate a and b; b and c.');
    expect(ranking?.agents.map(({ agent, places }) => [agent, ...places])).toEqual([
      ['a', 1, 2],
      ['b', 1, 3],
      ['c', 2, 3],
    ]);
  });

  it('keeps the strength of an undefeated agent with ties finite', () => {
    const margins = [...new Array<number>(30).fill(1), ...new Array<number>(10).fill(0)];
    const matches = margins.map((margin, seed) => ({ first: 'a', second: 'b', seed, margin }));
    const ranking = rankingOf(matches, ['a', 'b']);
    expect(ranking?.agents[0]).toMatchObject({ agent: 'a', wins: 30, draws: 10, losses: 0 });
    expect(ranking?.agents[0]?.interval.every(Number.isFinite)).toBe(true);
    expect(ranking?.separation.decided).toBe(true);
    expect(ranking?.agents[0]?.eloInterval).not.toBeNull();
    const tied = rankingOf(
      matches.map((item) => ({ ...item, margin: 0 })),
      ['a', 'b'],
    );
    expect(tied?.separation.decided).toBe(false);
    expect(tied?.agents.map(({ places, eloInterval }) => [places, eloInterval])).toEqual([
      [[1, 2], null],
      [[1, 2], null],
    ]);
  });

  it('returns null while some agents have not met', () => {
    expect(rankingOf([], ['a', 'b'])).toBeNull();
    expect(rankingOf([{ first: 'a', second: 'b', seed: 0, margin: 1 }], ['a', 'b', 'c'])).toBeNull();
  });

  it('rarely decides between equals, even after five looks', () => {
    let decided = 0;
    for (let i = 0; i < 200; i++) {
      const matches = Array.from({ length: 100 }, (_, seed) => ({
        ...{ first: 'a', second: 'b', seed },
        margin: rng(i, 'equal', seed).next() < 0.5 ? 1 : -1,
      }));
      const looks = [10, 20, 40, 70, 100].map((n) => orderOf(matches.slice(0, n), ['a', 'b'], { looks: 5 }));
      if (looks.some((order) => order?.separation.decided === true)) decided++;
    }
    expect(decided / 200).toBeLessThan(0.08);
  });
});
