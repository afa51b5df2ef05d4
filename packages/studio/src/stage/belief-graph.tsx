/** @file Beliefs as a graph: entities with their attributes, joined by relations. The list of memories is where they are edited. */

import type { MemoryShown } from '@ludus-agents/servers/internal/studio/api';
import { Scroll } from '../parts/scroll.tsx';
import { beliefPicture } from './belief-picture.ts';
import './inside.css';

const [wide, row, gap, between] = [190, 17, 24, 130] as const;
export function BeliefGraph({ memories }: { readonly memories: readonly MemoryShown[] }) {
  const { entities, relations } = beliefPicture(memories);
  if (entities.length === 0) return null;
  const tall = Math.max(...entities.map(({ attributes }) => attributes.length)) * row + 42;
  const place = new Map(entities.map(({ name }, i) => [name, { x: (i % 2) * (wide + between), y: Math.floor(i / 2) * (tall + gap) }]));
  const columns = Math.min(2, entities.length);
  const width = columns * wide + (columns - 1) * between;
  const words = [
    ...entities.map(({ name, chances, attributes }) => [name, chances, ...attributes].filter((part) => part !== '').join(', ')),
    ...relations.map(({ from, to, text }) => `${from} to ${to}: ${text}`),
  ];
  return (
    <Scroll label="Beliefs as a graph">
      <figure className="memory-graph" style={{ minWidth: width }}>
        <svg
          viewBox={`-2 -2 ${width + 4} ${Math.ceil(entities.length / 2) * (tall + gap)}`}
          role="img"
          aria-label={`Beliefs: ${words.join('; ')}.`}
        >
          {relations.map(({ from, to, text }) => {
            const [a, b] = [place.get(from), place.get(to)];
            if (a === undefined || b === undefined) return null;
            const [x1, y1, x2, y2] = [a.x + wide / 2, a.y + tall / 2, b.x + wide / 2, b.y + tall / 2];
            return (
              <g key={`${from}>${to}`}>
                <path fill="none" d={`M ${x1} ${y1} L ${x2} ${y2}`} />
                <text className="kind" textAnchor="middle" x={(x1 + x2) / 2} y={(y1 + y2) / 2 - 5}>
                  {clip(text, 24)}
                </text>
              </g>
            );
          })}
          {entities.map(({ name, chances, attributes }) => {
            const { x, y } = place.get(name) ?? { x: 0, y: 0 };
            return (
              <g key={name} className="node" transform={`translate(${x} ${y})`}>
                <rect width={wide} height={tall} rx="8" />
                <text x="10" y="18">
                  {clip(name, 28)}
                </text>
                {[chances, ...attributes].map((line, i) => (
                  <text key={line} className="kind" x="10" y={34 + i * row}>
                    {clip(line, 34)}
                    <title>{line}</title>
                  </text>
                ))}
              </g>
            );
          })}
        </svg>
      </figure>
    </Scroll>
  );
}

function clip(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
