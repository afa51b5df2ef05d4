/** @file People drawn from a population: the target next to the sample for each attribute, and the distribution of their personality. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { SampleReport, SampleShown } from '@ludus-agents/servers/internal/studio/api';
import { useEffect, useState } from 'react';
import { post, useAction, useApi } from '../client.ts';
import { count, formatGrouped } from '../format.ts';
import { Bars } from '../parts/bars.tsx';
import { AreaField, NumberField, SelectField } from '../parts/form.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { Problem } from '../parts/states.tsx';
import { Shares } from '../persona/shares.tsx';
import { go, link } from '../router.ts';
import '../house.css';

const traitNames: Readonly<Record<string, string>> = {
  O: 'Openness',
  C: 'Conscientiousness',
  E: 'Extraversion',
  A: 'Agreeableness',
  N: 'Neuroticism',
};

export function PopulationPage() {
  const { loaded } = useApi('/api/personas/populations', {});
  const [typed, setTyped] = useState<string | null>(null);
  const [size, setSize] = useState<number | undefined>(200);
  const [seed, setSeed] = useState<number | undefined>(1);
  const [sample, setSample] = useState<SampleShown | null>(null);
  const { busy, error, run } = useAction();
  const populations = loaded.state === 'ready' ? loaded.data : {};
  const names = Object.keys(populations);
  const [chosenName, setChosenName] = useState<string | null>(null);
  const name = chosenName ?? names[0];
  const usual = name === undefined ? '' : JSON.stringify(populations[name], null, 2);
  const text = typed ?? usual;
  const draw = () =>
    run(async () => {
      let specification: Json;
      try {
        specification = JSON.parse(text) as Json;
      } catch (thrown) {
        throw new Error(`The population is not valid JSON: ${(thrown as Error).message}.`);
      }
      setSample(await post('/api/personas/sample', { json: { specification, count: size ?? 200, seed: seed ?? 1 } }));
    });
  // A first look, before anybody has asked for one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the example has come.
  useEffect(() => {
    if (usual !== '') draw();
  }, [usual]);
  return (
    <div className="page house">
      <header>
        <h1>Population</h1>
        <a className="button" href="#/personas">
          Characters
        </a>
      </header>
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          draw();
        }}
      >
        <div className="fields">
          {names.length > 1 ? (
            <SelectField
              label="Population"
              value={name ?? ''}
              of={names}
              change={(next) => {
                setChosenName(next);
                setTyped(null);
              }}
            />
          ) : null}
          <NumberField label="People" value={size} from={1} to={5000} change={setSize} />
          <NumberField label="Seed" about="the same seed gives the same people" value={seed} from={0} to={2 ** 31} change={setSeed} />
        </div>
        <details>
          <summary>Demographics</summary>
          {text === '' ? null : <Shares text={text} change={setTyped} />}
        </details>
        <details>
          <summary>Specification</summary>
          <AreaField label="Shares, joint tables, constraints and quotas, as JSON" rows={14} value={text} change={setTyped} />
        </details>
        <Problem error={error} />
        <div className="row">
          <button type="submit" className="primary" disabled={busy || text === ''}>
            {busy ? 'Sampling …' : 'Sample'}
          </button>
        </div>
      </form>
      {sample === null ? null : <Drawn sample={sample} />}
    </div>
  );
}

function Drawn({ sample }: { readonly sample: SampleShown }) {
  const { busy, error, run } = useAction();
  const keep = () =>
    run(async () => {
      const saved = await post('/api/personas/own', { json: { persona: sample.first ?? {} } });
      go(link('persona', 'own', saved.key));
    });
  return (
    <>
      <section aria-label="Distribution">
        <h2>Distribution of {count(sample.count, 'person').replace('persons', 'people')}</h2>
        <p className="legend small">
          <span className="key target" /> target <span className="key actual" /> sample
        </p>
        <div className="plots">
          {sample.report.map((report) => (
            <Margin key={report.of.join(' ')} report={report} />
          ))}
          {sample.traits.map(({ trait, bins }) => (
            <Bars
              key={trait}
              label={traitNames[trait] ?? trait}
              bars={bins.map((n, bin) => ({ from: bin * 5, to: bin * 5 + 5, count: n }))}
              counts="people"
            />
          ))}
        </div>
      </section>
      <section aria-label="Examples">
        <div className="row">
          <h2 className="grow">Examples</h2>
          <button type="button" onClick={keep} disabled={busy || sample.first === null}>
            Save {sample.people[0]?.name ?? 'the first'} as a character
          </button>
        </div>
        <Problem error={error} />
        <People people={sample.people.slice(0, 50)} />
        {sample.count > 50 ? <p className="muted small">… and {formatGrouped(sample.count - 50)} more.</p> : null}
      </section>
    </>
  );
}

function People({ people }: Pick<SampleShown, 'people'>) {
  const names = Object.keys(people[0]?.attributes ?? {});
  return (
    <Scroll label="People">
      <table>
        <thead>
          <tr>
            <th scope="col">name</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {people.map((person) => (
            <tr key={person.name}>
              <th scope="row">{person.name}</th>
              {names.map((name) => (
                <td key={name}>{person.attributes[name]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Target and sample, one pair of bars per value. */
function Margin({ report: { of, cells, fit, quota } }: { readonly report: SampleReport }) {
  const [wide, left, row] = [360, 150, 26];
  const most = Math.max(...cells.flatMap(({ target, share }) => [target, share]), 0.001);
  const long = (share: number) => (share / most) * (wide - left - 56);
  const percent = (share: number) => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;
  const verdict = quota ? 'set by a quota' : `p = ${fit.p.toFixed(2)}${fit.small ? ', small cells' : ''}`;
  const title = of.join(' × ');
  return (
    <figure className="margin">
      <figcaption>
        {title} <span className={`badge ${!quota && fit.p < 0.001 ? 'bad' : ''}`}>{verdict}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${wide} ${cells.length * row + 4}`}
        role="img"
        aria-label={`${title}: ${cells.map(({ values, target, share }) => `${values.join(', ')} target ${percent(target)}, sample ${percent(share)}`).join('; ')}`}
      >
        {cells.map(({ values, target, share }, i) => (
          <g key={values.join(' ')}>
            <text x={left - 6} y={i * row + 16} textAnchor="end">
              {cut(values.join(', '))}
            </text>
            <rect className="target" x={left} y={i * row + 4} width={long(target)} height="8" rx="2" />
            <rect className="actual" x={left} y={i * row + 13} width={long(share)} height="8" rx="2" />
            <text x={left + Math.max(long(share), long(target)) + 5} y={i * row + 17}>
              {percent(share)}
            </text>
          </g>
        ))}
      </svg>
    </figure>
  );
}

function cut(text: string): string {
  return text.length > 20 ? `${text.slice(0, 19)}…` : text;
}
