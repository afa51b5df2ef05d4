/** @file Improving: agents that are made better by changing their texts, and something to begin. */

import type { ImproveShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { post, useAction, useApi } from '../client.ts';
import { count, runTitle } from '../format.ts';
import { Damaged } from '../parts/damaged.tsx';
import { NumberField, SelectField } from '../parts/form.tsx';
import { Empty, Problem, When } from '../parts/states.tsx';
import { Time } from '../parts/when.tsx';
import { go, link } from '../router.ts';
import '../house.css';

export function ImprovingPage() {
  const { loaded, reload } = useApi('/api/improving', {}, 2000);
  return (
    <div className="page house">
      <header>
        <h1>Prompt optimization</h1>
      </header>
      <When loaded={loaded} what="improvements" retry={reload}>
        {(improvements) => (
          <>
            {improvements.runs.length === 0 ? (
              <Empty title="No optimization runs yet">
                <p>Start one below. The demo needs no model and takes a minute.</p>
              </Empty>
            ) : (
              <ul className="cards">
                {improvements.runs.map(({ id, recipe, engine, seed, model, calls, going, words, created }) => (
                  <li key={id} className="card">
                    <h2 className="text">
                      <a href={link('improving', id)} title={id}>
                        {runTitle({ id, environments: [] })}
                      </a>
                    </h2>
                    <p className="row">
                      <span className="badge">{engine}</span>
                      {going ? <span className="badge live">running</span> : null}
                    </p>
                    <p className="muted small">
                      {created === null ? null : (
                        <>
                          <Time at={created} /> ·{' '}
                        </>
                      )}
                      {recipe}, seed {seed}
                      {model === null ? '' : `, ${model}`}; up to {count(calls, 'call')}
                    </p>
                    {words === null ? null : <p className="small text">{words}</p>}
                  </li>
                ))}
              </ul>
            )}
            <Begin shown={improvements} />
          </>
        )}
      </When>
      <Damaged />
    </div>
  );
}

function Begin({ shown: { recipes, engines } }: { readonly shown: ImproveShown }) {
  const [recipe, setRecipe] = useState(recipes[0]?.name ?? '');
  const [engine, setEngine] = useState(engines[0] ?? '');
  const [seed, setSeed] = useState<number | undefined>(1);
  const [calls, setCalls] = useState<number | undefined>(300);
  const { busy, error, run } = useAction();
  const begin = () =>
    run(async () => {
      const { run: id } = await post('/api/improving', { json: { recipe, engine, seed: seed ?? 1, calls: calls ?? 300 } });
      go(link('improving', id));
    });
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        begin();
      }}
    >
      <h2>New optimization run</h2>
      <div className="fields">
        <SelectField
          label="Agent to optimize"
          about={recipes.find(({ name }) => name === recipe)?.about ?? ''}
          value={recipe}
          of={recipes.map(({ name }) => [name, name] as const)}
          change={setRecipe}
        />
        <SelectField label="Engine" value={engine} of={engines.map((name) => [name, name] as const)} change={setEngine} />
        <NumberField label="Seed" value={seed} from={0} to={2 ** 31} change={setSeed} />
        <NumberField
          label="Calls"
          about="Budget per method; the random baselines get the same"
          value={calls}
          from={10}
          to={5000}
          change={setCalls}
        />
      </div>
      <Problem error={error} />
      <div className="row">
        <button type="submit" className="primary" disabled={busy || recipe === ''}>
          Start
        </button>
        <span className="muted small">
          To optimize your agent on your suite with a model as critic, start from <a href={link('launch')}>New run</a>, which shows an
          estimate first.
        </span>
      </div>
    </form>
  );
}
