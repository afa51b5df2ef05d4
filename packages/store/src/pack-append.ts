/** @file An append as it is written: checked by itself, and packed. It can be made in any thread. */

import type { EpisodeEvent, EpisodeVersions } from '@ludus-agents/kernel/internal/core/index';
import { checkName, portionOf } from './append-rules.ts';
import type { Append } from './log-rows.ts';
import type { Packer } from './pack.ts';

/** Null where there is nothing to append. */
export function packAppend(
  packer: Packer,
  episode: string,
  index: number,
  events: readonly EpisodeEvent[],
  run: string | undefined,
  versions: EpisodeVersions | undefined,
): Append | null {
  const portion = portionOf(episode, index, events);
  if (run !== undefined) checkName('A run', run);
  if (portion.count === 0) return null;
  const body = packer.packAll(events, (i) => `event ${index + i}`);
  return { kind: 'append', episode, run: run ?? null, portion, body, opening: openingOf(packer, portion.start, versions) };
}

function openingOf(packer: Packer, start: Append['portion']['start'], versions: EpisodeVersions | undefined): Append['opening'] {
  if (start === null) return null;
  const { environment, seed, cast, task } = start;
  return {
    environment,
    seed,
    casting: JSON.stringify(cast),
    task: packer.pack(task, 'task'),
    versions: versions === undefined ? null : JSON.stringify(versions),
  };
}
