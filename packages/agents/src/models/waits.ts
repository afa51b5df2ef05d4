/**
 * @file Who waits for a model, and how far it is: prompts that are read, files that are loaded or downloaded. No wait is silent.
 *
 * Nothing runs unless someone listens. A listener hears of waits that last longer than a moment, once a second, and at once when one ends.
 */

export interface WaitProgress {
  readonly done: number;
  /** How much it will be; null where that is not known. */
  readonly of: number | null;
}

export interface Wait {
  readonly model: string;
  /** "reads", "loads", "downloads", or "answers" where no more is known. */
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

/** Begins a wait; the function that is returned ends it, and may be called twice. */
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

/** Hears of all waits of this process until the returned function is called. */
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
    // A process that has nothing else to do does not stay for it.
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
