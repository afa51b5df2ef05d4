/** @file Routes of taking a seat: worlds and who could play in them, beginning an episode, and a person's answers. */

import { Hono } from 'hono';
import { castable, standIn } from '../../../agents/kinds.ts';
import { type AnyEnvironment, Fault, type JsonObject, nameOf, parseJson, type Seat } from '../../../core/index.ts';
import { environmentNames } from '../../../environments/index.ts';
import { gallery } from '../../../personas/index.ts';
import { resolveEnvironment } from '../../../workspace/environments.ts';
import { ownPersonas } from '../../../workspace/user-documents.ts';
import type { AnswerRequest, EnvironmentShown, EnvironmentsShown, PlayRequest, StartedEpisode } from '../api.ts';
import type { StudioContext } from '../context.ts';
import { asks, reply, type Sent, takes, textIn, wholeIn } from '../request.ts';
import { castIn, recordOf } from './episodes.ts';

/** Longer answers are nobody's own words. */
const mostTyped = 20_000;

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
    .get('/worlds/:name', asks<'task'>(), async (call) =>
      reply(call, await worldShown(call.req.param('name'), place.cwd, call.req.valid('query').task)),
    )
    .post('/play', takes<PlayRequest>(), async (call) =>
      reply<StartedEpisode>(call, { episode: await live.begin(playIn(call.req.valid('json'))) }),
    );
}

/** Beside the stage's routes, since it is an episode that is answered. */
export function answers({ store, live }: StudioContext) {
  return new Hono()
    .post('/:id/again', async (call) => {
      const { id } = await recordOf(store, call);
      return reply<StartedEpisode>(call, { episode: await live.again(id) });
    })
    .post('/:id/answer', takes<AnswerRequest>(), async (call) => {
      const { id } = await recordOf(store, call);
      const body = call.req.valid('json');
      const turn = wholeIn(body.turn, 'turn', { from: 0, to: 2 ** 31, otherwise: -1 });
      await live.answer(id, { seat: textIn(body, 'seat'), text: textIn(body, 'text', mostTyped), turn });
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

function playIn(body: Sent<PlayRequest>): PlayRequest {
  const { task, seed, pace } = body;
  if (task !== undefined && (typeof task !== 'object' || task === null || Array.isArray(task)))
    throw new Fault('input', '"task" must be an object with the parameters of the world.');
  return {
    environment: textIn(body, 'environment'),
    cast: castIn(body.cast),
    pace: wholeIn(pace, 'pace', { from: 0, to: 60_000, otherwise: 0 }),
    ...(task === undefined ? {} : { task: task as JsonObject }),
    ...(seed === undefined || seed === null ? {} : { seed: wholeIn(seed, 'seed', { from: 0, to: Number.MAX_SAFE_INTEGER, otherwise: 0 }) }),
  };
}
