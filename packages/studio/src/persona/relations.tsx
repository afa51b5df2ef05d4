/** @file A character's acquaintances as a graph: warmer lines show more liking, thicker lines more trust. */

import type { Persona } from '@ludus-agents/servers/internal/studio/api';
import { count } from '../format.ts';

const [size, middle, round] = [420, 210, 145];

export function RelationGraph({ persona }: { readonly persona: Persona }) {
  const { relations, name } = persona;
  if (relations.length === 0) return <p className="muted">{name === '' ? 'This persona' : name} has no relationships yet.</p>;
  const place = (i: number) => {
    const angle = (2 * Math.PI * i) / relations.length - Math.PI / 2;
    return { x: middle + round * Math.cos(angle), y: middle + round * Math.sin(angle) };
  };
  const summary = relations.map(({ to, role, kind }) => `${to}, ${role || kind.replaceAll('_', ' ')}`).join('; ');
  return (
    <svg
      className="relations"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={`${count(relations.length, 'relation')} of ${name}: ${summary}`}
    >
      {relations.map((relation, i) => {
        const { x, y } = place(i);
        const mood = relation.affinity > 0.15 ? 'warm' : relation.affinity < -0.15 ? 'cold' : 'even';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: somebody may be named twice, and lines have no other name.
          <g key={i} className={mood}>
            <line x1={middle} y1={middle} x2={x} y2={y} strokeWidth={2 + 2 * (1 + relation.trust)} />
            <circle cx={x} cy={y} r="16" />
            <text className="label" x={x} y={y < middle - 20 ? y - 24 : y + 34} textAnchor="middle">
              {cut(relation.to)}
            </text>
            <text className="label role" x={middle + 0.62 * (x - middle)} y={middle + 0.62 * (y - middle) - 6} textAnchor="middle">
              {cut(relation.role || relation.kind.replaceAll('_', ' '))}
            </text>
          </g>
        );
      })}
      <circle className="self" cx={middle} cy={middle} r="24" />
      <text x={middle} y={middle + 42} textAnchor="middle" className="label self">
        {cut(name)}
      </text>
    </svg>
  );
}

function cut(text: string): string {
  return text.length > 18 ? `${text.slice(0, 17)}…` : text;
}
