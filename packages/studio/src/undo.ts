/** @file Undo and redo. Consecutive keys within a field are one step. */

import { useRef, useState } from 'react';

export interface Steps<T> {
  readonly undo: (() => T) | null;
  readonly redo: (() => T) | null;
  /** Says that something else is about to take the place of this. */
  readonly note: (before: T) => void;
}

const most = 200;
/** Milliseconds without a key that end a step. */
const pause = 800;

export function useSteps<T>(now: T): Steps<T> {
  const past = useRef<T[]>([]);
  const future = useRef<T[]>([]);
  const last = useRef(0);
  const [, refresh] = useState(0);
  const moved = (from: T[], to: T[]) => () => {
    const value = from.pop() as T;
    to.push(now);
    last.current = 0;
    refresh((n) => n + 1);
    return value;
  };
  return {
    undo: past.current.length === 0 ? null : moved(past.current, future.current),
    redo: future.current.length === 0 ? null : moved(future.current, past.current),
    note: (before) => {
      const at = Date.now();
      if (at - last.current > pause) past.current.push(before);
      last.current = at;
      if (past.current.length > most) past.current.shift();
      future.current.length = 0;
    },
  };
}
