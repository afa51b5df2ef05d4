/** @file Patterns for paths, for the parent's side: the engine may not read the files of core. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** Whether a path fits a pattern in which * matches any part of a name and ** any folders. */
export function fitsGlob(path: string, glob: string): boolean {
  const source = glob
    .split(/(\*\*\/|\*)/)
    .map((part) => (part === '**/' ? '(?:[^/]+/)*' : part === '*' ? '[^/]*' : part.replace(/[^\w]/g, '\\$&')));
  return linear(new RegExp(`^${source.join('')}$`)).test(path);
}
