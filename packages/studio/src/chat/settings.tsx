/** @file What a conversation is held with: the model, who one is, the author's note, and how freely it speaks. */

import type { ChatSettings, ChatShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { type Freedom, FreedomNumbers, PresetField } from '../models/sampling.tsx';
import { AreaField, NumberField, SwitchField, TextField } from '../parts/form.tsx';
import { ModelField } from '../parts/model.tsx';
import { Presets } from './presets.tsx';
import type { Talking } from './talking.ts';

/** Structures that a character with a model can build from its notes; each is shown and edited below its memories. */
const structures = [
  ['beliefs', 'Beliefs about your goals', 'with probabilities; it asks about the least certain one'],
  ['register', 'Register of people and things', 'attributes of each, under all names'],
  ['tasks', 'Tasks', 'dependencies, and steps that must be repeated'],
] as const;

function withName<T>(names: readonly T[], name: T, on: boolean): readonly T[] | undefined {
  const rest = names.filter((item) => item !== name);
  return on ? [...rest, name] : rest.length === 0 ? undefined : rest;
}

export function Settings({ chat, talking }: { readonly chat: ChatShown; readonly talking: Talking }) {
  const [model, setModel] = useState(chat.model ?? '');
  const [settings, setSettings] = useState<ChatSettings>(chat.settings);
  const set = <K extends keyof ChatSettings>(name: K, value: ChatSettings[K] | undefined) => {
    const { [name]: _, ...rest } = settings;
    setSettings(value === undefined || value === '' ? rest : { ...rest, [name]: value });
  };
  const { temperature, topP, ...others } = settings;
  const freedom = { ...(temperature === undefined ? {} : { temperature }), ...(topP === undefined ? {} : { topP }) };
  const free = (value: Freedom) => setSettings({ ...others, ...value });
  const changed = model !== (chat.model ?? '') || JSON.stringify(settings) !== JSON.stringify(chat.settings);
  return (
    <form
      className="card"
      aria-label="Chat settings"
      onSubmit={(event) => {
        event.preventDefault();
        talking.change({ model: model === '' ? 'none' : model, settings });
      }}
    >
      <h2>Chat settings</h2>
      <Presets
        value={{ model, settings }}
        choose={(preset) => {
          setModel(preset.model);
          setSettings(preset.settings);
        }}
      />
      <ModelField label="Model" none="Scripted replies (no model)" value={model} change={setModel} />
      <TextField label="Your name" value={settings.user ?? ''} placeholder="the visitor" change={(text) => set('user', text)} />
      <AreaField label="About you" about="for the character to know" value={settings.about ?? ''} change={(text) => set('about', text)} />
      <AreaField
        label="Author’s note"
        about="an instruction, sent at every turn before the latest messages"
        value={settings.note ?? ''}
        change={(text) => set('note', text)}
      />
      <PresetField value={freedom} change={free} />
      <details>
        <summary>Advanced</summary>
        {structures.map(([name, label, about]) => (
          <SwitchField
            key={name}
            label={label}
            about={about}
            value={settings.knowledge?.includes(name) === true}
            change={(on) => set('knowledge', withName(settings.knowledge ?? [], name, on))}
          />
        ))}
        <div className="fields">
          <FreedomNumbers value={freedom} change={free} />
          <NumberField label="Token limit" value={settings.maxTokens} from={1} to={100_000} change={(value) => set('maxTokens', value)} />
        </div>
      </details>
      <div className="row">
        <button type="submit" disabled={!changed}>
          Apply
        </button>
      </div>
    </form>
  );
}

/** Shown without a model, so that lines from a card are not mistaken for a model's. */
export function NoModel({ name }: { readonly name: string }) {
  return (
    <p className="offline">
      No model: {name} answers with lines from its card. Name a model that runs on this machine under “Model”, or enter a key under{' '}
      <a href="#/models">Models</a>.
    </p>
  );
}
