/** @file An episode read aloud by the browser's own speech, as its tags say it sounds; nothing is said without a click. */

import { prosodyOf } from '@ludus-agents/kernel/internal/core/voice';
import { useEffect, useRef, useState } from 'react';
import { numberOf, type Row, utteranceOf } from './fold.ts';

interface ReadAloudProps {
  readonly rows: readonly Row[];
  /** Where it begins: the place among the rows. */
  readonly place: number;
  readonly choose: (event: number) => void;
}

export function ReadAloud({ rows, place, choose }: ReadAloudProps) {
  const [speaking, setSpeaking] = useState(false);
  /** Grows with every beginning and every stop, so that a reading that was stopped does not go on; odd while it speaks. */
  const reading = useRef(0);
  const stop = () => {
    reading.current++;
    speechSynthesis.cancel();
    setSpeaking(false);
  };
  useEffect(
    () => () => {
      // Anyone who leaves the page while it speaks has heard enough.
      if (reading.current % 2 === 0) return;
      reading.current++;
      speechSynthesis.cancel();
    },
    [],
  );
  if (!('speechSynthesis' in window)) return null;
  const say = (from: number, mine: number) => {
    if (mine !== reading.current) return;
    const next = rows.findIndex((row, i) => i >= from && utteranceOf(row) !== null);
    const row = rows[next];
    const spokenUtterance = row === undefined ? null : utteranceOf(row);
    if (row === undefined || spokenUtterance === null) {
      stop();
      return;
    }
    choose(numberOf(row));
    const utterance = Object.assign(new SpeechSynthesisUtterance(spokenUtterance.text), prosodyOf(spokenUtterance.voice));
    utterance.onend = () => say(next + 1, mine);
    utterance.onerror = () => {
      if (mine === reading.current) stop();
    };
    speechSynthesis.speak(utterance);
  };
  const begin = () => {
    speechSynthesis.cancel();
    setSpeaking(true);
    say(place >= rows.length - 1 ? 0 : Math.max(0, place), ++reading.current);
  };
  return (
    <button type="button" className="plain aloud" aria-pressed={speaking} onClick={speaking ? stop : begin}>
      {speaking ? 'Stop reading' : 'Read aloud'}
    </button>
  );
}
