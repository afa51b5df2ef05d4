/** @file Training: what learns or has learned, how it stands, and something to begin. */

import { exploitabilityText } from '@ludus-agents/kernel/internal/core/legal-words';
import type { TrainingLine, TrainingShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { useApi } from '../client.ts';
import { colourOf } from '../colours.ts';
import { formatGrouped, formatSigned, toTitle } from '../format.ts';
import { Damaged } from '../parts/damaged.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { Empty, When } from '../parts/states.tsx';
import { Time } from '../parts/when.tsx';
import { go, link, withQuery } from '../router.ts';
import '../house.css';

export function TrainingPage() {
  const { loaded, reload } = useApi('/api/training', {}, 2000);
  return (
    <div className="page house">
      <header>
        <h1 className="grow">Training</h1>
        <a className="button primary" href="#/launch?what=train">
          New training run
        </a>
      </header>
      <When loaded={loaded} what="trainings" retry={reload}>
        {({ runs, recipes }) => (
          <>
            {runs.length === 0 ? (
              <Empty title="No training runs yet">
                <p>An agent learns by playing. Kuhn poker trains in seconds, without a model or an API key.</p>
                <a className="button primary" href="#/launch?what=train&recipe=kuhn-tabular">
                  Train on Kuhn poker
                </a>
              </Empty>
            ) : (
              <Runs runs={runs} recipes={recipes} />
            )}
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
  const measured = exploitabilityText(last);
  if (measured !== null) return `exploitability ${measured}`;
  return last.returned === null ? '–' : `return ${formatSigned(last.returned, 3)}`;
}

/** By recipe, with a line about each; what is archived is shown when it is asked for. */
function Runs({ runs, recipes }: { readonly runs: readonly TrainingLine[]; readonly recipes: TrainingShown['recipes'] }) {
  const [selectedRuns, setSelectedRuns] = useState<readonly string[]>([]);
  const [all, setAll] = useState(false);
  const away = runs.filter(({ marks }) => marks.archived === true).length;
  const groups = Map.groupBy(
    runs.filter(({ marks }) => all || marks.archived !== true),
    ({ recipe }) => recipe,
  );
  const choose = (id: string, on: boolean) => setSelectedRuns(on ? [...selectedRuns, id] : selectedRuns.filter((run) => run !== id));
  return (
    <section aria-label="Training runs">
      <div className="row">
        <span className="grow muted small">Select two or more runs to compare them.</span>
        {away === 0 ? null : (
          <button type="button" onClick={() => setAll(!all)}>
            {all ? 'Hide archived' : `Show archived (${away})`}
          </button>
        )}
        <button
          type="button"
          className="primary"
          disabled={selectedRuns.length === 0}
          onClick={() => go(withQuery('#/trainings', { runs: JSON.stringify(selectedRuns) }))}
        >
          Compare {selectedRuns.length === 0 ? '' : selectedRuns.length}
        </button>
      </div>
      {[...groups].map(([recipe, members]) => (
        <section key={recipe} aria-label={recipe} className="recipe">
          <h2>{recipe}</h2>
          <p className="muted small">{recipes[recipe] ?? ''}</p>
          <Members {...{ members, chosen: selectedRuns, choose }} />
        </section>
      ))}
    </section>
  );
}

interface MembersProps {
  readonly members: readonly TrainingLine[];
  readonly chosen: readonly string[];
  readonly choose: (id: string, on: boolean) => void;
}

function Members({ members, chosen, choose }: MembersProps) {
  return (
    <Scroll label={`Training runs of ${members[0]?.recipe ?? ''}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden">Compare</span>
            </th>
            <th scope="col">Run</th>
            <th scope="col">Created</th>
            <th scope="col" className="number">
              Seed
            </th>
            <th scope="col">Environment</th>
            <th scope="col" className="number">
              Games
            </th>
            <th scope="col" className="number">
              Latest
            </th>
            <th scope="col">Progress</th>
          </tr>
        </thead>
        <tbody>
          {members.map(({ id, created, seed, environments, last, going, marks }) => (
            <tr key={id}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Compare ${id}`}
                  checked={chosen.includes(id)}
                  onChange={(event) => choose(id, event.target.checked)}
                />
              </td>
              <th scope="row" className="run-name">
                <span className={`dot curve-${colourOf(id)}`} aria-hidden="true" />{' '}
                <a href={link('training', id)}>{marks.name === undefined || marks.name === '' ? id : marks.name}</a>{' '}
                {going ? <span className="badge live">training</span> : null}
                {marks.archived === true ? <span className="badge">archived</span> : null}
                {marks.note === undefined || marks.note === '' ? null : <p className="muted small text">{marks.note}</p>}
              </th>
              <td className="unbroken">
                <Time at={created} />
              </td>
              <td className="number">{seed}</td>
              <td>{environments.map(toTitle).join(', ')}</td>
              <td className="number">{last === null ? '–' : formatGrouped(last.games)}</td>
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
