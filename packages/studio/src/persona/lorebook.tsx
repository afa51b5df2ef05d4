/** @file The lorebook: what comes to mind when words are said, entry by entry, and a box to try which of them fire and why. */

import type { LoreFired, Persona } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { post, useAction } from '../client.ts';
import { count } from '../format.ts';
import { AreaField, ListField, put, TextField } from '../parts/form.tsx';
import { Problem } from '../parts/states.tsx';
import type { PartProps } from './identity.tsx';

type Entry = Persona['lore']['entries'][number];

export function LorebookPart({ persona, change }: PartProps) {
  const { lore } = persona;
  const set = (entries: readonly Entry[]) => change({ ...persona, lore: { ...lore, entries } });
  const fresh: Entry = { keys: [], content: '', extensions: {}, enabled: true, insertion_order: 100 };
  return (
    <>
      <ul className="plain-list">
        {lore.entries.map((entry, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no other name than their place.
          <li key={i} className="entry">
            <EntryFields
              entry={entry}
              number={i + 1}
              change={(next) => set(lore.entries.with(i, next))}
              remove={() => set(lore.entries.toSpliced(i, 1))}
            />
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => set([...lore.entries, fresh])}>
        Add an entry
      </button>
      <Trial persona={persona} />
    </>
  );
}

interface EntryProps {
  readonly entry: Entry;
  readonly number: number;
  readonly change: (entry: Entry) => void;
  readonly remove: () => void;
}

function EntryFields({ entry, number, change, remove }: EntryProps) {
  const tick = (name: 'enabled' | 'constant' | 'case_sensitive' | 'use_regex' | 'selective', text: string) => (
    <label className="row">
      <input type="checkbox" checked={entry[name] === true} onChange={(event) => change({ ...entry, [name]: event.target.checked })} />{' '}
      {text}
    </label>
  );
  return (
    <fieldset>
      <legend>Entry {number}</legend>
      <div className="fields">
        <TextField label="Entry name" value={entry.name ?? ''} change={(name) => change(put(entry, 'name', name))} />
        <ListField
          label="Keys"
          by="comma"
          about="any of them activates it"
          value={entry.keys}
          change={(keys) => change({ ...entry, keys })}
        />
        {entry.selective === true ? (
          <ListField
            label="And one of"
            by="comma"
            value={entry.secondary_keys ?? []}
            change={(keys) => change({ ...entry, secondary_keys: keys })}
          />
        ) : null}
      </div>
      <AreaField label="Content" rows={3} value={entry.content} change={(content) => change({ ...entry, content })} />
      <div className="row">
        {tick('enabled', 'enabled')}
        {tick('constant', 'always')}
        {tick('case_sensitive', 'case-sensitive')}
        {tick('use_regex', 'keys are regular expressions')}
        {tick('selective', 'needs a second key')}
        <button type="button" onClick={remove}>
          Remove entry {number}
        </button>
      </div>
    </fieldset>
  );
}

const reasons: Readonly<Record<string, string>> = {
  constant: 'it always does',
  key: 'the key',
  recursion: 'another entry is active',
  sticky: 'it stays for a while',
  decorator: 'custom rule',
};

/** Which entries words would call up, asked of the same code that a chat uses. */
function Trial({ persona }: { readonly persona: Persona }) {
  const [testMessage, setTestMessage] = useState('');
  const [fired, setFired] = useState<LoreFired | null>(null);
  const { busy, error, run } = useAction();
  const reasonOf = ({ reason, key }: LoreFired['entries'][number]) => `${reasons[reason] ?? reason}${key === undefined ? '' : ` “${key}”`}`;
  return (
    <section aria-label="Try the lorebook">
      <AreaField label="Test message" about="one message per line, the newest last" value={testMessage} change={setTestMessage} />
      <button
        type="button"
        disabled={busy}
        onClick={() => run(async () => setFired(await post('/api/personas/lore', { json: { persona, said: testMessage } })))}
      >
        Show active entries
      </button>
      <Problem error={error} />
      {fired === null ? null : (
        <div role="status">
          <p>
            {fired.entries.length === 0 ? 'Nothing fires.' : `${count(fired.entries.length, 'entry', 'entries')} fire.`}
            {fired.dropped === 0 ? '' : ` ${count(fired.dropped, 'entry', 'entries')} had no room.`}
          </p>
          <ul className="plain-list">
            {fired.entries.map((entry) => (
              <li key={entry.id}>
                <span className="badge">{reasonOf(entry)}</span> <span className="text">{entry.text}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
