/** @file Create in plain words: describe a character or scene and get a draft to edit; without a model, start from a template. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { DraftRequest, DraftShown, SceneRead, TemplateShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { post, put, useAction, useApi } from '../client.ts';
import { count, money } from '../format.ts';
import type { PageProps } from '../pages.ts';
import { AreaField, TextField } from '../parts/form.tsx';
import { ModelField } from '../parts/model.tsx';
import { Problem, When } from '../parts/states.tsx';
import { go, link, settle } from '../router.ts';
import '../house.css';

export function CreatePage({ query }: PageProps) {
  const what = query.get('what') === 'scene' ? 'scene' : 'persona';
  const { loaded, reload } = useApi('/api/create/templates', {});
  return (
    <div className="page house">
      <header>
        <h1>New character or scene</h1>
        <fieldset className="row choice">
          <legend className="hidden">What to create</legend>
          {(['persona', 'scene'] as const).map((kind) => (
            <label key={kind} className="button">
              <input type="radio" name="what" checked={what === kind} onChange={() => settle(`#/create?what=${kind}`)} />{' '}
              {kind === 'persona' ? 'A character' : 'A scene'}
            </label>
          ))}
        </fieldset>
      </header>
      <When loaded={loaded} what="templates" retry={reload}>
        {(templates) => (what === 'persona' ? <Character templates={templates.personas} /> : <Scene templates={templates.scenes} />)}
      </When>
    </div>
  );
}

interface WantedProps {
  readonly what: string;
  readonly hint: string;
  readonly templates: readonly TemplateShown[];
  readonly done: (draft: DraftShown) => Promise<void> | void;
  readonly path: '/api/create/persona' | '/api/create/scene';
  /** The name that was asked for, where there is a field for one. */
  readonly named: boolean;
}

/** Words and a model, or a template. */
function Wanted({ what, hint, templates, done, path, named }: WantedProps) {
  const [description, setDescription] = useState('');
  const [name, setName] = useState('');
  const [model, setModel] = useState('');
  const { busy, error, run } = useAction();
  const ask = (body: DraftRequest) => run(async () => done(await post(path, { json: { ...body, ...(name === '' ? {} : { name }) } })));
  return (
    <>
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          ask({ description, model });
        }}
      >
        <AreaField label={`Describe ${what}`} rows={4} value={description} change={setDescription} about={hint} />
        <div className="fields">
          {named ? <TextField label="Name, if it matters" value={name} change={setName} /> : null}
          <ModelField label="Written by" none="openai/gpt-5-mini" value={model} change={setModel} />
        </div>
        <Problem error={error} />
        <div className="row">
          <button type="submit" className="primary" disabled={busy || description.trim() === '' || model === ''}>
            {busy ? 'Writing …' : 'Draft it'}
          </button>
          {model === '' ? (
            <span className="muted small">
              No model? Start from a template below, or <a href="#/models">connect one</a>.
            </span>
          ) : null}
        </div>
      </form>
      <section aria-label="Templates">
        <h2>Templates</h2>
        <ul className="cards">
          {templates.map((template) => (
            <li key={template.key} className="card">
              <h3>{template.name}</h3>
              <p className="muted small grow">{template.about}</p>
              <button type="button" disabled={busy} onClick={() => ask({ like: template.key })}>
                Use template: {template.name}
              </button>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

function Character({ templates }: { readonly templates: readonly TemplateShown[] }) {
  const keep = async ({ document }: DraftShown) => {
    const saved = await post('/api/personas/own', { json: { persona: document } });
    go(link('persona', 'own', saved.key));
  };
  return (
    <Wanted
      what="the character"
      hint="For example: a retired ferryman who still knows every current, owes money to the miller, and never says no to his sister."
      templates={templates}
      done={keep}
      path="/api/create/persona"
      named
    />
  );
}

function Scene({ templates }: { readonly templates: readonly TemplateShown[] }) {
  const [draft, setDraft] = useState<DraftShown | null>(null);
  if (draft !== null) return <SceneEditor draft={draft} back={() => setDraft(null)} />;
  return (
    <Wanted
      what="the scene"
      hint="For example: two sisters sort their mother's letters; one of them has read them already."
      templates={templates}
      done={setDraft}
      path="/api/create/scene"
      named={false}
    />
  );
}

interface SceneDeeds {
  readonly busy: boolean;
  readonly error: string | null;
  readonly read: SceneRead | null;
  check(): void;
  keep(): void;
  play(): void;
}

/** What can be done with a scene that is being written. */
function useScene(typed: string, model: string): SceneDeeds {
  const [read, setRead] = useState<SceneRead | null>(null);
  const { busy, error, run } = useAction();
  const scene = () => {
    try {
      return JSON.parse(typed) as Json;
    } catch (thrown) {
      throw new Error(`The scene is not valid JSON: ${(thrown as Error).message}.`);
    }
  };
  const checkScene = async () => {
    const sceneCheck = await post('/api/create/scene/check', { json: { scene: scene(), ...(model === '' ? {} : { model }) } });
    setRead(sceneCheck);
    return sceneCheck;
  };
  return {
    ...{ busy, error, read },
    check: () => run(checkScene),
    keep: () =>
      run(async () => {
        const { key } = await checkScene();
        await put('/api/create/scenes/:key', { param: { key }, json: { scene: scene() } });
      }),
    play: () =>
      run(async () => {
        const { episode } = await post('/api/play', { json: (await checkScene()).play });
        go(link('e', episode));
      }),
  };
}

/** A scene as JSON, checked, kept, and put on the stage. */
function SceneEditor({ draft, back }: { readonly draft: DraftShown; readonly back: () => void }) {
  const [typed, setTyped] = useState(JSON.stringify(draft.document, null, 2));
  const [model, setModel] = useState('');
  const { busy, error, read, check, keep, play } = useScene(typed, model);
  return (
    <section className="card" aria-label="Draft of the scene">
      <p className="muted small">
        {draft.by === null ? 'From a template.' : `Written by ${draft.by} in ${count(draft.calls, 'call')} (${money(draft.cost)}).`}{' '}
        Characters are names from the gallery, names of your own characters, or complete documents.
      </p>
      <AreaField label="The scene" rows={20} value={typed} change={setTyped} />
      <ModelField label="Model" none="Scripted replies (no model)" value={model} change={setModel} />
      <Problem error={error} />
      {read === null ? null : (
        <p role="status">
          {count(Object.keys(read.seats).length, 'character')} for {count(read.turns, 'turn')}: {Object.values(read.seats).join(', ')}.
        </p>
      )}
      <div className="row">
        <button type="button" className="plain" onClick={back}>
          Start over
        </button>
        <button type="button" disabled={busy} onClick={check}>
          Check
        </button>
        <button type="button" disabled={busy} onClick={keep}>
          Save
        </button>
        <button type="button" className="primary" disabled={busy} onClick={play}>
          Play scene
        </button>
      </div>
    </section>
  );
}
