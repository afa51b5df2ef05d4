/** @file Values that are known to exist, and values of which only a part is read. */

/** What is known to be there. */
export function found<T>(value: T | null | undefined): T {
  if (value === undefined || value === null) throw new Error('Nothing was found.');
  return value;
}

/** A value of which only these fields are read. */
export function partOf<T>(fields: Partial<T>): T {
  return fields as T;
}
