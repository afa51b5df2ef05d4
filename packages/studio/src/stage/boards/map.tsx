/** @file A map of places, such as rooms of a quest or a town: the ways between them, who and what is in each, however many they are. */

import type { Picture, PlacePicture } from '@ludus-agents/servers/internal/studio/api';

const [wide, title, line, gapX, gapY] = [104, 22, 14, 14, 20] as const;
/** A place has room for two lines at least, so that a quest does not jump at every step. */
const fewest = 2;

export function PlaceMap({ picture: { places, ways, note } }: { readonly picture: Extract<Picture, { kind: 'map' }> }) {
  const columns = Math.max(...places.map(({ x }) => x)) + 1;
  const rows = Math.max(...places.map(({ y }) => y)) + 1;
  const lines = places.map(({ here }) => linesOf(here));
  // A row of places is as tall as the fullest of them.
  const tall = Array.from({ length: rows }, (_, row) => {
    const most = Math.max(fewest, ...places.map(({ y }, i) => (y === row ? lines[i]!.length : 0)));
    return title + most * line + 8;
  });
  const top = (row: number) => tall.slice(0, row).reduce((sum, height) => sum + height + gapY, gapY / 2);
  const left = (column: number) => column * (wide + gapX) + gapX / 2;
  const middle = (i: number) => [left(places[i]!.x) + wide / 2, top(places[i]!.y) + tall[places[i]!.y]! / 2] as const;
  return (
    <figure className="map">
      <svg
        viewBox={`0 0 ${left(columns) - gapX / 2} ${top(rows) - gapY / 2}`}
        role="img"
        aria-label={`Map: ${places.map(wordsOf).join('; ')}.`}
      >
        {ways.map(([from, to]) => {
          const [x1, y1] = middle(from);
          const [x2, y2] = middle(to);
          return <line key={`${from} ${to}`} x1={x1} y1={y1} x2={x2} y2={y2} />;
        })}
        {places.map(({ name, x, y, current, closed = false, marked = [] }, i) => (
          <g key={`${x} ${y} ${name}`} className={closed ? 'closed' : ''} transform={`translate(${left(x)} ${top(y)})`}>
            <rect className={current ? 'now' : ''} width={wide} height={tall[y]} rx="8" />
            <text x={wide / 2} y="16">
              {clipText(name, 15)}
            </text>
            {lines[i]!.map((names, row) => (
              <text key={names.join(' ')} className="thing" x={wide / 2} y={title + 10 + row * line}>
                {names.map((name, k) => (
                  <tspan key={name} className={marked.includes(name) ? 'marked' : ''} dx={k === 0 ? 0 : space}>
                    {clipText(name, longest)}
                  </tspan>
                ))}
              </text>
            ))}
          </g>
        ))}
      </svg>
      <figcaption className="small muted">{note}</figcaption>
    </figure>
  );
}

const longest = 17;
/** Between two names, and of a bold letter on an average, in units of the map. */
const [space, letter] = [5, 7] as const;

/** Names side by side, as many as fit on a line. */
function linesOf(names: readonly string[]): readonly (readonly string[])[] {
  const lines: string[][] = [];
  let used: number = wide;
  for (const name of names) {
    const width = Math.min(name.length, longest) * letter + space;
    if (used + width > wide) {
      lines.push([name]);
      used = width;
    } else {
      lines.at(-1)!.push(name);
      used += width;
    }
  }
  return lines;
}

function wordsOf({ name, here, closed = false }: PlacePicture): string {
  return `${name}${closed ? ', closed,' : ''}${here.length === 0 ? '' : ` with ${here.join(', ')}`}`.replace(/,$/, '');
}

function clipText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
