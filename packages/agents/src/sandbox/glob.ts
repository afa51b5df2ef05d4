/** @file Path patterns for the parent process: the engine may not load the kernel's files. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** Whether a path matches a pattern in which * matches any part of a name and ** any folders. */
export function fitsGlob(path: string, glob: string): boolean {
  const source = glob
    .split(/(\*\*\/|\*)/)
    .map((part) => (part === '**/' ? '(?:[^/]+/)*' : part === '*' ? '[^/]*' : part.replace(/[^\w]/g, '\\$&')));
  return linear(new RegExp(`^${source.join('')}$`)).test(path);
}
