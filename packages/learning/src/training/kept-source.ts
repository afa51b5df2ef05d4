/** @file Loads the kept episodes of a recipe: from a run of the store or an exported file, with the same filters as any dataset. */

import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AnyEnvironment, Fault, type Json, type Seat, type Store } from '@ludus-agents/kernel/internal/core/index';
import { choose, type Filter, plays, readBound } from '@ludus-agents/store/internal/exports/index';
import { loadRun } from '@ludus-agents/store/internal/stores';
import { bestOf, type KeptEpisode } from '../rl/kept-lessons.ts';
import type { KeptSource } from '../rl/recipe.ts';
import { isTraceGame, playedId, withTraces } from '../rl/trace-game.ts';
import { openKeptFile } from './kept-file.ts';

export interface KeptPlace {
  readonly environment: AnyEnvironment;
  /** The learner's seats. */
  readonly seats: readonly Seat[];
  readonly cwd: string;
  /** The origin of the names in the recipe. */
  readonly trust: Trust;
  readonly store: Store | undefined;
  /** Whether episodes are compared, so that a file's rejected answers are read too. */
  readonly compares?: boolean;
}

/** Every seat of every episode that passes the filters, oldest first, or the best share of them. */
export async function keptEpisodes(keptSource: KeptSource, place: KeptPlace): Promise<readonly KeptEpisode[]> {
  const { top: share, ...rest } = keptSource;
  const sources = keptSource.from.split(',').map((from) => from.trim());
  if (sources.length > 1) {
    // Several runs form one source: a generalist can learn from specialists.
    const matchingKeptEpisodes = (await Promise.all(sources.map((from) => keptEpisodes({ ...rest, from }, place)))).flat();
    return share === undefined ? matchingKeptEpisodes : bestOf(matchingKeptEpisodes, share);
  }
  const { from, where = [], mask = [], maskQuotes = [], seats = place.seats, limit, top } = keptSource;
  return withKeptStore(keptSource, place, async (store, run) => {
    const filter: Filter = {
      query: { ...(run !== undefined && { run }), environment: playedId(place.environment), ...(limit !== undefined && { limit }) },
      seats,
      bounds: where.map((text) => readBound(text, 'kept.where')),
      ...(mask.length > 0 && { masks: mask.map((text) => readBound(text, 'kept.mask')) }),
      ...(maskQuotes.length > 0 && { quotes: maskQuotes.map((text) => readBound(text, 'kept.maskQuotes')) }),
    };
    const choices = await choose(store, filter);
    const keptEpisodes: KeptEpisode[] = [];
    for await (const { events: log, seats: fitting, masked, quoted } of plays(store, choices, { filter, split: { evalShare: 0, seed: 0 } }))
      for (const seat of fitting) {
        const parts = quoted?.[seat];
        const lesson = isTraceGame(place.environment) ? withTraces(log, seat) : log;
        if (lesson === null) continue;
        const whole = masked?.[seat] === undefined ? undefined : new Set([...masked[seat]].filter((turn) => parts?.has(turn) !== true));
        keptEpisodes.push({
          log: lesson,
          seat,
          ...(whole !== undefined && { masked: whole }),
          ...(parts !== undefined && { quoted: parts }),
        });
      }
    if (choices.length === 0) {
      const played = new Set(
        (await store.episodes({ ...(run !== undefined && { run }), limit: 500 })).map(({ environment }) => environment),
      );
      throw new Fault(
        'input',
        `${from} has no finished episode of ${place.environment.id} to learn from${played.size > 0 ? `: its episodes are of ${[...played].join(', ')}` : ''}. Use another run, or set --environment.`,
      );
    }
    if (keptEpisodes.length === 0)
      throw new Fault(
        'input',
        `None of the ${choices.length} episodes of ${from} passes ${where.join(' and ') || 'the filter'}${isTraceGame(place.environment) ? ' and was played by a team' : ''} for ${seats.join(', ')}, so there is nothing to learn from.`,
      );
    return top === undefined ? keptEpisodes : bestOf(keptEpisodes, top);
  });
}

/** Opens the store and the run of a source; a file is read into memory. A bare name is looked up as a run first, then as a file. */
async function withKeptStore<T>(
  { from }: KeptSource,
  { cwd, trust, store, compares = false }: Pick<KeptPlace, 'cwd' | 'trust' | 'store' | 'compares'>,
  use: (store: Store, run: string | undefined) => Promise<T>,
): Promise<T> {
  const file = await openKeptFile(from, { cwd, trust }, compares);
  if (file !== null) return use(file, undefined);
  const openBareName = () => openKeptFile(`./${from}`, { cwd, trust }, compares);
  if (store === undefined) {
    const bareFile = await openBareName();
    if (bareFile !== null) return use(bareFile, undefined);
    throw new Fault('input', `Episodes of ${from} are in a store, but this training has no store. Use a file.`);
  }
  const source = await loadRun(store, from).catch(async (thrown) => (await openBareName()) ?? Promise.reject(thrown));
  return 'id' in source ? use(store, source.id) : use(source, undefined);
}

/** The environment and the tasks of kept episodes. */
export interface KeptGround {
  readonly environment: string;
  /** All environments, if there are several. */
  readonly environments: readonly string[];
  readonly tasks: readonly Json[];
  /** Turns of the longest episode. */
  readonly turns: number;
}

/** The environment of a source's episodes, by its given name, and their tasks. Null if a source names none. */
export async function keptGround(keptSource: KeptSource, place: Pick<KeptPlace, 'cwd' | 'trust' | 'store'>): Promise<KeptGround | null> {
  const sources = keptSource.from.split(',').map((from) => from.trim());
  if (sources.length > 1) {
    const keptGrounds = (await Promise.all(sources.map((from) => keptGround({ ...keptSource, from }, place)))).filter(
      (keptGround) => keptGround !== null,
    );
    const names = [...new Set(keptGrounds.flatMap(({ environments }) => environments))];
    const tasks = new Map(keptGrounds.flatMap((keptGround) => keptGround.tasks).map((task) => [JSON.stringify(task), task]));
    const turns = Math.max(0, ...keptGrounds.map((keptGround) => keptGround.turns));
    return names[0] === undefined
      ? null
      : { environment: names[0], environments: names, tasks: [...tasks.values()].slice(0, mostTasks), turns };
  }
  return withKeptStore(keptSource, place, async (store, run) => {
    const runs = run === undefined ? await store.runs() : [await store.run(run)];
    const planned = runs.flatMap((run) => run?.plan.environments ?? []);
    const names = [...new Set(planned.map(({ environment }) => environment))];
    const records = await store.episodes({ ...(run !== undefined && { run }), limit: 500 });
    const played = [...new Set(records.map(({ environment }) => environment))];
    const options = names.length > 0 ? names : played;
    const [environment] = options;
    if (environment === undefined) return null;
    const tasks = new Map(records.map(({ task }) => [JSON.stringify(task), task]));
    return {
      environment,
      environments: options,
      tasks: [...tasks.values()].slice(0, mostTasks),
      turns: records.reduce((most, record) => Math.max(most, record.turns), 0),
    };
  });
}

/** The maximum number of a source's tasks on which the learner is measured. */
const mostTasks = 64;
