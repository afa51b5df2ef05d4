/** @file Fields of a form: each with its label, each telling its new value as plain data. */

import { type ReactNode, useId, useState } from 'react';

interface FieldProps<T> {
  readonly label: string;
  readonly value: T;
  readonly about?: string;
  readonly change: (value: T) => void;
}

function Field({
  label,
  about,
  id,
  children,
}: {
  readonly label: string;
  readonly about?: string | undefined;
  readonly id: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      {about === undefined ? null : <small id={`${id}-about`}>{about}</small>}
    </div>
  );
}

export function TextField({
  label,
  value,
  about,
  change,
  ...rest
}: FieldProps<string> & { readonly placeholder?: string; readonly list?: string }) {
  const id = useId();
  return (
    <Field {...{ label, about, id }}>
      <input id={id} value={value} onChange={(event) => change(event.target.value)} autoComplete="off" {...rest} />
    </Field>
  );
}

export function AreaField({ label, value, about, change, rows = 2 }: FieldProps<string> & { readonly rows?: number }) {
  const id = useId();
  return (
    <Field {...{ label, about, id }}>
      <textarea id={id} rows={rows} value={value} onChange={(event) => change(event.target.value)} />
    </Field>
  );
}

interface NumberProps extends FieldProps<number | undefined> {
  readonly from: number;
  readonly to: number;
  readonly step?: number;
}

/** A number, or nothing. */
export function NumberField({ label, value, about, change, from, to, step = 1 }: NumberProps) {
  const id = useId();
  const read = (text: string) =>
    change(text === '' || !Number.isFinite(Number(text)) ? undefined : Math.min(to, Math.max(from, Number(text))));
  return (
    <Field {...{ label, about, id }}>
      <input id={id} type="number" min={from} max={to} step={step} value={value ?? ''} onChange={(event) => read(event.target.value)} />
    </Field>
  );
}

/** On or off. */
export function SwitchField({ label, value, about, change }: FieldProps<boolean>) {
  const id = useId();
  return (
    <div className="field">
      <label className="switch" htmlFor={id}>
        <input id={id} type="checkbox" checked={value} onChange={(event) => change(event.target.checked)} /> {label}
      </label>
      {about === undefined ? null : <small>{about}</small>}
    </div>
  );
}

interface SelectProps<T extends string> extends FieldProps<T> {
  readonly of: readonly (T | readonly [T, string])[];
}

export function SelectField<T extends string>({ label, value, about, change, of }: SelectProps<T>) {
  const id = useId();
  return (
    <Field {...{ label, about, id }}>
      <select id={id} value={value} onChange={(event) => change(event.target.value as T)}>
        {of.map((option) => {
          const [name, text] = typeof option === 'string' ? [option, option.replaceAll('_', ' ')] : option;
          return (
            <option key={name} value={name}>
              {text}
            </option>
          );
        })}
      </select>
    </Field>
  );
}

/** Texts, one a line or set apart by commas. What is typed stays as it is typed; what is handed on has no empty ones. */
export function ListField({
  label,
  value,
  about,
  change,
  by = 'line',
}: FieldProps<readonly string[]> & { readonly by?: 'line' | 'comma' }) {
  const id = useId();
  const joined = value.join(by === 'line' ? '\n' : ', ');
  const [typed, setTyped] = useState(joined);
  const parts = (text: string) =>
    text
      .split(by === 'line' ? '\n' : ',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  // Changed from outside: another document, or the raw view.
  const visibleText = parts(typed).join('\u0000') === value.join('\u0000') ? typed : joined;
  const read = (text: string) => {
    setTyped(text);
    change(parts(text));
  };
  return (
    <Field {...{ label, id }} about={about ?? (by === 'line' ? 'one per line' : 'separated by commas')}>
      {by === 'line' ? (
        <textarea
          id={id}
          rows={Math.min(8, Math.max(2, 1 + value.reduce((rows, item) => rows + Math.ceil((item.length + 1) / usualRow), 0)))}
          value={visibleText}
          onChange={(event) => read(event.target.value)}
        />
      ) : (
        <input id={id} value={visibleText} onChange={(event) => read(event.target.value)} autoComplete="off" />
      )}
    </Field>
  );
}

/** Letters in a row of a narrow text field. */
const usualRow = 24;

/** An object with another value of one field; undefined and the empty text take the field away. */
export function put<T extends object, K extends keyof T>(object: T, key: K, value: T[K] | undefined): T {
  if (value !== undefined && value !== '') return { ...object, [key]: value };
  const { [key]: _, ...rest } = object;
  return rest as T;
}
