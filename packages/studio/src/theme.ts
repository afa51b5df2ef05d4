/** @file Light, dark, or as the system has it; the choice is kept in this browser. */

import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const key = 'ludus-theme';

export function themeNow(): Theme {
  const kept = localStorage.getItem(key);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
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
  const chosen = new MutationObserver(changed);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  dark.addEventListener('change', changed);
  return () => {
    chosen.disconnect();
    dark.removeEventListener('change', changed);
  };
}
