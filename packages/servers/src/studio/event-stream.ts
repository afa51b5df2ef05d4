/**
 * @file An episode as a stream of numbered events. It is read from the store no faster than the reader takes it, then followed as
 * it grows. A returning reader names its last event, and gets the later ones.
 */

import type { AnyEnvironment, EpisodeEvent, Seat, StartEvent, Store } from '@ludus-agents/kernel/internal/core/index';
import { Course } from '@ludus-agents/kernel/internal/engine/course';
import type { EventShown, Picture } from './api.ts';
import { toShownEvent } from './event-view.ts';
import type { Notifier } from './live-episodes.ts';
import { isDrawn, pictureOf } from './pictures/index.ts';

export interface Watching {
  readonly store: Store;
  readonly notifier: Notifier;
  readonly episode: string;
  /** The viewing seat; null sees everything. */
  readonly seat: Seat | null;
  /** The reader's last event; −1 for none. */
  readonly after: number;
  /** The rules, if available: pictures are drawn from their states. */
  readonly environment: AnyEnvironment | null;
  /** Whether the reader may still read: a token can be revoked during an episode. */
  readonly isAdmitted: () => boolean;
}

const batch = 64;
/** Episodes played by other processes send no notification here. */
const look = 700;

export function episodeStream(watching: Watching): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const artist = new Artist(watching.environment, watching.seat);
  // Images depend on all earlier events; without images, events that the reader already has are not read again.
  let index = watching.environment !== null && isDrawn(watching.environment.id) ? 0 : watching.after + 1;
  let waiting: readonly EpisodeEvent[] = [];
  let gone = false;
  return new ReadableStream<Uint8Array>(
    {
      start: (reader) => reader.enqueue(encoder.encode('retry: 1000\n\n')),
      // Called only while the reader has room, so no further events are read before.
      async pull(reader) {
        if (!watching.isAdmitted()) {
          gone = true;
          reader.close();
          return;
        }
        if (waiting.length === 0) {
          waiting = await watching.store.events(watching.episode, index);
          if (waiting.length === 0 && !gone && !watching.notifier.closed) {
            await watching.notifier.heard(watching.episode, look);
            if (!gone) reader.enqueue(encoder.encode(':\n\n'));
            return;
          }
        }
        let text = '';
        for (const event of waiting.slice(0, batch)) {
          text += lineFor(event, index, watching, artist);
          index++;
        }
        const over = waiting[Math.min(batch, waiting.length) - 1]?.kind === 'end';
        waiting = waiting.slice(batch);
        if (gone) return;
        reader.enqueue(encoder.encode(text === '' ? ':\n\n' : text));
        if (over || watching.notifier.closed) reader.close();
      },
      cancel() {
        gone = true;
      },
    },
    { highWaterMark: 1 },
  );
}

function lineFor(event: EpisodeEvent, index: number, { after, seat }: Watching, artist: Artist): string {
  const picture = artist.draw(event, index);
  if (index <= after) return '';
  const shownEvent = toShownEvent(event, seat);
  if (shownEvent === null) return '';
  const streamedEvent: EventShown = picture === null ? { index, event: shownEvent } : { index, event: shownEvent, picture };
  return `id: ${index}\ndata: ${JSON.stringify(streamedEvent)}\n\n`;
}

/** Applies the rules to a log and draws the resulting states; a log that does not follow from the rules gets no pictures. */
export class Artist {
  readonly #environment: AnyEnvironment | null;
  readonly #seat: Seat | null;
  #course: Course | null = null;

  constructor(environment: AnyEnvironment | null, seat: Seat | null) {
    this.#environment = environment;
    this.#seat = seat;
  }

  draw(event: EpisodeEvent, index: number): Picture | null {
    try {
      if (event.kind === 'start' && this.#environment !== null && event.environment === this.#environment.id)
        this.#course = new Course(this.#environment, event, { freeze: false });
      const course = this.#course;
      if (course === null) return null;
      if (event.kind === 'action') course.answer(event.seat, { action: event.action });
      if (event.kind !== 'turn' && event.kind !== 'end') return null;
      if (event.kind === 'turn' && course.events[index]?.kind !== 'turn') {
        this.#course = null;
        return null;
      }
      const { environment, seats } = course.events[0] as StartEvent;
      const knows = this.#seat === null ? null : (this.#environment?.knows?.(course.state, this.#seat) ?? null);
      const choices = event.kind === 'turn' ? (event.asks.find(({ seat }) => seat === this.#seat)?.choices ?? []) : [];
      return pictureOf(environment, course.state, { seat: this.#seat, seats, knows, choices });
    } catch {
      this.#course = null;
      return null;
    }
  }
}
