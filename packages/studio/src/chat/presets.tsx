/** @file Chat settings under a name, kept in this browser: a model, a voice and a note that fit together are one choice in the next chat. */

import type { ChatSettings } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { useKept } from '../kept.ts';
import { SelectField, TextField } from '../parts/form.tsx';

export interface Preset {
  readonly model: string;
  readonly settings: ChatSettings;
}

export function Presets({ value, choose }: { readonly value: Preset; readonly choose: (preset: Preset) => void }) {
  const [presets, setPresets] = useKept<Readonly<Record<string, Preset>>>('chat-presets', {});
  const [name, setName] = useState('');
  const same = Object.entries(presets).find(([, preset]) => JSON.stringify(preset) === JSON.stringify(value))?.[0] ?? '';
  const save = () => {
    setPresets({ ...presets, [name.trim()]: value });
    setName('');
  };
  const remove = () => setPresets(Object.fromEntries(Object.entries(presets).filter(([other]) => other !== same)));
  return (
    <>
      {Object.keys(presets).length === 0 ? null : (
        <SelectField
          label="Preset"
          value={same}
          of={[['', 'Custom'], ...Object.keys(presets).map((preset) => [preset, preset] as const)]}
          change={(name) => presets[name] !== undefined && choose(presets[name])}
        />
      )}
      <details>
        <summary>Save as a preset</summary>
        <div className="row level">
          <TextField label="Preset name" value={name} change={setName} />
          <button type="button" disabled={name.trim() === ''} onClick={save}>
            Save preset
          </button>
          {same === '' ? null : (
            <button type="button" onClick={remove}>
              Delete preset {same}
            </button>
          )}
        </div>
      </details>
    </>
  );
}
