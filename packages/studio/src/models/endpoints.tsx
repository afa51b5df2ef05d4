/** @file Named model servers: address, key, models, and one question to test them. */

import type { Reach, ReachShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { type Loading, post, put, remove, useAction } from '../client.ts';
import { count } from '../format.ts';
import { NumberField, TextField } from '../parts/form.tsx';
import { namesOf } from '../parts/model.tsx';
import { Problem } from '../parts/states.tsx';
import { type Freedom, FreedomNumbers, PresetField, presetOf } from './sampling.tsx';

interface EndpointsProps {
  readonly found: Loading<readonly ReachShown[]>;
  readonly reload: () => void;
}

export function Endpoints({ found: { loaded }, reload }: EndpointsProps) {
  const customEndpoints = loaded.state === 'ready' ? loaded.data.filter(({ url }) => url !== null) : [];
  return (
    <section className="card" aria-label="Endpoints">
      <h2>Endpoints</h2>
      <p className="muted small">
        Any OpenAI-compatible server, local or hosted. Wherever you choose a model, its models are listed under its name.
      </p>
      <ul className="keyring">
        {customEndpoints.map((endpoint) => (
          <Endpoint key={endpoint.name} one={endpoint} reload={reload} />
        ))}
      </ul>
      <Another reload={reload} />
    </section>
  );
}

function Endpoint({ one, reload }: { readonly one: ReachShown; readonly reload: () => void }) {
  const { busy, error, run } = useAction();
  const [reach, setReach] = useState<Reach | null>(null);
  const name = one.name.replace('/…', '');
  const models = one.models === undefined ? [] : namesOf(one);
  const test = () => run(async () => setReach(await post('/api/models/test', { json: { name: models[0] ?? name } })));
  const forget = () =>
    run(async () => {
      await remove('/api/models/endpoints/:name', { param: { name } });
      reload();
    });
  return (
    <li>
      <div className="row">
        <code>{name}</code>
        <span className={`badge ${one.ready ? 'good' : 'bad'}`}>{one.ready ? count(models.length, 'model') : 'unreachable'}</span>
        <span className="muted small text grow">
          {one.ready ? one.url : one.about} · {presetOf(one.sampling ?? {})} · {wordsForPrice(one.price ?? null)}
        </span>
        <button type="button" disabled={busy} onClick={test} aria-label={`Test ${name}`}>
          Test
        </button>
        <button type="button" disabled={busy} onClick={forget} aria-label={`Forget ${name}`}>
          Forget
        </button>
      </div>
      {models.length === 0 ? null : (
        <details>
          <summary>Models</summary>
          <ul className="small">
            {models.slice(0, 200).map((model) => (
              <li key={model}>
                <code>{model}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      <Problem error={error} />
      <p role="status" className="small text">
        {reach === null ? '' : `${reach.name}: ${reach.about}`}
      </p>
    </li>
  );
}

function wordsForPrice(price: ReachShown['price'] | null): string {
  return price == null ? 'price unknown' : `$${price.prompt} input, $${price.completion} output per million tokens`;
}

function Another({ reload }: { readonly reload: () => void }) {
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [key, setKey] = useState('');
  const [freedom, setFreedom] = useState<Freedom>({});
  const [prompt, setPrompt] = useState<number | undefined>();
  const [completion, setCompletion] = useState<number | undefined>();
  // A price is both or none: half of one would be a sum that is wrong.
  const halfPriced = (prompt === undefined) !== (completion === undefined);
  const { busy, error, run } = useAction();
  const save = () =>
    run(async () => {
      const price = prompt === undefined || completion === undefined ? {} : { price: { prompt, completion } };
      const json = { url, ...(key === '' ? {} : { key }), ...freedom, ...price };
      await put('/api/models/endpoints/:name', { param: { name }, json });
      setName('');
      setUrl('');
      setKey('');
      reload();
    });
  return (
    <form
      aria-label="Another endpoint"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <div className="fields">
        <TextField label="Name" value={name} placeholder="home-server" change={(text) => setName(text.trim())} />
        <TextField label="Address" value={url} placeholder="http://localhost:8000/v1" change={(text) => setUrl(text.trim())} />
        <label className="field">
          <span>API key</span>
          <input type="password" value={key} autoComplete="off" placeholder="none" onChange={(event) => setKey(event.target.value)} />
        </label>
        <PresetField value={freedom} change={setFreedom} />
        <FreedomNumbers value={freedom} change={setFreedom} />
        <NumberField
          label="Input price"
          about="USD per million tokens; empty: unknown"
          value={prompt}
          from={0}
          to={10_000}
          step={0.01}
          change={setPrompt}
        />
        <NumberField
          label="Output price"
          about={halfPriced ? 'both prices, or none' : 'USD per million tokens'}
          value={completion}
          from={0}
          to={10_000}
          step={0.01}
          change={setCompletion}
        />
      </div>
      <Problem error={error} />
      <div className="row">
        <button type="submit" disabled={busy || name === '' || url === '' || halfPriced}>
          Save endpoint
        </button>
      </div>
    </form>
  );
}
