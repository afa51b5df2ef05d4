/** @file Where in the episode one looks: scrub, step, play, and how fast. Keys do the same. */

import { type ReactNode, useEffect, useRef } from 'react';
import { formatGrouped } from '../format.ts';

export interface Cursor {
  /** The place among the rows, from 0. */
  readonly place: number;
  readonly last: number;
  /** The events at both. */
  readonly event: number;
  readonly lastEvent: number;
  readonly playing: boolean;
  /** Rows a second. */
  readonly speed: number;
  move(place: number): void;
  play(playing: boolean): void;
  pace(speed: number): void;
}

export function Controls({ cursor, children }: { readonly cursor: Cursor; readonly children?: ReactNode }) {
  const { place, last, event: at, lastEvent, playing, speed, move, play, pace } = cursor;
  return (
    <fieldset className="controls">
      <legend className="hidden">Place in the episode</legend>
      <button type="button" aria-label="One step back" disabled={place <= 0} onClick={() => move(place - 1)}>
        ◀
      </button>
      <button type="button" className="primary" aria-label={playing ? 'Pause' : 'Play from here'} onClick={() => play(!playing)}>
        {playing ? '❚❚' : '▶'}
      </button>
      <button type="button" aria-label="One step forward" disabled={place >= last} onClick={() => move(place + 1)}>
        ▶▏
      </button>
      <label className="scrub">
        <span className="hidden">Scrub</span>
        <input
          type="range"
          min={0}
          max={Math.max(0, last)}
          value={Math.min(place, last)}
          aria-valuetext={`Event ${at} of ${lastEvent}`}
          onChange={(event) => move(Number(event.target.value))}
        />
      </label>
      <span className="small muted number place">
        {formatGrouped(at)} / {formatGrouped(lastEvent)}
      </span>
      <label>
        <span className="hidden">Speed</span>
        <select value={speed} onChange={(event) => pace(Number(event.target.value))}>
          {[1, 2, 4, 10, 40].map((factor) => (
            <option key={factor} value={factor}>
              {factor}/s
            </option>
          ))}
        </select>
      </label>
      {children}
    </fieldset>
  );
}

interface StepsProps {
  /** The events at which the world was drawn before and after this. */
  readonly back: number | null;
  readonly on: number | null;
  readonly choose: (event: number) => void;
}

/** From one state of the world to the next: an hour of a town, a move on a board, however many events lie between. */
export function WorldSteps({ back, on, choose }: StepsProps) {
  if (back === null && on === null) return null;
  const step = (to: number | null, label: string) => (
    <button type="button" className="small" disabled={to === null} onClick={() => to !== null && choose(to)}>
      {label}
    </button>
  );
  return (
    <div className="row world-steps">
      {step(back, '‹ before')}
      {step(on, 'after ›')}
    </div>
  );
}

/** Keys that work unless the user is typing. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA|SUMMARY)$/.test(target.tagName)) return;
      if ((event.key === ' ' || event.key === 'Enter') && target.tagName === 'BUTTON') return;
      if (document.querySelector('dialog[open]') !== null) return;
      const act = latest.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
