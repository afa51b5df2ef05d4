/**
 * @file Reports waits for models and their progress: reading prompts, and loading or downloading files.
 *
 * Nothing runs without a listener. A listener is called for waits that last longer than a moment, once a second, and immediately when one
 * ends.
 */

export interface WaitProgress {
  readonly done: number;
  /** The total amount; null if unknown. */
  readonly of: number | null;
}

export interface Wait {
  readonly model: string;
  /** "reads", "loads", "downloads"; "answers" if nothing more specific is known. */
  readonly doing: 'reads' | 'loads' | 'downloads' | 'answers';
  readonly seconds: number;
  readonly progress?: WaitProgress | undefined;
}

export type WaitListener = (waits: readonly Wait[]) => void;

interface Open extends Omit<Wait, 'seconds' | 'progress'> {
  readonly since: number;
  readonly progress: (() => WaitProgress | undefined) | undefined;
}

/** Shorter waits are not reported. */
const moment = 2000;
const every = 1000;

const open = new Set<Open>();
const listeners = new Set<WaitListener>();
let timer: ReturnType<typeof setInterval> | undefined;
let wasTold = false;

/** Begins a wait; the returned function ends it, and may be called twice. */
export function beginWait(model: string, doing: Wait['doing'], progress?: () => WaitProgress | undefined): () => void {
  const wait: Open = { model, doing, since: performance.now(), progress };
  open.add(wait);
  keepTime();
  return () => {
    if (!open.delete(wait)) return;
    if (wasTold) tell();
    keepTime();
  };
}

/** Calls the listener for all waits of this process until the returned function is called. */
export function onWaits(listener: WaitListener): () => void {
  listeners.add(listener);
  keepTime();
  return () => {
    listeners.delete(listener);
    keepTime();
  };
}

function keepTime(): void {
  const isNeeded = listeners.size > 0 && open.size > 0;
  if (isNeeded && timer === undefined) {
    timer = setInterval(tell, every);
    // The timer does not keep the process alive.
    timer.unref?.();
  } else if (!isNeeded) {
    clearInterval(timer);
    timer = undefined;
  }
}

function tell(): void {
  const now = performance.now();
  const long = [...open].filter(({ since }) => now - since >= moment);
  const waits = long.map(({ model, doing, since, progress }) => ({ model, doing, seconds: (now - since) / 1000, progress: progress?.() }));
  if (waits.length === 0 && !wasTold) return;
  wasTold = waits.length > 0;
  for (const listener of listeners) listener(waits);
}
