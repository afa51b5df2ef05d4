/** @file Converts a name to a word for files and ids. */

/** "Ann O'Brien" → "ann-o-brien". Names in any script keep their letters. */
export function slug(name: string): string {
  const parts = name
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu);
  return parts === null ? 'unnamed' : parts.join('-');
}
