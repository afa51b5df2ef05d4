/** @file An arena of five tic-tac-toe players that err at rates from 0 to 1: does the rating recover their order? Options: labels, seed. */

import { rankingOf } from '@ludus-agents/evaluation/internal/scoring/arena/ranking';
import { type Json, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { environmentOf, mixed, orderOf, playOne, scriptOf } from './_play.ts';

const rates = [0, 0.15, 0.35, 0.6, 1];
const games = 6;

export default async function run({ labels = 'true', seed = 1 }: ProgramOptions): Promise<Json> {
  const environment = await environmentOf('tic-tac-toe');
  const best = scriptOf(environment, Object.keys(environment.scripts ?? {})[0]);
  const players = rates.map((rate) => scripted(String(rate), mixed(best, scriptOf(environment, 'random'), rate)));
  const matches: {
    readonly first: string;
    readonly second: string;
    readonly seed: number;
    readonly margin: number;
    readonly episodes: number;
  }[] = [];
  for (const [i, player] of players.entries())
    for (const [j, opponent] of players.entries())
      for (let game = 0; i !== j && game < games; game++) {
        const at = Number(seed) * 10_000 + i * 1000 + j * 100 + game;
        const { returns } = await playOne(environment, { X: player, O: opponent }, {}, at);
        matches.push({
          first: player.name,
          second: opponent.name,
          seed: at,
          margin: (returns['X'] ?? 0) - (returns['O'] ?? 0),
          episodes: 1,
        });
      }
  const ranking = rankingOf(matches, rates.map(String), { seed: Number(seed) });
  const rating = new Map((ranking?.agents ?? []).map(({ agent, rating: value }) => [agent, value]));
  const ratings = rates.map((rate) => rating.get(String(rate)) ?? 0);
  return { order: -orderOf(rates, ratings, String(labels), Number(seed)), ratings };
}
