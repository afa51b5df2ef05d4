/** @file Where in an episode one looks, and how it plays on by itself from there. */

import { useEffect, useState } from 'react';
import { settle } from '../router.ts';
import type { Cursor } from './controls.tsx';
import { numberOf, type Row, rowAt } from './fold.ts';

/** The place among the rows. While it plays, what comes later is not shown. */
export function useCursor(
  rows: readonly Row[],
  at: number | null,
  choose: (event: number) => void,
): { readonly cursor: Cursor; readonly replaying: boolean; readonly showAll: () => void } {
  const [playing, setPlaying] = useState(false);
  const [replaying, setReplaying] = useState(false);
  const [speed, setSpeed] = useState(2);
  const last = rows.length - 1;
  const place = at === null ? last : Math.max(0, rowAt(rows, at));
  const move = (to: number) => {
    const row = rows[Math.max(0, Math.min(last, to))];
    if (row !== undefined) choose(numberOf(row));
  };
  const play = (wanted: boolean) => {
    if (wanted && place >= last) move(0);
    setReplaying(wanted || replaying);
    setPlaying(wanted);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new place is a new wait.
  useEffect(() => {
    if (!playing) return;
    if (place >= last) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => move(place + 1), 1000 / speed);
    return () => clearTimeout(timer);
  }, [playing, place, last, speed]);
  const showAll = () => {
    setPlaying(false);
    setReplaying(false);
    const { hash } = location;
    settle(hash.replace(/^(#\/e\/[^/?]+)\/\d+/, '$1'));
  };
  const numberAt = (row: number) => (rows[row] === undefined ? 0 : numberOf(rows[row]));
  return {
    cursor: {
      event: at === null ? numberAt(place) : Math.min(at, numberAt(last)),
      lastEvent: numberAt(last),
      place,
      last,
      playing,
      speed,
      move,
      play,
      pace: setSpeed,
    },
    replaying,
    showAll,
  };
}
