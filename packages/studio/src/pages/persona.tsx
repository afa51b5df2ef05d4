/** @file The editor of one persona: the parts of its document, checked while it is written, with a test chat beside it. */

import type { Persona, PersonaShown } from '@ludus-agents/servers/internal/studio/api';
import { type ReactNode, useEffect, useState } from 'react';
import { address, post, put, remove, useAction, useApi } from '../client.ts';
import { useKept } from '../kept.ts';
import type { PageProps } from '../pages.ts';
import { Portrait } from '../parts/portrait.tsx';
import { Problem, When } from '../parts/states.tsx';
import { Beginning } from '../persona/beginning.tsx';
import { Identity, type PartProps } from '../persona/identity.tsx';
import { Boundary, Goals, Secrets } from '../persona/inner.tsx';
import { LorebookPart } from '../persona/lorebook.tsx';
import { Relations } from '../persona/people.tsx';
import { Raw } from '../persona/raw.tsx';
import { Statements } from '../persona/statements.tsx';
import { Talk } from '../persona/talk.tsx';
import { Voice } from '../persona/voice.tsx';
import { go, link } from '../router.ts';
import { useSaveKey } from '../save-key.ts';
import { useTitle } from '../title.ts';
import { useSteps } from '../undo.ts';
import '../house.css';

export function PersonaPage({ params }: PageProps) {
  const { source = '', key = '' } = params;
  const { loaded, reload } = useApi('/api/personas/:source/:key', { param: { source, key } });
  return (
    <When loaded={loaded} what="persona" retry={reload}>
      {(response) => <Editor key={response.persona.hash} shown={response} reload={reload} />}
    </When>
  );
}

interface EditorProps {
  readonly shown: PersonaShown;
  readonly reload: () => void;
}

function Editor({ shown, reload }: EditorProps) {
  const { hash } = shown.persona;
  const [saved, keep] = useKept<{ readonly base: string; readonly draft: Persona } | null>(`persona ${shown.source} ${shown.key}`, null);
  const draft = saved?.draft ?? shown.persona;
  const steps = useSteps<Persona>(draft);
  const replace = (next: Persona) => keep({ base: saved?.base ?? hash, draft: next });
  const setDraft = (next: Persona) => {
    steps.note(draft);
    replace(next);
  };
  const problems = useProblems(draft);
  const deeds = useDeeds(shown, { draft, base: saved?.base ?? hash, forget: () => keep(null) }, reload);
  const changed = saved !== null;
  const isOwned = shown.source === 'own';
  useTitle(draft.name);
  useSaveKey(() => {
    if (changed && !deeds.busy && problems.length === 0) (isOwned ? deeds.save : deeds.copy)();
  });
  return (
    <div className="page house">
      <header className="editor-head">
        <Portrait of={{ ...shown, name: draft.name }} size="large" />
        <div className="grow">
          <h1 className="text">{draft.name || 'Unnamed character'}</h1>
          <p className="muted small">
            <span title={shown.persona.hash}>
              {isOwned ? 'Saved' : 'Gallery'} · version {shown.persona.version}
            </span>
            {changed ? ' · unsaved changes' : ''}
          </p>
        </div>
        <button type="button" disabled={steps.undo === null} onClick={() => steps.undo !== null && replace(steps.undo())}>
          Undo
        </button>
        <button type="button" disabled={steps.redo === null} onClick={() => steps.redo !== null && replace(steps.redo())}>
          Redo
        </button>
        <Export of={shown} disabled={changed} />
        {changed ? (
          <button type="button" onClick={() => keep(null)}>
            Discard changes
          </button>
        ) : null}
        <Buttons own={isOwned} changed={changed} wrong={problems.length > 0} deeds={deeds} />
      </header>
      <Problem error={deeds.error} />
      <Problems of={problems} />
      <div className="beside">
        <Parts persona={draft} change={setDraft} />
        <Talk persona={draft} name={`${shown.source} ${shown.key}`} />
      </div>
    </div>
  );
}

interface Deeds {
  readonly busy: boolean;
  readonly error: string | null;
  save(): void;
  copy(): void;
  remove(): void;
}

interface Work {
  readonly draft: Persona;
  /** The version that it was begun from. */
  readonly base: string;
  readonly forget: () => void;
}

/** What can be done with a draft: saved as the next version, kept as a copy, deleted. */
function useDeeds(response: PersonaShown, { draft, base, forget }: Work, reload: () => void): Deeds {
  const { busy, error, run } = useAction();
  const param = { key: response.key };
  return {
    busy,
    error,
    save: () =>
      run(async () => {
        await put('/api/personas/own/:key', { param, json: { persona: draft, base } });
        forget();
        reload();
      }),
    copy: () =>
      run(async () => {
        const copied = await post('/api/personas/own', { json: { persona: { ...draft, parent: parentOf(response.persona) } } });
        forget();
        go(link('persona', 'own', copied.key));
      }),
    remove: () =>
      run(async () => {
        if (!confirm(`Delete ${draft.name} and its file?`)) return;
        await remove('/api/personas/own/:key', { param });
        forget();
        go('#/personas');
      }),
  };
}

interface ButtonsProps {
  readonly own: boolean;
  readonly changed: boolean;
  readonly wrong: boolean;
  readonly deeds: Deeds;
}

function Buttons({ own, changed, wrong, deeds: { busy, save, copy, remove } }: ButtonsProps) {
  return (
    <>
      {own ? (
        <>
          <button type="button" onClick={remove} disabled={busy}>
            Delete
          </button>
          <button type="button" onClick={copy} disabled={busy || wrong}>
            Save a copy
          </button>
        </>
      ) : null}
      <button type="button" className="primary" disabled={busy || wrong || (own && !changed)} onClick={own ? save : copy} title="Ctrl+S">
        {own ? 'Save' : 'Save a copy'}
      </button>
    </>
  );
}

function Parts(of: PartProps) {
  const { statements, goals, secrets, relations } = of.persona;
  return (
    <div className="editor">
      <Part title="Description and greeting" open>
        <Beginning {...of} />
      </Part>
      <Part title="Lorebook" note={String(of.persona.lore.entries.length)}>
        <LorebookPart {...of} />
      </Part>
      <Part title="Identity" open>
        <Identity {...of} />
      </Part>
      <Part title="Statements" note={String(statements.filter(({ kind }) => kind !== 'boundary').length)}>
        <Statements {...of} boundary={false} />
      </Part>
      <Part title="Voice">
        <Voice {...of} />
      </Part>
      <Part title="Limits">
        <Boundary {...of} />
      </Part>
      <Part title="Goals" note={String(goals.length)}>
        <Goals {...of} />
      </Part>
      <Part title="Secrets" note={String(secrets.length)}>
        <Secrets {...of} />
      </Part>
      <Part title="Relations" note={String(relations.length)} open>
        <Relations {...of} />
      </Part>
      <Part title="JSON">
        <Raw {...of} />
      </Part>
    </div>
  );
}

function parentOf({ id, hash }: Persona): NonNullable<Persona['parent']> {
  return { id, hash, op: 'edit' };
}

function Part({
  title,
  note,
  open = false,
  children,
}: {
  readonly title: string;
  readonly note?: string;
  readonly open?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <details className="card part" open={open}>
      <summary>
        <h2>{title}</h2>
        {note === undefined ? null : <span className="badge">{note}</span>}
      </summary>
      {children}
    </details>
  );
}

/** What is wrong with the draft, asked of the server a moment after the last key. */
function useProblems(draft: Persona): readonly string[] {
  const [problems, setProblems] = useState<readonly string[]>([]);
  useEffect(() => {
    let over = false;
    const timer = setTimeout(() => {
      post('/api/personas/check', { json: { persona: draft } })
        .then((result) => {
          if (!over) setProblems(result.problems);
        })
        .catch(() => undefined);
    }, 350);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [draft]);
  return problems;
}

function Problems({ of }: { readonly of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <div className="problem" role="alert">
      <p>This cannot be saved yet:</p>
      <ul>
        {of.slice(0, 6).map((problem) => (
          <li key={problem} className="text">
            {problem}
          </li>
        ))}
      </ul>
    </div>
  );
}

const formats = [
  ['persona', 'persona/1'],
  ['card-v3', 'character card V3'],
  ['card-v2', 'character card V2'],
  ['card-v1', 'character card V1'],
  ['png', 'PNG card'],
  ['charx', 'CHARX archive'],
  ['tinytroupe', 'TinyTroupe'],
  ['sotopia', 'Sotopia'],
  ['eliza', 'eliza'],
] as const;

function Export({ of: { source, key }, disabled }: { readonly of: PersonaShown; readonly disabled: boolean }) {
  const [to, setTo] = useState<string>('card-v3');
  const wanted = { param: { source, key }, query: { to } };
  const path = address('/api/personas/:source/:key/export', wanted);
  const { loaded } = useApi('/api/personas/:source/:key/losses', wanted);
  const lost = loaded.state === 'ready' ? loaded.data.lost : [];
  const explanation =
    lost.length === 0 ? 'Lossless' : `${lost.length} fields would be lost: ${lost.slice(0, 4).join(', ')}${lost.length > 4 ? ' …' : ''}`;
  return (
    <span className="row">
      <label>
        <span className="hidden">Export as</span>
        <select value={to} onChange={(event) => setTo(event.target.value)} title={explanation}>
          {formats.map(([format, name]) => (
            <option key={format} value={format}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {disabled ? (
        <button type="button" disabled title="Save first">
          Export
        </button>
      ) : (
        <a className="button" href={path} download title={explanation}>
          Export
        </a>
      )}
      <small className="muted text" role="status">
        {loaded.state === 'ready' ? explanation : ''}
      </small>
    </span>
  );
}
