/**
 * @file One look for each agent: on a page no two have the same, and a name keeps the colour that it was drawn in last in this browser.
 * The colours differ for people who do not see red, green or blue too; beyond them come other dashes and marks.
 */

const place = 'ludus:colours';
/** How many there are: --curve-1 to --curve-8. */
export const colours = 8;

/** How an agent is drawn in plots. */
export interface Look {
  /** From 1 to 8; 0 is the neutral one of opponents that a suite brings. */
  readonly colour: number;
  /** Which dash and which mark: 0 for a full line and a round mark. */
  readonly kind: number;
}

let existing: Record<string, number> | null = null;

/** From 1 to 8. A new name gets the colour that the fewest have. */
export function colourOf(name: string): number {
  existing ??= read();
  return existing[name] ?? keep(name, rarest(everyColour));
}

let page = '';
let sample = new Map<string, Look>();

/** The color of a name in the plots of this page; if another name already has it, the next free color. */
export function lookOf(name: string): Look {
  const here = (globalThis as { location?: { readonly hash: string } }).location?.hash ?? '';
  if (here !== page) {
    page = here;
    sample = new Map();
  }
  // The colors are for the agents under test: opponents of a suite would use them up.
  if (name.startsWith('house:')) return { colour: 0, kind: 0 };
  const matchingLook = sample.get(name);
  if (matchingLook !== undefined) return matchingLook;
  const used = everyColour.map((value) => [...sample.values()].filter(({ colour }) => colour === value).length);
  const kind = Math.min(...used);
  const free = everyColour.filter((value) => used[value - 1] === kind);
  existing ??= read();
  const assigned = existing[name];
  const look = { colour: assigned !== undefined && free.includes(assigned) ? assigned : keep(name, rarest(free)), kind };
  sample.set(name, look);
  return look;
}

/** The style of items without a name, by their position. */
export const lookAt = (i: number): Look => ({ colour: (i % colours) + 1, kind: Math.floor(i / colours) });

const everyColour = Array.from({ length: colours }, (_, i) => i + 1);

/** The one of these that the fewest names have. */
function rarest(of: readonly number[]): number {
  const all = Object.values(existing ?? {});
  const times = of.map((colour) => all.filter((value) => value === colour).length);
  return of[times.indexOf(Math.min(...times))]!;
}

function keep(name: string, colour: number): number {
  existing ??= read();
  existing[name] = colour;
  try {
    localStorage.setItem(place, JSON.stringify(existing));
  } catch {
    // No room: it stays as long as the page.
  }
  return colour;
}

function read(): Record<string, number> {
  try {
    const saved = JSON.parse(localStorage.getItem(place) ?? '{}') as Record<string, unknown>;
    const valid = ([, colour]: [string, unknown]) => Number.isInteger(colour) && Number(colour) >= 1 && Number(colour) <= colours;
    return Object.fromEntries(Object.entries(saved).filter(valid)) as Record<string, number>;
  } catch {
    return {};
  }
}
