/** @file How far a judge can be relied on, beside every number that it gave. */

import type { Grades } from '@ludus-agents/servers/internal/studio/api';

const meaning = {
  A: 'may rank and train',
  B: 'may be shown, not rank',
  C: 'unreliable',
  none: 'judge without a trust card',
} as const;

export function Grade({ grade }: { readonly grade: Grades[string] }) {
  const look = grade === 'A' ? 'good' : grade === 'B' ? 'warn' : 'bad';
  return (
    <span className={`badge ${look}`} title={meaning[grade]}>
      {grade === 'none' ? 'no card' : `grade ${grade}`}
      <span className="hidden">: {meaning[grade]}</span>
    </span>
  );
}
