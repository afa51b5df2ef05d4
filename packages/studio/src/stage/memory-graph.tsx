/** @file Memories as a graph: what rests on what. Events that memories rest on are small, what was in the last prompt is filled. */

import type { MemoryShown } from '@ludus-agents/servers/internal/studio/api';
import { Scroll } from '../parts/scroll.tsx';
import './inside.css';

const [wide, tall, gap] = [210, 40, 12] as const;
const most = 24;

interface Knot {
  readonly id: string;
  readonly memory: MemoryShown | undefined;
  readonly level: number;
  readonly place: number;
}

/** Drawn where something rests on something; a list says the rest. */
export function MemoryGraph({ memories }: { readonly memories: readonly MemoryShown[] }) {
  const recentMemories = memories.slice(-most);
  const knots = layOut(recentMemories);
  const lines = recentMemories.flatMap(({ id, evidence }) => evidence.map((on) => [id, on] as const));
  if (lines.length === 0) return null;
  const at = new Map(knots.map((knot) => [knot.id, knot]));
  const [levels, places] = [Math.max(...knots.map(({ level }) => level)) + 1, Math.max(...knots.map(({ place }) => place)) + 1];
  const x = ({ level }: Knot) => level * (wide + 60);
  const y = ({ place }: Knot) => place * (tall + gap);
  const descriptions = recentMemories
    .filter(({ evidence }) => evidence.length > 0)
    .map(({ id, evidence }) => `${id} is based on ${evidence.join(', ')}`);
  return (
    <Scroll label="Memories as a graph">
      <figure className="memory-graph" style={{ minWidth: levels * 150 }}>
        <svg
          viewBox={`-2 -2 ${levels * (wide + 60) - 56} ${places * (tall + gap)}`}
          role="img"
          aria-label={`Memories and their sources: ${descriptions.join('; ')}.`}
        >
          {lines.map(([from, to]) => {
            const [a, b] = [at.get(from), at.get(to)];
            if (a === undefined || b === undefined) return null;
            const [x1, y1, x2, y2] = [x(b) + wide, y(b) + tall / 2, x(a), y(a) + tall / 2];
            return <path key={`${from} ${to}`} fill="none" d={`M ${x1} ${y1} C ${x1 + 30} ${y1}, ${x2 - 30} ${y2}, ${x2} ${y2}`} />;
          })}
          {knots.map((knot) => (
            <g key={knot.id} className={`node ${classOf(knot)}`} transform={`translate(${x(knot)} ${y(knot)})`}>
              <rect width={wide} height={tall} rx="8" />
              <text className="kind" x="10" y="15">
                {knot.memory === undefined ? knot.id : `${knot.id} · ${knot.memory.kind}`}
              </text>
              <text x="10" y="31">
                {knot.memory === undefined ? 'seen in the episode' : clip(knot.memory.text)}
                {knot.memory === undefined ? null : <title>{knot.memory.text}</title>}
              </text>
            </g>
          ))}
        </svg>
      </figure>
    </Scroll>
  );
}

/** Each stands to the right of everything that it rests on. */
function layOut(memories: readonly MemoryShown[]): readonly Knot[] {
  const byId = new Map(memories.map((memory) => [memory.id, memory]));
  const levels = new Map<string, number>();
  const levelOf = (id: string, deep = 0): number => {
    const cachedLevel = levels.get(id);
    if (cachedLevel !== undefined || deep > most) return cachedLevel ?? 0;
    const on = byId.get(id)?.evidence ?? [];
    const level = on.length === 0 ? 0 : 1 + Math.max(...on.map((source) => levelOf(source, deep + 1)));
    levels.set(id, level);
    return level;
  };
  const ids = [...new Set(memories.flatMap(({ id, evidence }) => [...evidence, id]))];
  const takenRows = new Map<number, number>();
  return ids.map((id) => {
    const level = levelOf(id);
    const place = takenRows.get(level) ?? 0;
    takenRows.set(level, place + 1);
    return { id, memory: byId.get(id), level, place };
  });
}

function classOf({ memory }: Knot): string {
  return memory === undefined ? 'event' : memory.gone ? 'gone' : memory.used ? 'used' : '';
}

function clip(text: string): string {
  return text.length > 30 ? `${text.slice(0, 29)}…` : text;
}
