/** @file `list`: the entries of every kind, and stored runs and episodes. */

import { agentKinds } from '@ludus-agents/agents/internal/kinds';
import { modelKinds } from '@ludus-agents/agents/internal/models/index';
import { sandboxReport } from '@ludus-agents/agents/internal/sandbox/sandbox';
import { findEnvironmentId } from '@ludus-agents/agents/internal/workspace/environments';
import { environmentKind } from '@ludus-agents/agents/internal/workspace/kinds';
import { sandboxSettings } from '@ludus-agents/agents/internal/workspace/tools';
import { environmentGroup, environmentNames } from '@ludus-agents/environments/internal/built-in';
import { currentTally } from '@ludus-agents/evaluation/internal/current-versions';
import { type EpisodeRecord, Fault, type KindLine, type Seat, type Store } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { listKind, ownNames } from '@ludus-agents/servers/internal/describe';
import { kinds } from '@ludus-agents/servers/internal/kinds';
import { checkAgentPlayed, loadRun, storeExists } from '@ludus-agents/store/internal/stores';
import { otherLists } from './list-names.ts';
import { type CallPlace, findEnvironment, placeOf, readStore, type StoreCallOptions } from './refs.ts';

/** The options of `list`. */
export interface ListRequest extends StoreCallOptions {
  /** "runs", "episodes", "sandboxes", "kinds", or the name of a kind; without it, everything is counted. */
  readonly what?: string | undefined;
  /** Only episodes of this run, environment, agent or status. */
  readonly run?: string | undefined;
  readonly environment?: string | undefined;
  readonly agent?: string | undefined;
  readonly status?: EpisodeRecord['status'] | undefined;
  /** The number of episodes; the newest come first. */
  readonly limit?: number | undefined;
}

/** A listed environment. */
export interface ListedEnvironment {
  readonly id: string;
  readonly name: string;
  readonly group: string;
  /** The first sentence of the summary. */
  readonly about: string;
  readonly seats: readonly Seat[];
  readonly scripts: readonly string[];
  readonly summary: string;
}

/** A listed run: the number of its finished episodes, and the progress of a training. */
export interface ListedRun {
  readonly id: string;
  readonly environments: readonly string[];
  readonly planned: number;
  readonly ended: number;
  readonly updates?: { readonly made: number; readonly planned: number | null };
}

/** Counts of everything. */
export interface ListedCounts {
  readonly environments: number;
  readonly agents: number;
  readonly models: number;
  readonly runs: number;
  /** At most 10,001. */
  readonly episodes: number;
}

/** The entries of a list, or counts; and the number of unreadable records. */
export type Listed = { readonly damaged: number } & (
  | { readonly kind: 'counts'; readonly counts: ListedCounts }
  | { readonly kind: 'entries'; readonly name: string; readonly entries: readonly KindLine[] }
  | { readonly kind: 'environments'; readonly entries: readonly ListedEnvironment[] }
  | { readonly kind: 'sandboxes'; readonly entries: Awaited<ReturnType<typeof sandboxReport>> }
  | { readonly kind: 'runs'; readonly entries: readonly ListedRun[] }
  | { readonly kind: 'episodes'; readonly entries: readonly EpisodeRecord[] }
);

/** Lists the entries of a kind, or stored runs and episodes. */
export async function list(request: ListRequest = {}, place: CallPlace = placeOf(request)): Promise<Listed> {
  const { what } = request;
  if (what === undefined) {
    const { value: saved, damaged } = await fromStore(request, place, countStored, { runs: 0, episodes: 0 });
    const counts = { environments: environmentNames().length, agents: agentKinds.length, models: modelKinds.length, ...saved };
    return { kind: 'counts', counts, damaged };
  }
  const names: readonly string[] = [...kinds.map(({ name }) => name), ...otherLists];
  const name = names.find((item) => item === what || item === `${what}s`);
  if (name === undefined)
    throw new Fault(
      'input',
      `Unknown kind "${what}". You can list kinds, runs, episodes, and every kind that "ludus list kinds" shows.${didYouMean(what, names)}`,
      { code: 'E_UNKNOWN_NAME' },
    );
  if (name === 'runs') {
    const { value: entries, damaged } = await fromStore(request, place, runsIn, []);
    return { kind: 'runs', entries, damaged };
  }
  if (name === 'episodes') {
    const { value: entries, damaged } = await fromStore(request, place, await episodeQuery(request, place), []);
    return { kind: 'episodes', entries, damaged };
  }
  if (name === 'sandboxes') return { kind: 'sandboxes', entries: await sandboxReport(sandboxSettings()), damaged: 0 };
  if (name === environmentKind.name) return { kind: 'environments', entries: await environmentsIn(place), damaged: 0 };
  const kind = kinds.find((item) => item.name === name);
  const entries = kind === undefined ? kinds.map((item) => ({ name: item.name, about: item.about })) : await listKind(kind, place.cwd);
  return { kind: 'entries', name, entries, damaged: 0 };
}

/** Counts are for people: beyond this number, the exact count does not matter. */
export const most = 10_000;

async function countStored(store: Store) {
  return { runs: (await store.runs()).length, episodes: (await store.find('', most + 1)).length };
}

async function environmentsIn(place: CallPlace): Promise<readonly ListedEnvironment[]> {
  const entries: ListedEnvironment[] = [];
  for (const name of new Set([...(await ownNames(environmentKind, place.cwd)), ...environmentNames()])) {
    const environment = await findEnvironment(name, place);
    const { id, about, scripts = {} } = environment;
    const seats = environment.seats(environment.task(about.tasks[0] ?? {}));
    entries.push({
      ...{ id, name, group: environmentGroup(name), about: firstSentence(about.summary) },
      ...{ seats, scripts: Object.keys(scripts), summary: about.summary },
    });
  }
  return entries;
}

function firstSentence(text: string): string {
  return text.match(linear(/^.*?[.!?](?=\s|$)/s))?.[0] ?? text;
}

async function runsIn(store: Store): Promise<readonly ListedRun[]> {
  const runs: ListedRun[] = [];
  for (const { id, plan, work, episodes } of await store.runs()) {
    const { tallies, earlier } = await currentTally(store, id);
    const ended = tallies.reduce((sum, { status, count: episodeCount }) => sum + (status === 'running' ? 0 : episodeCount), 0);
    const environments = [...new Set(plan.environments.map(({ environment }) => environment))];
    // Probes, scenes, and conversations belong to a run that plans one episode and adds further ones.
    // If some of them are of earlier versions, the number in its first plan does not apply to the current one.
    const planned = earlier > 0 ? ended : Math.max(episodes, ended);
    runs.push({ id, environments, planned, ended, ...(work?.kind === 'train' && { updates: await updatesOf(store, id) }) });
  }
  return runs;
}

/** The progress from a training's last figures; null before the first. */
async function updatesOf(store: Store, run: string): Promise<NonNullable<ListedRun['updates']>> {
  const { metrics = 0 } = await store.journals(run);
  const [last] = (metrics === 0 ? [] : await store.notes(run, 'metrics', metrics - 1)) as { update?: number; updates?: number }[];
  return { made: last?.update ?? 0, planned: last?.updates ?? null };
}

async function episodeQuery(request: ListRequest, { cwd, trust }: CallPlace) {
  const { agent, status, limit = 20 } = request;
  const environment = request.environment === undefined ? undefined : await findEnvironmentId(request.environment, cwd, trust);
  return async (store: Store): Promise<readonly EpisodeRecord[]> => {
    const run = request.run === undefined ? undefined : (await loadRun(store, request.run)).id;
    if (agent !== undefined) await checkAgentPlayed(store, agent);
    const filters = Object.entries({ run, environment, agent, status }).filter(([, value]) => value !== undefined);
    return store.episodes({ limit, ...Object.fromEntries(filters) });
  };
}

/** The contents of a store. The default store need not exist for a list. */
async function fromStore<T>(
  request: ListRequest,
  place: CallPlace,
  read: (store: Store) => Promise<T>,
  otherwise: T,
): Promise<{ readonly value: T; readonly damaged: number }> {
  const isNamed = request.store !== undefined || (place.env['LUDUS_STORE'] ?? '') !== '';
  if (!isNamed && !storeExists(place, {})) return { value: otherwise, damaged: 0 };
  return readStore(request, place, async (store) => ({ value: await read(store), damaged: store.unreadable?.size ?? 0 }));
}
