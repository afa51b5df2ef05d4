/** @file A model by its name, with the names that can be had from here on offer. */

import type { ReachShown } from '@ludus-agents/servers/internal/studio/api';
import { useId } from 'react';
import { useApi } from '../client.ts';

interface ModelProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  /** What an empty field means. */
  readonly none: string;
}

export function ModelField({ label, value, change, none }: ModelProps) {
  const id = useId();
  const { loaded } = useApi('/api/models/reach', {});
  const ready = loaded.state === 'ready' ? loaded.data.filter((entry) => entry.ready).flatMap(namesOf) : [];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        list={`${id}-known`}
        value={value}
        placeholder={none}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => change(event.target.value.trim())}
      />
      <datalist id={`${id}-known`}>
        {ready.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}

/** Every model by the name it is called by; where a server does not say what it has, the beginning of it. */
export function namesOf({ name, models }: ReachShown): readonly string[] {
  const start = name.replace(/…$/, '');
  return models === undefined ? [start] : models.map((model) => start + model);
}
