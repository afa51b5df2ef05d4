/** @file Opens a stored episode from the command line: its rules, its cast, and replacements from the options. */

import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { type EpisodeWithCast, readEpisodeWithCast } from '@ludus-agents/agents/internal/workspace/kept-cast';
import { type AnyEnvironment, type Json, nameOf, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CastOptions, namedSeats } from './cast.ts';
import type { CommandCall } from './command.ts';

export interface KeptOptions extends CastOptions, StoreOptions {
  /** A file with the rules, in place of the episode's. */
  readonly environment?: string;
}

interface OpenedEpisode extends EpisodeWithCast {
  readonly environment: AnyEnvironment;
  /** Agents named on the command line. */
  readonly now: Readonly<Record<Seat, string>>;
}

export async function openKeptEpisode({ args, terminal, known }: CommandCall<object>, options: KeptOptions): Promise<OpenedEpisode> {
  const episodeWithCast = await withExistingStore(terminal, options, (store) => readEpisodeWithCast(store, args[0], terminal));
  const { environment: named } = options;
  const environment = await resolveEnvironment(
    named ?? episodeWithCast.rules.name,
    terminal.cwd,
    named === undefined ? episodeWithCast.rules.trust : terminal.trust,
  );
  const seats = environment.seats(episodeWithCast.record.task);
  return { ...episodeWithCast, environment, now: namedSeats(options, { environment: nameOf(environment), seats, known }) };
}

/** The agents that the options of a command assign to an environment's seats. */
export function agentsIn({ known }: Pick<CommandCall<object>, 'known'>, options: KeptOptions) {
  return (environment: AnyEnvironment, task: Json): Readonly<Record<Seat, string>> =>
    namedSeats(options, { environment: nameOf(environment), seats: environment.seats(task), known });
}
