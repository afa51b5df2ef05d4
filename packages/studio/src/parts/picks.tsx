/** @file Several things by their names: each is added by its name, from what is on offer or typed, and taken away again. */

import { useId, useState } from 'react';

interface PicksProps {
  readonly label: string;
  readonly about?: string;
  readonly value: readonly string[];
  readonly of: readonly { readonly name: string; readonly about: string }[];
  readonly change: (value: readonly string[]) => void;
}

export function Picks({ label, about, value, of, change }: PicksProps) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const add = (text: string) => {
    const name = text.trim();
    setTyped('');
    if (name !== '' && !value.includes(name)) change([...value, name]);
  };
  return (
    <div className="field picks">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        list={`${id}-known`}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        placeholder="Add …"
        onChange={({ target: { value: text }, nativeEvent }) =>
          isChosen(nativeEvent) && of.some(({ name }) => name === text) ? add(text) : setTyped(text)
        }
        onBlur={() => add(typed)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add(typed);
        }}
      />
      <datalist id={`${id}-known`}>
        {of
          .filter(({ name }) => !value.includes(name))
          .map(({ name, about: description }) => (
            <option key={name} value={name}>
              {description}
            </option>
          ))}
      </datalist>
      {about === undefined ? null : <small>{about}</small>}
      {value.length === 0 ? null : (
        <ul className="row picked" aria-label={`${label}, chosen`}>
          {value.map((name) => (
            <li key={name} className="badge text">
              {name}{' '}
              <button
                type="button"
                className="bare"
                aria-label={`Remove ${name}`}
                onClick={() => change(value.filter((item) => item !== name))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Whether a name was taken from the list as a whole: "scripted" that is typed may become "scripted:bold". */
function isChosen(change: Event): boolean {
  const { inputType = '' } = change as Partial<InputEvent>;
  return inputType === '' || inputType === 'insertReplacementText';
}
