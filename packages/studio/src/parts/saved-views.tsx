/** @file Named views of the runs table: filters and order, stored in this browser, one click each. */

import { useState } from 'react';
import { useKept } from '../kept.ts';

interface View {
  readonly name: string;
  /** Filters and order as they stand in the address. */
  readonly query: string;
}

export function SavedViews({ query }: { readonly query: URLSearchParams }) {
  const [views, setViews] = useKept<readonly View[]>('run-views', []);
  const [typed, setTyped] = useState<string | null>(null);
  const now = query.toString();
  const save = () => {
    const name = (typed ?? '').trim();
    if (name !== '') setViews([...views.filter((view) => view.name !== name), { name, query: now }]);
    setTyped(null);
  };
  if (views.length === 0 && now === '') return null;
  return (
    <nav className="row views" aria-label="Saved views">
      {views.length === 0 ? null : <a href="#/runs">All runs</a>}
      {views.map((view) => (
        <span key={view.name} className="chip">
          <a href={`#/runs?${view.query}`} aria-current={view.query === now ? 'true' : undefined}>
            {view.name}
          </a>
          <button
            type="button"
            className="plain"
            aria-label={`Delete view ${view.name}`}
            onClick={() => setViews(views.filter((other) => other !== view))}
          >
            ×
          </button>
        </span>
      ))}
      {now === '' || views.some((view) => view.query === now) ? null : typed === null ? (
        <button type="button" className="plain" onClick={() => setTyped('')}>
          Save view
        </button>
      ) : (
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <label className="row small">
            <span>View name</span>
            {/* biome-ignore lint/a11y/noAutofocus: it was just asked for. */}
            <input autoFocus value={typed} onChange={(event) => setTyped(event.target.value)} />
          </label>
          <button type="submit">Save</button>
        </form>
      )}
    </nav>
  );
}
