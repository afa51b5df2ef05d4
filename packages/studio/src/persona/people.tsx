/** @file A character's acquaintances: the graph, and each relation to edit. */

import type { Persona } from '@ludus-agents/servers/internal/studio/api';
import { NumberField, put, SelectField, TextField } from '../parts/form.tsx';
import type { PartProps } from './identity.tsx';
import { RelationGraph } from './relations.tsx';

type Relation = Persona['relations'][number];

const relationKinds = [
  'stranger',
  'by_name',
  'acquaintance',
  'friend',
  'romantic',
  'family',
  'rival',
  'boss',
  'subordinate',
  'colleague',
  'other',
] as const;

const fresh: Relation = {
  ...{ to: 'Someone', role: '', kind: 'acquaintance', affinity: 0, trust: 0, power: 0 },
  knowsOf: { min: 'friend' },
};

export function Relations({ persona, change }: PartProps) {
  const { relations } = persona;
  const set = (next: readonly Relation[]) => change({ ...persona, relations: next });
  return (
    <>
      <RelationGraph persona={persona} />
      <ul className="entries">
        {relations.map((relation, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: relations have no name but their place.
          <li key={i}>
            <RelationFields relation={relation} change={(next) => set(relations.with(i, next))} />
            <button
              type="button"
              className="plain"
              onClick={() => set(relations.toSpliced(i, 1))}
              aria-label={`Remove the relation to ${relation.to}`}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => set([...relations, fresh])}>
        Add a relation
      </button>
    </>
  );
}

function RelationFields({ relation, change }: { readonly relation: Relation; readonly change: (relation: Relation) => void }) {
  const degree = { about: '−1 to 1', from: -1, to: 1, step: 0.1 };
  return (
    <div className="fields">
      <TextField label="To" value={relation.to} change={(to) => change({ ...relation, to })} />
      <TextField label="As" value={relation.role} change={(role) => change({ ...relation, role })} />
      <SelectField label="Kind" value={relation.kind} of={relationKinds} change={(kind) => change({ ...relation, kind })} />
      <NumberField
        label="Liking"
        {...degree}
        value={relation.affinity}
        change={(affinity) => change({ ...relation, affinity: affinity ?? 0 })}
      />
      <NumberField label="Trust" {...degree} value={relation.trust} change={(trust) => change({ ...relation, trust: trust ?? 0 })} />
      <TextField label="Notes" value={relation.text ?? ''} change={(text) => change(put(relation, 'text', text))} />
    </div>
  );
}
