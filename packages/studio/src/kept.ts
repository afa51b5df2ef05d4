/** @file Unsaved text, stored in this browser: leaving a page, closing the tab, or a crash loses nothing. */

import { useState } from 'react';

const room = 'ludus:';

/** A value that stays under its name until it is null. What cannot be kept, because the browser allows none or has no room, lives as long as the page. */
export function useKept<T>(name: string, otherwise: T): readonly [T, (value: T | null) => void] {
  const [value, setValue] = useState<T>(() => readKept<T>(name) ?? otherwise);
  const set = (next: T | null) => {
    setValue(next ?? otherwise);
    keepAt(name, next);
  };
  return [value, set];
}

function readKept<T>(name: string): T | null {
  try {
    return JSON.parse(localStorage.getItem(room + name) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

function keepAt(name: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(room + name);
    else localStorage.setItem(room + name, JSON.stringify(value));
  } catch {
    // No room: it lives as long as the page.
  }
}
