/** @file Dice by number: the same number always rolls the same. */

interface DiceFieldProps {
  readonly label: string;
  /** What an empty field means. */
  readonly otherwise: string;
  readonly value: string;
  readonly set: (dice: string) => void;
}

export function DiceField({ label, otherwise, value, set }: DiceFieldProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <input inputMode="numeric" pattern="\d*" placeholder={otherwise} value={value} onChange={(event) => set(event.target.value)} />
      <small>The same seed gives the same episode.</small>
    </label>
  );
}

/** The seed that a field holds, as part of a request: nothing where it is empty. */
export function diceIn(typed: string): { readonly seed?: number } {
  return typed.trim() === '' ? {} : { seed: Number(typed) };
}
