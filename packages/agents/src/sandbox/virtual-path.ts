/** @file Paths in the virtual folder of a sandbox. They never leave it. The engine's process also imports this module. */

/** A normalized path, or null if it leaves the folder or is invalid. */
export function toVirtualPath(path: string, base = ''): string | null {
  if (path.length > 200 || path.includes('\\') || path.includes('\0') || path === '') return null;
  const parts = path.startsWith('/') ? [] : base.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (parts.pop() === undefined) return null;
    } else parts.push(part);
  }
  return parts.length === 0 || parts.includes('__proto__') ? null : parts.join('/');
}
