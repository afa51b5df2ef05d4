/**
 * @file A team of three speakers without a language model, on a ground where protocols differ ("files", "route", or "clock"). Options:
 * ground, settings (JSON of the team), games, seed. Prints the mean return, the speeches per episode, and how often each mechanism
 * acted.
 */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { grounds, paceGround, playGround } from '../../benchmarks/_grounds.ts';
import type { ProgramOptions } from '../arms.ts';
import { forEachOf } from './_apprentice.ts';
import { scripts } from './_stages.ts';

const named = { files: grounds[0], route: grounds[1], clock: grounds[2], pace: paceGround };

export default async function run(
  { ground = 'route', settings = '{}', games = 20, seed = 1 }: ProgramOptions,
  stage = scripts,
): Promise<Json> {
  const place = named[ground as keyof typeof named];
  const plays = await forEachOf(Array.from({ length: Number(games) }), (_, game) =>
    playGround(place, Number(seed) * 1000 + game, JSON.parse(String(settings)) as JsonObject, stage.player),
  );
  const acted: Record<string, number> = {};
  for (const item of plays) for (const [name, count] of Object.entries(item.acted)) acted[name] = (acted[name] ?? 0) + count;
  return { paid: meanOrZero(plays.map(({ paid: reward }) => reward)), speeches: meanOrZero(plays.map(({ speeches }) => speeches)), acted };
}
