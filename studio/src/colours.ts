/** @file One colour for each agent, on every page: a name keeps the colour it got when it was first drawn in this browser. */

const place = 'ludus:colours';
/** How many there are: --curve-1 to --curve-6. */
const colours = 6;

let known: Record<string, number> | null = null;

/** From 1 to 6. A new name gets the colour that the fewest have. */
export function colourOf(name: string): number {
  known ??= read();
  const found = known[name];
  if (found !== undefined) return found;
  const used = Array.from({ length: colours }, (_, i) => Object.values(known ?? {}).filter((one) => one === i + 1).length);
  const colour = used.indexOf(Math.min(...used)) + 1;
  known[name] = colour;
  try {
    localStorage.setItem(place, JSON.stringify(known));
  } catch {
    // No room: it stays as long as the page.
  }
  return colour;
}

function read(): Record<string, number> {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? '{}') as Record<string, unknown>;
    const valid = ([, colour]: [string, unknown]) => Number.isInteger(colour) && Number(colour) >= 1 && Number(colour) <= colours;
    return Object.fromEntries(Object.entries(kept).filter(valid)) as Record<string, number>;
  } catch {
    return {};
  }
}
