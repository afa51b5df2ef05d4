/** @file The places of a town, with their objects and opening hours. */

export interface Place {
  readonly name: string;
  readonly about: string;
  /** The opening hour and the closing hour. */
  readonly open: readonly [number, number];
  /** An object that can be used, with its state before and after. */
  readonly object?: { readonly name: string; readonly use: string; readonly states: readonly [string, string] };
}

export const places: readonly Place[] = [
  { name: 'home', about: 'your own room, with a bed and a desk; nobody else comes here', open: [0, 24] },
  {
    name: 'cafe',
    about: 'a counter, four tables and a notice board',
    open: [7, 19],
    object: { name: 'stove', use: 'tends the stove', states: ['cold', 'hot'] },
  },
  { name: 'market', about: 'stalls with bread, fruit and gossip', open: [8, 14] },
  {
    name: 'workshop',
    about: 'benches, tools, and always something half mended',
    open: [8, 18],
    object: { name: 'chair', use: 'works on the chair', states: ['broken', 'mended'] },
  },
  {
    name: 'library',
    about: 'shelves, a reading table and a sign that asks for quiet',
    open: [9, 18],
    object: { name: 'lamp', use: 'turns the lamp', states: ['dark', 'lit'] },
  },
  {
    name: 'park',
    about: 'benches round a pond, and a path',
    open: [6, 22],
    object: { name: 'boat', use: 'moves the boat', states: ['ashore', 'on the pond'] },
  },
  { name: 'square', about: 'a fountain where everybody passes', open: [0, 24] },
  {
    name: 'tavern',
    about: 'one long table and a piano',
    open: [17, 24],
    object: { name: 'piano', use: 'goes to the piano', states: ['closed', 'open'] },
  },
];

/** The townspeople, up to the maximum number. */
export const townspeople: readonly string[] =
  'ada ben cleo dora emil fay gus hana ivo jana kofi lea milo nora otto pia quinn rosa sami tara uma vera wim yara zeno'.split(' ');

/** Returns the names of places or people in a text, without duplicates. */
export function findMentions(text: string, names: readonly string[]): readonly string[] {
  const statement = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  return names.filter((name) => statement.has(name));
}

export function openPlaces(hour: number): readonly Place[] {
  return places.filter(({ open }) => hour >= open[0] && hour < open[1]);
}
