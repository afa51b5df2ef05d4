/** @file What was made of texts that come again: refusals, topics, thanks. */

/**
 * Keeps what is made of texts up to a length. When there are `most` of them it begins anew, and takes over what is asked for again, so that
 * texts that come once do not drive out those that come over and over.
 */
export function keepByText<T>(longest: number, make: (text: string) => T, most = 2000): (text: string) => T {
  let recent = new Map<string, T>();
  let older = new Map<string, T>();
  return (text) => {
    if (text.length > longest) return make(text);
    const cachedText = recent.get(text);
    if (cachedText !== undefined) return cachedText;
    const before = older.get(text);
    const created = before === undefined ? make(text) : before;
    if (recent.size >= most) {
      older = recent;
      recent = new Map();
    }
    recent.set(text, created);
    return created;
  };
}
