/** @file The run of a cast that was put together at a terminal or a page: it keeps the personas, so that its episodes can be scored and reported. */

import { type AgentSpec, hash, type Json, type Plan, type Seat, type Seed, type Store } from '../core/index.ts';
import { slug } from '../personas/slug.ts';

export interface CastRun {
  /** What kind of play it is, such as "scene" or "chat": the first word of the run's id. */
  readonly kind: string;
  readonly title: string;
  readonly environment: string;
  readonly task: Json;
  readonly seed: Seed;
  readonly cast: Readonly<Record<Seat, AgentSpec | string>>;
}

/** Stores the run and gives its id. The same cast in the same scene is the same run, whatever the dice. */
export async function putCastRun(store: Pick<Store, 'putRun'>, { kind, title, environment, task, seed, cast }: CastRun): Promise<string> {
  const id = `${kind}-${slug(title).slice(0, 40) || 'untitled'}-${hash([environment, task, cast as Json]).slice(0, 8)}`;
  const plan: Plan = { name: id, environments: [{ environment, tasks: [task] }], seeds: [seed], casts: [cast] };
  await store.putRun({ id, plan, episodes: 1 });
  return id;
}
