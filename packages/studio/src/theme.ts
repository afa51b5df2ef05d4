/** @file Light, dark, or as the system has it; the choice is kept in this browser. */

import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const key = 'ludus-theme';

export function themeNow(): Theme {
  const storedTheme = localStorage.getItem(key);
  return storedTheme === 'light' || storedTheme === 'dark' ? storedTheme : 'system';
}

export function applyTheme(theme: Theme = themeNow()): void {
  localStorage.setItem(key, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** Which colours are shown now; who draws with them draws again when they change. */
export function useColours(): string {
  return useSyncExternalStore(onColours, () => `${document.documentElement.dataset['theme']} ${dark.matches}`);
}

const dark = matchMedia('(prefers-color-scheme: dark)');

function onColours(changed: () => void): () => void {
  const themeObserver = new MutationObserver(changed);
  themeObserver.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  dark.addEventListener('change', changed);
  return () => {
    themeObserver.disconnect();
    dark.removeEventListener('change', changed);
  };
}
