/** @file What one keeps beside a training: a name of one's own, a note, and whether it is out of the way. */

import type { TrainingDetail } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { put, useAction } from '../client.ts';
import { AreaField, TextField } from '../parts/form.tsx';
import { Problem } from '../parts/states.tsx';

export function TrainingMarks({ detail: { id, marks } }: { readonly detail: Pick<TrainingDetail, 'id' | 'marks'> }) {
  const [name, setName] = useState(marks.name ?? '');
  const [note, setNote] = useState(marks.note ?? '');
  const { busy, error, run } = useAction();
  const keep = (json: TrainingDetail['marks']) => run(() => put('/api/marks/:of/:id', { param: { of: 'run', id }, json }));
  const changed = name !== (marks.name ?? '') || note !== (marks.note ?? '');
  return (
    <details className="card" open={(marks.note ?? '') !== ''}>
      <summary>Name, note, archive</summary>
      <div className="fields">
        <TextField label="Your name for it" about={`empty for ${id}`} value={name} change={setName} />
        <AreaField label="Note" rows={3} value={note} change={setNote} />
      </div>
      <Problem error={error} />
      <div className="row">
        <button type="button" className="primary" disabled={busy || !changed} onClick={() => keep({ name: name.trim(), note })}>
          Save
        </button>
        <button type="button" disabled={busy} onClick={() => keep({ archived: marks.archived !== true })}>
          {marks.archived === true ? 'Remove from the archive' : 'Archive'}
        </button>
      </div>
    </details>
  );
}
