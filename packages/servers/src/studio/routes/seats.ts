/** @file Routes for taking a seat: environments and their possible players, starting an episode, and a person's answers. */

import { standIn } from '@ludus-agents/agents/internal/kinds';
import { gallery } from '@ludus-agents/agents/internal/personas/index';
import { isPath, resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { environmentKind } from '@ludus-agents/agents/internal/workspace/kinds';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { environmentGroup, environmentNames } from '@ludus-agents/environments/internal/built-in';
import { type AnyEnvironment, Fault, nameOf, parseJson, type Seat, type Store, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { Hono } from 'hono';
import { ownNames } from '../../describe.ts';
import type { EnvironmentChoice, EnvironmentShown, EnvironmentsShown, Picture, StartedEpisode } from '../api.ts';
import type { StudioContext } from '../context.ts';
import { EnvironmentPictures } from '../environment-pictures.ts';
import { listOwnPersonas, ownFiles } from '../own-files.ts';
import { reply } from '../request.ts';
import { againBody, answerBody, environmentQuery, playBody } from '../requests.ts';
import { seatable } from '../seatable.ts';
import { recordOf } from './episodes.ts';

export function seat({ live, place, store }: StudioContext) {
  const pictures = new EnvironmentPictures(place);
  return new Hono()
    .get('/pictures', async (call) => reply<Readonly<Record<string, Picture>>>(call, await pictures.all()))
    .get('/environments', async (call) => {
      const builtIn = environmentNames().map(async (name) =>
        environmentChoice(name, await resolveEnvironment(name, place.cwd, Trust.request), environmentGroup(name)),
      );
      const environments = [...(await ownEnvironments(place.cwd)), ...(await Promise.all(builtIn))];
      const ownItems = listOwnPersonas(place.cwd).flatMap(({ key, persona }) =>
        persona === null ? [] : [{ id: key, name: persona.name }],
      );
      const characters = [...ownItems, ...Object.entries(gallery).map(([id, { name }]) => ({ id, name }))];
      return reply<EnvironmentsShown>(call, { environments, characters });
    })
    .get('/environments/:name', environmentQuery, async (call) =>
      reply(call, await environmentShown(call.req.param('name'), { cwd: place.cwd, store }, call.req.valid('query').task)),
    )
    .post('/play', playBody, async (call) => reply<StartedEpisode>(call, { episode: await live.begin(call.req.valid('json')) }));
}

/** Part of the stage's routes because an answer belongs to an episode. */
export function answers({ store, live }: StudioContext) {
  return new Hono()
    .post('/:id/again', againBody, async (call) => {
      const { id } = await recordOf(store, call);
      return reply(call, await live.again(id, call.req.valid('json').alternate));
    })
    .post('/:id/answer', answerBody, async (call) => {
      const { id } = await recordOf(store, call);
      await live.answer(id, call.req.valid('json'));
      return reply(call, {});
    });
}

/** Environments of the configuration, and files of the folder, which are loaded when they are chosen. One that cannot be loaded is shown with the reason, since it was asked for by name. */
async function ownEnvironments(cwd: string): Promise<EnvironmentsShown['environments']> {
  const names = await ownNames(environmentKind, cwd);
  const configured = await Promise.all(
    names.map((name) =>
      resolveEnvironment(name, cwd, Trust.request).then(
        (environment) => environmentChoice(name, environment, 'yours'),
        (thrown: unknown): EnvironmentChoice => ({
          ...unloaded,
          name,
          summary: sentenceOf(thrown),
        }),
      ),
    ),
  );
  return [...configured, ...ownFiles(cwd).environments.map(({ name, about }) => ({ ...unloaded, name, summary: about }))];
}

/** The names of environment groups; the user's come first. */
const shelves: Readonly<Record<string, string>> = {
  yours: 'Your environments',
  games: 'Games',
  puzzles: 'Puzzles',
  grids: 'Grids',
  control: 'Control',
  people: 'Conversations',
  work: 'Work with tools',
  societies: 'Societies',
  laboratory: 'Laboratory',
};

const unloaded = { group: 'Your environments', seats: 0, turns: null, isText: false } as const;

function environmentChoice(name: string, environment: AnyEnvironment, group: string): EnvironmentChoice {
  const { summary, turns, complete = false, listed = false } = environment.about;
  const seats = environment.seats(environment.task({})).length;
  return { name, summary, group: shelves[group] ?? group, seats, turns, isText: !complete && !listed };
}

/** The seats of a task, with default agents: some environments add seats per task. */
async function environmentShown(
  name: string,
  { cwd, store }: { readonly cwd: string; readonly store: Store },
  task: string | undefined,
): Promise<EnvironmentShown> {
  const isOwn = (await ownNames(environmentKind, cwd)).includes(name);
  if (!isOwn && !isPath(name) && !environmentNames().includes(nameOf({ id: name })))
    throw new Fault('input', `Unknown environment "${name.slice(0, 80)}".`, { code: 'E_UNKNOWN_NAME' });
  const environment = await resolveEnvironment(name, cwd, Trust.request);
  const seats = environment.seats(environment.task(task === undefined ? {} : parseJson(task)));
  const { id, about, parameters } = environment;
  const standIns = Object.fromEntries(seats.map((seat) => [seat, opponent(environment, seat)]));
  return {
    // Starting an episode uses this name, and a name from the configuration or a file differs from the id.
    name: isOwn || isPath(name) ? name : nameOf(environment),
    id,
    summary: about.summary,
    parameters,
    seats,
    castable: await seatable(environment, { store, cwd }),
    standIns,
  };
}

/** The best player without a model: the seat's default agent, or the environment's first script for any seat, or random. */
function opponent(environment: AnyEnvironment, seat: Seat): string {
  const stand = standIn(environment, seat);
  const [first] = Object.keys(environment.scripts ?? {});
  return stand !== 'random' || first === undefined ? stand : `scripted:${first}`;
}
