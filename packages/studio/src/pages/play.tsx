/** @file Take a seat: choose a world, its parameters, who sits where, and begin; or leave every seat to others and watch. */

import type { Json, TaskParameter } from '@ludus-agents/kernel/internal/core/index';
import type { EnvironmentChoice, EnvironmentShown, EnvironmentsShown } from '@ludus-agents/servers/internal/studio/api';
import { useEffect, useMemo, useState } from 'react';
import { post, useAction, useApi } from '../client.ts';
import { count, toTitle } from '../format.ts';
import type { PageProps } from '../pages.ts';
import { AgentField } from '../parts/agent-field.tsx';
import { Crumbs } from '../parts/crumbs.tsx';
import { DiceField, diceIn } from '../parts/dice-field.tsx';
import { Gallery, type GalleryItem } from '../parts/gallery.tsx';
import { isIcon } from '../parts/icons.tsx';
import { Problem, When } from '../parts/states.tsx';
import { go, link, settle, withQuery } from '../router.ts';
import '../house.css';

export function PlayPage({ query }: PageProps) {
  const { loaded, reload } = useApi('/api/environments', {});
  const name = query.get('world');
  return (
    <div className="page house">
      <header>
        <div className="grow">
          {name === null ? null : <Crumbs of={[['All environments', '#/play']]} />}
          <h1>{name === null ? 'Play' : toTitle(name)}</h1>
        </div>
      </header>
      <When loaded={loaded} what="environments" retry={reload}>
        {({ environments, characters }) =>
          name === null ? (
            <Gallery
              label="Environment"
              value=""
              of={environments.map(galleryItem).toSorted((a, b) => shelfOrder.indexOf(a.group) - shelfOrder.indexOf(b.group))}
              change={(world) => go(withQuery('#/play', { world }))}
            />
          ) : (
            <>
              <label className="field">
                <span>Environment</span>
                <select value={name} onChange={(event) => settle(withQuery('#/play', { world: event.target.value }))}>
                  {environments.some((environment) => environment.name === name) ? null : <option value={name}>{name}</option>}
                  {environments.map((environment) => (
                    <option key={environment.name} value={environment.name}>
                      {toTitle(environment.name)}
                    </option>
                  ))}
                </select>
              </label>
              <ChosenEnvironment key={name} name={name} query={query} characters={characters} />
            </>
          )
        }
      </When>
    </div>
  );
}

const shelfOrder = [
  'Your environments',
  'Games',
  'Puzzles',
  'Grids',
  'Conversations',
  'Societies',
  'Work with tools',
  'Control',
  'Laboratory',
];

function galleryItem({ name, summary, group, seats, turns, isText }: EnvironmentChoice): GalleryItem {
  const badges = [
    ...(seats === 0 ? [] : [count(seats, 'player')]),
    ...(turns === null ? [] : [`up to ${count(turns, 'turn')}`]),
    ...(isText ? ['best with a model'] : []),
  ];
  return { name, title: toTitle(name), about: summary, group, badges, icon: isIcon(group) ? group : 'Your environments' };
}

type Task = Readonly<Record<string, Json>>;

interface ChosenEnvironmentProps extends Pick<EnvironmentsShown, 'characters'> {
  readonly name: string;
  readonly query: URLSearchParams;
}

function ChosenEnvironment({ name, query, characters }: ChosenEnvironmentProps) {
  const taskQuery = query.get('task');
  const task = useMemo(() => taskIn(taskQuery), [taskQuery]);
  const setTask = (next: Task) => change(query, { task: Object.keys(next).length === 0 ? undefined : JSON.stringify(next) });
  const { loaded, reload } = useApi('/api/environments/:name', {
    param: { name },
    query: Object.keys(task).length === 0 ? {} : { task: JSON.stringify(task) },
  });
  // While new seats are looked up the form stays as it is: nothing jumps.
  const [environment, setEnvironment] = useState<EnvironmentShown | null>(null);
  useEffect(() => {
    if (loaded.state === 'ready') setEnvironment(loaded.data);
  }, [loaded]);
  if (environment === null)
    return (
      <When loaded={loaded} what="the world" retry={reload}>
        {() => null}
      </When>
    );
  const problem = loaded.state === 'failed' ? loaded.error : null;
  return <Table environment={environment} characters={characters} task={task} setTask={setTask} query={query} problem={problem} />;
}

interface TableProps extends Pick<EnvironmentsShown, 'characters'> {
  readonly environment: EnvironmentShown;
  readonly task: Task;
  readonly setTask: (task: Task) => void;
  readonly query: URLSearchParams;
  readonly problem: string | null;
}

function Table({ environment, characters, task, setTask, query, problem }: TableProps) {
  const wanted = query.get('seat');
  const cast = seatsAsked(environment, query);
  const [seed, setSeed] = useState('');
  const { busy, error, run } = useAction();
  const mine = wanted !== null && environment.seats.includes(wanted) ? wanted : environment.seats[0]!;
  const seated = Object.fromEntries(
    environment.seats.map((seat) => [seat, cast[seat] ?? (seat === mine ? 'human' : environment.standIns[seat]!)]),
  );
  const people = environment.seats.filter((seat) => seated[seat] === 'human');
  const submit = () =>
    run(async () => {
      const { episode } = await post('/api/play', {
        json: { environment: environment.name, task, cast: seated, pace: people.length > 0 ? 350 : 700, ...diceIn(seed) },
      });
      go(people[0] === undefined ? link('e', episode) : link('seat', episode, people[0]));
    });
  return (
    <form className="card" action={submit}>
      <p>{environment.summary}</p>
      <h2>Players</h2>
      <div className="fields">
        {environment.seats.map((seat) => (
          <AgentField
            key={seat}
            seat={seat}
            castable={environment.castable}
            characters={characters}
            value={seated[seat]!}
            choose={(agent) => change(query, { [seat]: agent })}
          />
        ))}
      </div>
      <details open={Object.keys(task).length > 0}>
        <summary>Environment settings and seed</summary>
        <div className="fields parameters">
          {Object.entries(environment.parameters).map(([name, parameter]) => (
            <ParameterField
              key={name}
              name={name}
              parameter={parameter}
              value={task[name]}
              set={(value) => setTask(withValue(task, name, value))}
            />
          ))}
          <DiceField label="Seed" otherwise="new ones" value={seed} set={setSeed} />
        </div>
      </details>
      <Problem error={problem ?? error} />
      <div className="row">
        <button type="submit" className="primary" disabled={busy || problem !== null}>
          {busy ? 'Starting …' : people.length > 0 ? 'Start game' : 'Watch'}
        </button>
        <span className="muted small">
          {people.length > 1 ? 'You play several seats in turn.' : people.length === 0 ? 'All players are agents. You’ll watch.' : ''}
        </span>
      </div>
    </form>
  );
}

/** Agents that the address names: #/play?world=kuhn-poker&second=llm:local/run@best. */
function seatsAsked({ seats }: EnvironmentShown, query: URLSearchParams): Record<string, string> {
  return Object.fromEntries(seats.flatMap((seat) => (query.get(seat) === null ? [] : [[seat, query.get(seat) as string]])));
}

/** The form is stored in the URL, so it can be shared and survives a reload. */
function change(query: URLSearchParams, next: Readonly<Record<string, string | undefined>>): void {
  settle(withQuery('#/play', { ...Object.fromEntries(query), ...next }));
}

/** Parameters that the address names; what is no object is none. */
function taskIn(text: string | null): Task {
  try {
    const read = JSON.parse(text ?? '{}') as Json;
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as Task) : {};
  } catch {
    return {};
  }
}

function withValue(task: Task, name: string, value: Json | undefined): Task {
  const { [name]: _, ...rest } = task;
  return value === undefined ? rest : { ...rest, [name]: value };
}

interface ParameterProps {
  readonly name: string;
  readonly parameter: TaskParameter;
  readonly value: Json | undefined;
  readonly set: (value: Json | undefined) => void;
}

function ParameterField({ name, parameter, value, set }: ParameterProps) {
  const description = <small>{parameter.description}</small>;
  const usual = useMemo(() => JSON.stringify(parameter.default), [parameter]);
  if (parameter.kind === 'boolean')
    return (
      <label className="field">
        <span>{name}</span>
        <select value={String(value ?? parameter.default)} onChange={(event) => set(event.target.value === 'true')}>
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
        {description}
      </label>
    );
  if (parameter.kind === 'choice')
    return (
      <label className="field">
        <span>{name}</span>
        <select value={String(value ?? parameter.default)} onChange={(event) => set(event.target.value)}>
          {parameter.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
        {description}
      </label>
    );
  if (parameter.kind === 'integer' || parameter.kind === 'number')
    return (
      <label className="field">
        <span>{name}</span>
        <input
          type="number"
          min={parameter.min}
          max={parameter.max}
          step={parameter.kind === 'integer' ? 1 : 'any'}
          placeholder={usual}
          value={typeof value === 'number' ? value : ''}
          onChange={(event) => set(event.target.value === '' ? undefined : Number(event.target.value))}
        />
        {description}
      </label>
    );
  return <TextParameter name={name} parameter={parameter} value={value} set={set} />;
}

/** Texts as they are typed, other data as JSON once it is some. */
function TextParameter({ name, parameter, value, set }: ParameterProps) {
  const [typed, setTyped] = useState(typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value));
  const [wrong, setWrong] = useState(false);
  const take = (text: string) => {
    setTyped(text);
    setWrong(false);
    if (text.trim() === '') set(undefined);
    else if (parameter.kind === 'string') set(text);
    else
      try {
        set(JSON.parse(text) as Json);
      } catch {
        setWrong(true);
      }
  };
  return (
    <label className="field">
      <span>{name}</span>
      <input
        value={typed}
        placeholder={parameter.kind === 'string' ? '' : 'JSON'}
        aria-invalid={wrong}
        onChange={(event) => take(event.target.value)}
      />
      <small>{wrong ? 'This is not JSON yet.' : parameter.description}</small>
    </label>
  );
}
