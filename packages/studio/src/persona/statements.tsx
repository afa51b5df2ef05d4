/** @file Facts about a character: kind, who may know it, and what triggers it. */

import type { Persona } from '@ludus-agents/servers/internal/studio/api';
import { AreaField, ListField, NumberField, put, SelectField } from '../parts/form.tsx';

type Statement = Persona['statements'][number];
export type Visibility = Statement['visibility'];

const kinds = ['fact', 'trait', 'belief', 'style', 'rule', 'boundary', 'relation'] as const;

/** Who may know something, as words to choose from; "only" keeps the names that were there. */
const levels = [
  ['public', 'everybody'],
  ['by_name', 'people who know the name'],
  ['acquaintance', 'acquaintances'],
  ['friend', 'friends'],
  ['only', 'only some'],
  ['self', 'no one else'],
] as const;
type Level = (typeof levels)[number][0];

function levelOf(visibility: Visibility): Level {
  if (typeof visibility === 'string') return visibility;
  return 'min' in visibility ? visibility.min : 'only';
}

function visibilityOf(level: Level, names: readonly string[]): Visibility {
  if (level === 'public' || level === 'self') return level;
  return level === 'only' ? { only: names } : { min: level };
}

export function VisibilityField({ value, change }: { readonly value: Visibility; readonly change: (value: Visibility) => void }) {
  const names = typeof value === 'object' && 'only' in value ? value.only : [];
  return (
    <>
      <SelectField label="Known to" value={levelOf(value)} of={levels} change={(level) => change(visibilityOf(level, names))} />
      {levelOf(value) === 'only' ? <ListField label="Names" by="comma" value={names} change={(only) => change({ only })} /> : null}
    </>
  );
}

interface StatementsProps {
  readonly persona: Persona;
  readonly change: (persona: Persona) => void;
  /** Boundaries alone, or everything else. */
  readonly boundary: boolean;
}

export function Statements({ persona, change, boundary }: StatementsProps) {
  const { statements } = persona;
  const set = (at: number, statement: Statement) => change({ ...persona, statements: statements.with(at, statement) });
  const remove = (at: number) => change({ ...persona, statements: statements.toSpliced(at, 1) });
  const add = () => {
    const ids = new Set(statements.map(({ id }) => id));
    let n = statements.length + 1;
    while (ids.has(`s${n}`)) n++;
    const fresh: Statement = {
      ...{ id: `s${n}`, text: `${persona.name} …`, weight: 1 },
      ...(boundary
        ? { kind: 'boundary', polarity: 'must_not', visibility: 'self' }
        : { kind: 'fact', polarity: 'must', visibility: 'public' }),
    };
    change({ ...persona, statements: [...statements, fresh] });
  };
  const visibleStatements = statements
    .map((statement, at) => ({ statement, at }))
    .filter(({ statement }) => (statement.kind === 'boundary') === boundary);
  return (
    <>
      <ul className="entries">
        {visibleStatements.map(({ statement, at }) => (
          <li key={statement.id}>
            <StatementFields statement={statement} change={(next) => set(at, next)} boundary={boundary} />
            <button type="button" className="plain" onClick={() => remove(at)} aria-label={`Remove ${statement.id}`}>
              Remove
            </button>
          </li>
        ))}
      </ul>
      <button type="button" onClick={add}>
        {boundary ? 'Add a boundary' : 'Add a statement'}
      </button>
    </>
  );
}

const holds = [
  ['must', 'always'],
  ['must_not', 'never'],
] as const;

interface StatementProps {
  readonly statement: Statement;
  readonly change: (statement: Statement) => void;
  readonly boundary: boolean;
}

function StatementFields({ statement, change, boundary }: StatementProps) {
  const { id, text, kind, polarity, visibility, keys, weight } = statement;
  return (
    <>
      <AreaField
        label={`${boundary ? 'Boundary' : 'Statement'} ${id}`}
        value={text}
        change={(next) => change({ ...statement, text: next })}
      />
      <div className="fields">
        {boundary ? null : <SelectField label="Kind" value={kind} of={kinds} change={(next) => change({ ...statement, kind: next })} />}
        <SelectField label="Holds" value={polarity} of={holds} change={(next) => change({ ...statement, polarity: next })} />
        <VisibilityField value={visibility} change={(next) => change({ ...statement, visibility: next })} />
        <ListField
          label="Relevant words"
          by="comma"
          value={keys ?? []}
          change={(next) => change(put(statement, 'keys', next.length === 0 ? undefined : next))}
        />
        <NumberField
          label="Weight"
          value={weight}
          from={0}
          to={100}
          step={0.5}
          change={(next) => change({ ...statement, weight: next ?? 1 })}
        />
      </div>
    </>
  );
}
