/** @file What a run of the models' benchmark leaves behind: its episodes in a store, their words as text, and figures after every part. */

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndEvent, EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import type { Playing } from '@ludus-agents/kernel/internal/engine/episode-player';
import { EpisodeRecorder } from '@ludus-agents/kernel/internal/engine/record';
import { openStore } from '@ludus-agents/store/internal/open-store';

export interface Keeper {
  readonly folder: string;
  /** Plays an episode to its end and keeps it. */
  episode(id: string, stream: Playing): Promise<{ readonly events: readonly EpisodeEvent[]; readonly end: EndEvent }>;
  /** A line for a file of the folder. */
  line(file: string, value: unknown): void;
  /** A whole file of the folder, as JSON. */
  file(name: string, value: unknown): void;
  close(): Promise<void>;
}

export async function keeperIn(folder: string): Promise<Keeper> {
  mkdirSync(folder, { recursive: true });
  const store = await openStore(join(folder, 'store.sqlite'));
  return {
    folder,
    async episode(id, stream) {
      const events: EpisodeEvent[] = [];
      const recorder = new EpisodeRecorder({ store, episode: id });
      for await (const event of stream) {
        events.push(event);
        recorder.append([event]);
      }
      await recorder.flush();
      const end = events.at(-1);
      if (end?.kind !== 'end') throw new Error(`${id} did not end`);
      appendFileSync(join(folder, 'transcripts.md'), `${transcript(id, events)}\n`);
      return { events, end };
    },
    line: (file, value) => appendFileSync(join(folder, file), `${JSON.stringify(value)}\n`),
    file: (name, value) => writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`),
    close: () => store.close(),
  };
}

/** An episode as it can be read: what seats were told in italics, what they did after their names. */
function transcript(id: string, events: readonly EpisodeEvent[]): string {
  const lines = [`## ${id}`, ''];
  for (const event of events) {
    if (event.kind === 'message' && event.from === undefined)
      lines.push(`_to ${event.to.join(', ') || 'nobody'}: ${flat(event.text)}_`, '');
    if (event.kind === 'action') lines.push(`**${event.seat}**: ${flat(event.action.text)}`, '');
    if (event.kind === 'end') lines.push(`Ended: ${event.reason}, returns ${JSON.stringify(event.returns)}.`, '');
  }
  return lines.join('\n');
}

function flat(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' / ');
}
