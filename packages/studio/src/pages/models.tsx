/** @file Models: what can be called from here, a question to test it, keys that go in and never out, prices and the budget. */

import type { KeyState, ModelsShown, Reach, ReachShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { type Loading as Fetched, post, put, remove, useAction, useApi } from '../client.ts';
import { count, money } from '../format.ts';
import { Endpoints } from '../models/endpoints.tsx';
import { NumberField, TextField } from '../parts/form.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { Problem, When } from '../parts/states.tsx';
import '../house.css';

export function ModelsPage() {
  const { loaded, reload: read } = useApi('/api/models', {});
  const reach = useApi('/api/models/reach', {});
  // A key that was entered opens what it is for: both are looked at again.
  const reload = () => {
    read();
    reach.reload();
  };
  return (
    <div className="page house">
      <header>
        <h1>Models</h1>
      </header>
      <Reachable found={reach} />
      <Endpoints found={reach} reload={reload} />
      <When loaded={loaded} what="models" retry={reload}>
        {(setup) => (
          <>
            <div className="halves">
              <div className="column">
                <Budget shown={setup} reload={reload} />
                <Runtimes runtimes={setup.runtimes} reload={reload} />
              </div>
              <Keys keys={setup.keys} reload={reload} />
            </div>
            <Prices shown={setup} />
          </>
        )}
      </When>
    </div>
  );
}

function Reachable({ found: { loaded, reload } }: { readonly found: Fetched<readonly ReachShown[]> }) {
  return (
    <section className="card providers" aria-label="Providers">
      <div className="row">
        <h2 className="grow">Providers</h2>
        <button type="button" onClick={reload}>
          Refresh
        </button>
      </div>
      <When loaded={loaded} what="what can be reached" retry={reload}>
        {(dependencies) => {
          const missing = dependencies.filter(({ ready }) => !ready);
          return (
            <>
              <Reached of={groupTrained(dependencies.filter(({ ready }) => ready))} />
              {missing.length === 0 ? null : (
                <details>
                  <summary>{count(missing.length, 'unavailable provider')}</summary>
                  <Reached of={missing} />
                </details>
              )}
            </>
          );
        }}
      </When>
      <Test />
    </section>
  );
}

/** Agents trained in this folder as one line: they would fill the page, and are listed under Training. */
function groupTrained(reached: readonly ReachShown[]): readonly ReachShown[] {
  const trained = reached.filter(({ name }) => name.startsWith('local/'));
  const [first] = trained;
  if (first === undefined || trained.length < 2) return reached;
  const others = reached.filter((item) => !trained.includes(item));
  return [{ ...first, name: 'local/…', about: `${count(trained.length, 'agent')} trained in this folder` }, ...others];
}

function Reached({ of }: { readonly of: readonly ReachShown[] }) {
  return (
    <ul className="reach">
      {of.map(({ name, ready, about }) => (
        <li key={name}>
          <span className={`badge ${ready ? 'good' : ''}`}>{ready ? 'ready' : 'unavailable'}</span>
          <code>{name}</code>
          <span className="muted small text">{about}</span>
        </li>
      ))}
    </ul>
  );
}

/** One short question to a model by its name. */
function Test() {
  const [name, setName] = useState('');
  const [reach, setReach] = useState<Reach | null>(null);
  const { busy, error, run } = useAction();
  return (
    <form
      className="row test"
      onSubmit={(event) => {
        event.preventDefault();
        run(async () => setReach(await post('/api/models/test', { json: { name } })));
      }}
    >
      <TextField
        label="Test a model"
        value={name}
        change={(text) => setName(text.trim())}
        placeholder="openai/gpt-5-mini, ollama/qwen3, fake …"
      />
      <button type="submit" disabled={busy || name === ''}>
        {busy ? 'Asking …' : 'Test'}
      </button>
      <Problem error={error} />
      <p role="status" className="text">
        {reach === null ? '' : `${reach.name}: ${reach.about}`}
      </p>
    </form>
  );
}

interface PartProps {
  readonly shown: ModelsShown;
  readonly reload: () => void;
}

function Budget({ shown: { spent, budget }, reload }: PartProps) {
  const [limit, setLimit] = useState(budget);
  const { busy, error, run } = useAction();
  const save = () =>
    run(async () => {
      await put('/api/models/budget', { json: { money: limit.money ?? null, calls: limit.calls ?? null, tokens: limit.tokens ?? null } });
      reload();
    });
  const set = (name: 'money' | 'calls' | 'tokens') => (value: number | undefined) => {
    const { [name]: _, ...rest } = limit;
    setLimit(value === undefined ? rest : { ...rest, [name]: value });
  };
  return (
    <form
      className="card"
      aria-label="Budget"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <h2>Budget</h2>
      <p>
        Spent since the studio was started: {spent.unpriced > 0 ? `${money(spent.money)} and ` : money(spent.money)}
        {spent.unpriced > 0 ? `${count(spent.unpriced, 'call')} at an unknown price` : ''}, {count(spent.calls, 'call')} in all,{' '}
        {spent.uncounted > 0 ? 'at most ' : ''}
        {count(spent.tokens, 'token')}.
      </p>
      <div className="fields">
        <NumberField label="Cost limit (USD)" value={limit.money} from={0} to={1e6} step={0.01} change={set('money')} />
        <NumberField label="Call limit" value={limit.calls} from={0} to={1e9} change={set('calls')} />
        <NumberField label="Token limit" value={limit.tokens} from={0} to={1e12} change={set('tokens')} />
      </div>
      <p className="muted small">Empty means no limit. No calls are made after a limit is reached.</p>
      <Problem error={error} />
      <div className="row">
        <button type="submit" disabled={busy}>
          Save
        </button>
      </div>
    </form>
  );
}

function Keys({ keys, reload }: { readonly keys: readonly KeyState[]; readonly reload: () => void }) {
  return (
    <section className="card" aria-label="Keys">
      <h2>Keys</h2>
      <p className="muted small">
        A key is read from the environment or from .ludus/keys.json, which only you can read. It is never stored in the database or shown
        here.
      </p>
      <ul className="keyring">
        {keys.map((key) => (
          <Key key={key.name} of={key} reload={reload} />
        ))}
      </ul>
    </section>
  );
}

function Key({ of: { name, about, from }, reload }: { readonly of: KeyState; readonly reload: () => void }) {
  const [typed, setTyped] = useState('');
  const { busy, error, run } = useAction();
  const save = () =>
    run(async () => {
      await put('/api/models/keys/:name', { param: { name }, json: { key: typed } });
      setTyped('');
      reload();
    });
  const forget = () =>
    run(async () => {
      await remove('/api/models/keys/:name', { param: { name } });
      reload();
    });
  const state = from === null ? 'not set' : from === 'file' ? 'in the file' : 'in the environment';
  return (
    <li>
      <div className="row">
        <code>{name}</code> <span className={`badge ${from === null ? '' : 'good'}`}>{state}</span>
      </div>
      <p className="muted small">{about}</p>
      {from === 'environment' ? null : (
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <label className="grow">
            <span className="hidden">Key for {name}</span>
            <input
              type="password"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoComplete="off"
              spellCheck={false}
              placeholder={from === 'file' ? 'another key' : 'key'}
            />
          </label>
          <button type="submit" disabled={busy || typed === ''} aria-label={`Save the key for ${name}`}>
            Save
          </button>
          {from === 'file' ? (
            <button type="button" disabled={busy} onClick={forget} aria-label={`Forget the key for ${name}`}>
              Forget
            </button>
          ) : null}
        </form>
      )}
      <Problem error={error} />
    </li>
  );
}

/** What Ludus runs models with in this process; each is installed on request. */
function Runtimes({ runtimes, reload }: { readonly runtimes: ModelsShown['runtimes']; readonly reload: () => void }) {
  const [installing, setInstalling] = useState<string | null>(null);
  const { busy, error, run } = useAction();
  const install = (name: string) =>
    run(async () => {
      setInstalling(name);
      await post('/api/models/runtimes/:name', { param: { name } }).finally(() => setInstalling(null));
      reload();
    });
  return (
    <section className="card" aria-label="Runtimes">
      <h2>Runtimes</h2>
      <p className="muted small">To run models on this machine without a server. Installed with npm, for all projects.</p>
      <ul className="reach">
        {runtimes.map(({ name, package: packageName, version, purpose, size, installed }) => (
          <li key={name}>
            <span className={`badge ${installed ? 'good' : ''}`}>{installed ? 'installed' : 'not installed'}</span>
            <code>{name}</code>
            <span className="muted small text">
              {purpose} ({packageName} {version})
            </span>
            {installed ? null : (
              <button type="button" disabled={busy} onClick={() => install(name)} aria-label={`Install ${name}, ${size}`} title={size}>
                {installing === name ? 'Installing …' : 'Install'}
              </button>
            )}
          </li>
        ))}
      </ul>
      <Problem error={error} />
    </section>
  );
}

function Prices({ shown: { prices, priceDate, priceSource } }: { readonly shown: ModelsShown }) {
  return (
    <section className="card" aria-label="Prices">
      <h2>Prices</h2>
      <p className="muted small">
        US dollars per million tokens, as of {priceDate}, from {priceSource}. The price of other models is unknown. To add prices, name a
        file in LUDUS_PRICES.
      </p>
      <Scroll label="Prices by model">
        <table>
          <thead>
            <tr>
              <th scope="col">model</th>
              <th scope="col" className="number">
                input
              </th>
              <th scope="col" className="number">
                cached input
              </th>
              <th scope="col" className="number">
                output
              </th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(prices).map(([name, { prompt, cached, completion }]) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td className="number">{prompt}</td>
                <td className="number">{cached === undefined ? '–' : Number(cached.toFixed(4))}</td>
                <td className="number">{completion}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
