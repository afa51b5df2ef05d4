/** @file Explanations by trying: planted policies are found out exactly, other moves are played on, and members and memories are weighed. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explainTurn } from '@ludus-agents/evaluation/internal/explain';
import { shapleyShares } from '@ludus-agents/evaluation/internal/shapley';
import { type Agent, type AnyEnvironment, type EpisodeEvent, type Rng, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../terminal.cases.ts';

describe('Shapley shares', () => {
  it('match the worked example and add up', async () => {
    const table: Record<string, number> = { '': 0.25, '0': 0.75, '1': 0.25, '2': 0.3, '0,1': 0.9, '0,2': 0.75, '1,2': 0.3, '0,1,2': 1 };
    const shares = await shapleyShares(3, async (parts) => table[parts.join()]!, rng(1, 'shapley'));
    expect(shares.map((share) => Number(share.toFixed(4)))).toEqual([0.5833, 0.1083, 0.0583]);
    expect(shares.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0.75, 12);
  });
});

/** Three lights are shown; the second light always shows the same as the first. */
const lights: AnyEnvironment = {
  id: 'lights@1',
  about: { summary: 'Lights.', tasks: [{}], turns: 1 },
  parameters: {},
  task: () => ({}),
  seats: () => ['guard'],
  start(_: object, dice: Rng) {
    const a = dice.int(2);
    const messages = [`a ${a}`, `b ${a}`, `c ${dice.int(2)}`].map((text) => ({ to: ['guard'], text }));
    return { state: { a }, messages, asks: [{ seat: 'guard', choices: ['[on]', '[off]'] }] };
  },
  step: (state: { a: number }, actions: Readonly<Record<string, { text: string }>>) => ({
    state,
    messages: [],
    asks: [],
    rewards: { guard: (actions['guard']?.text === '[on]') === (state.a === 1) ? 1 : 0 },
  }),
};

const reads = (letter: string): Agent =>
  scripted('reader', ({ view }) => ({
    text: view.seen.some((item) => item.kind === 'message' && item.text === `${letter} 1`) ? '[on]' : '[off]',
  }));

async function explained(agent: Agent, seed: number) {
  const events: EpisodeEvent[] = [];
  for await (const event of play(lights, { guard: agent }, { seed })) events.push(event);
  const options = { environment: lights, events, at: 0, cast: { guard: 'reader' }, load: async () => agent };
  return explainTurn({ ...options, samples: 2, games: 3, moves: 3, signal: new AbortController().signal });
}

describe('parts of a view', () => {
  const on = [...Array(20).keys()].find(
    (seed) =>
      lights.start({}, rng(seed, 'start')).messages[0]?.text === 'a 1' &&
      lights.start({}, rng(seed + 1, 'start')).messages[0]?.text === 'a 0',
  ) as number;

  it('get their full share if a planted policy reads them, and a correlated decoy gets none', async () => {
    const { parts, again, did } = await explained(reads('a'), on);
    expect([did, again]).toEqual(['[on]', 1]);
    expect(parts.map(({ share, without }) => [share, without.difference])).toEqual([
      [1, 1],
      [0, 0],
      [0, 0],
    ]);
    expect(parts[0]?.swapped?.difference).toBe(1);
    expect(parts[1]?.swapped?.difference).toBe(0);
    expect((await explained(reads('b'), on)).parts.map(({ share }) => share)).toEqual([0, 1, 0]);
  });

  it('are reported with the returns of alternative moves', async () => {
    const { moves, paid } = await explained(reads('a'), on);
    expect(paid).toBe(1);
    expect(moves).toEqual([
      { move: '[on]', made: true, mean: 1, interval: [expect.closeTo(0.29, 2), 1], games: 3 },
      { move: '[off]', made: false, mean: 0, interval: [0, expect.closeTo(0.71, 2)], games: 3 },
    ]);
  });
});

describe('ludus show explain', () => {
  it('explains a turn of a stored episode, including the members of a team', async () => {
    const cwd = folder();
    const team = {
      name: 'crew',
      kind: 'team',
      settings: { protocol: 'in-order', members: ['scripted:minimax', 'random', 'scripted:lookahead'] },
    };
    writeFileSync(join(cwd, 'team.json'), JSON.stringify(team));
    const played = await ludus(cwd, ['play', 'tic-tac-toe', '--agents', './team.json,random', '--seed', '2', '--json']);
    const { episode } = JSON.parse(played.out);
    const words = ['show', 'explain', episode.slice(0, 8), '--at', '10', '--samples', '2', '--games', '2', '--moves', '2'];
    const { code, out, err } = await ludus(cwd, [...words, '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const explanation = JSON.parse(out);
    expect(explanation).toMatchObject({ episode, seat: 'X' });
    expect(explanation.members.map(({ member }: { member: string }) => member).sort()).toEqual([
      'random',
      'scripted lookahead',
      'scripted minimax',
    ]);
    // The lead of this protocol hears the others and does as it thinks: only without it another answers.
    const by = Object.fromEntries(
      explanation.members.map((otherMember: { member: string; difference: number }) => [otherMember.member, otherMember.difference]),
    );
    expect(typeof by['scripted minimax']).toBe('number');
    expect(explanation.moves[0]).toMatchObject({ made: true, games: 2 });
    expect((await ludus(cwd, words)).out).toContain('Members: the change without each.');
    expect((await ludus(cwd, ['show', 'explain', episode.slice(0, 8), '--at', '900'])).err).toContain(
      'action at or after event 900. Run "ludus show',
    );
    // The team is kept with the episode: its file is not read again.
    writeFileSync(join(cwd, 'team.json'), '{}');
    expect((await ludus(cwd, [...words, '--json'])).out).toBe(out);
  });
});
