/** @file The user's marks: a star and tags on an episode, the tag that adds it to a dataset, and the name, note, tags, and archive of a run. */

import type { Marks } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { put, useAction } from '../client.ts';
import { AreaField, ListField, TextField } from './form.tsx';
import { Problem } from './states.tsx';

interface MarkedProps {
  readonly id: string;
  readonly marks: Marks;
}

/** What was pressed shows at once; the server hears of it. */
export function Star({ id, marks }: MarkedProps) {
  const [star, setStar] = useState(marks.star === true);
  const { run } = useAction();
  const press = () => {
    setStar(!star);
    run(() => put('/api/marks/:of/:id', { param: { of: 'episode', id }, json: { star: !star } }));
  };
  return (
    <button type="button" className="bare" data-owner="" aria-pressed={star} aria-label={`Star ${id}`} title="Star" onClick={press}>
      {star ? '★' : '☆'}
    </button>
  );
}

/** The tag that `ludus data export --tag dataset` takes. */
const dataset = 'dataset';

export function Tags({ id, marks, reload }: MarkedProps & { readonly reload: () => void }) {
  const [tags, setTags] = useState<readonly string[]>(marks.tags ?? []);
  const { busy, error, run } = useAction();
  const keep = (next: readonly string[]) => {
    setTags(next);
    run(async () => {
      await put('/api/marks/:of/:id', { param: { of: 'episode', id }, json: { tags: next } });
      reload();
    });
  };
  const inside = tags.includes(dataset);
  return (
    <details className="small">
      <summary>Tags and dataset{tags.length === 0 ? '' : `: ${tags.join(', ')}`}</summary>
      <ListField label="Tags" by="comma" value={tags} change={setTags} />
      <Problem error={error} />
      <div className="row">
        <button type="button" disabled={busy} onClick={() => keep(tags)}>
          Save tags
        </button>
        <button type="button" disabled={busy} onClick={() => keep(inside ? tags.filter((tag) => tag !== dataset) : [...tags, dataset])}>
          {inside ? 'Remove from the dataset' : 'Add to the dataset'}
        </button>
      </div>
      <p className="muted">
        <code>ludus data export --format openai --tag {dataset} -o dataset</code> writes what is in it.
      </p>
    </details>
  );
}

/** The user's name, tags, and note for a run, and whether it is archived. */
export function RunMarks({ id, marks, reload }: MarkedProps & { readonly reload: () => void }) {
  const { name = '', note = '', tags = [], archived = false } = marks;
  const [draft, setDraft] = useState({ name, note, tags });
  const { busy, error, run } = useAction();
  const save = (json: Marks) =>
    run(async () => {
      await put('/api/marks/:of/:id', { param: { of: 'run', id }, json });
      reload();
    });
  const set = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  const isChanged = draft.name !== name || draft.note !== note || draft.tags.join() !== tags.join();
  return (
    <details className="card" data-owner="" open={note !== ''}>
      <summary>Name, tags, note, archive</summary>
      <div className="fields">
        <TextField label="Name" about={`Default: ${id}`} value={draft.name} change={(value) => set({ name: value })} />
        <ListField label="Tags" by="comma" value={draft.tags} change={(value) => set({ tags: [...value] })} />
        <AreaField label="Note" rows={3} value={draft.note} change={(value) => set({ note: value })} />
      </div>
      <Problem error={error} />
      <div className="row">
        <button
          type="button"
          className="primary"
          disabled={busy || !isChanged}
          onClick={() => save({ name: draft.name.trim(), note: draft.note, tags: draft.tags })}
        >
          Save
        </button>
        <button type="button" disabled={busy} onClick={() => save({ archived: !archived })}>
          {archived ? 'Restore from the archive' : 'Archive'}
        </button>
      </div>
    </details>
  );
}
