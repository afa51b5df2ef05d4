/** @file The map of a quest: rooms, the ways between them, who and what is in each. */

import type { Picture } from '../../../../src/servers/studio/api.ts';

const [wide, tall, gapX, gapY] = [104, 58, 22, 26] as const;

export function QuestMap({ picture: { places, ways, note } }: { readonly picture: Extract<Picture, { kind: 'map' }> }) {
  const columns = Math.max(...places.map(({ x }) => x)) + 1;
  const rows = Math.max(...places.map(({ y }) => y)) + 1;
  const [width, height] = [columns * (wide + gapX), rows * (tall + gapY)];
  const middle = (i: number) => {
    const { x, y } = places[i]!;
    return [x * (wide + gapX) + gapX / 2 + wide / 2, y * (tall + gapY) + gapY / 2 + tall / 2] as const;
  };
  const words = places.map(({ name, here }) => (here.length === 0 ? name : `${name} with ${here.join(', ')}`)).join('; ');
  return (
    <figure className="map">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Map: ${words}.`}>
        {ways.map(([from, to]) => {
          const [x1, y1] = middle(from);
          const [x2, y2] = middle(to);
          return <line key={`${from} ${to}`} x1={x1} y1={y1} x2={x2} y2={y2} />;
        })}
        {places.map(({ name, x, y, here, current }) => (
          <g key={`${x} ${y} ${name}`} transform={`translate(${x * (wide + gapX) + gapX / 2} ${y * (tall + gapY) + gapY / 2})`}>
            <rect className={current ? 'now' : ''} width={wide} height={tall} rx="8" />
            <text x={wide / 2} y="18">
              {clipText(name, 15)}
            </text>
            {here.slice(0, 2).map((one, i) => (
              <text key={one} className="thing" x={wide / 2} y={34 + i * 14}>
                {clipText(i === 1 && here.length > 2 ? `${one} +${here.length - 2}` : one, 17)}
              </text>
            ))}
          </g>
        ))}
      </svg>
      <figcaption className="small muted">{note}</figcaption>
    </figure>
  );
}

function clipText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
