/** @file Sampling settings: a preset, or numbers. The model decides about missing ones. */

import { NumberField, SelectField } from '../parts/form.tsx';

export interface Freedom {
  readonly temperature?: number;
  readonly topP?: number;
}

/** Ways of speaking by name. */
const presets: Readonly<Record<string, Freedom>> = {
  'model default': {},
  strict: { temperature: 0.3, topP: 0.9 },
  balanced: { temperature: 0.8, topP: 0.95 },
  free: { temperature: 1.1, topP: 1 },
};

export function presetOf({ temperature, topP }: Freedom): string {
  return Object.entries(presets).find(([, preset]) => preset.temperature === temperature && preset.topP === topP)?.[0] ?? 'custom';
}

interface FreedomProps {
  readonly value: Freedom;
  /** Reads both again; an omitted one is not set. */
  readonly change: (value: Freedom) => void;
}

export function PresetField({ value, change }: FreedomProps) {
  const preset = presetOf(value);
  return (
    <SelectField
      label="Creativity"
      value={preset}
      of={[...Object.keys(presets), ...(preset === 'custom' ? ['custom'] : [])].map((name) => [name, name] as const)}
      change={(name) => change(presets[name] ?? value)}
    />
  );
}

export function FreedomNumbers({ value: { temperature, topP }, change }: FreedomProps) {
  const set = (next: { readonly [K in keyof Freedom]: number | undefined }) =>
    change(Object.fromEntries(Object.entries({ temperature, topP, ...next }).filter(([, value]) => value !== undefined)));
  return (
    <>
      <NumberField label="Temperature" value={temperature} from={0} to={2} step={0.05} change={(value) => set({ temperature: value })} />
      <NumberField label="Top p" value={topP} from={0} to={1} step={0.01} change={(value) => set({ topP: value })} />
    </>
  );
}
