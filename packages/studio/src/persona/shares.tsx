/** @file The attributes of a population as a form: each value with its weight, of which the share follows. Tables, constraints and quotas stay in the document. */

import { useId, useState } from 'react';

type Attributes = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface SharesProps {
  /** The whole document; what is no JSON yet has no form. */
  readonly text: string;
  readonly change: (text: string) => void;
}

export function Shares({ text, change }: SharesProps) {
  const [name, setName] = useState('');
  const id = useId();
  const document = read(text);
  if (document === null) return <p className="muted small">The form reappears when the document below is valid.</p>;
  const attributes = (document['attributes'] ?? {}) as Attributes;
  const set = (next: Attributes) => change(JSON.stringify({ ...document, attributes: next }, null, 2));
  const add = () => {
    if (name.trim() !== '' && attributes[name.trim()] === undefined) set({ ...attributes, [name.trim()]: { yes: 50, no: 50 } });
    setName('');
  };
  return (
    <>
      <div className="fields">
        {Object.entries(attributes).map(([attribute, weights]) => (
          <Attribute
            key={attribute}
            attribute={attribute}
            weights={weights}
            change={(next) => set({ ...attributes, [attribute]: next })}
            remove={() => set(Object.fromEntries(Object.entries(attributes).filter(([name]) => name !== attribute)))}
          />
        ))}
      </div>
      <div className="row">
        <label htmlFor={id}>Another attribute</label>
        <input id={id} value={name} onChange={(event) => setName(event.target.value)} />
        <button type="button" disabled={name.trim() === ''} onClick={add}>
          Add it
        </button>
      </div>
    </>
  );
}

interface AttributeProps {
  readonly attribute: string;
  readonly weights: Readonly<Record<string, number>>;
  readonly change: (weights: Readonly<Record<string, number>>) => void;
  readonly remove: () => void;
}

function Attribute({ attribute, weights, change, remove }: AttributeProps) {
  const [value, setValue] = useState('');
  const all = Object.values(weights).reduce((sum, weight) => sum + (Number(weight) || 0), 0);
  const add = () => {
    change({ ...weights, [value.trim()]: 10 });
    setValue('');
  };
  return (
    <fieldset>
      <legend>{attribute}</legend>
      {Object.entries(weights).map(([option, weight]) => (
        <div key={option} className="row">
          <label className="row grow">
            <span className="grow text">{option}</span>
            <input
              type="number"
              min={0}
              step="any"
              value={weight}
              aria-label={`Weight of ${attribute} ${option}`}
              onChange={(event) => change({ ...weights, [option]: Number(event.target.value) })}
            />
          </label>
          <output className="small">{all === 0 ? '–' : `${Math.round((100 * weight) / all)}%`}</output>
          <button
            type="button"
            className="bare"
            aria-label={`Leave out ${attribute} ${option}`}
            onClick={() => change(Object.fromEntries(Object.entries(weights).filter(([other]) => other !== option)))}
          >
            ×
          </button>
        </div>
      ))}
      <div className="row">
        <input aria-label={`Another value of ${attribute}`} value={value} onChange={(event) => setValue(event.target.value)} />
        <button type="button" disabled={value.trim() === ''} onClick={add} aria-label={`Add a value of ${attribute}`}>
          Add
        </button>
        <button type="button" onClick={remove} aria-label={`Remove ${attribute}`}>
          Remove
        </button>
      </div>
    </fieldset>
  );
}

function read(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}
