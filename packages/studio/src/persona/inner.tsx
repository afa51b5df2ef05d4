/** @file A character's goals, secrets, and limits of knowledge. */

import type { Persona } from '@ludus-agents/servers/internal/studio/api';
import { AreaField, ListField, NumberField, put, SelectField, TextField } from '../parts/form.tsx';
import type { PartProps } from './identity.tsx';
import { Statements, VisibilityField } from './statements.tsx';

export function Goals({ persona, change }: PartProps) {
  const { goals } = persona;
  const set = (next: Persona['goals']) => change({ ...persona, goals: next });
  return (
    <>
      <ul className="entries">
        {goals.map((goal, i) => (
          <li key={goal.id}>
            <AreaField label={`Goal ${goal.id}`} value={goal.text} change={(text) => set(goals.with(i, { ...goal, text }))} />
            <div className="fields">
              <SelectField
                label="For"
                value={goal.horizon}
                of={['scene', 'short', 'medium', 'long']}
                change={(horizon) => set(goals.with(i, { ...goal, horizon }))}
              />
              <NumberField
                label="Priority"
                value={goal.priority}
                from={0}
                to={100}
                change={(priority) => set(goals.with(i, { ...goal, priority: priority ?? 1 }))}
              />
              <VisibilityField value={goal.visibility} change={(visibility) => set(goals.with(i, { ...goal, visibility }))} />
            </div>
            <button type="button" className="plain" onClick={() => set(goals.toSpliced(i, 1))} aria-label={`Remove goal ${goal.id}`}>
              Remove
            </button>
          </li>
        ))}
      </ul>
      <button
        type="button"
        onClick={() => set([...goals, { id: freshId('g', goals), text: 'Wants …', horizon: 'scene', priority: 1, visibility: 'self' }])}
      >
        Add a goal
      </button>
    </>
  );
}

export function Secrets({ persona, change }: PartProps) {
  const { secrets } = persona;
  const set = (next: Persona['secrets']) => change({ ...persona, secrets: next });
  return (
    <>
      <ul className="entries">
        {secrets.map((secret, i) => (
          <li key={secret.id}>
            <AreaField label={`Secret ${secret.id}`} value={secret.text} change={(text) => set(secrets.with(i, { ...secret, text }))} />
            <div className="fields">
              <SelectField
                label="If it gets out"
                value={String(secret.severity) as '1' | '2' | '3'}
                of={[
                  ['1', 'embarrassing'],
                  ['2', 'harmful'],
                  ['3', 'ruinous'],
                ]}
                change={(severity) => set(secrets.with(i, { ...secret, severity: Number(severity) as 1 | 2 | 3 }))}
              />
              <ListField
                label="May be revealed to"
                by="comma"
                value={secret.mayRevealTo}
                change={(mayRevealTo) => set(secrets.with(i, { ...secret, mayRevealTo }))}
              />
              <TextField
                label="Revealed only if"
                value={secret.revealWhen ?? ''}
                change={(when) => set(secrets.with(i, put(secret, 'revealWhen', when)))}
              />
            </div>
            <button type="button" className="plain" onClick={() => set(secrets.toSpliced(i, 1))} aria-label={`Remove secret ${secret.id}`}>
              Remove
            </button>
          </li>
        ))}
      </ul>
      <button
        type="button"
        onClick={() =>
          set([...secrets, { id: freshId('x', secrets), text: `${persona.name} …`, severity: 2, visibility: 'self', mayRevealTo: [] }])
        }
      >
        Add a secret
      </button>
    </>
  );
}

/** Lines that may not be crossed, and what cannot be known: "topic: why" a line. */
export function Boundary({ persona, change }: PartProps) {
  const { knowledge } = persona;
  const set = (part: Partial<Persona['knowledge']>) => change({ ...persona, knowledge: { ...knowledge, ...part } });
  const split = (line: string) => {
    const cut = line.indexOf(':');
    return cut < 0 ? [line.trim(), ''] : [line.slice(0, cut).trim(), line.slice(cut + 1).trim()];
  };
  const joinTopic = (topic: string, rest: string) => (rest === '' ? topic : `${topic}: ${rest}`);
  return (
    <>
      <Statements persona={persona} change={change} boundary />
      <div className="fields">
        <ListField
          label="Cannot know"
          about="one per line, as topic: reason"
          value={knowledge.cannotKnow.map(({ topic, reason }) => joinTopic(topic, reason))}
          change={(lines) => set({ cannotKnow: lines.map(split).map(([topic = '', reason = '']) => ({ topic, reason })) })}
        />
        <ListField
          label="Will not talk about"
          about="one per line, as topic: manner"
          value={knowledge.mustRefuse.map(({ topic, manner }) => joinTopic(topic, manner))}
          change={(lines) => set({ mustRefuse: lines.map(split).map(([topic = '', manner = '']) => ({ topic, manner })) })}
        />
        <SelectField
          label="When asked about something unknown"
          value={knowledge.onUnknown}
          of={[
            ['admit', 'says so'],
            ['deflect', 'changes the subject'],
            ['guess_in_character', 'guesses in character'],
          ]}
          change={(onUnknown) => set({ onUnknown })}
        />
      </div>
    </>
  );
}

function freshId(letter: string, items: readonly { readonly id: string }[]): string {
  const ids = new Set(items.map(({ id }) => id));
  let n = items.length + 1;
  while (ids.has(`${letter}${n}`)) n++;
  return `${letter}${n}`;
}
