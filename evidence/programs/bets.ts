/** @file The joint confidence of two debaters, by the scorer's measure. Options: script (of both sides), games, seed. */

import { jointConfidence } from '@ludus-agents/evaluation/internal/scoring/rules/confidence';
import { type Json, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { environmentOf, playOne, scriptOf } from './_play.ts';

export default async function run({ script = 'calibrated', games = 30, seed = 1 }: ProgramOptions): Promise<Json> {
  const environment = await environmentOf('debate');
  const side = scripted(String(script), scriptOf(environment, String(script)));
  const agents = Object.fromEntries(
    environment
      .seats(environment.task({}))
      .map((seat) => [seat, seat === 'judge' ? scripted('judge', scriptOf(environment, 'judge')) : side]),
  );
  const pairs: (readonly [number, number])[] = [];
  for (let game = 0; game < Number(games); game++) {
    const { events } = await playOne(environment, agents, {}, Number(seed) * 1000 + game);
    const bets = new Map<string, number[]>();
    for (const event of events)
      if (event.kind === 'action') {
        const data = event.action.data as { readonly confidence?: number } | undefined;
        if (typeof data?.confidence === 'number') bets.set(event.seat, [...(bets.get(event.seat) ?? []), data.confidence]);
      }
    const [left = [], right = []] = [...bets.values()];
    for (let i = 0; i < Math.min(left.length, right.length); i++) pairs.push([left[i], right[i]]);
  }
  return { excess: Math.abs(jointConfidence(pairs)?.joint ?? 0) };
}
