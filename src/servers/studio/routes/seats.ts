/** @file Routes of taking a seat: worlds and who could play in them, beginning an episode, and a person's answers. */

import { Hono } from 'hono';
import { castable, standIn } from '../../../agents/kinds.ts';
import { type AnyEnvironment, Fault, nameOf, parseJson, type Seat } from '../../../core/index.ts';
import { environmentNames } from '../../../environments/index.ts';
import { gallery } from '../../../personas/index.ts';
import { resolveEnvironment } from '../../../workspace/environments.ts';
import { ownPersonas } from '../../../workspace/user-documents.ts';
import type { EnvironmentShown, EnvironmentsShown, StartedEpisode } from '../api.ts';
import type { StudioContext } from '../context.ts';
import { reply } from '../request.ts';
import { answerBody, playBody, worldQuery } from '../requests.ts';
import { recordOf } from './episodes.ts';

export function seat({ live, place }: StudioContext) {
  return new Hono()
    .get('/worlds', async (call) => {
      const worlds = await Promise.all(
        environmentNames.map(async (name) => ({ name, summary: (await resolveEnvironment(name, place.cwd)).about.summary })),
      );
      const own = ownPersonas(place.cwd).flatMap(({ key, persona }) => (persona === null ? [] : [{ id: key, name: persona.name }]));
      const characters = [...own, ...Object.entries(gallery).map(([id, { name }]) => ({ id, name }))];
      return reply<EnvironmentsShown>(call, { worlds, characters });
    })
    .get('/worlds/:name', worldQuery, async (call) =>
      reply(call, await worldShown(call.req.param('name'), place.cwd, call.req.valid('query').task)),
    )
    .post('/play', playBody, async (call) => reply<StartedEpisode>(call, { episode: await live.begin(call.req.valid('json')) }));
}

/** Beside the stage's routes, since it is an episode that is answered. */
export function answers({ store, live }: StudioContext) {
  return new Hono()
    .post('/:id/again', async (call) => {
      const { id } = await recordOf(store, call);
      return reply<StartedEpisode>(call, { episode: await live.again(id) });
    })
    .post('/:id/answer', answerBody, async (call) => {
      const { id } = await recordOf(store, call);
      live.answer(id, call.req.valid('json'));
      return reply(call, {});
    });
}

/** The seats and the stand-ins that a task has: some worlds grow with theirs. */
async function worldShown(name: string, cwd: string, task: string | undefined): Promise<EnvironmentShown> {
  if (!environmentNames.includes(nameOf({ id: name }))) throw new Fault('input', `There is no environment "${name.slice(0, 80)}".`);
  const environment = await resolveEnvironment(name, cwd, 'folder');
  const seats = environment.seats(environment.task(task === undefined ? {} : parseJson(task)));
  const { id, about, knobs } = environment;
  const standIns = Object.fromEntries(seats.map((one) => [one, opponent(environment, one)]));
  return {
    name: nameOf(environment),
    id,
    summary: about.summary,
    knobs,
    seats,
    castable: castable(environment).filter((one) => one !== 'human' && one !== 'llm:MODEL'),
    standIns,
  };
}

/** Whoever gives the best game without a model: the stand-in of the seat, else the world's first player for any seat, else chance. */
function opponent(environment: AnyEnvironment, seat: Seat): string {
  const own = standIn(environment, seat);
  const [first] = Object.keys(environment.scripts ?? {});
  return own !== 'random' || first === undefined ? own : `scripted:${first}`;
}
