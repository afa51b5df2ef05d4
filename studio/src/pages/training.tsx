/** @file Training: what learns or has learned, how it stands, and something to begin. */

import { useState } from 'react';
import type { TrainingLine, TrainingShown } from '../../../src/servers/studio/api.ts';
import { post, useAction, useApi } from '../client.ts';
import { grouped, signed, titled } from '../format.ts';
import { Damaged } from '../parts/damaged.tsx';
import { NumberField, SelectField } from '../parts/form.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { Empty, Problem, When } from '../parts/states.tsx';
import { go, link } from '../router.ts';
import '../house.css';

export function TrainingPage() {
  const { loaded, reload } = useApi('/api/training', {}, 2000);
  return (
    <div className="page house">
      <header>
        <h1>Training</h1>
      </header>
      <When loaded={loaded} what="trainings" retry={reload}>
        {({ runs, recipes }) => (
          <>
            {runs.length === 0 ? (
              <Empty title="Nothing has been trained yet">
                <p>Begin below: an equilibrium of Kuhn poker takes seconds.</p>
              </Empty>
            ) : (
              <Runs runs={runs} />
            )}
            <Begin recipes={recipes} />
          </>
        )}
      </When>
      <Damaged />
    </div>
  );
}

/** The number that says how good it is: what could be gained against it, else what it is paid. */
function worthOf(last: TrainingLine['last']): string {
  if (last === null) return '–';
  if (last.exploitability !== null) return `exploitability ${last.exploitability.toFixed(4)}`;
  return last.returned === null ? '–' : `return ${signed(last.returned, 3)}`;
}

function Runs({ runs }: { readonly runs: readonly TrainingLine[] }) {
  return (
    <Scroll label="Trainings">
      <table>
        <thead>
          <tr>
            <th scope="col">run</th>
            <th scope="col">recipe</th>
            <th scope="col">world</th>
            <th scope="col" className="number">
              games
            </th>
            <th scope="col">stands at</th>
            <th scope="col">progress</th>
          </tr>
        </thead>
        <tbody>
          {runs.map(({ id, recipe, seed, worlds, last, going }) => (
            <tr key={id}>
              <th scope="row">
                <a href={link('training', id)}>{id}</a> {going ? <span className="badge live">training</span> : null}
              </th>
              <td>
                {recipe} <span className="muted small">seed {seed}</span>
              </td>
              <td>{worlds.map(titled).join(', ')}</td>
              <td className="number">{last === null ? '–' : grouped(last.games)}</td>
              <td className="number">{worthOf(last)}</td>
              <td>
                {last === null ? (
                  '–'
                ) : (
                  <progress max={last.updates} value={last.update} aria-label={`Progress of ${id}`}>
                    {Math.round((100 * last.update) / last.updates)} %
                  </progress>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Begin({ recipes }: { readonly recipes: TrainingShown['recipes'] }) {
  const names = Object.keys(recipes);
  const [recipe, setRecipe] = useState(names.includes('kuhn-tabular') ? 'kuhn-tabular' : (names[0] ?? ''));
  const [seed, setSeed] = useState<number | undefined>(1);
  const [games, setGames] = useState<number | undefined>();
  const { busy, error, run } = useAction();
  const begin = () =>
    run(async () => {
      const { run: id } = await post('/api/training', { json: { recipe, seed: seed ?? 1, ...(games === undefined ? {} : { games }) } });
      go(link('training', id));
    });
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        begin();
      }}
    >
      <h2>Begin a training</h2>
      <div className="fields">
        <SelectField
          label="Recipe"
          about={recipes[recipe] ?? ''}
          value={recipe}
          of={names.map((name) => [name, name] as const)}
          change={setRecipe}
        />
        <NumberField label="Seed" value={seed} from={0} to={2 ** 31} change={setSeed} />
        <NumberField label="Games" about="empty for what the recipe says" value={games} from={1} to={1e9} change={setGames} />
      </div>
      <Problem error={error} />
      <div className="row">
        <button type="submit" className="primary" disabled={busy || recipe === ''}>
          Begin
        </button>
        <span className="muted small">It runs in a process of its own; this page may be closed meanwhile.</span>
      </div>
    </form>
  );
}
