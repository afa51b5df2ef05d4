/** @file `show` and `show.persona`: an environment, an entry of any kind, a stored episode or run, and a persona. */

import { castable } from '@ludus-agents/agents/internal/kinds';
import { estimate } from '@ludus-agents/agents/internal/mind/budget';
import { defaultUser, expandMacros, gallery, type Persona, renderPersona, steadyLore } from '@ludus-agents/agents/internal/personas/index';
import { readConfigIn } from '@ludus-agents/agents/internal/workspace/config';
import { isPath } from '@ludus-agents/agents/internal/workspace/environments';
import { environmentKind } from '@ludus-agents/agents/internal/workspace/kinds';
import { environmentNames } from '@ludus-agents/environments/internal/built-in';
import { changedSinceText } from '@ludus-agents/evaluation/internal/changed-since';
import { currentTally } from '@ludus-agents/evaluation/internal/current-versions';
import { type RunResults, resultsOf } from '@ludus-agents/evaluation/internal/results';
import type {
  AnyEnvironment,
  EpisodeEvent,
  EpisodeRecord,
  JsonObject,
  RunRecord,
  Seat,
  Seen,
  Store,
} from '@ludus-agents/kernel/internal/core/index';
import { Fault, schemaOf, toSeen } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { type DiffLine, diffLines } from '@ludus-agents/learning/internal/prompts/edits';
import type { TrainingProgress } from '@ludus-agents/learning/internal/training/train';
import { type Description, describeEntry } from '@ludus-agents/servers/internal/describe';
import { kindOf, kinds } from '@ludus-agents/servers/internal/kinds';
import { findEpisode, findRun } from '@ludus-agents/store/internal/stores';
import type { CallOptions, CallPlace, Ref, StoreCallOptions } from './refs.ts';
import { findEnvironment, findPersona, findSeat, placeOf, readStore } from './refs.ts';

/** The options of `show`. */
export interface ShowRequest extends StoreCallOptions {
  /** An environment by name or file; an episode or run by id or prefix; with `kind`, the name of an entry. */
  readonly name: Ref<AnyEnvironment>;
  /** The kind of the entry, such as "scorer". */
  readonly kind?: string | undefined;
  /** Only the part of an episode that this seat observed. */
  readonly seat?: Seat | undefined;
}

/** An environment, an entry of another kind, an episode with its log, or a run with its results. */
export type Shown =
  | {
      readonly kind: 'environment';
      readonly environment: AnyEnvironment;
      readonly seats: readonly Seat[];
      /** The JSON Schema of its tasks. */
      readonly task: JsonObject;
      /** Names of agents that can play it. */
      readonly agents: readonly string[];
    }
  | { readonly kind: 'entry'; readonly entry: Description }
  | {
      readonly kind: 'episode';
      readonly record: EpisodeRecord;
      readonly seat: Seat | null;
      /** All events. */
      readonly events: readonly EpisodeEvent[];
      /** The seat's observations; all events if no seat was named. */
      readonly log: readonly (EpisodeEvent | Seen)[];
    }
  | {
      readonly kind: 'run';
      readonly run: RunRecord;
      readonly results: RunResults;
      /** A message about files that changed since the run was played or scored. */
      readonly saved: string | null;
      readonly ended: number;
      /** Episodes of earlier versions, which do not count. */
      readonly earlier: number;
      /** The progress or result of a training; null for other runs, and before its first figures. */
      readonly training: TrainingFigures | null;
    };

/** The latest figures of a training. */
export type TrainingFigures = Pick<TrainingProgress, 'games' | 'exploitability' | 'legal' | 'returned'>;

/** Shows an environment, an entry of any kind, or a stored episode or run. */
export async function show(request: ShowRequest, place: CallPlace = placeOf(request)): Promise<Shown> {
  const { name, kind: word } = request;
  if (typeof name !== 'string') return describeEnvironment(name);
  if (word !== undefined) {
    const kind = kindOf(word);
    if (kind === null) {
      const hint = didYouMean(
        word,
        kinds.map(({ one }) => one),
      );
      throw new Fault('input', `Unknown kind "${word}".${hint} Run "ludus list kinds" to see all.`, { code: 'E_UNKNOWN_NAME' });
    }
    if (kind.name === environmentKind.name) return describeEnvironment(await findEnvironment(name, place));
    return { kind: 'entry', entry: await describeEntry(kind, name, place.cwd, place.trust) };
  }
  if (isPath(name) || name.split('@', 1).some((part) => environmentNames().includes(part)))
    return describeEnvironment(await findEnvironment(name, place));
  return readStore(request, place, async (store) => {
    // A full name takes precedence over an id prefix.
    const run = (await store.run(name)) ?? ((await store.find(name, 1)).length === 0 ? await findRun(store, name) : null);
    return run === null ? showEpisode(store, name, request.seat) : showRun(store, run, place);
  });
}

function describeEnvironment(environment: AnyEnvironment): Shown {
  const { about, parameters } = environment;
  const seats = environment.seats(environment.task(about.tasks[0] ?? {}));
  return { kind: 'environment', environment, seats, task: schemaOf(parameters), agents: castable(environment) };
}

async function showEpisode(store: Store, name: string, named: Seat | undefined): Promise<Shown> {
  const record = await findEpisode(store, name);
  const events = await store.events(record.id);
  const [start] = events;
  if (start?.kind !== 'start')
    throw new Fault('store', `The log of ${record.id} has no start event. The store is damaged.`, { code: 'E_INVALID_DOCUMENT' });
  const seat = named === undefined ? null : findSeat(record.environment, start.seats, named);
  const log = seat === null ? events : events.flatMap((event) => toSeen(event, seat) ?? []);
  return { kind: 'episode', record, seat, events, log };
}

async function showRun(store: Store, run: RunRecord, { cwd, trust }: CallPlace): Promise<Shown> {
  const results = await resultsOf(run, { store, cwd, trust });
  const saved = await changedSinceText(store, run, cwd);
  const { tallies, earlier } = await currentTally(store, run.id);
  const ended = tallies.reduce((sum, { status, count }) => sum + (status === 'running' ? 0 : count), 0);
  const figures = run.work?.kind === 'train' ? ((await store.notes(run.id, 'metrics')) as readonly TrainingFigures[]) : [];
  return { kind: 'run', run, results, saved, ended, earlier, training: figures.at(-1) ?? null };
}

/** The options of `show.persona`; without a persona, it shows the gallery. */
export interface ShowPersonaRequest extends CallOptions {
  readonly persona?: Ref<Persona> | undefined;
  /** The prompt text about the persona, instead of the persona. */
  readonly prompt?: boolean | undefined;
  /** Another persona: shows the prompt's changes from the first to this one. */
  readonly diff?: Ref<Persona> | undefined;
  /** The prompt's name for the other person. */
  readonly user?: string | undefined;
}

/** The gallery, a persona, or a persona's prompt with its estimated tokens. */
export type ShownPersona =
  | { readonly kind: 'gallery'; readonly personas: readonly Persona[] }
  | { readonly kind: 'persona'; readonly persona: Persona }
  | { readonly kind: 'prompt'; readonly prompt: string; readonly tokens: number; readonly changes?: readonly DiffLine[] };

/** Shows a persona, its prompt, or the gallery. */
export async function showPersona(request: ShowPersonaRequest = {}, place: CallPlace = placeOf(request)): Promise<ShownPersona> {
  if (request.persona === undefined) return { kind: 'gallery', personas: Object.values(gallery) };
  const persona = await findPersona(request.persona, place);
  if (request.prompt !== true && request.diff === undefined) return { kind: 'persona', persona };
  const user = request.user ?? (await readConfigIn(place.cwd)).user;
  const prompt = personaPrompt(persona, user);
  if (request.diff === undefined) return { kind: 'prompt', prompt, tokens: estimate(prompt) };
  const changes = diffLines(prompt, personaPrompt(await findPersona(request.diff, place), user));
  return { kind: 'prompt', prompt, tokens: estimate(prompt), changes };
}

/** The prompt parts about the persona, in order; lorebook entries at a depth are prefixed with their depth. */
function personaPrompt(persona: Persona, user: string | undefined): string {
  const names = user === undefined ? {} : { user };
  const sections = renderPersona(persona, { ...names, depthApart: true }).map(({ text }) => text);
  const deep = steadyLore(persona.lore).filter(({ place }) => place === 'depth');
  const notes = deep.map(({ depth, text }) =>
    expandMacros(`(before the last ${depth} messages) ${text}`, { char: persona.nickname || persona.name, user: user ?? defaultUser }),
  );
  return [...sections, ...notes].filter((text) => text.trim() !== '').join('\n\n');
}
