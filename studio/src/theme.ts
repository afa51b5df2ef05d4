/** @file Light, dark, or as the system has it; the choice is kept in this browser. */

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
