/** @file The ancestry of candidates as a tree: each generation a row, each candidate a link, its colour the gate's verdict. */

import type { CandidateLine } from '@ludus-agents/servers/internal/studio/api';
import { count } from '../format.ts';

interface TreeProps {
  readonly candidates: readonly CandidateLine[];
  readonly head: string | null;
  readonly chosen: string | null;
  address(id: string): string;
}

interface Placed {
  readonly candidate: CandidateLine;
  readonly x: number;
  readonly y: number;
}

const [across, down, edge] = [46, 64, 28];

export function Tree({ candidates, head, chosen, address }: TreeProps) {
  const placed = placesOf(candidates);
  const all = [...placed.values()];
  const width = Math.max(240, ...all.map(({ x }) => x + edge));
  const height = Math.max(80, ...all.map(({ y }) => y + edge));
  return (
    <section className="card" aria-label="Lineage">
      <h2>Lineage</h2>
      <p className="legend small">
        <span className="key accepted" /> accepted <span className="key rejected" /> rejected <span className="key unjudged" /> not judged;
        the ring marks the current candidate
      </p>
      <div className="lineage">
        <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-label="Candidates by generation">
          {all.flatMap(({ candidate, x, y }) =>
            candidate.parents.map((parent) => {
              const from = placed.get(parent);
              return from === undefined ? null : <line key={`${parent} ${candidate.id}`} x1={from.x} y1={from.y} x2={x} y2={y} />;
            }),
          )}
          {all.map(({ candidate: { id, number, verdict, select }, x, y }) => {
            const look = verdict === null ? 'unjudged' : verdict.accept ? 'accepted' : 'rejected';
            const score =
              select.mean === null
                ? ''
                : `, mean ${select.mean.toFixed(3)} over ${count(select.tasks, 'task')}, ${count(select.episodes, 'episode')}`;
            return (
              <a
                key={id}
                href={address(id)}
                aria-label={`${candidateTitle(number)}, ${verdict?.words ?? 'not judged'}${score}`}
                aria-current={id === chosen}
              >
                {id === head ? <circle className="head" cx={x} cy={y} r="17" /> : null}
                <circle className={`${look}${id === chosen ? ' chosen' : ''}`} cx={x} cy={y} r="12" />
              </a>
            );
          })}
          {all.map(({ candidate: { id, select }, x, y }) =>
            select.mean === null ? null : (
              <text key={id} x={x} y={y + 28} textAnchor="middle">
                {select.mean.toFixed(2)}
              </text>
            ),
          )}
        </svg>
      </div>
    </section>
  );
}

export function candidateTitle(number: number): string {
  return number === 0 ? 'Start' : `Candidate ${number}`;
}

/** Rows by generation; children stand below their parents as far as there is room. */
function placesOf(candidates: readonly CandidateLine[]): ReadonlyMap<string, Placed> {
  const depth = new Map<string, number>();
  for (const { id, parents } of candidates) depth.set(id, Math.max(-1, ...parents.map((parent) => depth.get(parent) ?? -1)) + 1);
  const rows = Map.groupBy(candidates, ({ id }) => depth.get(id) ?? 0);
  const placed = new Map<string, Placed>();
  for (const [row, members] of [...rows].sort(([a], [b]) => a - b)) {
    const siblings = Map.groupBy(members, ({ parents }) => parents[0] ?? '');
    const wantedPlace = (candidate: CandidateLine) => {
      const all = siblings.get(candidate.parents[0] ?? '') ?? [candidate];
      return (placed.get(candidate.parents[0] ?? '')?.x ?? edge) + (all.indexOf(candidate) - (all.length - 1) / 2) * across;
    };
    const inOrder = members
      .map((candidate, i) => ({ candidate, i }))
      .sort((a, b) => wantedPlace(a.candidate) - wantedPlace(b.candidate) || a.i - b.i);
    let next = edge;
    for (const { candidate } of inOrder) {
      const x = Math.max(next, wantedPlace(candidate));
      placed.set(candidate.id, { candidate, x, y: edge + row * down });
      next = x + across;
    }
  }
  return placed;
}
