/** @file Hyperparameters of a recipe: each with its default and its range; several values with commas make a sweep. */

import type { LaunchChoices } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { useApi } from '../client.ts';
import { count, toTitle } from '../format.ts';
import { TextField } from '../parts/form.tsx';
import type { GalleryItem } from '../parts/gallery.tsx';

interface SettingsProps {
  readonly recipe: string;
  readonly value: Readonly<Record<string, string>>;
  readonly change: (value: Readonly<Record<string, string>> | undefined) => void;
}

export function Settings({ recipe, value, change }: SettingsProps) {
  const { loaded } = useApi('/api/launch/recipes/:name', recipe === '' ? null : { param: { name: recipe } });
  const [wanted, setWanted] = useState('');
  const settings = loaded.state === 'ready' ? loaded.data : [];
  const visibleSettings = settings.filter(({ name }) => name in value || name.toLowerCase().includes(wanted.trim().toLowerCase()));
  const set = (name: string, text: string) => {
    const { [name]: _, ...rest } = value;
    const next = text === '' ? rest : { ...rest, [name]: text };
    change(Object.keys(next).length === 0 ? undefined : next);
  };
  const changed = Object.keys(value).length;
  return (
    <details className="more" open={changed > 0}>
      <summary>
        Hyperparameters{' '}
        <span className="muted small">
          {changed > 0 ? `${count(changed, 'change')}` : settings.length === 0 ? '' : `${settings.length}, all at their defaults`}
        </span>
      </summary>
      <p className="muted small">
        Leave a field empty for the default. Several values separated by commas train one run for each: a sweep.
      </p>
      <label className="field search">
        <span>Find a hyperparameter</span>
        <input type="search" value={wanted} onChange={(event) => setWanted(event.target.value)} placeholder="loss, rate, group …" />
      </label>
      <div className="fields">
        {visibleSettings.map(({ name, otherwise, range }) => (
          <TextField
            key={name}
            label={name}
            placeholder={otherwise}
            about={range}
            value={value[name] ?? ''}
            change={(text) => set(name, text)}
          />
        ))}
      </div>
    </details>
  );
}

const learnerWords: Readonly<Record<string, string>> = {
  transformer: 'small language model',
  tinker: 'needs a GPU server',
  gaussian: 'continuous actions',
};

/** Recipes by prefix, which names the environment or the method: "kuhn-lm" and "kuhn-tabular" are in one group. */
export function groupRecipes(recipes: LaunchChoices['recipes']): readonly GalleryItem[] {
  const startOf = (name: string) => name.replace(/^\.\//, '').split('-', 1)[0] ?? name;
  const sizes = Map.groupBy(recipes, ({ name }) => startOf(name));
  const groupOf = (name: string) => {
    const start = startOf(name);
    return (sizes.get(start)?.length ?? 0) < 3 ? 'Others' : start.charAt(0).toUpperCase() + start.slice(1);
  };
  const items = recipes.map(({ name, about, trains }) => ({
    ...{ name, about, group: groupOf(name), icon: 'Recipe' as const },
    ...(trains === null ? {} : { environment: trains.environment }),
    badges:
      trains === null
        ? []
        : [
            toTitle(trains.environment),
            `${new Intl.NumberFormat('en', { notation: 'compact' }).format(trains.games)} games`,
            ...(trains.learner === 'table' ? [] : [learnerWords[trains.learner] ?? trains.learner]),
          ],
  }));
  return items.toSorted((a, b) => Number(a.group === 'Others') - Number(b.group === 'Others'));
}
